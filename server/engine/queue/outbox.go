// Package queue has the durable queues: the outbox, which delivers events to sinks in order,
// with retries, and the inbox, which keeps what platforms sent until it is handled. Both
// work in lanes; the rows of the store are the truth.
package queue

import (
	"context"
	"log/slog"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine/hub"
	"github.com/relay-chat/relay/server/engine/nodes"
)

// Outbox delivers events to sinks: per session and sink in order, each
// sink on its own, with retries and pauses stored in rows that survive restarts.
type Outbox struct {
	store     chat.Store
	hub       *hub.Hub
	nodes     *nodes.Nodes
	log       *slog.Logger
	attempted func(dest string, came chat.Outcome)

	mu      sync.Mutex
	senders map[string]*sender
	kept    map[string]unstored // by sink
}

// noteRetry is the note about a delivery that is retried: sink, session, revision.
const noteRetry = "w"

// NewOutbox makes an outbox that serves no sink yet. attempted may be nil.
func NewOutbox(store chat.Store, live *hub.Hub, others *nodes.Nodes, log *slog.Logger, attempted func(string, chat.Outcome)) *Outbox {
	if attempted == nil {
		attempted = func(string, chat.Outcome) {}
	}
	o := &Outbox{store: store, hub: live, nodes: others, log: log, attempted: attempted, senders: map[string]*sender{}, kept: map[string]unstored{}}
	others.Subscribe(noteRetry, nodes.Topic{Receive: o.receiveRetry})
	return o
}

// Serve starts with a sink's waiting deliveries and serves it until ctx ends.
// It finishes running deliveries first. A sink is served by one call of
// Serve at a time, and by one node: the one with the lease of the sink's name.
func (o *Outbox) Serve(ctx context.Context, sink chat.Sink) error {
	return o.nodes.Hold(ctx, sink.Name(), func(ctx context.Context, l *nodes.Lease) error { return o.ServeUnder(ctx, l, sink) })
}

// ServeUnder is Serve under a lease that the caller holds.
func (o *Outbox) ServeUnder(ctx context.Context, l *nodes.Lease, sink chat.Sink) error {
	s := &sender{sink: sink, policy: sink.Policy(), store: o.store, hub: o.hub, log: o.log.With("dest", sink.Name()), attempted: o.attempted, lease: l}
	s.receivers = newReceivers(&s.policy)
	s.lanes = newLanes(s.receivers.parallel, s.serve)
	o.mu.Lock()
	s.kept = o.takeKept(sink.Name(), l)
	o.senders[sink.Name()] = s // from here on, Wake reaches it
	o.mu.Unlock()
	defer o.remove(s)
	return s.lanes.serve(ctx, o.store, func(r chat.Reader) ([]chat.Lane, error) { return r.Lanes(sink.Name()) })
}

// remove undoes Serve's registration, unless a newer Serve replaced it.
func (o *Outbox) remove(s *sender) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.keep(s)
	if o.senders[s.sink.Name()] == s {
		delete(o.senders, s.sink.Name())
	}
}

// WaitIdle waits, within a limit, until no delivery is running or due. Deliveries
// that wait after a failure, or because a sink asked for it, do not count.
func (o *Outbox) WaitIdle(limit time.Duration) { waitIdle(limit, o.busy) }

func (o *Outbox) busy() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, s := range o.senders {
		if s.receivers.paused() <= chat.Now() && s.lanes.busy() {
			return true
		}
	}
	return false
}

// Wake makes a lane due at a time, after a delivery was stored.
func (o *Outbox) Wake(dest, sessionID string, due chat.Time) {
	o.mu.Lock()
	s, served := o.senders[dest]
	o.mu.Unlock()
	if served {
		s.lanes.wake(sessionID, due)
	}
}

// MarkReachable notes that a sink's destination works: it accepted a call, or
// sent something. After an outage failed deliveries are due at once.
func (o *Outbox) MarkReachable(dest string) {
	o.mu.Lock()
	s, served := o.senders[dest]
	o.mu.Unlock()
	if served {
		s.markReachable("")
	}
}

// Sweep finds work in lanes that are served here and that no note announced.
func (o *Outbox) Sweep(ctx context.Context) error {
	o.mu.Lock()
	serving := slices.Collect(maps.Values(o.senders))
	o.mu.Unlock()
	for _, s := range serving {
		err := s.lanes.sweep(ctx, o.store, func(r chat.Reader) ([]chat.Lane, error) { return r.Lanes(s.sink.Name()) })
		if err != nil {
			return err
		}
	}
	return nil
}

// waitIdle waits while something is busy, within a limit.
func waitIdle(limit time.Duration, busy func() bool) {
	for end := time.Now().Add(limit); busy() && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
}
