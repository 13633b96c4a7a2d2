package engine

import (
	"cmp"
	"slices"
	"sync"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine/hub"
	"github.com/relay-chat/relay/server/engine/nodes"
)

// viewingLasts is how long a conversation counts as open after the console said so; the
// console says it again every minute.
const viewingLasts = 90 * time.Second

// viewing knows which conversations are open on somebody's screen, by sign-in.
type viewing struct {
	nodes *nodes.Nodes
	hub   *hub.Hub

	mu   sync.Mutex
	open map[string]viewed
}

type viewed struct {
	name, session string
	until         time.Time
}

// Viewer is an operator who has a session on the screen.
type Viewer struct {
	SessionID    string `json:"sessionId"`
	OperatorName string `json:"operatorName"`
}

// seen is the payload of [chat.StateOperatorViewing].
type seen struct {
	OperatorName string `json:"operatorName"`
	Active       bool   `json:"active"`
}

// View notes which conversation a sign-in of an operator has open, "" for none, and shows it
// to the other operators.
func (v *viewing) View(signIn, name, sessionID string) {
	left, changed := v.viewHere(signIn, name, sessionID)
	if !changed {
		return
	}
	v.nodes.Ring(noteViewing, signIn, sessionID, name) // another node may send the notifications
	if left != "" {
		v.hub.PublishState(chat.StateOperatorViewing, "", left, seen{name, false})
	}
	if sessionID != "" {
		v.hub.PublishState(chat.StateOperatorViewing, "", sessionID, seen{name, true})
	}
}

// viewHere returns the session that the operator does not have open any more, in no sign-in,
// and whether there was or is any.
func (v *viewing) viewHere(signIn, name, sessionID string) (left string, changed bool) {
	v.mu.Lock()
	defer v.mu.Unlock()
	now := time.Now()
	before := v.open[signIn]
	for id, other := range v.open {
		if other.until.Before(now) {
			delete(v.open, id)
		}
	}
	delete(v.open, signIn)
	if sessionID != "" {
		if v.open == nil {
			v.open = map[string]viewed{}
		}
		v.open[signIn] = viewed{name, sessionID, now.Add(viewingLasts)}
	}
	left = before.session
	for _, other := range v.open {
		if other.name == name && other.session == left {
			left = ""
		}
	}
	return left, before.session != "" || sessionID != ""
}

// Viewed reports whether somebody has a conversation open.
func (v *viewing) Viewed(sessionID string) bool {
	return slices.ContainsFunc(v.Viewers(), func(one Viewer) bool { return one.SessionID == sessionID })
}

// Viewers lists who has which conversation open, each once.
func (v *viewing) Viewers() (list []Viewer) {
	v.mu.Lock()
	defer v.mu.Unlock()
	for _, one := range v.open {
		if time.Now().Before(one.until) {
			list = append(list, Viewer{one.session, one.name})
		}
	}
	slices.SortFunc(list, func(a, b Viewer) int {
		return cmp.Or(cmp.Compare(a.SessionID, b.SessionID), cmp.Compare(a.OperatorName, b.OperatorName))
	})
	return slices.Compact(list)
}
