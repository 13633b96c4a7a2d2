// Package nodes is about the relays that share one database: which are alive, the leases by
// which one of them does what only one may do, and the doorbell with notes between them.
package nodes

import (
	"context"
	"encoding/json"
	"log/slog"
	"maps"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// Nodes is this relay among those that share its database. Leases decide which node
// does what only one may do; the doorbell carries what the others must know soon.
// Without a [chat.Cluster] there is one node, and all of this costs nothing.
type Nodes struct {
	cluster chat.Cluster // nil without others
	log     *slog.Logger
	leases  leases
	bell    bell

	mu      sync.Mutex
	peers   map[string]time.Time // the other nodes that are alive, by id: known since
	many    atomic.Bool          // there are peers
	on      Observer             // of run
	failed  chat.LogThrottle
	polling chat.LogThrottle
	// sweepNow asks for a sweep.
	sweepNow chan struct{}
	topics   map[string]Topic // by kind; of mu
}

// Topic is a kind of notes that others than this package send.
type Topic struct {
	// Receive takes a note's arguments; Gone, which may be nil, forgets what a node has said.
	// Neither waits.
	Receive func(node string, args []json.RawMessage)
	Gone    func(node string)
}

// Subscribe receives the notes of a kind from now on.
func (n *Nodes) Subscribe(kind string, t Topic) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.topics == nil {
		n.topics = map[string]Topic{}
	}
	n.topics[kind] = t
}

// dispatch passes a note to those who subscribed to its kind, if any did.
func (n *Nodes) dispatch(got *Note) (known bool) {
	n.mu.Lock()
	t, known := n.topics[got.Kind]
	n.mu.Unlock()
	if known {
		t.Receive(got.From, got.Args)
	}
	return known
}

func (n *Nodes) forget(node string) {
	n.mu.Lock()
	topics := slices.Collect(maps.Values(n.topics))
	n.mu.Unlock()
	for _, t := range topics {
		if t.Gone != nil {
			t.Gone(node)
		}
	}
}

// Shared reports whether there are other nodes.
func (n *Nodes) Shared() bool { return n.many.Load() }

// Observer handles what other nodes do.
type Observer interface {
	// Receive handles notes, which came in this order.
	Receive(notes []Note)
	// Missed: notes of others may not have arrived.
	Missed()
	// Met: others do not know yet what only this node knows.
	Met()
	// Gone: a node has ended, and what it knew with it.
	Gone(node string)
	// SweepStreams and SweepLanes look for what was missed.
	SweepStreams(ctx context.Context)
	SweepLanes(ctx context.Context)
}

// New makes the nodes of a cluster, or with nil the only one.
func New(cluster chat.Cluster, log *slog.Logger) *Nodes {
	return &Nodes{cluster: cluster, log: log, peers: map[string]time.Time{}, leases: newLeases(), bell: newBell(), sweepNow: make(chan struct{}, 1)}
}

// Name is this node's id, "" where there is only one.
func (n *Nodes) Name() string {
	if n.cluster == nil {
		return ""
	}
	return n.cluster.Node()
}

// Peers returns the ids of the other nodes that are alive.
func (n *Nodes) Peers() []string {
	n.mu.Lock()
	defer n.mu.Unlock()
	var ids []string
	for id := range n.peers {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	return ids
}

// List returns the current leases, none without a cluster.
func (n *Nodes) List(ctx context.Context) ([]chat.LeaseRow, error) {
	if n.cluster == nil {
		return nil, nil
	}
	return n.cluster.Leases(ctx)
}

// nodeInfo describes this node to people.
func nodeInfo() string {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown"
	}
	return host
}

// Run keeps this node known to the others, its leases renewed and the doorbell
// connected until ctx ends.
func (n *Nodes) Run(ctx context.Context, on Observer) {
	if n.cluster == nil {
		return
	}
	n.on = on
	n.register(ctx)
	var running sync.WaitGroup
	defer running.Wait()
	running.Go(func() { n.keepRenewing(ctx) })
	running.Go(func() { n.keepListening(ctx) })
	running.Go(func() { n.keepReceiving(ctx) })
	running.Go(func() { n.keepRinging(ctx) })
	running.Go(func() { n.keepSweeping(ctx) })
}

// register makes this node known to the others.
func (n *Nodes) register(ctx context.Context) {
	ctx, cancel := context.WithTimeout(ctx, renewLimit)
	defer cancel()
	if _, _, err := n.cluster.Acquire(ctx, chat.NodeLease+n.Name(), nodeInfo()); err != nil {
		n.ReportFailure("this node cannot make itself known", err)
	}
}

// keepRenewing renews the leases and looks for other nodes.
func (n *Nodes) keepRenewing(ctx context.Context) {
	for ctx.Err() == nil {
		pause := renewEvery
		if !n.renew(ctx) {
			pause = renewAgain
		}
		_ = chat.Rest(ctx, pause) // the loop ends with ctx
	}
}

// renew renews the leases once and reports whether that worked.
func (n *Nodes) renew(ctx context.Context) bool {
	begun := time.Now()
	limited, cancel := context.WithTimeout(ctx, renewLimit)
	defer cancel()
	held, nodes, err := n.cluster.Renew(limited)
	if err != nil {
		if ctx.Err() == nil {
			n.ReportFailure("leases cannot be renewed", err)
		}
		return false
	}
	if _, known := held[chat.NodeLease+n.Name()]; !known {
		n.register(ctx)
	}
	n.leases.renewed(held, begun)
	n.meet(nodes)
	return true
}

func (n *Nodes) ReportFailure(what string, err error) {
	if times := n.failed.Allow(); times > 0 {
		n.log.Warn(what, "err", err, "count", times)
	}
}

// meet compares the nodes that are alive with those known. What a node did before it
// was known, or before it died, may not have been received.
func (n *Nodes) meet(alive []string) {
	n.mu.Lock()
	var came, went []string
	for _, id := range alive {
		if _, known := n.peers[id]; !known && id != n.Name() {
			n.peers[id] = time.Now()
			came = append(came, id)
		}
	}
	for id, since := range n.peers {
		// One that was just met may not have been in the list yet.
		if !slices.Contains(alive, id) && time.Since(since) > renewLimit {
			delete(n.peers, id)
			went = append(went, id)
		}
	}
	n.many.Store(len(n.peers) > 0)
	n.mu.Unlock()
	n.announce(came, went)
}

func (n *Nodes) announce(came, went []string) {
	for _, id := range came {
		n.log.Info("another node shares the database", "node", id)
	}
	for _, id := range went {
		n.log.Info("a node has ended", "node", id)
		n.on.Gone(id)
		n.forget(id)
	}
	if len(came) > 0 {
		n.on.Met()
	}
	if len(came)+len(went) > 0 {
		n.missed()
	}
}

// missed makes this node look for what notes may have said that did not arrive.
func (n *Nodes) missed() {
	n.on.Missed()
	signal(n.sweepNow)
}

// greet notes that another node was met.
func (n *Nodes) greet(id string) {
	n.mu.Lock()
	_, known := n.peers[id]
	if !known {
		n.peers[id] = time.Now()
		n.many.Store(true)
	}
	n.mu.Unlock()
	if !known {
		n.announce([]string{id}, nil)
	}
}

// part removes a node that says that it ends.
func (n *Nodes) part(id string) {
	n.mu.Lock()
	_, known := n.peers[id]
	delete(n.peers, id)
	n.many.Store(len(n.peers) > 0)
	n.mu.Unlock()
	if known {
		n.announce(nil, []string{id})
	}
}

// End releases what this node has left, after everything else has stopped.
func (n *Nodes) End() {
	if n.cluster == nil {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	n.Ring(noteBye)
	n.flush(ctx)
	if err := n.cluster.SignOff(ctx); err != nil {
		n.log.Warn("this node could not sign off; the others notice within 15 seconds", "err", err)
	}
}
