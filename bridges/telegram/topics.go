package telegram

import (
	"sync"

	"github.com/relay-chat/relay/bridges/naming"
)

// names names topics: 1 to 128 characters (Bot API, createForumTopic). A session
// whose id is too long for a token gets a new topic after a restart. The limits
// leave room for a short title.
var names = naming.Names{Limit: 128, Plain: 110, Encoded: 82}

// maxTopics bounds the remembered topics. When it is reached, all are dropped and
// learnt again from updates.
const maxTopics = 20000

// topics maps topics to sessions in bridge mode, where no store does.
type topics struct {
	mu       sync.Mutex
	sessions map[string]string // by topic
	refs     map[string]string // by session: its newest topic
}

func newTopics() *topics {
	return &topics{sessions: map[string]string{}, refs: map[string]string{}}
}

// learn stores the session of a topic; "" for a topic without one, which a person
// or community mode created.
func (t *topics) learn(ref, sessionID string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.sessions) >= maxTopics {
		clear(t.sessions)
		clear(t.refs)
	}
	t.sessions[ref] = sessionID
	if sessionID == "" {
		return
	}
	if old := t.refs[sessionID]; len(old) < len(ref) || len(old) == len(ref) && old < ref {
		t.refs[sessionID] = ref
	}
}

// forget drops a topic that is gone.
func (t *topics) forget(ref string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if session := t.sessions[ref]; t.refs[session] == ref {
		delete(t.refs, session)
	}
	delete(t.sessions, ref)
}

// session returns the session of a topic; known is false before it was learnt.
func (t *topics) session(ref string) (sessionID string, known bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	sessionID, known = t.sessions[ref]
	return sessionID, known
}

func (t *topics) ref(sessionID string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.refs[sessionID]
}
