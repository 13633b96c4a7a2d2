package telegram

import (
	"context"
	"errors"
	"net/url"
	"strings"
	"time"

	"github.com/PaulSonOfLars/gotgbot/v2"

	"github.com/relay-chat/relay/server/chat"
)

// webhookRoute is the end of Webhook's address, in both modes.
const webhookRoute = "/webhooks/telegram"

// allowedUpdates are the requested kinds of updates. Telegram sends reactions and
// changes of the bot's rights only on request.
var allowedUpdates = []string{"message", "edited_message", "message_reaction", "my_chat_member"}

// register chooses how updates are received: a webhook that ends in our route is
// kept; else one is set if relay has a public address and a secret; else updates
// are polled and pushes is false.
func (r *receiver) register(ctx context.Context) (pushes bool, err error) {
	if err := r.introduce(ctx); err != nil {
		return false, err
	}
	info, err := r.client.bot.GetWebhookInfoWithContext(ctx, nil)
	if err != nil {
		return false, translate(err, true)
	}
	switch {
	case r.cfg.WebhookSecret != "" && endsInRoute(info.Url) && info.Url != r.cfg.PublicURL:
		pushes = true
	case r.cfg.WebhookSecret != "" && pushable(r.cfg.PublicURL):
		pushes, err = r.setWebhook(ctx)
	}
	if err == nil && !pushes && info.Url != "" {
		err = r.deleteWebhook(ctx)
	}
	return pushes && err == nil, err
}

// introduce fetches the bot's name and offers its commands in all groups.
func (r *receiver) introduce(ctx context.Context) error {
	me, err := r.client.bot.GetMeWithContext(ctx, nil)
	if err != nil {
		return translate(err, true)
	}
	r.client.username.Store(&me.Username)
	for _, one := range r.receivers {
		if err := one.client.offerCommands(ctx); err != nil {
			r.log.Warn("the commands could not be put into a group's menu", "group", one.client.Channel(), "err", err)
		}
	}
	return nil
}

// setWebhook makes Telegram push. If Telegram rejects the address, pushes is false
// and updates are polled.
func (r *receiver) setWebhook(ctx context.Context) (pushes bool, err error) {
	_, err = r.client.bot.SetWebhookWithContext(ctx, r.cfg.PublicURL, &gotgbot.SetWebhookOpts{
		SecretToken: r.cfg.WebhookSecret, AllowedUpdates: allowedUpdates})
	err = translate(err, true)
	if errors.Is(err, chat.ErrPermanent) {
		r.log.Warn("Telegram does not push to PUBLIC_URL; polling instead", "err", err)
		return false, nil
	}
	return err == nil, err
}

// deleteWebhook ends pushing. Pending updates are kept and can be polled.
func (r *receiver) deleteWebhook(ctx context.Context) error {
	_, err := r.client.bot.DeleteWebhookWithContext(ctx, nil)
	return translate(err, true)
}

// announce stores how updates are received. While another program competes for
// them, an unchanged way keeps its failure.
func (r *receiver) announce(pushes, contested bool) {
	way := wayPolling
	if pushes {
		way = wayWebhook
		r.pushedSince.Store(time.Now().Unix())
	}
	if old, _ := r.status.Get(); contested && old == way {
		return
	}
	r.status.Set(way)
	r.log.Info("receiving updates", "way", way)
}

// endsInRoute reports whether a registered address ends in webhookRoute.
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

// host returns the host of a registered address. Its path may hold another
// program's secret.
func host(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "an address"
	}
	return u.Host
}
