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
	me, err := b.know(ctx)
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
		err = b.mark(ctx, th, op.Kind == chat.OpClose)
	case chat.OpTyping: // Slack shows no typing of apps
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
		return b.show(ctx, me, th, op)
	}
	return b.write(ctx, me, th, op)
}

// write posts a text in a thread.
func (b *Bridge) write(ctx context.Context, me *self, th chat.Thread, op chat.Op) (ts string, err error) {
	how := show(op, me.has(scopeNames), b.quote(ctx, th, op.ReplyTo))
	about := note(op)
	if how.markup {
		about.EventPayload[fieldMarked] = true
	}
	m, err := b.sayAnyhow(ctx, how, th.Ref, about)
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

// sayAnyhow repeats a message that Slack rejected for an unknown reason as plain text:
// the visitor's words matter more than their format.
func (b *Bridge) sayAnyhow(ctx context.Context, how look, thread string, about slack.SlackMetadata) (m slack.Message, err error) {
	m, err = b.say(ctx, how, thread, about)
	if !errors.Is(err, errUnknown) {
		return m, err
	}
	b.log.Warn("Slack rejected a message; retrying it as plain text", "err", err)
	return b.say(ctx, look{text: how.text}, thread, slack.SlackMetadata{})
}

// say calls chat.postMessage. If the thread was deleted, Slack silently posts in the
// channel itself: only the answer's thread_ts is missing.
func (b *Bridge) say(ctx context.Context, how look, thread string, about slack.SlackMetadata) (m slack.Message, err error) {
	opts := []slack.MsgOption{slack.MsgOptionText(how.text, false), slack.MsgOptionDisableLinkUnfurl(), slack.MsgOptionDisableMediaUnfurl()}
	if about.EventType != "" {
		opts = append(opts, slack.MsgOptionMetadata(about))
	}
	if thread != "" {
		opts = append(opts, slack.MsgOptionTS(thread))
	}
	if how.markup {
		opts = append(opts, rich(how))
	} else {
		opts = append(opts, slack.MsgOptionDisableMarkdown())
	}
	if how.username != "" {
		opts = append(opts, slack.MsgOptionUsername(how.username))
	}
	err = b.call(ctx, methodPost, false, func(ctx context.Context) error {
		var ts string
		_, ts, m, err = b.api.PostMessageWithResponseContext(ctx, b.cfg.ChannelID, opts...)
		m.Timestamp = ts
		return err
	})
	return m, err
}

// removeStray deletes a message that was posted outside of its thread.
func (b *Bridge) removeStray(ctx context.Context, ts string) {
	if err := b.delete(ctx, ts); err != nil {
		b.log.Warn("cannot delete a message outside of its thread", "message", ts, "err", err)
	}
}
