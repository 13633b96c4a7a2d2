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
func (b *Bridge) Watch(ctx context.Context) { reception.Watch(ctx, b.changed, b.checkSetup) }

// checkSetup stores the problem that an operator has to fix, and reports whether there
// is one. A check that fails otherwise changes nothing.
func (b *Bridge) checkSetup(ctx context.Context) (failing bool) {
	_, err := b.readGroup(ctx)
	if err == nil {
		_, err = b.readRights(ctx)
	}
	if err == nil {
		err = b.checkPushes(ctx)
	}
	way, _ := b.status.Get()
	reported := errors.Is(err, errToken) && way != wayWebhook // by Run
	var wrong *chat.Misconfigured
	if !reported && (err == nil || errors.As(err, &wrong)) {
		b.watched.Note(b.log, wrong, "the group and the webhook work again")
	}
	return b.watched.Failing()
}

// checkNow makes Watch check now.
func (b *Bridge) checkNow() {
	select {
	case b.changed <- struct{}{}:
	default: // it is about to
	}
}

// readGroup returns the group's title. The error is a [chat.Misconfigured]
// when it is no group with topics.
func (b *Bridge) readGroup(ctx context.Context) (title string, err error) {
	group, err := b.bot.GetChatWithContext(ctx, b.group.Load(), nil)
	if id, moved := migrated(err); moved {
		return "", &chat.Misconfigured{Problem: "the group has a new id since it became a supergroup", Fix: fmt.Sprintf("set TELEGRAM_CHAT_ID to %d", id)}
	}
	if err != nil {
		return "", translate(err, true)
	}
	switch {
	case group.Type == "private":
		return "", &chat.Misconfigured{Problem: "the chat id is that of a person", Fix: "create a group with topics and use its id, which begins with -100"}
	case group.Type == "channel":
		return "", &chat.Misconfigured{Problem: "the chat id is that of a channel", Fix: "create a group with topics and use its id"}
	case !group.IsForum:
		return "", &chat.Misconfigured{Problem: fmt.Sprintf("topics are off in the group %q", group.Title), Fix: fixTopics}
	}
	return group.Title, nil
}

// readRights reports whether the bot may delete operators' messages. The error
// is a [chat.Misconfigured] when it lacks a required right.
func (b *Bridge) readRights(ctx context.Context) (deletes bool, err error) {
	member, err := b.bot.GetChatMemberWithContext(ctx, b.group.Load(), b.bot.Id, nil)
	if err != nil {
		return false, translate(err, true)
	}
	rights := member.MergeChatMember()
	switch {
	case rights.Status == gotgbot.ChatMemberStatusLeft || rights.Status == gotgbot.ChatMemberStatusBanned:
		return false, &chat.Misconfigured{Problem: "the bot is not in the group", Fix: fixMember}
	case rights.Status != gotgbot.ChatMemberStatusAdministrator:
		return false, &chat.Misconfigured{Problem: "the bot is not an administrator of the group, so it may not open topics and does not see every message", Fix: fixMember}
	case !rights.CanManageTopics:
		return false, &chat.Misconfigured{Problem: "the bot may not open topics", Fix: fixRights}
	}
	return rights.CanDeleteMessages, nil
}

// checkPushes checks whether Telegram can push, if it does.
func (b *Bridge) checkPushes(ctx context.Context) error {
	if way, _ := b.status.Get(); way != wayWebhook {
		return nil
	}
	info, err := b.bot.GetWebhookInfoWithContext(ctx, nil)
	if err != nil {
		return translate(err, true)
	}
	if !endsInRoute(info.Url) {
		return errWebhookTaken
	}
	// Failures while relay was down do not count, nor those that are over.
	since := max(b.pushedSince.Load(), time.Now().Add(-reception.WatchPause).Unix())
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
