package telegram

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/PaulSonOfLars/gotgbot/v2"

	"relay/server/chat"
)

// webhookRoute is how the address of Webhook ends, in both modes (seed 4.3
// and 5).
const webhookRoute = "/webhooks/telegram"

// allowedUpdates are what Telegram is asked for. Reactions and the bot's own
// standing are not among what it sends without being asked.
var allowedUpdates = []string{"message", "edited_message", "message_reaction", "my_chat_member"}

// register decides how updates come (contract.md 6, receiving) and arranges it
// with Telegram: a webhook that ends in our route is kept; else one is set if
// relay has a public address and a secret; else updates are asked for. pushes
// is false in the last case.
func (b *Bridge) register(ctx context.Context) (pushes bool, err error) {
	if err := b.introduce(ctx); err != nil {
		return false, err
	}
	info, err := b.bot.GetWebhookInfoWithContext(ctx, nil)
	if err != nil {
		return false, translate(err, true)
	}
	switch {
	case b.cfg.WebhookSecret != "" && endsInRoute(info.Url) && info.Url != b.cfg.PublicURL:
		pushes = true
	case b.cfg.WebhookSecret != "" && pushable(b.cfg.PublicURL):
		pushes, err = b.setWebhook(ctx)
	}
	if err == nil && !pushes && info.Url != "" {
		err = b.deleteWebhook(ctx)
	}
	return pushes && err == nil, err
}

// introduce learns the bot's name and offers its commands.
func (b *Bridge) introduce(ctx context.Context) error {
	me, err := b.bot.GetMeWithContext(ctx, nil)
	if err != nil {
		return translate(err, true)
	}
	b.username.Store(&me.Username)
	if err := b.offerCommands(ctx); err != nil {
		b.log.Warn("the commands could not be put into the group's menu", "err", err)
	}
	return nil
}

// setWebhook has Telegram push. An address that Telegram does not take is no
// reason to receive nothing: pushes is false then.
func (b *Bridge) setWebhook(ctx context.Context) (pushes bool, err error) {
	_, err = b.bot.SetWebhookWithContext(ctx, b.cfg.PublicURL, &gotgbot.SetWebhookOpts{
		SecretToken: b.cfg.WebhookSecret, AllowedUpdates: allowedUpdates})
	err = translate(err, true)
	if errors.Is(err, chat.ErrPermanent) {
		b.log.Warn("Telegram does not push to PUBLIC_URL; updates are asked for instead", "err", err)
		return false, nil
	}
	return err == nil, err
}

// deleteWebhook ends pushing. What waits is kept and can be asked for.
func (b *Bridge) deleteWebhook(ctx context.Context) error {
	_, err := b.bot.DeleteWebhookWithContext(ctx, nil)
	return translate(err, true)
}

// announce notes how updates come. While another program contests that, what was
// noted stays.
func (b *Bridge) announce(pushes, contested bool) {
	way := wayPolling
	if pushes {
		way = wayWebhook
		b.pushedSince.Store(time.Now().Unix())
	}
	if old, _ := b.status.Get(); contested && old == way {
		return
	}
	b.status.Set(way)
	b.log.Info("receiving updates", "way", way)
}

// endsInRoute reports whether a registered address is one of ours.
func endsInRoute(address string) bool {
	u, err := url.Parse(address)
	return err == nil && strings.HasSuffix(u.Path, webhookRoute)
}

// pushable reports whether Telegram would push to an address: by HTTPS to one
// of four ports (Bot API, setWebhook).
func pushable(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != "https" {
		return false
	}
	switch u.Port() {
	case "", "443", "80", "88", "8443":
		return true
	}
	return false
}

// host is what of a registered address may be shown: not its path, in which
// others keep secrets.
func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "an address"
	}
	return u.Host
}
