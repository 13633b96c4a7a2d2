package naming

import "sync"

// maxThreads bounds the remembered threads. When it is reached, all are dropped and
// learnt again from the platform.
const maxThreads = 20000

// Threads maps threads to sessions in bridge mode, where no store does. The zero
// value is empty.
type Threads struct {
	mu       sync.Mutex
	sessions map[string]string // by thread
	refs     map[string]string // by session: its newest thread
}

// Learn stores the session of a thread, "" for none. It reports whether all others
// were dropped.
func (t *Threads) Learn(ref, sessionID string) (dropped bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	dropped = len(t.sessions) >= maxThreads
	if dropped || t.sessions == nil {
		t.sessions, t.refs = map[string]string{}, map[string]string{}
	}
	t.sessions[ref] = sessionID
	if sessionID != "" && Older(t.refs[sessionID], ref) {
		t.refs[sessionID] = ref
	}
	return dropped
}

// Forget drops a thread that is gone.
func (t *Threads) Forget(ref string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if session := t.sessions[ref]; t.refs[session] == ref {
		delete(t.refs, session)
	}
	delete(t.sessions, ref)
}

// Session returns the session of a thread; known is false before it was learnt.
func (t *Threads) Session(ref string) (sessionID string, known bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	sessionID, known = t.sessions[ref]
	return sessionID, known
}

// Ref returns a session's thread, "" for none.
func (t *Threads) Ref(sessionID string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.refs[sessionID]
}

// Older reports whether an id of a platform is older than another. They are rising
// numbers without leading zeros; "" is the oldest.
func Older(a, b string) bool { return len(a) < len(b) || len(a) == len(b) && a < b }
