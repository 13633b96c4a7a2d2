package telegram

import (
	"sync"

	"relay/bridges/naming"
)

// names name topics: 1 to 128 characters (Bot API, createForumTopic). A session
// whose id is too long for a token gets a new topic after a restart. Both
// bounds leave room for a short title.
var names = naming.Names{Limit: 128, Plain: 110, Encoded: 82}

// maxTopics bounds how many topics are remembered; all are forgotten then, and
// learnt again from what comes.
const maxTopics = 20000

// topics remembers which topic belongs to which session, in bridge mode, where
// no store does.
type topics struct {
	mu       sync.Mutex
	sessions map[string]string // by topic
	refs     map[string]string // by session: its newest topic
}

func newTopics() *topics {
	return &topics{sessions: map[string]string{}, refs: map[string]string{}}
}

// learn keeps whose a topic is. sessionID is "" for one that leads to no
// session: a person made it, or it was made in community mode.
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

// session returns whose a topic is; known is false when nobody told yet.
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
