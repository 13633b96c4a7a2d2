package chat

import (
	"context"
	"errors"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
)

// Relay is the service: every change of a session goes through it, from the
// widget, the API, the console and the bridges alike.
type Relay struct {
	store    Store
	hub      *Hub
	outbox   *Outbox
	nodes    *Nodes
	log      *slog.Logger
	targets  func(*Settings) []Target
	presence presence
	receipts receipts
	visitors visitors
	viewing  viewing
	hosts    *Hosts
	isBot    func(agent string) bool
	snoozes  snoozes
	current  atomic.Pointer[currentSettings]
	changed  atomic.Pointer[chan struct{}]
	patching sync.Mutex // one change of the settings at a time
	declared []Setting
	env      map[string]Raw
	identity IdentityRules
	backend  bool
	backlog  bool // what backends read is stored, too
	// settingsStale: other nodes may have changed settings or the presence.
	settingsStale atomic.Bool
	// uploads allows storing one chunk of all files at a time: messages that
	// share its commit wait for one, not for a hundred.
	uploads struct {
		sync.Mutex
		waiting atomic.Int32 // and under way
		beside  atomic.Int64 // the Time of the last other change
	}
}

// Author is the caller of the service.
type Author struct {
	Sender Sender
	Source string // widget, api, console or a bridge's name
	Name   string // an operator's display name
	// Person is the id of the operator in the team, "" for one with the secret key and one
	// whom a platform knows under a name of its own.
	Person string
	Role   Role   // of an operator; "" is that of a platform
	SignIn string // at the console
	// Replaced marks the secret key before, which works a few minutes longer, but not for
	// what would outlive it.
	Replaced bool
	Token    string // a visitor's session token
	// TokenRequired denies visitors access to sessions without a token.
	TokenRequired bool
}

// authorise admits operators, and visitors to their own session: one bound
// to a token requires that token, and a foreign session is reported as not found.
func (a Author) authorise(s *Session) error {
	if a.Sender != SenderVisitor {
		return nil
	}
	if s.TokenHash == "" && a.TokenRequired {
		return ErrSessionNotFound
	}
	if s.TokenHash != "" && !sameHash(Hash(a.Token), s.TokenHash) {
		return ErrSessionNotFound
	}
	if s.Blocked {
		return ErrBlocked
	}
	return nil
}

// change is one transaction on one session.
type change struct {
	Tx
	by       Author
	at       Time
	session  *Session
	targets  []Target
	backend  bool // the session is a backend's
	hosts    *Hosts
	readOnly bool // its author only read something, which does not count as activity
	events   []Event
	wakes    []wake
	holding  bool           // see hold
	held     []func() error // steps that wait for an insert
}

// wake is a lane to which a transaction added work.
type wake struct {
	dest, sessionID string
	due             Time
}

// change locks a session for its author, runs op, stores the session and, once
// everything is durable, releases the events.
func (r *Relay) change(ctx context.Context, by Author, sessionID string, op func(c *change) error) error {
	return r.transact(ctx, by, func(tx Tx) (Session, error) { return tx.Lock(sessionID) }, op)
}

// transact is change on the session that lock finds and locks. Its time is read
// after locking, so that a session's times follow the order of its events.
func (r *Relay) transact(ctx context.Context, by Author, lock func(Tx) (Session, error), op func(c *change) error) error {
	r.uploads.beside.Store(int64(Now()))
	var c *change
	err := r.store.Apply(ctx, func(tx Tx) error {
		s, err := lock(tx)
		if err != nil {
			return err
		}
		if err := by.authorise(&s); err != nil {
			return err
		}
		c = r.begin(tx, by, Now(), &s)
		if err := op(c); err != nil {
			return err
		}
		if err := r.storeAct(c); err != nil {
			return err
		}
		if err := tx.SaveSession(&s); err != nil {
			return err
		}
		return r.storeBacklog(c)
	})
	if errors.Is(err, ErrAway) && c != nil {
		r.markUncertain(c)
	}
	if err != nil {
		return err
	}
	r.release(c)
	return nil
}

func (r *Relay) begin(tx Tx, by Author, at Time, s *Session) *change {
	return &change{Tx: tx, by: by, at: at, session: s, targets: r.current.Load().targets, hosts: r.hosts, backend: r.backend}
}

// emit gives an event the session's next revision and stores it with its
// deliveries.
func (c *change) emit(e Event) error {
	c.session.Rev++
	e.Rev = c.session.Rev
	to := route(&e, c.session, c.targets)
	if c.holding {
		held := e
		return c.step(func() error { return c.put(&held, to) })
	}
	return c.put(&e, to)
}

// put stores an event with its deliveries.
func (c *change) put(e *Event, to []Destination) error {
	for _, d := range to {
		c.wakes = append(c.wakes, wake{d.Dest, e.SessionID, e.At.Add(d.Delay)})
	}
	c.events = append(c.events, *e)
	if err := c.record(e); err != nil {
		return err
	}
	return c.Append(e, to)
}

// hold runs the effects that a message has on its session, but stores nothing of them
// before insert has: only an insert says that a message is new. If it says that the
// message exists, nothing has happened.
func (c *change) hold(effects, insert func() error) error {
	before := *c.session
	c.holding = true
	err := effects()
	c.holding = false
	held := c.held
	c.held = nil
	if err == nil {
		err = insert()
	}
	if errors.Is(err, ErrMessageExists) {
		*c.session = before
	}
	for i := 0; i < len(held) && err == nil; i++ {
		err = held[i]()
	}
	return err
}

// step runs what an effect stores, now or behind the insert of its message.
func (c *change) step(store func() error) error {
	if !c.holding {
		return store()
	}
	c.held = append(c.held, store)
	return nil
}

// emitFact emits an event about the session itself.
func (c *change) emitFact(t EventType, body any) error {
	return c.emit(fact(t, c.by.Source, c.at, c.session.ID, body))
}

// release publishes the events of a durable change: to the streams at once, before
// anything else, and to the sinks by waking their lanes.
func (r *Relay) release(c *change) {
	if c.session.ID != SystemSession { // its events reach the streams as broadcasts
		r.hub.Publish(c.events...)
		runtime.Gosched()
	}
	r.wake(c)
	r.ringChange(c)
	if c.isAct() {
		r.operatorActed(c.by, c.at)
	}
}

// markUncertain handles a change whose commit was not confirmed:
// it may be stored. Streams and sinks then read the store, streams when they
// reconnect, sinks as soon as it can be reached.
func (r *Relay) markUncertain(c *change) {
	if len(c.events) > 0 {
		r.hub.MarkUncertain(c.session.ID)
		r.wake(c)
		r.nodes.Ring(noteUncertain, c.session.ID)
	}
}

// wake wakes the lanes to which a change added work.
func (r *Relay) wake(c *change) {
	for _, w := range c.wakes {
		r.outbox.Wake(w.dest, w.sessionID, w.due)
	}
}

// ringChange notifies the other nodes of a change's events.
func (r *Relay) ringChange(c *change) {
	if n := len(c.events); n > 0 {
		r.nodes.ringEvents(c.session.ID, c.events[0].Rev, c.events[n-1].Rev, c.wakes, c.at)
	}
}
