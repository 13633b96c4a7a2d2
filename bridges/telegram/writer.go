package telegram

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"strconv"

	"github.com/PaulSonOfLars/gotgbot/v2"

	"github.com/relay-chat/relay/server/chat"
)

// writer writes and changes messages in topics.
type writer struct {
	log     *slog.Logger
	client  *client
	threads *threads
}

// Receipts are from the closed set of reactions; a bot sets one per message
// (Bot API, ReactionTypeEmoji).
const (
	receiptDelivered = "👀"
	receiptRead      = "👌"
)

// post sends a text or a file.
func (w *writer) post(ctx context.Context, topic int64, op chat.Op) (remote string, err error) {
	var m *gotgbot.Message
	if op.File != nil {
		m, err = w.show(ctx, topic, op)
	} else {
		m, err = w.write(ctx, topic, op)
	}
	if err != nil {
		return "", err
	}
	return strconv.FormatInt(m.MessageId, 10), nil
}

// write sends a text.
func (w *writer) write(ctx context.Context, topic int64, op chat.Op) (m *gotgbot.Message, err error) {
	html, plain := render(op)
	opts := &gotgbot.SendMessageOpts{MessageThreadId: topic, ParseMode: gotgbot.ParseModeHTML, LinkPreviewOptions: noPreview(),
		ReplyParameters: reply(op), DisableNotification: op.Kind == chat.OpNote}
	send := func(ctx context.Context) error {
		m, err = w.client.bot.SendMessageWithContext(ctx, w.client.group.Load(), html, opts)
		return err
	}
	err = w.client.spend(ctx, inTurn, false, send)
	if perhapsMarkup(err) {
		w.log.Error("Telegram rejected a message; retrying it without markup", "err", err)
		html, opts.ParseMode = plain, ""
		err = w.client.spend(ctx, atOnce, false, send)
	}
	if err != nil {
		return nil, err
	}
	return m, w.checkTopic(ctx, topic, m)
}

// checkTopic checks that a message is in its topic. In a group whose topics were
// switched off Telegram silently ignores the topic's id; only a reply may carry
// one then, that of its chain.
func (w *writer) checkTopic(ctx context.Context, topic int64, m *gotgbot.Message) error {
	if m.MessageThreadId == topic && (m.IsTopicMessage || m.ReplyToMessage == nil) {
		w.threads.learn(m)
		return nil
	}
	stray := chat.Op{Remote: strconv.FormatInt(m.MessageId, 10)}
	if err := w.client.delete(ctx, stray); err != nil {
		w.log.Warn("cannot delete a message outside of its topic", "message", m.MessageId, "err", err)
	}
	if m.Chat.IsForum {
		return fmt.Errorf("%w: the message arrived elsewhere in the group", chat.ErrThreadGone)
	}
	return &chat.Misconfigured{Problem: "topics are switched off in the group", Fix: fixTopics}
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

// edit changes a message's text, or its caption when it has a file. A part without
// a message is posted.
func (w *writer) edit(ctx context.Context, topic int64, op chat.Op) (remote string, err error) {
	if op.Remote == "" {
		return w.post(ctx, topic, op)
	}
	id, err := messageID(op)
	if err != nil {
		return "", err
	}
	html, plain := render(op)
	err = w.editText(ctx, inTurn, id, html, gotgbot.ParseModeHTML)
	if perhapsMarkup(err) {
		w.log.Error("Telegram rejected an edit; retrying it without markup", "err", err)
		err = w.editText(ctx, atOnce, id, plain, "")
	}
	if errors.Is(err, errNoText) {
		err = w.editCaption(ctx, id, html)
	}
	if errors.Is(err, errUnchangeable) {
		return "", fmt.Errorf("%w: %w", chat.ErrMessageGone, err)
	}
	return "", err
}

func (w *writer) editText(ctx context.Context, when urgency, id int64, text, mode string) error {
	params := map[string]any{"text": text, "link_preview_options": noPreview()}
	if mode != "" {
		params["parse_mode"] = mode
	}
	return w.client.change(ctx, when, "editMessageText", id, params)
}

func (w *writer) editCaption(ctx context.Context, id int64, caption string) error {
	return w.client.change(ctx, atOnce, "editMessageCaption", id, map[string]any{"caption": caption, "parse_mode": gotgbot.ParseModeHTML})
}

// react sets a receipt on a message; it replaces the earlier one.
func (w *writer) react(ctx context.Context, op chat.Op) error {
	id, err := messageID(op)
	if err != nil {
		return err
	}
	emoji := receiptDelivered
	if op.Receipt == "read" {
		emoji = receiptRead
	}
	return w.client.free(ctx, func(ctx context.Context) error {
		_, err := w.client.bot.SetMessageReactionWithContext(ctx, w.client.group.Load(), id,
			&gotgbot.SetMessageReactionOpts{Reaction: []gotgbot.ReactionType{gotgbot.ReactionTypeEmoji{Emoji: emoji}}})
		return err
	})
}

// typing shows that the visitor types. Failures are ignored.
func (w *writer) typing(ctx context.Context, topic int64) {
	if !w.client.budget.mayType() {
		return
	}
	err := w.client.call(ctx, true, func(ctx context.Context) error {
		_, err := w.client.bot.SendChatActionWithContext(ctx, w.client.group.Load(), gotgbot.ChatActionTyping,
			&gotgbot.SendChatActionOpts{MessageThreadId: topic})
		return err
	})
	if err != nil {
		w.log.Debug("typing was not shown", "err", err)
	}
}

// Owner implements [chat.Bridge]. A reply to another message does not contain the topic's
// name, so Owner sends a message, whose response has it, and deletes it.
func (w *writer) Owner(ctx context.Context, th chat.Thread) (sessionID string, err error) {
	if sessionID, known := w.threads.known.Session(th.Ref); known {
		return owned(sessionID)
	}
	topic, err := strconv.ParseInt(th.Ref, 10, 64)
	if err != nil {
		return "", fmt.Errorf("%w: %q is not a topic", chat.ErrThreadGone, th.Ref)
	}
	m, err := w.write(ctx, topic, chat.Op{Kind: chat.OpNote, Text: probeText})
	if err != nil {
		return "", err
	}
	if err := w.client.delete(ctx, chat.Op{Remote: strconv.FormatInt(m.MessageId, 10)}); err != nil {
		w.log.Warn("cannot delete the message sent to look up a topic's session", "thread", th.Ref, "err", err)
	}
	sessionID, _ = w.threads.known.Session(th.Ref)
	return owned(sessionID)
}

// probeText is shown for a moment while Owner looks the topic up.
const probeText = "One moment: looking up whose conversation this is …"
