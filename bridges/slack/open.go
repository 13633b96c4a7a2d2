package slack

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/slack-go/slack"

	"github.com/relay-chat/relay/server/chat"
)

// The metadata that identifies the bot's messages
// (https://docs.slack.dev/messaging/message-metadata).
const (
	typeSession = "relay_session" // of a thread's first message
	typeMessage = "relay_message"
	fieldKey    = "key"        // of the op that made it
	fieldID     = "session_id" // only in bridge mode
	fieldClosed = "closed"
	fieldMarked = "marked" // its first line names the author
	fieldQuotes = "quotes" // the ts of the message that it quotes
)

// note is the metadata of a message.
func note(op chat.Op) slack.SlackMetadata {
	about := slack.SlackMetadata{EventType: typeMessage, EventPayload: map[string]any{fieldKey: op.Key}}
	if op.ReplyTo != "" {
		about.EventPayload[fieldQuotes] = op.ReplyTo
	}
	return about
}

// open posts the first message of a thread; its ts is the thread's.
func (b *Bridge) open(ctx context.Context, op chat.Op) (ref string, err error) {
	if op.Ambiguous {
		ref, err = b.lookupParent(ctx, op)
	}
	if ref == "" && err == nil {
		ref, err = b.openNew(ctx, op)
	}
	if err != nil {
		return "", err
	}
	if op.SessionID != "" {
		b.learn(ref, op.SessionID)
	}
	return ref, nil
}

func (b *Bridge) openNew(ctx context.Context, op chat.Op) (ref string, err error) {
	about := slack.SlackMetadata{EventType: typeSession, EventPayload: map[string]any{fieldKey: op.Key, "v": 1}}
	if op.SessionID != "" {
		about.EventPayload[fieldID] = op.SessionID
	}
	m, err := b.postOrPlain(ctx, rendered{text: parentText(op)}, "", about)
	if errors.Is(err, errOutside) && b.join(ctx) {
		m, err = b.postOrPlain(ctx, rendered{text: parentText(op)}, "", about)
	}
	return m.Timestamp, err
}

// join enters a public channel, if the app may.
func (b *Bridge) join(ctx context.Context) bool {
	if !b.self.Load().may(scopeJoin) {
		return false
	}
	err := b.call(ctx, "conversations.join", true, func(ctx context.Context) error {
		_, _, _, err := b.api.JoinConversationContext(ctx, b.cfg.ChannelID)
		return err
	})
	return err == nil || errors.Is(err, errUnchanged)
}

// closedSign begins the first message of a thread whose session is closed:
// Slack's threads cannot be closed.
const closedSign = "[closed] "

// markClosed shows in a thread's first message whether its session is closed. It is no error
// if it already does.
func (b *Bridge) markClosed(ctx context.Context, th chat.Thread, closed bool) error {
	parent, err := b.parent(ctx, th.Ref)
	if err != nil {
		return err
	}
	text := strings.TrimPrefix(parent.Text, closedSign)
	about := parent.Metadata
	if about.EventType != typeSession {
		about = slack.SlackMetadata{EventType: typeSession, EventPayload: map[string]any{"v": 1}}
	}
	delete(about.EventPayload, fieldClosed)
	if closed {
		text = closedSign + text
		about.EventPayload[fieldClosed] = true
	}
	if text == parent.Text {
		return nil
	}
	return b.change(ctx, th.Ref, rendered{text: text}, slack.MsgOptionMetadata(about))
}

// parent reads a thread's first message.
func (b *Bridge) parent(ctx context.Context, ref string) (slack.Message, error) {
	page, err := b.history(ctx, &slack.GetConversationHistoryParameters{Latest: ref, Oldest: ref, Inclusive: true, Limit: 1, IncludeAllMetadata: true})
	if err != nil {
		return slack.Message{}, err
	}
	for _, m := range page.Messages {
		if m.Timestamp == ref && m.SubType != subtypeTombstone {
			return m, nil
		}
	}
	return slack.Message{}, fmt.Errorf("%w: its first message was deleted", chat.ErrThreadGone)
}
