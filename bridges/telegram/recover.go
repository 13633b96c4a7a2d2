package telegram

import (
	"context"
	"fmt"
	"strconv"

	"relay/server/chat"
)

// Find implements [chat.Bridge]. The Bot API lists no topics: what is found is
// what was learnt since the start.
func (b *Bridge) Find(_ context.Context, sessionID string) (chat.Thread, error) {
	ref := b.topics.ref(sessionID)
	if ref == "" {
		return chat.Thread{}, fmt.Errorf("%w: Telegram cannot tell which topic was the session's", chat.ErrThreadGone)
	}
	return chat.Thread{Bridge: Name, Channel: b.Channel(), Ref: ref, SessionID: sessionID}, nil
}

// probeText is shown for the moment that Owner needs.
const probeText = "One moment: looking up whose conversation this is …"

// Owner implements [chat.Bridge]. Nearly every update tells the topic's name;
// a reply to another message does not. Then a message is sent for a moment,
// because the answer to that tells it.
func (b *Bridge) Owner(ctx context.Context, th chat.Thread) (sessionID string, err error) {
	if sessionID, known := b.topics.session(th.Ref); known {
		return owned(sessionID)
	}
	topic, err := strconv.ParseInt(th.Ref, 10, 64)
	if err != nil {
		return "", fmt.Errorf("%w: %q is no topic", chat.ErrThreadGone, th.Ref)
	}
	m, err := b.write(ctx, topic, chat.Op{Kind: chat.OpNote, Text: probeText})
	if err != nil {
		return "", err
	}
	if err := b.delete(ctx, chat.Op{Remote: strconv.FormatInt(m.MessageId, 10)}); err != nil {
		b.log.Warn("the question whose topic it is stays in the topic", "thread", th.Ref, "err", err)
	}
	sessionID, _ = b.topics.session(th.Ref)
	return owned(sessionID)
}

func owned(sessionID string) (string, error) {
	if sessionID == "" {
		return "", fmt.Errorf("%w: the topic's name leads to no session", chat.ErrThreadGone)
	}
	return sessionID, nil
}
