package chat

import "sync"

// visitorStays is how long a visitor counts as online after its last stream ended,
// to bridge the change from one page to the next.
const visitorStays = leaveGrace

// visitors are the sessions whose visitors are online: they have a stream open at
// this process, or had one just now.
type visitors struct {
	mu       sync.Mutex
	sessions map[string]*openStreams
}

// openStreams counts a session's streams; left is when the last one ended.
type openStreams struct {
	streams int
	left    Time
}

// came counts a new stream and reports whether the visitor was offline.
func (v *visitors) came(sessionID string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	w, there := v.sessions[sessionID]
	if !there {
		if v.sessions == nil {
			v.sessions = map[string]*openStreams{}
		}
		w = &openStreams{}
		v.sessions[sessionID] = w
	}
	w.streams++
	return !there
}

func (v *visitors) left(sessionID string, at Time) {
	v.mu.Lock()
	defer v.mu.Unlock()
	w := v.sessions[sessionID]
	w.streams--
	w.left = at
}

// gone removes and returns the sessions whose visitors went offline.
func (v *visitors) gone(now Time) (ids []string) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for id, w := range v.sessions {
		if w.streams == 0 && now.Sub(w.left) >= visitorStays {
			ids = append(ids, id)
			delete(v.sessions, id)
		}
	}
	return ids
}

// VisitorOnline reports whether a session's visitor has a stream open, or had one
// within visitorStays.
func (r *Relay) VisitorOnline(sessionID string) bool {
	r.visitors.mu.Lock()
	defer r.visitors.mu.Unlock()
	w, there := r.visitors.sessions[sessionID]
	return there && (w.streams > 0 || Now().Sub(w.left) < visitorStays)
}

// visitorCame counts a stream until left is called.
func (r *Relay) visitorCame(sessionID string) (left func()) {
	if r.visitors.came(sessionID) {
		r.announceVisitor(sessionID, true)
	}
	return func() { r.visitors.left(sessionID, Now()) }
}

// visitorsGone reports visitors who went offline to operators.
func (r *Relay) visitorsGone() {
	for _, id := range r.visitors.gone(Now()) {
		r.announceVisitor(id, false)
	}
}

func (r *Relay) announceVisitor(sessionID string, online bool) {
	r.hub.Publish(fact(StateVisitorPresence, "", Now(), sessionID, map[string]bool{"online": online}))
}
