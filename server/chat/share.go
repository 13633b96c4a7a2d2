package chat

import (
	"context"
	"encoding/json"
	"reflect"
	"sort"
	"time"
)

// The notes about what only one node knows by itself.
const (
	noteState    = "t" // type, source, session, body
	noteDrop     = "d" // session: its streams end
	noteSettings = "c" // the settings were changed
	notePresence = "P" // the presence switch was set
	noteActed    = "a" // when an operator acted outside the console
	notePeople   = "p" // the operators at the node's consoles
	noteVisitor  = "v" // open or not, sessions …; or true, a portion of all, sessions …
	noteSignOut  = "x" // operator, sign-in
	noteViewing  = "o" // sign-in, the session that is open there
	noteSnoozed  = "z" // until when a session is snoozed
	noteRetry    = "w" // sink, session, revision of a delivery
)

// visitorsAtOnce is how many sessions a note names when a node tells of all.
const visitorsAtOnce = 200

// The portions of the sessions that a node has streams of: the first is 1, the last 2,
// the only one 3. Earlier versions ignore the number and add the sessions.
const (
	firstPortion = 1
	lastPortion  = 2
)

// actedRings is how often other nodes are notified that operators act.
const actedRings = 5 * time.Second

// peerPerson is an operator at the consoles of another node.
type peerPerson struct {
	Name   string `json:"n"`
	Seats  int    `json:"s,omitempty"`
	Active Time   `json:"a,omitempty"`
	Left   Time   `json:"l,omitempty"`
}

// handle handles any note that is not about events.
func (e *Engine) handle(got *note) {
	var a, b string
	switch got.kind {
	case noteUpdate:
		if got.arg(0, &a) && got.arg(1, &b) {
			e.Inbox.wakeHere(a, b)
		}
	case noteUncertain:
		if got.arg(0, &a) {
			e.Hub.MarkUncertain(a)
		}
	case noteDrop:
		if got.arg(0, &a) {
			e.Hub.drop(a)
		}
	case noteViewing:
		if got.arg(0, &a) && got.arg(1, &b) {
			e.viewHere(a, b)
		}
	case noteSnoozed:
		var until Time
		if got.arg(0, &until) {
			e.snoozes.lookAt(timeOf(until))
		}
	case noteRetry:
		var rev int64
		if got.arg(0, &a) && got.arg(1, &b) && got.arg(2, &rev) {
			e.Outbox.retryHere(a, b, rev)
		}
	case noteState:
		e.receiveState(got)
	case noteSettings:
		e.receiveSettings()
	case notePresence, noteActed, notePeople, noteSignOut:
		e.receivePresence(got)
	case noteVisitor:
		e.receiveVisitors(got)
	default:
		e.Nodes.pass(got)
	}
}

func (e *Engine) receiveState(got *note) {
	var t EventType
	var source, sessionID string
	if got.arg(0, &t) && got.arg(1, &source) && got.arg(2, &sessionID) {
		var body json.RawMessage
		if got.arg(3, &body) && string(body) != "null" {
			e.Hub.Publish(NewEvent(t, source, Now(), sessionID, body))
		} else {
			e.Hub.Publish(NewEvent(t, source, Now(), sessionID, nil))
		}
	}
}

// receiveSettings reads the settings, which another node has changed.
func (e *Engine) receiveSettings() {
	ctx, cancel := context.WithTimeout(context.Background(), patchTimeout)
	defer cancel()
	e.patching.Lock()
	defer e.patching.Unlock()
	if err := e.applySettings(ctx); err != nil {
		e.Nodes.reportFailure("the settings that another node changed cannot be read", err)
		e.settingsStale.Store(true)
	}
}

func (e *Engine) receiveVisitors(got *note) {
	var open bool
	var portion int
	got.arg(0, &open)
	if got.arg(1, &portion) {
		e.receiveAllVisitors(got, portion)
		return
	}
	for i := range got.args {
		var id string
		if i > 0 && got.arg(i, &id) && e.visitors.noteRemote(got.from, id, open, Now()) {
			e.announceVisitor(id, true)
		}
	}
}

// receiveAllVisitors takes a portion of all sessions that a node has streams of.
func (e *Engine) receiveAllVisitors(got *note, portion int) {
	v := &e.visitors
	if v.coming == nil {
		v.coming = map[string][]string{}
	}
	if portion&firstPortion != 0 {
		v.coming[got.from] = nil
	}
	for i := 2; i < len(got.args); i++ {
		var id string
		if got.arg(i, &id) {
			v.coming[got.from] = append(v.coming[got.from], id)
		}
	}
	if portion&lastPortion == 0 {
		return
	}
	for _, id := range v.replace(got.from, v.coming[got.from], Now()) {
		e.announceVisitor(id, true)
	}
	delete(v.coming, got.from)
}

func (e *Engine) receivePresence(got *note) {
	switch got.kind {
	case noteActed:
		var at Time
		if got.arg(0, &at) {
			e.updatePresence(func(p *presence) { p.acted = max(p.acted, at) })
		}
	case notePeople:
		var list []peerPerson
		if got.arg(0, &list) {
			e.updatePresence(func(p *presence) { p.setPeers(got.from, list) })
		}
	case noteSignOut:
		var name, signIn string
		if got.arg(0, &name) && got.arg(1, &signIn) {
			e.updatePresence(func(p *presence) { p.signOut(name, signIn) })
		}
	case notePresence:
		e.readPresence()
	}
}

// readPresence reads the presence switch, which another node has set.
func (e *Engine) readPresence() {
	ctx, cancel := context.WithTimeout(context.Background(), patchTimeout)
	defer cancel()
	var stored *presence
	err := e.Store.ReadOne(ctx, func(rd Reader) (err error) {
		stored, err = storedPresence(rd)
		return err
	})
	if err != nil {
		e.Nodes.reportFailure("the presence that another node set cannot be read", err)
		e.settingsStale.Store(true)
		return
	}
	e.updatePresence(func(p *presence) { p.hold, p.set, p.acted = stored.hold, stored.set, max(p.acted, stored.acted) })
}

// refreshStale reads what could not be read, or may have been missed.
func (e *Engine) refreshStale() {
	if e.settingsStale.Swap(false) {
		e.receiveSettings()
		e.readPresence()
	}
}

// missed implements nodeEvents.
func (e *Engine) missed() {
	e.Hub.loseAll()
	e.settingsStale.Store(true)
	e.snoozes.lookAt(time.Now())
	signal(e.Nodes.sweepNow)
}

// met implements nodeEvents: it notifies the others who is here, and thereby who is not.
func (e *Engine) met() {
	e.updatePresence(func(p *presence) {
		p.rung = p.own()
		e.Nodes.Ring(notePeople, p.rung)
	})
	e.visitors.here(e.ringVisitors)
}

func (e *Engine) ringVisitors(ids []string) {
	for portion := firstPortion; ; portion = 0 {
		part := ids[:min(len(ids), visitorsAtOnce)]
		if ids = ids[len(part):]; len(ids) == 0 {
			portion |= lastPortion
		}
		args := []any{true, portion}
		for _, id := range part {
			args = append(args, id)
		}
		e.Nodes.Ring(noteVisitor, args...)
		if len(ids) == 0 {
			return
		}
	}
}

// gone implements nodeEvents.
func (e *Engine) gone(node string) {
	e.visitors.ended(node, Now())
	e.updatePresence(func(p *presence) { p.setPeers(node, nil) })
	e.Nodes.dropped(node)
}

// setPeers notes who is at the consoles of another node.
func (p *presence) setPeers(node string, list []peerPerson) {
	if len(list) == 0 {
		delete(p.peers, node)
		return
	}
	if p.peers == nil {
		p.peers = map[string][]peerPerson{}
	}
	p.peers[node] = list
}

// own lists who is at this node's consoles.
func (p *presence) own() []peerPerson {
	list := []peerPerson{}
	for name, o := range p.people {
		list = append(list, peerPerson{name, len(o.seats), o.active, o.left})
	}
	sort.Slice(list, func(i, j int) bool { return list[i].Name < list[j].Name })
	return list
}

// ringPeople notifies the other nodes who is here, if that changed. The caller holds the
// lock of the presence.
func (r *Relay) ringPeople() {
	if !r.nodes.many.Load() {
		r.presence.rung = nil
		return
	}
	if own := r.presence.own(); !reflect.DeepEqual(own, r.presence.rung) {
		if len(own) > 0 || len(r.presence.rung) > 0 {
			r.nodes.Ring(notePeople, own)
		}
		r.presence.rung = own
	}
}

// peersAt adds the operators at other nodes to those here.
func (p *presence) peersAt(at Time, add func(name string, active bool)) {
	for _, list := range p.peers {
		for _, o := range list {
			if o.Seats > 0 || at.Sub(min(o.Left, at)) < seatStays {
				active := min(o.Active, at)
				add(o.Name, active != 0 && at.Sub(active) < operatorStays)
			}
		}
	}
}

// peerSits reports whether an operator has a console open at another node.
func (p *presence) peerSits(name string) (sits bool) {
	for _, list := range p.peers {
		for _, o := range list {
			sits = sits || o.Name == name && o.Seats > 0
		}
	}
	return sits
}
