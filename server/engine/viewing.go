package engine

import (
	"sync"
	"time"

	"github.com/relay-chat/relay/server/engine/nodes"
)

// viewingLasts is how long a conversation counts as open after the console said so; the
// console says it again every minute.
const viewingLasts = 90 * time.Second

// viewing knows which conversations are open on somebody's screen, by sign-in.
type viewing struct {
	nodes *nodes.Nodes

	mu   sync.Mutex
	open map[string]viewed
}

type viewed struct {
	session string
	until   time.Time
}

// View notes which conversation a sign-in has open, "" for none.
func (v *viewing) View(signIn, sessionID string) {
	v.viewHere(signIn, sessionID)
	v.nodes.Ring(noteViewing, signIn, sessionID) // another node may send the notifications
}

func (v *viewing) viewHere(signIn, sessionID string) {
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
func (v *viewing) Viewed(sessionID string) bool {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, one := range v.open {
		if one.session == sessionID && time.Now().Before(one.until) {
			return true
		}
	}
	return false
}
