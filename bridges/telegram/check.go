package telegram

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/PaulSonOfLars/gotgbot/v2"

	"relay/server/chat"
)

// Check implements [chat.Bridge]. It looks at one thing after the other and
// stops at the first that the others need.
func (b *Bridge) Check(ctx context.Context) []chat.Finding {
	var found []chat.Finding
	for _, look := range []func(context.Context) (f chat.Finding, goOn bool){b.checkToken, b.checkGroup, b.checkRights, b.checkReception} {
		begun := time.Now()
		f, goOn := look(ctx)
		f.Took = time.Since(begun)
		found = append(found, f)
		if !goOn {
			break
		}
	}
	return found
}

func (b *Bridge) checkToken(ctx context.Context) (chat.Finding, bool) {
	me, err := b.bot.GetMeWithContext(ctx, nil)
	if err != nil {
		return failed("bot token", translate(err, true)), false
	}
	b.username.Store(&me.Username)
	return chat.Fine("bot token", "the bot is @"+me.Username), true
}

func (b *Bridge) checkGroup(ctx context.Context) (chat.Finding, bool) {
	const subject = "group"
	group, err := b.bot.GetChatWithContext(ctx, b.group.Load(), nil)
	if id, moved := migrated(err); moved {
		return chat.Bad(subject, "the group has a new id since it became a supergroup", fmt.Sprintf("set TELEGRAM_CHAT_ID to %d", id)), false
	}
	if err != nil {
		return failed(subject, translate(err, true)), false
	}
	switch {
	case group.Type == "private":
		return chat.Bad(subject, "the chat id is that of a person", "make a group with topics and use its id, which begins with -100"), false
	case group.Type == "channel":
		return chat.Bad(subject, "the chat id is that of a channel", "make a group with topics and use its id"), false
	case !group.IsForum:
		return chat.Bad(subject, fmt.Sprintf("the group %q has no topics", group.Title), fixTopics+"; if its id changes by that, take the new one"), false
	}
	return chat.Fine(subject, fmt.Sprintf("the group %q has topics", group.Title)), true
}

func (b *Bridge) checkRights(ctx context.Context) (chat.Finding, bool) {
	const subject = "rights"
	member, err := b.bot.GetChatMemberWithContext(ctx, b.group.Load(), b.bot.Id, nil)
	if err != nil {
		return failed(subject, translate(err, true)), true
	}
	rights := member.MergeChatMember()
	switch {
	case rights.Status == gotgbot.ChatMemberStatusLeft || rights.Status == gotgbot.ChatMemberStatusBanned:
		return chat.Bad(subject, "the bot is not in the group", fixMember), true
	case rights.Status != gotgbot.ChatMemberStatusAdministrator:
		return chat.Bad(subject, "the bot is not an administrator of the group, so it may not open topics and does not see every message", fixMember), true
	case !rights.CanManageTopics:
		return chat.Bad(subject, "the bot may not open topics", fixRights), true
	case !rights.CanDeleteMessages:
		return chat.Finding{Subject: subject, Level: chat.FindingWarn, Text: "the bot may not delete operators' messages: /delete works for visitors only",
			Fix: "give the bot the right \"Delete messages\", too"}, true
	}
	return chat.Fine(subject, "the bot may open topics and delete messages"), true
}

func (b *Bridge) checkReception(ctx context.Context) (chat.Finding, bool) {
	const subject = "reception"
	info, err := b.bot.GetWebhookInfoWithContext(ctx, nil)
	if err != nil {
		return failed(subject, translate(err, true)), false
	}
	way, problem := b.status.Get()
	var human *chat.Misconfigured
	switch {
	case errors.As(problem, &human):
		return chat.Bad(subject, human.Problem, human.Fix), false
	case problem != nil:
		return chat.Bad(subject, "updates cannot be received: "+problem.Error(), "if this lasts, look at the other findings and at the network"), false
	case info.Url == "":
		return chat.Fine(subject, "updates are asked for (long polling)"), false
	case way == wayPolling, !endsInRoute(info.Url):
		return chat.Finding{Subject: subject, Level: chat.FindingWarn, Text: "another program has its webhook at this bot: " + host(info.Url),
			Fix: "stop that program, or make a bot of its own for relay at @BotFather; relay takes over when it starts"}, false
	case b.cfg.WebhookSecret == "":
		return chat.Bad(subject, "a webhook is registered, but relay has no secret to check it by",
			"set TELEGRAM_WEBHOOK_SECRET, or restart relay: it will ask for updates instead"), false
	case lately(info.LastErrorDate):
		return chat.Finding{Subject: subject, Level: chat.FindingWarn,
			Text: fmt.Sprintf("Telegram could not reach %s: %s; %d updates wait", host(info.Url), info.LastErrorMessage, info.PendingUpdateCount),
			Fix:  "check that PUBLIC_URL is reachable from outside by HTTPS; or remove PUBLIC_URL and TELEGRAM_WEBHOOK_SECRET, and relay asks for updates itself"}, false
	}
	return chat.Fine(subject, "Telegram pushes to "+host(info.Url)), false
}

// lately reports whether a failure is less than an hour ago.
func lately(unix int64) bool { return unix != 0 && time.Since(time.Unix(unix, 0)) < time.Hour }

// failed makes a finding of an error.
func failed(subject string, err error) chat.Finding {
	var human *chat.Misconfigured
	if errors.As(err, &human) {
		return chat.Bad(subject, human.Problem, human.Fix)
	}
	return chat.Bad(subject, "Telegram could not be asked: "+err.Error(), "check the network of this machine, and TELEGRAM_API_URL if you set it; then try again")
}
