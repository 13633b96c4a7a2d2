package telegram

import (
	"context"
	"fmt"
	"strconv"

	"github.com/relay-chat/relay/server/chat"
)

// Find implements [chat.Bridge]. The Bot API lists no topics: only those seen since
// the start are found.
func (b *Bridge) Find(_ context.Context, sessionID string) (chat.Thread, error) {
	ref := b.topics.Ref(sessionID)
	if ref == "" {
		return chat.Thread{}, fmt.Errorf("%w: Telegram does not say which topic belongs to the session", chat.ErrThreadGone)
	}
	return chat.Thread{Bridge: Name, Channel: b.Channel(), Ref: ref, SessionID: sessionID}, nil
}

// probeText is shown for a moment while Owner looks the topic up.
const probeText = "One moment: looking up whose conversation this is …"

// Owner implements [chat.Bridge]. A reply to another message does not contain the topic's
// name, so Owner sends a message, whose response has it, and deletes it.
func (b *Bridge) Owner(ctx context.Context, th chat.Thread) (sessionID string, err error) {
	if sessionID, known := b.topics.Session(th.Ref); known {
		return owned(sessionID)
	}
	topic, err := strconv.ParseInt(th.Ref, 10, 64)
	if err != nil {
		return "", fmt.Errorf("%w: %q is not a topic", chat.ErrThreadGone, th.Ref)
	}
	m, err := b.write(ctx, topic, chat.Op{Kind: chat.OpNote, Text: probeText})
	if err != nil {
		return "", err
	}
	if err := b.delete(ctx, chat.Op{Remote: strconv.FormatInt(m.MessageId, 10)}); err != nil {
		b.log.Warn("cannot delete the message sent to look up a topic's session", "thread", th.Ref, "err", err)
	}
	sessionID, _ = b.topics.Session(th.Ref)
	return owned(sessionID)
}

func owned(sessionID string) (string, error) {
	if sessionID == "" {
		return "", fmt.Errorf("%w: the topic's name matches no session", chat.ErrThreadGone)
	}
	return sessionID, nil
}
