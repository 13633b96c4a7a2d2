package slack

import (
	"context"
	"fmt"
	"sync"

	"github.com/slack-go/slack"

	"github.com/relay-chat/relay/server/chat"
)

// lookPages bounds the search for sessions' threads in the channel.
const lookPages = 5

// maxThreads bounds the remembered threads. When it is reached, all are dropped and
// learnt again from the channel.
const maxThreads = 20000

// threads maps threads to sessions in bridge mode, where no store does.
type threads struct {
	mu       sync.Mutex
	sessions map[string]string // by thread
	refs     map[string]string // by session: its newest thread

	scan sync.Mutex // held while the channel is read
	read bool       // the channel was read, up to lookPages
}

func newThreads() *threads { return &threads{sessions: map[string]string{}, refs: map[string]string{}} }

// learn stores the session of a thread, "" for none.
func (t *threads) learn(ref, sessionID string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.sessions) >= maxThreads {
		clear(t.sessions)
		clear(t.refs)
		t.read = false
	}
	t.sessions[ref] = sessionID
	if sessionID != "" && t.refs[sessionID] < ref {
		t.refs[sessionID] = ref
	}
}

// forget drops a deleted thread.
func (t *threads) forget(ref string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if session := t.sessions[ref]; t.refs[session] == ref {
		delete(t.refs, session)
	}
	delete(t.sessions, ref)
}

// session returns the session of a thread; known is false before it was learnt.
func (t *threads) session(ref string) (sessionID string, known bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	sessionID, known = t.sessions[ref]
	return sessionID, known
}

// ref returns a session's thread, "" for none; all means that there is no other.
func (t *threads) ref(sessionID string) (ref string, all bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.refs[sessionID], t.read
}

func (t *threads) complete() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.read = true
}

// Find implements [chat.Bridge]. The first messages of threads contain their session.
// The channel is read once, newest first, up to lookPages; later threads are known.
func (b *Bridge) Find(ctx context.Context, sessionID string) (chat.Thread, error) {
	ref, all := b.threads.ref(sessionID)
	if ref == "" && !all {
		if err := b.readChannel(ctx); err != nil {
			return chat.Thread{}, err
		}
		ref, _ = b.threads.ref(sessionID)
	}
	if ref == "" {
		return chat.Thread{}, fmt.Errorf("%w: no thread of the channel is the session's", chat.ErrThreadGone)
	}
	return chat.Thread{Bridge: Name, Channel: b.cfg.ChannelID, Ref: ref, SessionID: sessionID}, nil
}

// readChannel learns the sessions of the channel's threads, unless another caller just
// did.
func (b *Bridge) readChannel(ctx context.Context) error {
	b.threads.scan.Lock()
	defer b.threads.scan.Unlock()
	if _, all := b.threads.ref(""); all {
		return nil
	}
	if _, err := b.know(ctx); err != nil {
		return err
	}
	q := slack.GetConversationHistoryParameters{Limit: pageSize, IncludeAllMetadata: true}
	for range lookPages {
		page, err := b.history(ctx, &q)
		if err != nil {
			return err
		}
		for i := range page.Messages {
			if id := b.sessionOf(&page.Messages[i]); id != "" {
				b.threads.learn(page.Messages[i].Timestamp, id)
			}
		}
		if q.Cursor = page.ResponseMetaData.NextCursor; q.Cursor == "" {
			break
		}
	}
	b.threads.complete()
	return nil
}

// Owner implements [chat.Bridge].
func (b *Bridge) Owner(ctx context.Context, th chat.Thread) (sessionID string, err error) {
	sessionID, known := b.threads.session(th.Ref)
	if !known {
		if _, err := b.know(ctx); err != nil {
			return "", err
		}
		parent, err := b.parent(ctx, th.Ref)
		if err != nil {
			return "", err
		}
		sessionID = b.sessionOf(&parent)
		b.threads.learn(th.Ref, sessionID)
	}
	if sessionID == "" {
		return "", fmt.Errorf("%w: the thread's first message leads to no session", chat.ErrThreadGone)
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
