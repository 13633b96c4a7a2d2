package chat

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"
)

// Engine is a server without its interfaces: the service through which
// everything changes, the two pipes by which events leave, and the inbox for what
// from platforms.
type Engine struct {
	*Relay
	Store  Store
	Hub    *Hub
	Outbox *Outbox
	Inbox  *Inbox
	Nodes  *Nodes
	// Volatile: the store loses everything when relay ends.
	Volatile bool

	alsoPrune func(Tx, Time) error

	stopping chan struct{} // closed by Stop
	ended    chan struct{} // closed when Run has ended
}

// Mode is what relay serves: a website's visitors, or a backend that has its own.
type Mode string

// The two modes; "" is community mode.
const (
	ModeCommunity Mode = "community"
	ModeBridge    Mode = "bridge"
)

// Config holds the parts and options of an Engine.
type Config struct {
	Store Store
	// Cluster is what the nodes that share the store need; nil: there is one node.
	Cluster Cluster
	Mode    Mode
	// Volatile: the store loses everything when relay ends.
	Volatile bool
	Log      *slog.Logger
	// Declared are all settings; nil: those of a relay without bridges. See [SettingList].
	Declared []Setting
	// Settings are the environment's values of settings, by name.
	Settings map[string]Raw
	// Targets returns the sinks that events go to under the current settings;
	// nil for none.
	Targets  func(*Settings) []Target
	Identity IdentityRules
	// PublicURL is relay's own address, Origins are those of the website: see [Hosts].
	PublicURL string
	Origins   []string
	// IsBot tells by a User-Agent that nobody sits there; nil: no one. See [Backend].
	IsBot func(agent string) bool
	// Prune removes what else is too old; nil: there is nothing.
	Prune func(Tx, Time) error
	// Attempted is called with the outcome of each delivery attempt; it may be nil.
	Attempted func(dest string, came Outcome)
	// Taps are called with every event of a session, in the order of publishing,
	// and must not wait: they miss none.
	Taps []func(*Event)
}

// IdentityRules decide how identities are verified. Without a secret none is
// verified.
type IdentityRules struct {
	Secret   string
	Required bool
}

// Open makes an engine on a store. It reads the stored settings and the operators'
// status; nothing is delivered before a sink is served.
func Open(ctx context.Context, c Config) (*Engine, error) {
	hub, nodes := newHub(c.Taps...), newNodes(c.Cluster, c.Log)
	hub.nodes = nodes
	e := &Engine{Store: c.Store, Hub: hub, Nodes: nodes, Outbox: newOutbox(c.Store, hub, nodes, c.Log, c.Attempted), Inbox: newInbox(c.Store, nodes, c.Log),
		Volatile: c.Volatile, alsoPrune: c.Prune, stopping: make(chan struct{}), ended: make(chan struct{})}
	e.Relay = newRelay(c, hub, e.Outbox, nodes)
	if err := e.loadSettings(ctx); err != nil {
		return nil, err
	}
	if err := e.hosts.load(ctx, c.Store); err != nil {
		return nil, err
	}
	return e, e.loadPresence(ctx)
}

// Hosts returns the names of the website.
func (r *Relay) Hosts() *Hosts { return r.hosts }

func newRelay(c Config, hub *Hub, outbox *Outbox, nodes *Nodes) *Relay {
	r := &Relay{store: c.Store, hub: hub, outbox: outbox, nodes: nodes, log: c.Log, targets: c.Targets, declared: c.Declared, env: c.Settings, identity: c.Identity,
		isBot: c.IsBot, hosts: newHosts(c.PublicURL, c.Origins), backend: c.Mode == ModeBridge, backlog: c.Mode == ModeBridge && !c.Volatile}
	if r.declared == nil {
		r.declared = SettingList()
	}
	if r.targets == nil {
		r.targets = func(*Settings) []Target { return nil }
	}
	changed := make(chan struct{})
	r.changed.Store(&changed)
	return r
}

// Part is work beside the engine that runs until its context ends.
type Part func(ctx context.Context) error

// Run runs the engine and the parts that use it until ctx ends, Stop is called or
// one of them fails, and waits for running work. It is called once.
func (e *Engine) Run(ctx context.Context, parts ...Part) error {
	defer close(e.ended)
	ctx, cancel := context.WithCancelCause(ctx)
	joined, part := context.WithCancel(context.WithoutCancel(ctx)) // longer than the parts, which use it
	var sharing, running sync.WaitGroup
	sharing.Go(func() { e.Nodes.run(joined, e) })
	for _, part := range append(parts, e.keepTime, e.keepStoreAlone) {
		running.Go(func() {
			if err := part(ctx); err != nil {
				cancel(err)
			}
		})
	}
	select {
	case <-ctx.Done():
	case <-e.stopping:
	}
	cancel(context.Canceled)
	running.Wait()
	part()
	sharing.Wait()
	e.Nodes.end()
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// keepTime updates the status of operators and visitors as time passes, and turns
// announced leaves into facts. In bridge mode the backend does that.
func (e *Engine) keepTime(ctx context.Context) error {
	if e.backend {
		return nil
	}
	var running sync.WaitGroup
	defer running.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer e.keepSnoozes(ctx)()
	running.Go(func() { e.keepReceipts(ctx) })
	running.Go(func() { e.keepPresence(ctx) })
	return e.Outbox.Serve(ctx, e.Leaver())
}

// The part of a stop's time for deliveries that a volatile store would lose, and
// the part kept for running deliveries after that.
const (
	drainTime  = 8 * time.Second
	endingTime = 6 * time.Second
)

// Stop ends Run and returns by the deadline even if something hangs: the outcome of
// running deliveries is unknown then. What a volatile store would lose is delivered
// first, as far as its destinations accept it.
func (e *Engine) Stop(deadline time.Time) {
	if e.Volatile {
		limit := time.Until(deadline) - endingTime
		Within(limit, func() {
			e.Outbox.WaitIdle(min(drainTime, limit-time.Second))
			e.reportLost()
		})
	}
	close(e.stopping)
	if !Within(time.Until(deadline), func() { <-e.ended }) {
		e.log.Error("not everything stopped in time; the outcome of running deliveries is unknown")
	}
}

// reportLost logs how many deliveries a volatile store loses.
func (e *Engine) reportLost() {
	ctx, cancel := context.WithTimeout(context.Background(), time.Second)
	defer cancel()
	for _, target := range e.targets(e.Settings()) {
		n := 0
		err := e.Store.ReadOne(ctx, func(r Reader) (err error) {
			n, err = r.Waiting(target.Name)
			return err
		})
		if err == nil && n > 0 {
			e.log.Warn("events that were not delivered are lost", "destination", target.Name, "events", n)
		}
	}
}

// Within runs wait and reports whether it ended in time. Otherwise it keeps running
// in the background.
func Within(limit time.Duration, wait func()) bool {
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		wait()
	}()
	timer := time.NewTimer(max(limit, 0))
	defer timer.Stop()
	select {
	case <-ended:
		return true
	case <-timer.C:
		return false
	}
}

// waitIdle waits while something is busy, within a limit.
func waitIdle(limit time.Duration, busy func() bool) {
	for end := time.Now().Add(limit); busy() && time.Now().Before(end); {
		time.Sleep(10 * time.Millisecond)
	}
}
