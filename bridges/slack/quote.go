package slack

import (
	"context"
	"regexp"
	"slices"

	"github.com/slack-go/slack"

	"relay/bridges/cut"
	"relay/server/chat"
)

// Slack's threads have no replies to one of their messages: what is answered is
// quoted. While the bridge remembers them, quotes follow what they quote: a
// message that its author changed or deleted is not kept in one.

// citation is a message of the bot's that quotes another.
type citation struct {
	of string // the other's ts
	op chat.Op
}

// said remembers what a message of the bot's says, and whom it quotes.
func (b *Bridge) said(ts string, op chat.Op) {
	b.quotes.put(ts, cut.Line(op.Text, maxQuote))
	if op.ReplyTo == "" {
		return
	}
	b.cites.put(ts, citation{op.ReplyTo, op})
	if by, _ := b.citing.get(op.ReplyTo); !slices.Contains(by, ts) {
		b.citing.put(op.ReplyTo, append(slices.Clip(by), ts))
	}
}

// quote is the beginning of the message that an op answers. One that is gone is
// no obstacle.
func (b *Bridge) quote(ctx context.Context, th chat.Thread, ts string) string {
	if ts == "" || isFile(ts) {
		return ""
	}
	if words, known := b.quotes.get(ts); known {
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
	b.quotes.put(ts, words)
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

// requote changes the quotes of a message, which says something else now or
// nothing any more.
func (b *Bridge) requote(ctx context.Context, me *self, ts, words string) {
	b.quotes.put(ts, words)
	by, _ := b.citing.get(ts)
	for _, citing := range by {
		c, known := b.cites.get(citing)
		if !known {
			continue
		}
		err := b.change(ctx, citing, slack.MsgOptionText(show(c.op, me.has(scopeNames), words).text, false))
		if err != nil {
			b.log.Warn("a quote still says what was changed", "message", citing, "err", err)
		}
	}
}
