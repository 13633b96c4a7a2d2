package discord

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/relay-chat/relay/server/chat"
)

// Receipts are reactions.
const (
	receiptDelivered = "👀"
	receiptRead      = "✅"
)

// edit changes a message's text. A part without a message is posted.
func (b *Bridge) edit(ctx context.Context, th chat.Thread, op chat.Op) (remote string, err error) {
	if op.Remote == "" {
		return b.post(ctx, th.Ref, th.State, op)
	}
	m := messageOf(op)
	return "", b.change(ctx, op, request{method: http.MethodPatch, path: path("/channels/%s/messages/%s", th.Ref, op.Remote),
		body: messageChange{Content: m.Content, Flags: discordgo.MessageFlagsSuppressEmbeds, Mentions: noMentions}})
}

// delete removes a message: the bot's own, or an operator's if the bot may.
func (b *Bridge) delete(ctx context.Context, thread string, op chat.Op) error {
	return b.change(ctx, op, request{method: http.MethodDelete, path: path("/channels/%s/messages/%s", thread, op.Remote)})
}

// react sets a receipt on a message.
func (b *Bridge) react(ctx context.Context, thread string, op chat.Op) error {
	emoji := receiptDelivered
	if op.Receipt == "read" {
		emoji = receiptRead
	}
	return b.change(ctx, op, request{method: http.MethodPut, path: path("/channels/%s/messages/%s/reactions/%s/@me", thread, op.Remote, emoji)})
}

// change makes a repeatable call about a message. A permission that is missing only
// here does not make the bridge misconfigured.
func (b *Bridge) change(ctx context.Context, op chat.Op, r request) error {
	if !isSnowflake(op.Remote) {
		return fmt.Errorf("%w: %q is no message", chat.ErrMessageGone, op.Remote)
	}
	r.repeatable = true
	err := b.api.call(ctx, r, nil)
	if op.Kind != chat.OpEdit && errors.Is(err, errForbidden) {
		return fmt.Errorf("%w: the bot may not: %s", chat.ErrPermanent, reason(err))
	}
	return err
}

// close archives a thread.
func (b *Bridge) close(ctx context.Context, thread string) error {
	turned := b.threads.setClosed(thread, true)
	_, err := b.turn(ctx, thread, threadChange{Archived: new(true)})
	if errors.Is(err, chat.ErrThreadClosed) {
		return nil
	}
	if err != nil && turned {
		b.threads.setClosed(thread, false)
	}
	return err
}

// reopen unarchives a thread, and unlocks it if it was locked and the bot may.
func (b *Bridge) reopen(ctx context.Context, thread string) error {
	turned := b.threads.setClosed(thread, false)
	at, err := b.turn(ctx, thread, threadChange{Archived: new(false)})
	if err == nil && at.locked() || errors.Is(err, errLocked) || errors.Is(err, errForbidden) {
		_, err = b.turn(ctx, thread, threadChange{Archived: new(false), Locked: new(false)})
	}
	if errors.Is(err, errForbidden) {
		err = fmt.Errorf("%w: the bot may not unlock it: %s", chat.ErrPermanent, reason(err))
	}
	if err != nil && turned {
		b.threads.setClosed(thread, true)
	}
	return err
}

func (b *Bridge) turn(ctx context.Context, thread string, how threadChange) (*channel, error) {
	at := new(channel)
	err := b.api.call(ctx, request{method: http.MethodPatch, path: path("/channels/%s", thread), body: how, repeatable: true}, at)
	if err == nil && at.Thread != nil {
		b.threads.setTurned(thread, at.Thread.ArchivedAt)
	}
	return at, err
}

// typingPause is a little less than how long Discord shows typing.
const typingPause = 8 * time.Second

// mayType reports whether typing has to be shown again in a thread.
func (b *Bridge) mayType(thread string) bool {
	now := time.Now()
	if last, _ := b.typed.Get(thread); now.Sub(last) < typingPause {
		return false
	}
	b.typed.Put(thread, now)
	return true
}

// typing shows that the visitor types. Failures are ignored.
func (b *Bridge) typing(ctx context.Context, thread string) {
	if !b.mayType(thread) {
		return
	}
	err := b.api.call(ctx, request{method: http.MethodPost, path: path("/channels/%s/typing", thread), repeatable: true}, nil)
	if err != nil {
		b.log.Debug("typing was not shown", "err", err)
	}
}
