package slack

import (
	"context"
	"errors"
	"fmt"

	"github.com/slack-go/slack"

	"relay/server/chat"
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
		b.threads.forget(th.Ref)
	}
	return remote, err
}

// post writes a text or shows a file. What an earlier attempt has perhaps
// written already is looked for.
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
	b.said(m.Timestamp, op)
	return m.Timestamp, nil
}

// sayAnyhow says what Slack refuses for a reason that nobody knows once more, as
// bare text: what a visitor wrote counts for more than how it looks.
func (b *Bridge) sayAnyhow(ctx context.Context, how look, thread string, about slack.SlackMetadata) (m slack.Message, err error) {
	m, err = b.say(ctx, how, thread, about)
	if !errors.Is(err, errUnknown) {
		return m, err
	}
	b.log.Warn("Slack refused a message; it is sent once more as bare text", "err", err)
	return b.say(ctx, look{text: how.text}, thread, slack.SlackMetadata{})
}

// say makes one call of chat.postMessage. Where its thread is deleted Slack
// posts a message in the channel itself, without a word: only thread_ts is
// missing in what it answers.
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

// removeStray deletes a message that went astray in the channel.
func (b *Bridge) removeStray(ctx context.Context, ts string) {
	if err := b.delete(ctx, ts); err != nil {
		b.log.Warn("a message went astray in the channel", "message", ts, "err", err)
	}
}
