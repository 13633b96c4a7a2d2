package slack

import (
	"context"
	"errors"
	"fmt"

	"github.com/slack-go/slack"

	"github.com/relay-chat/relay/server/chat"
)

// Do implements [chat.Bridge].
func (b *Bridge) Do(ctx context.Context, th chat.Thread, op chat.Op) (remote string, err error) {
	me, err := b.identify(ctx)
	if err != nil {
		return "", err
	}
	switch op.Kind {
	case chat.OpOpen:
		return b.open(ctx, op)
	case chat.OpPost, chat.OpNote:
		remote, err = b.post(ctx, me, th, op)
	case chat.OpEdit:
		remote, err = b.edit(ctx, me, th, op)
	case chat.OpDelete:
		err = b.delete(ctx, op.Remote)
		if err == nil || errors.Is(err, chat.ErrMessageGone) || errors.Is(err, chat.ErrMessageStays) {
			b.requote(ctx, th, op.Remote, "")
		}
	case chat.OpReact:
		err = b.react(ctx, me, op)
	case chat.OpClose, chat.OpReopen:
		err = b.markClosed(ctx, th, op.Kind == chat.OpClose)
	case chat.OpTyping: // Slack has no typing indicator for apps
	default:
		err = fmt.Errorf("%w: Slack has no op %d", chat.ErrPermanent, op.Kind)
	}
	if errors.Is(err, chat.ErrThreadGone) {
		b.threads.Forget(th.Ref)
	}
	return remote, err
}

// post sends a text or a file, unless an earlier attempt did.
func (b *Bridge) post(ctx context.Context, me *self, th chat.Thread, op chat.Op) (remote string, err error) {
	if op.Ambiguous {
		if remote, err = b.lookup(ctx, th, op); err != nil || remote != "" {
			return remote, err
		}
	}
	if op.File != nil {
		return b.postFile(ctx, me, th, op)
	}
	return b.postText(ctx, me, th, op)
}

// postText posts a text in a thread.
func (b *Bridge) postText(ctx context.Context, me *self, th chat.Thread, op chat.Op) (ts string, err error) {
	out := render(op, me.has(scopeNames), b.quote(ctx, th, op.ReplyTo))
	about := note(op)
	if out.markup {
		about.EventPayload[fieldMarked] = true
	}
	m, err := b.postOrPlain(ctx, out, th.Ref, about)
	if err != nil {
		return "", err
	}
	if m.ThreadTimestamp != th.Ref {
		b.removeStray(ctx, m.Timestamp)
		return "", fmt.Errorf("%w: its first message was deleted", chat.ErrThreadGone)
	}
	b.rememberText(m.Timestamp, op)
	return m.Timestamp, nil
}

// postOrPlain posts a message; if Slack rejects it for an unknown reason, it is repeated
// as plain text: the visitor's words matter more than their format.
func (b *Bridge) postOrPlain(ctx context.Context, out rendered, thread string, about slack.SlackMetadata) (m slack.Message, err error) {
	m, err = b.postMessage(ctx, out, thread, about)
	if !errors.Is(err, errUnknown) {
		return m, err
	}
	b.log.Warn("Slack rejected a message; retrying it as plain text", "err", err)
	return b.postMessage(ctx, rendered{text: out.text}, thread, slack.SlackMetadata{})
}

// postMessage calls chat.postMessage. If the thread was deleted, Slack silently posts in the
// channel itself: only the response lacks thread_ts.
func (b *Bridge) postMessage(ctx context.Context, out rendered, thread string, about slack.SlackMetadata) (m slack.Message, err error) {
	opts := []slack.MsgOption{slack.MsgOptionText(out.text, false), slack.MsgOptionDisableLinkUnfurl(), slack.MsgOptionDisableMediaUnfurl()}
	if about.EventType != "" {
		opts = append(opts, slack.MsgOptionMetadata(about))
	}
	if thread != "" {
		opts = append(opts, slack.MsgOptionTS(thread))
	}
	if out.markup {
		opts = append(opts, rich(out))
	} else {
		opts = append(opts, slack.MsgOptionDisableMarkdown())
	}
	if out.username != "" {
		opts = append(opts, slack.MsgOptionUsername(out.username))
	}
	err = b.call(ctx, methodPost, false, func(ctx context.Context) error {
		var ts string
		_, ts, m, err = b.api.PostMessageWithResponseContext(ctx, b.cfg.ChannelID, opts...)
		m.Timestamp = ts
		return err
	})
	return m, err
}

// removeStray deletes a message that was posted outside its thread.
func (b *Bridge) removeStray(ctx context.Context, ts string) {
	if err := b.delete(ctx, ts); err != nil {
		b.log.Warn("cannot delete a message posted outside its thread", "message", ts, "err", err)
	}
}
