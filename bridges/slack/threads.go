package slack

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"

	"github.com/slack-go/slack"

	"github.com/relay-chat/relay/server/chat"
)

// lookPages bounds the search for sessions' threads in the channel.
const lookPages = 5

// scan is the reading of the channel for sessions' threads.
type scan struct {
	sync.Mutex             // held while the channel is read
	done       atomic.Bool // it was read, up to lookPages
}

// learn stores the session of a thread, "" for none.
func (b *Bridge) learn(ref, sessionID string) {
	if b.threads.Learn(ref, sessionID) {
		b.scan.done.Store(false)
	}
}

// Find implements [chat.Bridge]. The first messages of threads contain their session.
// The channel is read once, newest first, up to lookPages; later threads are known.
func (b *Bridge) Find(ctx context.Context, sessionID string) (chat.Thread, error) {
	ref := b.threads.Ref(sessionID)
	if ref == "" && !b.scan.done.Load() {
		if err := b.readChannel(ctx); err != nil {
			return chat.Thread{}, err
		}
		ref = b.threads.Ref(sessionID)
	}
	if ref == "" {
		return chat.Thread{}, fmt.Errorf("%w: no thread of the channel is the session's", chat.ErrThreadGone)
	}
	return chat.Thread{Bridge: Name, Channel: b.cfg.ChannelID, Ref: ref, SessionID: sessionID}, nil
}

// readChannel learns the sessions of the channel's threads, unless another caller just
// did.
func (b *Bridge) readChannel(ctx context.Context) error {
	b.scan.Lock()
	defer b.scan.Unlock()
	if b.scan.done.Load() {
		return nil
	}
	if _, err := b.identify(ctx); err != nil {
		return err
	}
	q := slack.GetConversationHistoryParameters{Limit: pageSize, IncludeAllMetadata: true}
	read := 0
	for list, err := range b.channelPages(ctx, 1, q) {
		if err != nil {
			return err
		}
		for i := range list {
			if id := b.sessionOf(&list[i]); id != "" {
				b.learn(list[i].Timestamp, id)
			}
		}
		if read++; read == lookPages {
			break
		}
	}
	b.scan.done.Store(true)
	return nil
}

// Owner implements [chat.Bridge].
func (b *Bridge) Owner(ctx context.Context, th chat.Thread) (sessionID string, err error) {
	sessionID, known := b.threads.Session(th.Ref)
	if !known {
		if _, err := b.identify(ctx); err != nil {
			return "", err
		}
		parent, err := b.parent(ctx, th.Ref)
		if err != nil {
			return "", err
		}
		sessionID = b.sessionOf(&parent)
		b.learn(th.Ref, sessionID)
	}
	if sessionID == "" {
		return "", fmt.Errorf("%w: the thread's first message names no session", chat.ErrThreadGone)
	}
	return sessionID, nil
}

// sessionOf reads the session from a thread's first message, "" for none. It trusts
// only the bot's messages.
func (b *Bridge) sessionOf(m *slack.Message) string {
	if m.Metadata.EventType != typeSession || !b.self.Load().own(m) {
		return ""
	}
	id, _ := m.Metadata.EventPayload[fieldID].(string)
	return id
}
