package telegram

import (
	"context"
	"fmt"
	"time"

	"github.com/relay-chat/relay/bridges/reception"
	"github.com/relay-chat/relay/server/chat"
)

// checker checks the bot, its group and its reception.
type checker struct {
	client   *client
	receiver *receiver
	// watched is the problem that Watch found with the group or the webhook.
	watched reception.Status
}

// Check implements [chat.Bridge]. It runs the checks in order and stops at the
// first failure that the others depend on.
func (c *checker) Check(ctx context.Context) []chat.Finding {
	found := reception.RunChecks(ctx, c.checkToken, c.checkGroup, c.checkRights, c.checkReception)
	c.checkSetup(ctx) // the state may have changed since Watch last checked
	return found
}

func (c *checker) checkToken(ctx context.Context) (chat.Finding, bool) {
	me, err := c.client.bot.GetMeWithContext(ctx, nil)
	if err != nil {
		return failed("bot token", translate(err, true)), false
	}
	c.client.username.Store(&me.Username)
	return chat.Fine("bot token", "the bot is @"+me.Username), true
}

func (c *checker) checkGroup(ctx context.Context) (chat.Finding, bool) {
	title, err := c.client.readGroup(ctx)
	if err != nil {
		return failed("group", err), false
	}
	return chat.Fine("group", fmt.Sprintf("the group %q has topics", title)), true
}

func (c *checker) checkRights(ctx context.Context) (chat.Finding, bool) {
	const subject = "rights"
	deletes, err := c.client.readRights(ctx)
	switch {
	case err != nil:
		return failed(subject, err), true
	case !deletes:
		return chat.Finding{Subject: subject, Level: chat.FindingWarn, Text: "the bot may not delete operators' messages: /delete works for visitors only",
			Fix: "give the bot the right \"Delete messages\", too"}, true
	}
	return chat.Fine(subject, "the bot may open topics and delete messages"), true
}

func (c *checker) checkReception(ctx context.Context) (chat.Finding, bool) {
	const subject = "reception"
	info, err := c.client.bot.GetWebhookInfoWithContext(ctx, nil)
	if err != nil {
		return failed(subject, translate(err, true)), false
	}
	way, problem := c.receiver.status.Get()
	switch {
	case problem != nil:
		return chat.CallFailed(subject, "Telegram", problem), false
	case way == wayWebhook && !endsInRoute(info.Url):
		return chat.Finding{Subject: subject, Level: chat.FindingWarn, Text: errWebhookTaken.Problem, Fix: errWebhookTaken.Fix}, false
	case info.Url == "" && c.receiver.cfg.WebhookSecret != "" && !pushable(c.receiver.cfg.PublicURL):
		return chat.Fine(subject, "updates are polled (long polling): Telegram pushes only to a PUBLIC_URL with https:// and the port 443, 80, 88 or 8443"), false
	case info.Url == "":
		return chat.Fine(subject, "updates are polled (long polling)"), false
	case way == wayPolling, !endsInRoute(info.Url):
		return chat.Finding{Subject: subject, Level: chat.FindingWarn, Text: "another program has registered its webhook at this bot: " + host(info.Url),
			Fix: "stop that program, or create a separate bot for relay at @BotFather; relay takes over when it starts"}, false
	case c.receiver.cfg.WebhookSecret == "":
		return chat.Bad(subject, "a webhook is registered, but relay has no secret to check it by",
			"set TELEGRAM_WEBHOOK_SECRET, or restart relay: it will poll for updates instead"), false
	}
	if wrong := unreached(info, time.Now().Add(-time.Hour).Unix()); wrong != nil {
		f := chat.Bad(subject, fmt.Sprintf("%s; %d updates wait", wrong.Problem, info.PendingUpdateCount), wrong.Fix)
		if info.PendingUpdateCount == 0 { // the failure is over
			f.Level = chat.FindingWarn
		}
		return f, false
	}
	return chat.Fine(subject, "Telegram pushes to "+host(info.Url)), false
}

// failed returns the finding of an error.
func failed(subject string, err error) chat.Finding {
	return chat.CallFailed(subject, "Telegram", err)
}
