package telegram

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/PaulSonOfLars/gotgbot/v2"

	"relay/bridges/reception"
	"relay/server/chat"
)

// Watch looks after the bot's group until ctx ends: Telegram tells nobody that a
// group has no topics or that a webhook is not reached.
func (b *Bridge) Watch(ctx context.Context) { reception.Watch(ctx, b.changed, b.look) }

// look notes what a human has to do, and reports whether there is anything.
// What cannot be asked is no news.
func (b *Bridge) look(ctx context.Context) (trouble bool) {
	_, err := b.lookAtGroup(ctx)
	if err == nil {
		_, err = b.lookAtRights(ctx)
	}
	if err == nil {
		err = b.lookAtWebhook(ctx)
	}
	way, _ := b.status.Get()
	told := errors.Is(err, errToken) && way != wayWebhook // Run says so
	var wrong *chat.Misconfigured
	if !told && (err == nil || errors.As(err, &wrong)) {
		b.standing.Note(b.log, wrong, "the group and the way of the updates are well again")
	}
	return b.standing.Failing()
}

// lookAgain has Watch look now.
func (b *Bridge) lookAgain() {
	select {
	case b.changed <- struct{}{}:
	default: // it will
	}
}

// lookAtGroup returns the group's title. The error is a [chat.Misconfigured]
// when it is no group with topics.
func (b *Bridge) lookAtGroup(ctx context.Context) (title string, err error) {
	group, err := b.bot.GetChatWithContext(ctx, b.group.Load(), nil)
	if id, moved := migrated(err); moved {
		return "", &chat.Misconfigured{Problem: "the group has a new id since it became a supergroup", Fix: fmt.Sprintf("set TELEGRAM_CHAT_ID to %d", id)}
	}
	if err != nil {
		return "", translate(err, true)
	}
	switch {
	case group.Type == "private":
		return "", &chat.Misconfigured{Problem: "the chat id is that of a person", Fix: "make a group with topics and use its id, which begins with -100"}
	case group.Type == "channel":
		return "", &chat.Misconfigured{Problem: "the chat id is that of a channel", Fix: "make a group with topics and use its id"}
	case !group.IsForum:
		return "", &chat.Misconfigured{Problem: fmt.Sprintf("the group %q has no topics", group.Title), Fix: fixTopics + "; if its id changes by that, take the new one"}
	}
	return group.Title, nil
}

// lookAtRights reports whether the bot may delete what operators wrote. The
// error is a [chat.Misconfigured] when it lacks a right that it needs.
func (b *Bridge) lookAtRights(ctx context.Context) (deletes bool, err error) {
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

// lookAtWebhook asks how pushing goes, where Telegram pushes.
func (b *Bridge) lookAtWebhook(ctx context.Context) error {
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
	// What failed while relay was away is no news, nor what came through since.
	since := max(b.pushedSince.Load(), time.Now().Add(-reception.WatchPause).Unix())
	if wrong := unreached(info, since); wrong != nil && info.PendingUpdateCount > 0 {
		return wrong
	}
	return nil
}

// unreached says why Telegram could not push since a time, nil when it could. It
// does not count what waits: that grows, and each failure is told once.
func unreached(info *gotgbot.WebhookInfo, since int64) *chat.Misconfigured {
	if info.LastErrorDate <= since {
		return nil
	}
	problem := fmt.Sprintf("Telegram could not push to %s: %s", host(info.Url), info.LastErrorMessage)
	if strings.Contains(info.LastErrorMessage, "401") {
		return &chat.Misconfigured{Problem: problem, Fix: "the webhook was registered with another secret than TELEGRAM_WEBHOOK_SECRET: register it with this one; or remove TELEGRAM_WEBHOOK_SECRET and restart relay, which then asks for updates itself"}
	}
	return &chat.Misconfigured{Problem: problem,
		Fix: "check that PUBLIC_URL is reachable from outside by HTTPS; or remove PUBLIC_URL and TELEGRAM_WEBHOOK_SECRET, and relay asks for updates itself"}
}
