package telegram

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync/atomic"

	"github.com/PaulSonOfLars/gotgbot/v2"

	"github.com/relay-chat/relay/bridges/call"
	"github.com/relay-chat/relay/bridges/cut"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// client makes the bot's calls in its group.
type client struct {
	log    *slog.Logger
	bot    *gotgbot.Bot
	caller *caller
	budget *budget
	// group is the chat's id. It changes when Telegram moves the group to a new one.
	group    atomic.Int64
	username *atomic.Pointer[string] // the bot's, once it is known; of all its groups
}

// Channel implements [chat.Bridge].
func (c *client) Channel() string { return strconv.FormatInt(c.group.Load(), 10) }

// spend makes a call that costs a message of the group's budget.
func (c *client) spend(ctx context.Context, when urgency, repeatable bool, do func(context.Context) error) error {
	arrived, err := c.budget.spend(when)
	if err != nil {
		return err
	}
	defer arrived()
	return c.call(ctx, repeatable, do)
}

// call makes a call in the group, follows the group to a new id and translates the
// error.
func (c *client) call(ctx context.Context, repeatable bool, do func(context.Context) error) error {
	err := do(ctx)
	if group, ok := migrated(err); ok {
		c.log.Warn("the group became a supergroup and has a new id: set TELEGRAM_CHAT_ID", "old", c.group.Load(), "new", group)
		c.group.Store(group)
		err = do(ctx)
	}
	err = translate(err, repeatable)
	var wait *chat.RetryAfter
	if errors.As(err, &wait) {
		c.budget.block(wait.After)
	}
	if repeatable && errors.Is(err, errUnchanged) {
		return nil
	}
	return err
}

// change makes a call that edits a message. gotgbot's own methods send an empty
// reply markup, which the Bot API rejects.
func (c *client) change(ctx context.Context, when urgency, method string, id int64, params map[string]any) error {
	return c.spend(ctx, when, true, func(ctx context.Context) error {
		params["chat_id"], params["message_id"] = c.group.Load(), id
		_, err := c.bot.RequestWithContext(ctx, method, params, nil)
		return err
	})
}

// delete removes a message: the bot's own, or an operator's if the bot has the
// right. After 48 hours no bot can (Bot API, deleteMessage).
func (c *client) delete(ctx context.Context, op chat.Op) error {
	id, err := messageID(op)
	if err != nil {
		return err
	}
	return c.free(ctx, func(ctx context.Context) error {
		_, err := c.bot.DeleteMessageWithContext(ctx, c.group.Load(), id, nil)
		return err
	})
}

// free makes a call that costs no message and may be repeated. It waits, like all
// others, while Telegram blocks the bot.
func (c *client) free(ctx context.Context, do func(context.Context) error) error {
	if wait := c.budget.blockedFor(); wait > 0 {
		return call.Later(wait, chat.ScopeSink, errBudget)
	}
	return c.call(ctx, true, do)
}

// messageID returns the id of the message that an op changes.
func messageID(op chat.Op) (int64, error) {
	id, err := strconv.ParseInt(op.Remote, 10, 64)
	if err != nil || id <= 0 {
		return 0, fmt.Errorf("%w: %q is no message", chat.ErrMessageGone, op.Remote)
	}
	return id, nil
}

// readGroup returns the group's title. The error is a [chat.Misconfigured]
// when it is no group with topics.
func (c *client) readGroup(ctx context.Context) (title string, err error) {
	group, err := c.bot.GetChatWithContext(ctx, c.group.Load(), nil)
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
func (c *client) readRights(ctx context.Context) (deletes bool, err error) {
	member, err := c.bot.GetChatMemberWithContext(ctx, c.group.Load(), c.bot.Id, nil)
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

// offerCommands puts the commands into the menu that Telegram shows to whoever
// types "/" in the group.
func (c *client) offerCommands(ctx context.Context) error {
	menu := make([]gotgbot.BotCommand, len(engine.Commands))
	for i, command := range engine.Commands {
		menu[i] = gotgbot.BotCommand{Command: command.Name, Description: cut.To(command.Help, maxHelp)}
	}
	_, err := c.bot.SetMyCommandsWithContext(ctx, menu, &gotgbot.SetMyCommandsOpts{Scope: gotgbot.BotCommandScopeChat{ChatId: c.group.Load()}})
	return translate(err, true)
}

// maxHelp is how long a command's description may be (Bot API, BotCommand).
const maxHelp = 256
