package engine

import (
	"sync"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine/hub"
	"github.com/relay-chat/relay/server/engine/nodes"
)

// visitorStays is how long a visitor counts as online after its last stream ended,
// to bridge the change from one page to the next.
const visitorStays = chat.LeaveGrace

// visitors are the sessions whose visitors are online: they have a stream open at
// some node, or had one just now.
type visitors struct {
	hub   *hub.Hub
	peers *nodes.Nodes

	mu       sync.Mutex
	sessions map[string]*openStreams
	coming   map[string][]string // the portions of a node's list so far; of the receiving goroutine
}

// openStreams counts a session's streams here, and knows which other nodes have any;
// left is when the last one ended.
type openStreams struct {
	streams int
	nodes   map[string]bool
	left    chat.Time
}

func (w *openStreams) open() bool { return w.streams > 0 || len(w.nodes) > 0 }

// of returns a session's streams and whether the visitor was offline. The caller holds
// the lock.
func (v *visitors) of(sessionID string) (w *openStreams, was bool) {
	w, there := v.sessions[sessionID]
	if !there {
		if v.sessions == nil {
			v.sessions = map[string]*openStreams{}
		}
		w = &openStreams{}
		v.sessions[sessionID] = w
	}
	return w, !there
}

// came counts a new stream and reports whether the visitor was offline. first is called
// if it is the first here.
func (v *visitors) came(sessionID string, first func()) (offline bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	w, offline := v.of(sessionID)
	if w.streams++; w.streams == 1 {
		first()
	}
	return offline
}

// left counts the end of a stream. last is called if it was the last here.
func (v *visitors) left(sessionID string, at chat.Time, last func()) {
	v.mu.Lock()
	defer v.mu.Unlock()
	w := v.sessions[sessionID]
	w.streams--
	w.left = at
	if w.streams == 0 {
		last()
	}
}

// noteRemote notes whether another node has streams of a session, and reports whether the
// visitor was offline and comes.
func (v *visitors) noteRemote(node, sessionID string, open bool, at chat.Time) (comes bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	if !open {
		if w := v.sessions[sessionID]; w != nil && w.nodes[node] {
			delete(w.nodes, node)
			w.left = at
		}
		return false
	}
	w, offline := v.of(sessionID)
	if w.nodes == nil {
		w.nodes = map[string]bool{}
	}
	w.nodes[node] = true
	return offline
}

// ended notes that a node has no streams any more: their readers reconnect elsewhere.
func (v *visitors) ended(node string, at chat.Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, w := range v.sessions {
		if w.nodes[node] {
			delete(w.nodes, node)
			w.left = at
		}
	}
}

// replace notes that another node has streams of these sessions and of no others, and
// returns those whose visitors were offline.
func (v *visitors) replace(node string, ids []string, at chat.Time) (come []string) {
	for _, id := range ids {
		if v.noteRemote(node, id, true, at) {
			come = append(come, id)
		}
	}
	v.mu.Lock()
	defer v.mu.Unlock()
	there := make(map[string]bool, len(ids))
	for _, id := range ids {
		there[id] = true
	}
	for id, w := range v.sessions {
		if w.nodes[node] && !there[id] {
			delete(w.nodes, node)
			w.left = at
		}
	}
	return come
}

// here calls tell with the sessions that have streams at this node. No stream begins or
// ends before tell returns, so that what is told of those comes after it.
func (v *visitors) here(tell func(ids []string)) {
	v.mu.Lock()
	defer v.mu.Unlock()
	ids := []string{}
	for id, w := range v.sessions {
		if w.streams > 0 {
			ids = append(ids, id)
		}
	}
	tell(ids)
}

// gone removes and returns the sessions whose visitors went offline.
func (v *visitors) gone(now chat.Time) (ids []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for id, w := range v.sessions {
		if !w.open() && now.Sub(w.left) >= visitorStays {
			ids = append(ids, id)
			delete(v.sessions, id)
		}
	}
	return ids
}

// VisitorOnline reports whether a session's visitor has a stream open, or had one
// within visitorStays.
func (v *visitors) VisitorOnline(sessionID string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	w, there := v.sessions[sessionID]
	return there && (w.open() || chat.Now().Sub(w.left) < visitorStays)
}

// VisitorReads reports whether a session's visitor has a stream open.
func (v *visitors) VisitorReads(sessionID string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	w, there := v.sessions[sessionID]
	return there && w.open()
}

// visitorCame counts a stream until left is called.
func (v *visitors) visitorCame(sessionID string) (left func()) {
	if v.came(sessionID, func() { v.peers.Ring(noteVisitor, true, sessionID) }) {
		v.announceVisitor(sessionID, true)
	}
	return func() {
		v.left(sessionID, chat.Now(), func() { v.peers.Ring(noteVisitor, false, sessionID) })
	}
}

// visitorsGone reports visitors who went offline to operators.
func (v *visitors) visitorsGone() {
	for _, id := range v.gone(chat.Now()) {
		v.announceVisitor(id, false)
	}
}

// announceVisitor shows it at this node: each finds it out itself.
func (v *visitors) announceVisitor(sessionID string, online bool) {
	v.hub.Publish(chat.NewEvent(chat.StateVisitorPresence, "", chat.Now(), sessionID, map[string]bool{"online": online}))
}
