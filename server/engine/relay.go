package engine

import (
	"context"
	"errors"
	"log/slog"
	"runtime"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine/hub"
	"github.com/relay-chat/relay/server/engine/nodes"
	"github.com/relay-chat/relay/server/engine/queue"
)

// Relay is the service: every change of a session goes through it, from the
// widget, the API, the console and the bridges alike.
type Relay struct {
	*configuration
	*operators
	*visitors
	*viewing
	*live
	*uploads
	store    chat.Store
	hub      *hub.Hub
	outbox   *queue.Outbox
	nodes    *nodes.Nodes
	log      *slog.Logger
	hosts    *chat.Hosts // of the first site
	isBot    func(agent string) bool
	identity IdentityRules
	backend  bool
	backlog  bool // what backends read is stored, too
}

// change is one transaction on one session.
type change struct {
	chat.Tx
	by       chat.Author
	at       chat.Time
	session  *chat.Session
	sites    *chat.Sites
	settings *chat.Settings // of the session's site
	targets  []chat.Target
	backend  bool // the session is a backend's
	hosts    *chat.Hosts
	readOnly bool // its author only read something, which does not count as activity
	events   []chat.Event
	wakes    []nodes.Wake
	holding  bool           // see hold
	held     []func() error // steps that wait for an insert
}

// change locks a session for its author, runs op, stores the session and, once
// everything is durable, releases the events.
func (r *Relay) change(ctx context.Context, by chat.Author, sessionID string, op func(c *change) error) error {
	return r.transact(ctx, by, func(tx chat.Tx) (chat.Session, error) { return tx.Lock(sessionID) }, op)
}

// add is change for what most changes of a session are: a message that is stored without
// reading anything. Such changes share transactions.
func (r *Relay) add(ctx context.Context, by chat.Author, sessionID string, op func(c *change) error) error {
	store, ok := r.store.(chat.SessionStore)
	if !ok {
		return r.change(ctx, by, sessionID, op)
	}
	apply := func(ctx context.Context, op func(chat.Tx) error) error { return store.ApplyTo(ctx, sessionID, op) }
	return r.transactBy(ctx, apply, by, func(tx chat.Tx) (chat.Session, error) { return tx.Lock(sessionID) }, op)
}

// transact is change on the session that lock finds and locks.
func (r *Relay) transact(ctx context.Context, by chat.Author, lock func(chat.Tx) (chat.Session, error), op func(c *change) error) error {
	return r.transactBy(ctx, r.store.Apply, by, lock, op)
}

// transactBy is transact by a method of the store. Its time is read after locking, so that
// a session's times follow the order of its events.
func (r *Relay) transactBy(ctx context.Context, apply func(context.Context, func(chat.Tx) error) error, by chat.Author,
	lock func(chat.Tx) (chat.Session, error), op func(c *change) error) error {
	r.uploads.beside.Store(int64(chat.Now()))
	var c *change
	err := apply(ctx, func(tx chat.Tx) error {
		s, err := lock(tx)
		if err != nil {
			return err
		}
		if err := by.Authorise(&s); err != nil {
			return err
		}
		c = r.begin(tx, by, chat.Now(), &s)
		waited := s.WaitingSince
		if err := op(c); err != nil {
			return err
		}
		return r.settle(c, waited)
	})
	if errors.Is(err, chat.ErrAway) && c != nil {
		r.markUncertain(c)
	}
	if err != nil {
		return err
	}
	r.release(c)
	r.keepMerged(ctx, c)
	return nil
}

// settle stores a changed session, of which waited is since when its visitor waited before.
func (r *Relay) settle(c *change, waited chat.Time) error {
	if err := c.planUnanswered(waited); err != nil {
		return err
	}
	if err := r.storeAct(c); err != nil {
		return err
	}
	if err := c.SaveSession(c.session); err != nil {
		return err
	}
	return r.storeBacklog(c)
}

func (r *Relay) begin(tx chat.Tx, by chat.Author, at chat.Time, s *chat.Session) *change {
	current := r.current.Load()
	settings := current.sites.Settings(s.Site)
	return &change{Tx: tx, by: by, at: at, session: s, sites: current.sites, settings: settings, targets: current.targetsOf(s.Site), hosts: r.hosts, backend: r.backend}
}

// emit gives an event the session's next revision and stores it with its
// deliveries.
func (c *change) emit(e chat.Event) error {
	c.session.Rev++
	e.Rev = c.session.Rev
	to := chat.Route(&e, c.session, c.targets)
	if c.holding {
		held := e
		return c.step(func() error { return c.put(&held, to) })
	}
	return c.put(&e, to)
}

// put stores an event with its deliveries.
func (c *change) put(e *chat.Event, to []chat.Destination) error {
	for _, d := range to {
		c.wakes = append(c.wakes, nodes.Wake{Dest: d.Dest, SessionID: e.SessionID, Due: e.At.Add(d.Delay)})
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
	if errors.Is(err, chat.ErrMessageExists) {
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
func (c *change) emitFact(t chat.EventType, body any) error {
	return c.emit(chat.NewEvent(t, c.by.Source, c.at, c.session.ID, body))
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
	}
}

// wake wakes the lanes to which a change added work.
func (r *Relay) wake(c *change) {
	for _, w := range c.wakes {
		r.outbox.Wake(w.Dest, w.SessionID, w.Due)
	}
}

// ringChange notifies the other nodes of a change's events.
func (r *Relay) ringChange(c *change) {
	if n := len(c.events); n > 0 {
		r.nodes.RingEvents(c.session.ID, c.events[0].Rev, c.events[n-1].Rev, c.wakes, c.at)
	}
}

// storeBacklog stores what backends read of a change.
func (r *Relay) storeBacklog(c *change) error {
	if !r.backlog || c.session.ID == SystemSession {
		return nil
	}
	var list []chat.Event
	for i := range c.events {
		if c.events[i].For(chat.StreamBackend) {
			list = append(list, c.events[i])
		}
	}
	if len(list) == 0 {
		return nil
	}
	return c.AppendBacklog(list)
}

// IdentityRules decide how identities are verified. Without a secret none is
// verified.
type IdentityRules struct {
	Secret   string
	Required bool
}
