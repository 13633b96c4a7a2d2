package telegram

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/PaulSonOfLars/gotgbot/v2"

	"github.com/relay-chat/relay/bridges/call"
	"github.com/relay-chat/relay/server/chat"
)

// edit changes a message's text, or its caption when it has a file. A part without
// a message is posted.
func (b *Bridge) edit(ctx context.Context, topic int64, op chat.Op) (remote string, err error) {
	if op.Remote == "" {
		return b.post(ctx, topic, op)
	}
	id, err := messageID(op)
	if err != nil {
		return "", err
	}
	html, plain := render(op)
	err = b.editText(ctx, inTurn, id, html, gotgbot.ParseModeHTML)
	if perhapsMarkup(err) {
		b.log.Error("Telegram rejected an edit; retrying it without markup", "err", err)
		err = b.editText(ctx, atOnce, id, plain, "")
	}
	if errors.Is(err, errNoText) {
		err = b.editCaption(ctx, id, html)
	}
	if errors.Is(err, errUnchangeable) {
		return "", fmt.Errorf("%w: %w", chat.ErrMessageGone, err)
	}
	return "", err
}

func (b *Bridge) editText(ctx context.Context, when urgency, id int64, text, mode string) error {
	params := map[string]any{"text": text, "link_preview_options": noPreview()}
	if mode != "" {
		params["parse_mode"] = mode
	}
	return b.change(ctx, when, "editMessageText", id, params)
}

func (b *Bridge) editCaption(ctx context.Context, id int64, caption string) error {
	return b.change(ctx, atOnce, "editMessageCaption", id, map[string]any{"caption": caption, "parse_mode": gotgbot.ParseModeHTML})
}

// change makes a call that edits a message. gotgbot's own methods send an empty
// reply markup, which the Bot API rejects.
func (b *Bridge) change(ctx context.Context, when urgency, method string, id int64, params map[string]any) error {
	return b.spend(ctx, when, true, func(ctx context.Context) error {
		params["chat_id"], params["message_id"] = b.group.Load(), id
		_, err := b.bot.RequestWithContext(ctx, method, params, nil)
		return err
	})
}

// delete removes a message: the bot's own, or an operator's if the bot has the
// right. After 48 hours no bot can (Bot API, deleteMessage).
func (b *Bridge) delete(ctx context.Context, op chat.Op) error {
	id, err := messageID(op)
	if err != nil {
		return err
	}
	return b.free(ctx, func(ctx context.Context) error {
		_, err := b.bot.DeleteMessageWithContext(ctx, b.group.Load(), id, nil)
		return err
	})
}

// react sets a receipt on a message; it replaces the earlier one.
func (b *Bridge) react(ctx context.Context, op chat.Op) error {
	id, err := messageID(op)
	if err != nil {
		return err
	}
	emoji := receiptDelivered
	if op.Receipt == "read" {
		emoji = receiptRead
	}
	return b.free(ctx, func(ctx context.Context) error {
		_, err := b.bot.SetMessageReactionWithContext(ctx, b.group.Load(), id,
			&gotgbot.SetMessageReactionOpts{Reaction: []gotgbot.ReactionType{gotgbot.ReactionTypeEmoji{Emoji: emoji}}})
		return err
	})
}

// close closes a topic; a closed one is no error.
func (b *Bridge) close(ctx context.Context, topic int64) error {
	return b.free(ctx, func(ctx context.Context) error {
		_, err := b.bot.CloseForumTopicWithContext(ctx, b.group.Load(), topic, nil)
		return err
	})
}

// reopen reopens a topic; an open one is no error.
func (b *Bridge) reopen(ctx context.Context, topic int64) error {
	return b.free(ctx, func(ctx context.Context) error {
		_, err := b.bot.ReopenForumTopicWithContext(ctx, b.group.Load(), topic, nil)
		return err
	})
}

// typing shows that the visitor types. Failures are ignored.
func (b *Bridge) typing(ctx context.Context, topic int64) {
	if !b.budget.mayType() {
		return
	}
	err := b.call(ctx, true, func(ctx context.Context) error {
		_, err := b.bot.SendChatActionWithContext(ctx, b.group.Load(), gotgbot.ChatActionTyping,
			&gotgbot.SendChatActionOpts{MessageThreadId: topic})
		return err
	})
	if err != nil {
		b.log.Debug("typing was not shown", "err", err)
	}
}

// free makes a call that costs no message and may be repeated. It waits, like all
// others, while Telegram blocks the bot.
func (b *Bridge) free(ctx context.Context, do func(context.Context) error) error {
	if wait := b.budget.blockedFor(); wait > 0 {
		return call.Later(wait, chat.ScopeSink, errBudget)
	}
	return b.call(ctx, true, do)
}

// messageID returns the id of the message that an op changes.
func messageID(op chat.Op) (int64, error) {
	id, err := strconv.ParseInt(op.Remote, 10, 64)
	if err != nil || id <= 0 {
		return 0, fmt.Errorf("%w: %q is no message", chat.ErrMessageGone, op.Remote)
	}
	return id, nil
}
