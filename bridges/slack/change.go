package slack

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/slack-go/slack"

	"github.com/relay-chat/relay/bridges/cut"
	"github.com/relay-chat/relay/server/chat"
)

// edit changes a message's text. A part without a message is posted.
func (b *Bridge) edit(ctx context.Context, me *self, th chat.Thread, op chat.Op) (remote string, err error) {
	if op.Remote == "" {
		return b.post(ctx, me, th, op)
	}
	if isFile(op.Remote) {
		return "", nil // its message has no other text than the author
	}
	if of, quotes := b.quoted.Get(op.Remote); quotes {
		op.ReplyTo = of
	}
	out := render(op, me.has(scopeNames), b.quote(ctx, th, op.ReplyTo))
	if len(utf16.Encode([]rune(out.text))) > maxEdit { // with the quote it is too long
		out = render(op, me.has(scopeNames), "")
	}
	err = b.change(ctx, op.Remote, out)
	if err == nil {
		b.rememberText(op.Remote, op)
		b.requote(ctx, th, op.Remote, cut.Line(op.Text, maxQuote))
	}
	return "", err
}

// change replaces a message's text. A server that does not know rich text gets plain
// text.
func (b *Bridge) change(ctx context.Context, ts string, out rendered, more ...slack.MsgOption) error {
	opts := append(more, slack.MsgOptionText(out.text, false))
	err := b.updateMessage(ctx, ts, append(slices.Clip(opts), rich(out))...)
	if errors.Is(err, errUnknown) {
		err = b.updateMessage(ctx, ts, opts...)
	}
	return err
}

// updateMessage makes one call of chat.update.
func (b *Bridge) updateMessage(ctx context.Context, ts string, opts ...slack.MsgOption) error {
	return b.call(ctx, "chat.update", true, func(ctx context.Context) error {
		_, _, _, err := b.api.UpdateMessageContext(ctx, b.cfg.ChannelID, ts, opts...)
		return err
	})
}

// delete removes a message of the bot, or a file with its message. An app cannot remove
// others' messages.
func (b *Bridge) delete(ctx context.Context, remote string) error {
	if isFile(remote) {
		return b.call(ctx, "files.delete", true, func(ctx context.Context) error {
			return b.api.DeleteFileContext(ctx, remote)
		})
	}
	return b.call(ctx, "chat.delete", true, func(ctx context.Context) error {
		_, _, err := b.api.DeleteMessageContext(ctx, b.cfg.ChannelID, remote)
		return err
	})
}

// isFile reports whether a remote names a file: Slack does not return the ts of its
// message at once.
func isFile(remote string) bool { return strings.HasPrefix(remote, "F") }

// Receipts, by the names of their emoji.
const (
	receiptDelivered = "eyes"
	receiptRead      = "ok_hand"
)

// react sets a receipt on a message, if the app may.
func (b *Bridge) react(ctx context.Context, me *self, op chat.Op) error {
	if !me.may(scopeReact) || isFile(op.Remote) {
		return nil
	}
	sign := receiptDelivered
	if op.Receipt == "read" {
		sign = receiptRead
	}
	err := b.call(ctx, "reactions.add", true, func(ctx context.Context) error {
		return b.api.AddReactionContext(ctx, sign, slack.NewRefToMessage(b.cfg.ChannelID, op.Remote))
	})
	if errors.Is(err, errUnchanged) || errors.Is(err, errScope) {
		return nil
	}
	return err
}
