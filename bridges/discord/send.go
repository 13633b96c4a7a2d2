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
		remote, err = b.post(ctx, th.Ref, op)
	case chat.OpEdit:
		remote, err = b.edit(ctx, th.Ref, op)
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
	return remote, settle(err)
}

// gone tells a thread that was deleted from a channel that was: in that no new
// thread can be made.
func (b *Bridge) gone(ctx context.Context, ref string, err error) error {
	b.threads.forget(ref)
	b.changed()
	if _, wrong := b.where(ctx); wrong != nil {
		return wrong
	}
	return err
}

// post writes a text or shows a file. Writing in a thread that was archived
// opens it again, if it is not locked: what nobody said does not do that.
func (b *Bridge) post(ctx context.Context, thread string, op chat.Op) (remote string, err error) {
	if known, _, _ := b.threads.get(thread); known.closed && op.Kind == chat.OpNote {
		return "", fmt.Errorf("%w: it is archived", chat.ErrThreadClosed)
	}
	turned := b.threads.turn(thread, false)
	remote, err = b.once(ctx, thread, op)
	if err != nil && turned {
		b.threads.turn(thread, true)
	}
	return remote, err
}

// once makes the message of an op, unless an earlier attempt did.
func (b *Bridge) once(ctx context.Context, thread string, op chat.Op) (remote string, err error) {
	if op.Ambiguous {
		if remote, err = b.recall(ctx, thread, op); err != nil || remote != "" {
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

// write makes a message. Discord makes one of the same nonce only once, for
// some minutes: it answers with the first (Discord, "Create Message",
// enforce_nonce).
func (b *Bridge) write(ctx context.Context, in string, m newMessage, files *form) (remote string, err error) {
	var made struct {
		ID string `json:"id"`
	}
	send := func() error {
		var body any = m
		if files != nil {
			files.payload = m
			body = files
		}
		return b.api.call(ctx, request{method: http.MethodPost, path: path("/channels/%s/messages", in), body: body}, &made)
	}
	if err = send(); errors.Is(err, errNoReply) && m.Reference != nil {
		m.Reference = nil
		err = send()
	}
	if err == nil && made.ID == "" {
		err = fmt.Errorf("%w: Discord told no id", chat.ErrAmbiguous)
	}
	return made.ID, err
}
