package discord

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/relay-chat/relay/bridges/cache"
	"github.com/relay-chat/relay/server/chat"
)

// writer writes and changes messages in threads.
type writer struct {
	log     *slog.Logger
	client  *client
	threads *threads
	sent    *sent
	typed   *cache.Cache[time.Time] // by thread: when typing was shown
}

// post sends a text or a file. Posting in an archived thread that is not locked
// reopens it; what the visitor does not see must not.
func (w *writer) post(ctx context.Context, thread string, state chat.ThreadState, op chat.Op) (remote string, err error) {
	if op.Aside || op.Kind == chat.OpNote {
		at, known, _ := w.threads.known.get(thread)
		if !known && state == chat.ThreadClosed {
			if at, _, err = w.threads.lookupThread(ctx, thread); err != nil {
				return "", err
			}
		}
		if at.closed {
			return "", fmt.Errorf("%w: it is archived", chat.ErrThreadClosed)
		}
	}
	turned := w.threads.known.setClosed(thread, false)
	remote, err = w.once(ctx, thread, op)
	if err != nil && turned {
		w.threads.known.setClosed(thread, true)
	}
	return remote, err
}

// once creates the message of an op, unless an earlier attempt did.
func (w *writer) once(ctx context.Context, thread string, op chat.Op) (remote string, err error) {
	if op.Ambiguous {
		remote, err = w.findSent(ctx, thread, op)
		if err = w.threads.searched(err); err != nil || remote != "" {
			return remote, err
		}
	}
	if op.File != nil {
		remote, err = w.show(ctx, thread, op)
	} else {
		remote, err = w.client.write(ctx, thread, messageOf(op), nil)
	}
	switch {
	case err == nil:
		w.sent.done(op.Key, remote)
	case errors.Is(err, chat.ErrAmbiguous):
		w.sent.lost(op.Key, contentsOf(fitted(op)))
	}
	return remote, err
}

// edit changes a message's text. A part without a message is posted.
func (w *writer) edit(ctx context.Context, th chat.Thread, op chat.Op) (remote string, err error) {
	if op.Remote == "" {
		return w.post(ctx, th.Ref, th.State, op)
	}
	m := messageOf(op)
	return "", w.change(ctx, op, request{method: http.MethodPatch, path: path("/channels/%s/messages/%s", th.Ref, op.Remote),
		body: messageChange{Content: m.Content, Flags: discordgo.MessageFlagsSuppressEmbeds, Mentions: noMentions}})
}

// delete removes a message: the bot's own, or an operator's if the bot may.
func (w *writer) delete(ctx context.Context, thread string, op chat.Op) error {
	return w.change(ctx, op, request{method: http.MethodDelete, path: path("/channels/%s/messages/%s", thread, op.Remote)})
}

// Receipts are reactions.
const (
	receiptDelivered = "👀"
	receiptRead      = "✅"
)

// react sets a receipt on a message.
func (w *writer) react(ctx context.Context, thread string, op chat.Op) error {
	emoji := receiptDelivered
	if op.Receipt == "read" {
		emoji = receiptRead
	}
	return w.change(ctx, op, request{method: http.MethodPut, path: path("/channels/%s/messages/%s/reactions/%s/@me", thread, op.Remote, emoji)})
}

// change makes a repeatable call about a message. A permission that is missing only
// here does not make the bridge misconfigured.
func (w *writer) change(ctx context.Context, op chat.Op, r request) error {
	if !isSnowflake(op.Remote) {
		return fmt.Errorf("%w: %q is no message", chat.ErrMessageGone, op.Remote)
	}
	r.repeatable = true
	err := w.client.call(ctx, r, nil)
	if op.Kind != chat.OpEdit && errors.Is(err, errForbidden) {
		return fmt.Errorf("%w: the bot may not: %s", chat.ErrPermanent, reason(err))
	}
	return err
}

// typingPause is a little less than how long Discord shows typing.
const typingPause = 8 * time.Second

// mayType reports whether typing has to be shown again in a thread.
func (w *writer) mayType(thread string) bool {
	now := time.Now()
	if last, _ := w.typed.Get(thread); now.Sub(last) < typingPause {
		return false
	}
	w.typed.Put(thread, now)
	return true
}

// typing shows that the visitor types. Failures are ignored.
func (w *writer) typing(ctx context.Context, thread string) {
	if !w.mayType(thread) {
		return
	}
	err := w.client.call(ctx, request{method: http.MethodPost, path: path("/channels/%s/typing", thread), repeatable: true}, nil)
	if err != nil {
		w.log.Debug("typing was not shown", "err", err)
	}
}

// Stands implements [chat.Stander].
func (w *writer) Stands(ctx context.Context, th chat.Thread, remote string) (bool, error) {
	err := w.client.getWithRetry(ctx, path("/channels/%s/messages/%s", th.Ref, remote), nil)
	switch {
	case errors.Is(err, chat.ErrMessageGone):
		return false, nil
	case err == nil, denied(err), errors.Is(err, chat.ErrPermanent), errors.Is(err, chat.ErrThreadGone):
		return true, nil
	}
	return true, finalError(err)
}
