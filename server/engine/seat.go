package engine

import (
	"context"
	"maps"
	"slices"
	"sort"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// seatStays is how long an operator counts as present after the last stream ended: a
// reloaded page reconnects sooner.
const seatStays = 5 * time.Second

// person is an operator who has the console open, in any number of tabs.
type person struct {
	seats  []*Seat
	sites  chat.SiteSet
	active chat.Time // last activity
	left   chat.Time // when the last seat was left
}

// Present is an operator at the console.
type Present struct {
	Name   string `json:"name"`
	Active bool   `json:"active"`
	sites  chat.SiteSet
}

// Seat is one open console.
type Seat struct {
	operators    *operators
	name, signIn string
	out          chan struct{}
}

// SignedOut is closed when the sign-in of the seat has ended.
func (s *Seat) SignedOut() <-chan struct{} { return s.out }

// TakeSeat counts an operator as present at the console. The caller ends it with
// Leave. signIn distinguishes sign-ins of the same name; active: the operator opened
// it; it is not a reconnection. sites are those whose visitors the operator answers.
func (o *operators) TakeSeat(name, signIn string, sites chat.SiteSet, active bool) *Seat {
	s := &Seat{o, name, signIn, make(chan struct{})}
	o.updatePresence(func(p *presence) {
		if p.people == nil {
			p.people = map[string]*person{}
		}
		o := p.people[name]
		if o == nil {
			o = &person{}
			p.people[name] = o
		}
		o.seats, o.sites = append(o.seats, s), sites
		if active {
			o.active = chat.Now()
		}
	})
	return s
}

// Leave ends the seat. Leaving it again does nothing.
func (s *Seat) Leave() {
	s.operators.updatePresence(func(p *presence) {
		if o := p.people[s.name]; o != nil && slices.Contains(o.seats, s) {
			o.seats = slices.DeleteFunc(o.seats, func(other *Seat) bool { return other == s })
			o.left = chat.Now()
		}
	})
}

// Seated reports whether a sign-in of an operator has the console open at this node.
func (o *operators) Seated(name, signIn string) bool {
	o.presence.mu.Lock()
	defer o.presence.mu.Unlock()
	p := o.presence.people[name]
	return p != nil && slices.ContainsFunc(p.seats, func(s *Seat) bool { return s.signIn == signIn })
}

// OperatorActive notes that an operator at the console was active a while ago.
func (o *operators) OperatorActive(name string, ago time.Duration) {
	o.operatorActed(chat.Author{Sender: chat.SenderOperator, Source: chat.SourceConsole, Name: name}, chat.Now().Add(-max(ago, 0)))
}

// SignOut ends the seats of a sign-in at once. With the operator's last seat
// ends that operator's switch of the presence.
func (r *presenceSwitch) SignOut(ctx context.Context, name, signIn string) error {
	said := false
	r.updatePresence(func(p *presence) {
		said = p.signOut(name, signIn) && !p.peerSits(name) && p.holdsFor(name)
	})
	r.nodes.Ring(noteSignOut, name, signIn)
	if !said {
		return nil
	}
	return r.setPresence(ctx, func(p *presence) {
		if p.hold.saidBy(name) {
			p.hold = hold{}
		}
		maps.DeleteFunc(p.holds, func(_ string, h hold) bool { return h.saidBy(name) })
	})
}

// saidBy reports whether an operator of this name says that somebody is there.
func (h hold) saidBy(name string) bool { return h.Online && h.By == name && chat.Now() < h.Until }

// holdsFor reports whether an operator of this name says so anywhere.
func (p *presence) holdsFor(name string) bool {
	for _, h := range p.holds {
		if h.saidBy(name) {
			return true
		}
	}
	return p.hold.saidBy(name)
}

// signOut reports whether the operator has no seat left.
func (p *presence) signOut(name, signIn string) bool {
	o := p.people[name]
	if o == nil {
		return true
	}
	o.seats = slices.DeleteFunc(o.seats, func(s *Seat) bool {
		if s.signIn == signIn {
			close(s.out)
		}
		return s.signIn == signIn
	})
	if len(o.seats) > 0 {
		return false
	}
	delete(p.people, name)
	return true
}

// present lists the operators at the console by name, and drops those who left.
func (p *presence) present(at chat.Time) []Present {
	out := []Present{}
	for name, o := range p.people {
		o.active, o.left = min(o.active, at), min(o.left, at)
		if len(o.seats) == 0 && at.Sub(o.left) >= seatStays {
			delete(p.people, name)
			continue
		}
		out = append(out, Present{name, o.active != 0 && at.Sub(o.active) < operatorStays, o.sites})
	}
	p.peersAt(at, func(name string, sites chat.SiteSet, active bool) {
		if i := slices.IndexFunc(out, func(o Present) bool { return o.Name == name }); i >= 0 {
			out[i].Active = out[i].Active || active
			return
		}
		out = append(out, Present{name, active, sites})
	})
	sort.Slice(out, func(i, j int) bool { return out[i].Name < out[j].Name })
	return out
}
