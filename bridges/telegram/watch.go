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
	if err == nil {
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

// checkNow makes Watch check now.
func (r *receiver) checkNow() {
	select {
	case r.changed <- struct{}{}:
	default: // it is about to
	}
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
