package engine

import (
	"context"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine/nodes"
)

// visitorsAtOnce is how many sessions a note names when a node tells of all.
const visitorsAtOnce = 200

// The portions of the sessions that a node has streams of: the first is 1, the last 2,
// the only one 3. Earlier versions ignore the number and add the sessions.
const (
	firstPortion = 1
	lastPortion  = 2
)

// peers are the other nodes, as the engine sees them.
type peers struct{ *Engine }

// handle handles any note that is not about events.
func (e peers) handle(got *nodes.Note) {
	var a, b string
	switch got.Kind {
	case noteViewing:
		var name string // earlier versions do not say it
		if got.Arg(0, &a) && got.Arg(1, &b) {
			got.Arg(2, &name)
			e.viewHere(a, name, b)
		}
	case noteSnoozed:
		var until chat.Time
		if got.Arg(0, &until) {
			e.snoozes.lookAt(until.Monotonic())
		}
	case noteSettings:
		e.receiveSettings()
	case notePresence, noteActed, notePeople, noteSignOut:
		e.receivePresence(got)
	case noteVisitor:
		e.receiveVisitors(got)
	case noteLive:
		e.live.receive(got)
	}
}

// receiveSettings reads the settings, which another node has changed.
func (e peers) receiveSettings() {
	ctx, cancel := context.WithTimeout(context.Background(), patchTimeout)
	defer cancel()
	e.patching.Lock()
	defer e.patching.Unlock()
	if err := e.applySettings(ctx); err != nil {
		e.Nodes.ReportFailure("the settings that another node changed cannot be read", err)
		e.stale.Store(true)
	}
}

func (e peers) receiveVisitors(got *nodes.Note) {
	var open bool
	var portion int
	got.Arg(0, &open)
	if got.Arg(1, &portion) {
		e.receiveAllVisitors(got, portion)
		return
	}
	for i := range got.Args {
		var id string
		if i > 0 && got.Arg(i, &id) && e.visitors.noteRemote(got.From, id, open, chat.Now()) {
			e.announceVisitor(id, true)
		}
	}
}

// receiveAllVisitors takes a portion of all sessions that a node has streams of.
func (e peers) receiveAllVisitors(got *nodes.Note, portion int) {
	v := e.visitors
	if v.coming == nil {
		v.coming = map[string][]string{}
	}
	if portion&firstPortion != 0 {
		v.coming[got.From] = nil
	}
	for i := 2; i < len(got.Args); i++ {
		var id string
		if got.Arg(i, &id) {
			v.coming[got.From] = append(v.coming[got.From], id)
		}
	}
	if portion&lastPortion == 0 {
		return
	}
	for _, id := range v.replace(got.From, v.coming[got.From], chat.Now()) {
		e.announceVisitor(id, true)
	}
	delete(v.coming, got.From)
}

func (e peers) receivePresence(got *nodes.Note) {
	switch got.Kind {
	case noteActed:
		var at chat.Time
		if got.Arg(0, &at) {
			e.updatePresence(func(p *presence) { p.acted = max(p.acted, at) })
		}
	case notePeople:
		var list []peerPerson
		if got.Arg(0, &list) {
			e.updatePresence(func(p *presence) { p.setPeers(got.From, list) })
		}
	case noteSignOut:
		var name, signIn string
		if got.Arg(0, &name) && got.Arg(1, &signIn) {
			e.updatePresence(func(p *presence) { p.signOut(name, signIn) })
		}
	case notePresence:
		e.readPresence()
	}
}

// readPresence reads the presence switch, which another node has set.
func (e peers) readPresence() {
	ctx, cancel := context.WithTimeout(context.Background(), patchTimeout)
	defer cancel()
	var stored *presence
	err := e.Store.ReadOne(ctx, func(rd chat.Reader) (err error) {
		stored, err = storedPresence(rd)
		return err
	})
	if err != nil {
		e.Nodes.ReportFailure("the presence that another node set cannot be read", err)
		e.stale.Store(true)
		return
	}
	e.updatePresence(func(p *presence) { p.hold, p.set, p.acted = stored.hold, stored.set, max(p.acted, stored.acted) })
}

// refreshStale reads what could not be read, or may have been missed.
func (e peers) refreshStale() {
	if e.stale.Swap(false) {
		e.receiveSettings()
		e.readPresence()
	}
}

// Missed implements [nodes.Observer].
func (e peers) Missed() {
	e.Hub.LoseAll()
	e.stale.Store(true)
	e.snoozes.lookAt(time.Now())
}

// Met implements [nodes.Observer]: it notifies the others who is here, and thereby who is not.
func (e peers) Met() {
	e.updatePresence(func(p *presence) {
		p.rung = p.own()
		e.Nodes.Ring(notePeople, p.rung)
	})
	e.visitors.here(e.ringVisitors)
}

func (e peers) ringVisitors(ids []string) {
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

// Gone implements [nodes.Observer].
func (e peers) Gone(node string) {
	e.visitors.ended(node, chat.Now())
	e.updatePresence(func(p *presence) { p.setPeers(node, nil) })
}
