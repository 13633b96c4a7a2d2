package slack

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"unicode/utf16"

	"github.com/slack-go/slack"

	"github.com/relay-chat/relay/bridges/cache"
	"github.com/relay-chat/relay/bridges/cut"
	"github.com/relay-chat/relay/server/chat"
)

// writer writes and changes messages in threads.
type writer struct {
	log     *slog.Logger
	client  *client
	threads *threads
	people  *people
	quotes  *cache.Cache[string] // the beginnings of messages, by ts
	quoted  *cache.Cache[string] // quoted messages, by the ts of the quoting one
	uploads *cache.Cache[string] // the file of an op, by key
}

// post sends a text or a file, unless an earlier attempt did.
func (w *writer) post(ctx context.Context, me *self, th chat.Thread, op chat.Op) (remote string, err error) {
	if op.Ambiguous {
		if remote, err = w.lookup(ctx, th, op); err != nil || remote != "" {
			return remote, err
		}
	}
	if op.File != nil {
		return w.postFile(ctx, me, th, op)
	}
	return w.postText(ctx, me, th, op)
}

// postText posts a text in a thread.
func (w *writer) postText(ctx context.Context, me *self, th chat.Thread, op chat.Op) (ts string, err error) {
	out := render(op, me.has(scopeNames), w.quote(ctx, th, op.ReplyTo))
	about := note(op)
	if out.markup {
		about.EventPayload[fieldMarked] = true
	}
	m, err := w.client.postOrPlain(ctx, out, th.Ref, about)
	if err != nil {
		return "", err
	}
	if m.ThreadTimestamp != th.Ref {
		w.client.removeStray(ctx, m.Timestamp)
		return "", fmt.Errorf("%w: its first message was deleted", chat.ErrThreadGone)
	}
	w.rememberText(m.Timestamp, op)
	return m.Timestamp, nil
}

// edit changes a message's text. A part without a message is posted.
func (w *writer) edit(ctx context.Context, me *self, th chat.Thread, op chat.Op) (remote string, err error) {
	if op.Remote == "" {
		return w.post(ctx, me, th, op)
	}
	if isFile(op.Remote) {
		return "", nil // its message has no other text than the author
	}
	if of, quotes := w.quoted.Get(op.Remote); quotes {
		op.ReplyTo = of
	}
	out := render(op, me.has(scopeNames), w.quote(ctx, th, op.ReplyTo))
	if len(utf16.Encode([]rune(out.text))) > maxEdit { // with the quote it is too long
		out = render(op, me.has(scopeNames), "")
	}
	err = w.client.change(ctx, op.Remote, out)
	if err == nil {
		w.rememberText(op.Remote, op)
		w.requote(ctx, th, op.Remote, cut.Line(op.Text, maxQuote))
	}
	return "", err
}

// Receipts, by the names of their emoji.
const (
	receiptDelivered = "eyes"
	receiptRead      = "ok_hand"
)

// react sets a receipt on a message, if the app may.
func (w *writer) react(ctx context.Context, me *self, op chat.Op) error {
	if !me.may(scopeReact) || isFile(op.Remote) {
		return nil
	}
	sign := receiptDelivered
	if op.Receipt == "read" {
		sign = receiptRead
	}
	err := w.client.call(ctx, "reactions.add", true, func(ctx context.Context) error {
		return w.client.api.AddReactionContext(ctx, sign, slack.NewRefToMessage(w.client.cfg.ChannelID, op.Remote))
	})
	if errors.Is(err, errUnchanged) || errors.Is(err, errScope) {
		return nil
	}
	return err
}
