package slack

import (
	"context"
	"regexp"
	"strings"

	"github.com/slack-go/slack"

	"github.com/relay-chat/relay/bridges/cut"
	"github.com/relay-chat/relay/server/chat"
)

// Slack's threads have no replies to one of their messages: what is answered is
// quoted. A quote follows what it quotes: what its author changed or deleted is
// not kept in one. What quotes a message is told by its metadata.

// said remembers what a message of the bot's says, and whom it quotes.
func (b *Bridge) said(ts string, op chat.Op) {
	b.quotes.Put(ts, cut.Line(op.Text, maxQuote))
	if op.ReplyTo != "" {
		b.cites.Put(ts, op.ReplyTo)
	}
}

// quote is the beginning of the message that an op answers. One that is gone is
// no obstacle.
func (b *Bridge) quote(ctx context.Context, th chat.Thread, ts string) string {
	if ts == "" || isFile(ts) {
		return ""
	}
	if words, known := b.quotes.Get(ts); known {
		return words
	}
	list, _, err := b.replies(ctx, &slack.GetConversationRepliesParameters{Timestamp: th.Ref, Oldest: ts, Latest: ts, Inclusive: true, Limit: 1})
	if err != nil {
		b.log.Debug("a message that is answered cannot be read", "message", ts, "err", err)
	}
	words := ""
	for i := range list {
		if list[i].Timestamp == ts {
			words = cut.Line(b.wordsOf(&list[i]), maxQuote)
		}
	}
	b.quotes.Put(ts, words)
	return words
}

// head is what show puts above the words of a message.
var head = regexp.MustCompile(`^(?:\*[^\n]*:\*\n)?(?:✏\x{FE0F}? edited:\n)?(?:↩\x{FE0F}? “[^\n]*”\n)?`)

// wordsOf is what the author of a message says.
func (b *Bridge) wordsOf(m *slack.Message) string {
	text := plain(m.Text, b.name)
	if b.self.Load().own(m) {
		text = text[len(head.FindString(text)):]
	}
	return text
}

// quoted is the line of a message's text, as Slack keeps it, that quotes another.
var quoted = regexp.MustCompile(`(?m)^(?:↩\x{FE0F}?|:leftwards_arrow_with_hook:) “[^\n]*”(?:\n|$)`)

// requote changes the quotes of a message, which says something else now or
// nothing any more, in what is written behind it.
func (b *Bridge) requote(ctx context.Context, th chat.Thread, ts, words string) {
	b.quotes.Put(ts, words)
	if isFile(ts) {
		return
	}
	q := slack.GetConversationRepliesParameters{Timestamp: th.Ref, Oldest: ts, Limit: pageSize, IncludeAllMetadata: true}
	for list, err := range b.replyPages(ctx, 1, q) {
		if err != nil {
			b.log.Warn("what quotes a message that was changed cannot be found", "message", ts, "err", err)
			return
		}
		for i := range list {
			b.requoteIn(ctx, &list[i], ts, words)
		}
	}
}

// requoteIn changes the quote of a message, if it is one of that other.
func (b *Bridge) requoteIn(ctx context.Context, m *slack.Message, ts, words string) {
	of, _ := m.Metadata.EventPayload[fieldQuotes].(string)
	if of != ts || !b.self.Load().own(m) {
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
	if err := b.change(ctx, m.Timestamp, look{text: strings.TrimSpace(text), markup: marked}); err != nil {
		b.log.Warn("a quote still says what was changed", "message", m.Timestamp, "err", err)
	}
}
