package discord

import (
	"context"
	"errors"
	"fmt"
	"net/http"

	"github.com/relay-chat/relay/server/chat"
)

// Do implements [chat.Bridge].
func (b *Bridge) Do(ctx context.Context, th chat.Thread, op chat.Op) (remote string, err error) {
	if op.Kind == chat.OpOpen {
		return b.open(ctx, op)
	}
	if !isSnowflake(th.Ref) {
		return "", fmt.Errorf("%w: %q is no thread", chat.ErrThreadGone, th.Ref)
	}
	switch op.Kind {
	case chat.OpPost, chat.OpNote:
		remote, err = b.post(ctx, th.Ref, th.State, op)
	case chat.OpEdit:
		remote, err = b.edit(ctx, th, op)
	case chat.OpDelete:
		err = b.delete(ctx, th.Ref, op)
	case chat.OpReact:
		err = b.react(ctx, th.Ref, op)
	case chat.OpClose:
		err = b.close(ctx, th.Ref)
	case chat.OpReopen:
		err = b.reopen(ctx, th.Ref)
	case chat.OpTyping:
		b.typing(ctx, th.Ref)
	default:
		err = fmt.Errorf("%w: Discord has no op %d", chat.ErrPermanent, op.Kind)
	}
	if errors.Is(err, chat.ErrThreadGone) {
		err = b.gone(ctx, th.Ref, err)
	}
	return remote, finalError(err)
}

// gone checks, after a thread was not found, whether the channel was deleted: it
// returns that error then.
func (b *Bridge) gone(ctx context.Context, ref string, err error) error {
	b.threads.forget(ref)
	b.forgetChannel()
	if _, wrong := b.homeChannel(ctx); wrong != nil {
		return wrong
	}
	return err
}

// post sends a text or a file. Posting in an archived thread that is not locked
// reopens it; what the visitor does not see must not.
func (b *Bridge) post(ctx context.Context, thread string, state chat.ThreadState, op chat.Op) (remote string, err error) {
	if op.Aside || op.Kind == chat.OpNote {
		at, known, _ := b.threads.get(thread)
		if !known && state == chat.ThreadClosed {
			if at, _, err = b.lookupThread(ctx, thread); err != nil {
				return "", err
			}
		}
		if at.closed {
			return "", fmt.Errorf("%w: it is archived", chat.ErrThreadClosed)
		}
	}
	turned := b.threads.setClosed(thread, false)
	remote, err = b.once(ctx, thread, op)
	if err != nil && turned {
		b.threads.setClosed(thread, true)
	}
	return remote, err
}

// once creates the message of an op, unless an earlier attempt did.
func (b *Bridge) once(ctx context.Context, thread string, op chat.Op) (remote string, err error) {
	if op.Ambiguous {
		remote, err = b.findSent(ctx, thread, op)
		if err = b.searched(err); err != nil || remote != "" {
			return remote, err
		}
	}
	if op.File != nil {
		remote, err = b.show(ctx, thread, op)
	} else {
		remote, err = b.write(ctx, thread, messageOf(op), nil)
	}
	switch {
	case err == nil:
		b.sent.done(op.Key, remote)
	case errors.Is(err, chat.ErrAmbiguous):
		b.sent.lost(op.Key, contentsOf(fitted(op)))
	}
	return remote, err
}

// write creates a message. Discord creates one of the same nonce only once within
// some minutes and returns the first (Discord, "Create Message", enforce_nonce).
func (b *Bridge) write(ctx context.Context, in string, m newMessage, files *form) (remote string, err error) {
	var made struct {
		ID string `json:"id"`
	}
	send := func() error {
		var body any = m
		if files != nil {
			files.message = m
			body = files
		}
		return b.api.call(ctx, request{method: http.MethodPost, path: path("/channels/%s/messages", in), body: body}, &made)
	}
	if err = send(); errors.Is(err, errNoReply) && m.Reference != nil {
		m.Reference = nil
		err = send()
	}
	if err == nil && made.ID == "" {
		err = fmt.Errorf("%w: Discord returned no id", chat.ErrAmbiguous)
	}
	return made.ID, err
}
