package engine

import (
	"sync"
	"time"
)

// viewingLasts is how long a conversation counts as open after the console said so; the
// console says it again every minute.
const viewingLasts = 90 * time.Second

// viewing knows which conversations are open on somebody's screen, by sign-in.
type viewing struct {
	mu   sync.Mutex
	open map[string]viewed
}

type viewed struct {
	session string
	until   time.Time
}

// View notes which conversation a sign-in has open, "" for none.
func (r *Relay) View(signIn, sessionID string) {
	r.viewHere(signIn, sessionID)
	r.nodes.Ring(noteViewing, signIn, sessionID) // another node may send the notifications
}

func (r *Relay) viewHere(signIn, sessionID string) {
	v := &r.viewing
	v.mu.Lock()
	defer v.mu.Unlock()
	if v.open == nil {
		v.open = map[string]viewed{}
	}
	now := time.Now()
	for id, other := range v.open {
		if other.until.Before(now) {
			delete(v.open, id)
		}
	}
	if sessionID == "" {
		delete(v.open, signIn)
		return
	}
	v.open[signIn] = viewed{sessionID, now.Add(viewingLasts)}
}

// Viewed reports whether somebody has a conversation open.
func (r *Relay) Viewed(sessionID string) bool {
	v := &r.viewing
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, one := range v.open {
		if one.session == sessionID && time.Now().Before(one.until) {
			return true
		}
	}
	return false
}
