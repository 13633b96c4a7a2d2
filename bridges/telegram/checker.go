package telegram

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/PaulSonOfLars/gotgbot/v2"

	"github.com/relay-chat/relay/bridges/reception"
	"github.com/relay-chat/relay/server/chat"
)

// checker checks the bot, its group and its reception.
type checker struct {
	client   *client
	receiver *receiver
	beside   bool // another bridge's connection serves the group, and that one checks it
	// watched is the problem that Watch found with the group or the webhook.
	watched reception.Status
}

// Check implements [chat.Bridge]. It runs the checks in order and stops at the
// first failure that the others depend on.
func (c *checker) Check(ctx context.Context) []chat.Finding {
	found := reception.RunChecks(ctx, reception.Beside(c.beside, c.checkToken), c.checkGroup, c.checkRights, reception.Beside(c.beside, c.checkReception))
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

// Watch checks the bot's group until ctx ends: Telegram does not report that a
// group has no topics or that a webhook cannot be reached.
func (c *checker) Watch(ctx context.Context) { reception.Watch(ctx, c.receiver.changed, c.checkSetup) }

// checkSetup stores the problem that an operator has to fix, and reports whether there
// is one. A check that fails otherwise changes nothing.
func (c *checker) checkSetup(ctx context.Context) (failing bool) {
	_, err := c.client.readGroup(ctx)
	if err == nil {
		_, err = c.client.readRights(ctx)
	}
	if err == nil && !c.beside {
		err = c.checkPushes(ctx)
	}
	way, _ := c.receiver.status.Get()
	reported := errors.Is(err, errToken) && way != wayWebhook // by Run
	var wrong *chat.Misconfigured
	if !reported && (err == nil || errors.As(err, &wrong)) {
		c.watched.Note(c.client.log, wrong, "the group and the webhook work again")
	}
	return c.watched.Failing()
}

// checkPushes checks whether Telegram can push, if it does.
func (c *checker) checkPushes(ctx context.Context) error {
	if way, _ := c.receiver.status.Get(); way != wayWebhook {
		return nil
	}
	info, err := c.client.bot.GetWebhookInfoWithContext(ctx, nil)
	if err != nil {
		return translate(err, true)
	}
	if !endsInRoute(info.Url) {
		return errWebhookTaken
	}
	// Failures while relay was down do not count, nor those that are over.
	since := max(c.receiver.pushedSince.Load(), time.Now().Add(-reception.WatchPause).Unix())
	if wrong := unreached(info, since); wrong != nil && info.PendingUpdateCount > 0 {
		return wrong
	}
	return nil
}

// unreached returns why Telegram could not push since a time, nil when it could. The
// text has no count of pending updates: a changed text would be logged again.
func unreached(info *gotgbot.WebhookInfo, since int64) *chat.Misconfigured {
	if info.LastErrorDate <= since {
		return nil
	}
	problem := fmt.Sprintf("Telegram could not push to %s: %s", host(info.Url), info.LastErrorMessage)
	if strings.Contains(info.LastErrorMessage, "401") {
		return &chat.Misconfigured{Problem: problem, Fix: "the webhook was registered with another secret than TELEGRAM_WEBHOOK_SECRET: register it with this one; or remove TELEGRAM_WEBHOOK_SECRET and restart relay, which then polls for updates"}
	}
	return &chat.Misconfigured{Problem: problem,
		Fix: "check that PUBLIC_URL is reachable from outside by HTTPS; or remove PUBLIC_URL and TELEGRAM_WEBHOOK_SECRET, and relay polls for updates"}
}
