package slack

import (
	"context"
	"regexp"
	"strings"

	"github.com/slack-go/slack"

	"github.com/relay-chat/relay/bridges/cut"
	"github.com/relay-chat/relay/server/chat"
)

// Slack has no replies to a message of a thread: the bridge quotes the message
// instead, and updates the quote when the message is edited or deleted. A message's
// metadata names the one that it quotes.

// rememberText remembers the text of a message of the bot, and which one it quotes.
func (w *writer) rememberText(ts string, op chat.Op) {
	w.quotes.Put(ts, cut.Line(op.Text, maxQuote))
	if op.ReplyTo != "" {
		w.quoted.Put(ts, op.ReplyTo)
	}
}

// quote returns the beginning of the message that an op answers, "" if it is gone.
func (w *writer) quote(ctx context.Context, th chat.Thread, ts string) string {
	if ts == "" || isFile(ts) {
		return ""
	}
	if words, known := w.quotes.Get(ts); known {
		return words
	}
	list, _, err := w.client.replies(ctx, &slack.GetConversationRepliesParameters{Timestamp: th.Ref, Oldest: ts, Latest: ts, Inclusive: true, Limit: 1})
	if err != nil {
		w.log.Debug("the message that is answered cannot be read", "message", ts, "err", err)
	}
	words := ""
	for i := range list {
		if list[i].Timestamp == ts {
			words = cut.Line(w.authorText(&list[i]), maxQuote)
		}
	}
	w.quotes.Put(ts, words)
	return words
}

// head matches what render puts above a message's text.
var head = regexp.MustCompile(`^(?:\*[^\n]*:\*\n)?(?:✏\x{FE0F}? edited:\n)?(?:↩\x{FE0F}? “[^\n]*”\n)?`)

// authorText returns a message's text without what render put above it.
func (w *writer) authorText(m *slack.Message) string {
	text := plain(m.Text, w.people.name)
	if w.client.self.Load().own(m) {
		text = text[len(head.FindString(text)):]
	}
	return text
}

// quoted matches the line of a message's text that quotes another, as Slack stores it.
var quoted = regexp.MustCompile(`(?m)^(?:↩\x{FE0F}?|:leftwards_arrow_with_hook:) “[^\n]*”(?:\n|$)`)

// requote changes the quotes of a message that was edited or deleted in the messages
// after it; words is its new text, "" if it was deleted.
func (w *writer) requote(ctx context.Context, th chat.Thread, ts, words string) {
	w.quotes.Put(ts, words)
	if isFile(ts) {
		return
	}
	q := slack.GetConversationRepliesParameters{Timestamp: th.Ref, Oldest: ts, Limit: pageSize, IncludeAllMetadata: true}
	for list, err := range w.client.replyPages(ctx, 1, q) {
		if err != nil {
			w.log.Warn("cannot find the quotes of a changed message", "message", ts, "err", err)
			return
		}
		for i := range list {
			w.requoteIn(ctx, &list[i], ts, words)
		}
	}
}

// requoteIn changes the quote in a message, if it quotes the message ts.
func (w *writer) requoteIn(ctx context.Context, m *slack.Message, ts, words string) {
	of, _ := m.Metadata.EventPayload[fieldQuotes].(string)
	if of != ts || !w.client.self.Load().own(m) {
		return
	}
	line := quoted.FindStringIndex(m.Text)
	if line == nil {
		return
	}
	text := m.Text[:line[0]] + quoteLine(words) + m.Text[line[1]:]
	if text == m.Text {
		return
	}
	marked, _ := m.Metadata.EventPayload[fieldMarked].(bool)
	if err := w.client.change(ctx, m.Timestamp, rendered{text: strings.TrimSpace(text), markup: marked}); err != nil {
		w.log.Warn("cannot change a quote", "message", m.Timestamp, "err", err)
	}
}
