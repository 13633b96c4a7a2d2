package telegram

import (
	"context"
	"errors"
	"fmt"
	"strconv"

	"github.com/PaulSonOfLars/gotgbot/v2"

	"github.com/relay-chat/relay/server/chat"
)

// Receipts are from the closed set of reactions; a bot sets one per message
// (Bot API, ReactionTypeEmoji).
const (
	receiptDelivered = "👀"
	receiptRead      = "👌"
)

// Do implements [chat.Bridge].
func (b *Bridge) Do(ctx context.Context, th chat.Thread, op chat.Op) (remote string, err error) {
	if op.Kind == chat.OpOpen {
		return b.open(ctx, op)
	}
	topic, err := strconv.ParseInt(th.Ref, 10, 64)
	if err != nil {
		return "", fmt.Errorf("%w: %q is not a topic", chat.ErrThreadGone, th.Ref)
	}
	switch op.Kind {
	case chat.OpPost, chat.OpNote:
		remote, err = b.post(ctx, topic, op)
	case chat.OpEdit:
		remote, err = b.edit(ctx, topic, op)
	case chat.OpDelete:
		err = b.delete(ctx, op)
	case chat.OpReact:
		err = b.react(ctx, op)
	case chat.OpClose:
		err = b.close(ctx, topic)
	case chat.OpReopen:
		err = b.reopen(ctx, topic)
	case chat.OpTyping:
		b.typing(ctx, topic)
	default:
		err = fmt.Errorf("%w: Telegram has no op %d", chat.ErrPermanent, op.Kind)
	}
	if errors.Is(err, chat.ErrThreadGone) {
		b.topics.Forget(th.Ref)
	}
	return remote, err
}

// spend makes a call that costs a message of the group's budget.
func (b *Bridge) spend(ctx context.Context, when urgency, repeatable bool, do func(context.Context) error) error {
	arrived, err := b.budget.spend(when)
	if err != nil {
		return err
	}
	defer arrived()
	return b.call(ctx, repeatable, do)
}

// call makes a call in the group, follows the group to a new id and translates the
// error.
func (b *Bridge) call(ctx context.Context, repeatable bool, do func(context.Context) error) error {
	err := do(ctx)
	if group, ok := migrated(err); ok {
		b.log.Warn("the group became a supergroup and has a new id: set TELEGRAM_CHAT_ID", "old", b.group.Load(), "new", group)
		b.group.Store(group)
		err = do(ctx)
	}
	err = translate(err, repeatable)
	var wait *chat.RetryAfter
	if errors.As(err, &wait) {
		b.budget.block(wait.After)
	}
	if repeatable && errors.Is(err, errUnchanged) {
		return nil
	}
	return err
}

// post sends a text or a file.
func (b *Bridge) post(ctx context.Context, topic int64, op chat.Op) (remote string, err error) {
	var m *gotgbot.Message
	if op.File != nil {
		m, err = b.show(ctx, topic, op)
	} else {
		m, err = b.write(ctx, topic, op)
	}
	if err != nil {
		return "", err
	}
	return strconv.FormatInt(m.MessageId, 10), nil
}

// write sends a text.
func (b *Bridge) write(ctx context.Context, topic int64, op chat.Op) (m *gotgbot.Message, err error) {
	html, plain := render(op)
	opts := &gotgbot.SendMessageOpts{MessageThreadId: topic, ParseMode: gotgbot.ParseModeHTML, LinkPreviewOptions: noPreview(),
		ReplyParameters: reply(op), DisableNotification: op.Kind == chat.OpNote}
	send := func(ctx context.Context) error {
		m, err = b.bot.SendMessageWithContext(ctx, b.group.Load(), html, opts)
		return err
	}
	err = b.spend(ctx, inTurn, false, send)
	if perhapsMarkup(err) {
		b.log.Error("Telegram rejected a message; retrying it without markup", "err", err)
		html, opts.ParseMode = plain, ""
		err = b.spend(ctx, atOnce, false, send)
	}
	if err != nil {
		return nil, err
	}
	return m, b.checkTopic(ctx, topic, m)
}

// checkTopic checks that a message is in its topic. In a group whose topics were
// switched off Telegram silently ignores the topic's id; only a reply may carry
// one then, that of its chain.
func (b *Bridge) checkTopic(ctx context.Context, topic int64, m *gotgbot.Message) error {
	if m.MessageThreadId == topic && (m.IsTopicMessage || m.ReplyToMessage == nil) {
		b.learn(m)
		return nil
	}
	stray := chat.Op{Remote: strconv.FormatInt(m.MessageId, 10)}
	if err := b.delete(ctx, stray); err != nil {
		b.log.Warn("cannot delete a message outside of its topic", "message", m.MessageId, "err", err)
	}
	if m.Chat.IsForum {
		return fmt.Errorf("%w: the message arrived elsewhere in the group", chat.ErrThreadGone)
	}
	return &chat.Misconfigured{Problem: "topics are switched off in the group", Fix: fixTopics}
}

// learn stores the session of a topic, from the topic's first message that Telegram
// returns with every message sent there.
func (b *Bridge) learn(m *gotgbot.Message) {
	root := m.ReplyToMessage
	if root == nil || root.ForumTopicCreated == nil {
		return
	}
	sessionID := ""
	if root.From != nil && root.From.Id == b.bot.Id {
		sessionID = names.Session(root.ForumTopicCreated.Name)
	}
	b.topics.Learn(strconv.FormatInt(m.MessageThreadId, 10), sessionID)
}

// noPreview disables previews: they would visit a visitor's links.
func noPreview() *gotgbot.LinkPreviewOptions {
	return &gotgbot.LinkPreviewOptions{IsDisabled: true}
}

// reply refers to the message that op answers. A deleted one is no obstacle.
func reply(op chat.Op) *gotgbot.ReplyParameters {
	id, err := strconv.ParseInt(op.ReplyTo, 10, 64)
	if err != nil || id <= 0 {
		return nil
	}
	return &gotgbot.ReplyParameters{MessageId: id, AllowSendingWithoutReply: true}
}
