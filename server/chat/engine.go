package chat

import (
	"context"
	"log/slog"
	"sync"
)

// Engine is a server without its interfaces: the service through which
// everything changes, the two pipes by which events leave, and the inbox for what
// platforms send.
type Engine struct {
	*Relay
	Store  Store
	Hub    *Hub
	Outbox *Outbox
	Inbox  *Inbox
}

// Mode is what relay serves: a website's visitors, or a backend that has its own.
type Mode string

// The two modes; "" is community mode.
const (
	ModeCommunity Mode = "community"
	ModeBridge    Mode = "bridge"
)

// Config is what an Engine is made of.
type Config struct {
	Store Store
	Mode  Mode
	Log   *slog.Logger
	// Settings are the values that the environment gives, by name.
	Settings map[string]Raw
	// Targets returns the sinks that events go to under the current settings;
	// nil for none.
	Targets  func(*Settings) []Target
	Identity IdentityRules
	// Taps are called with every event of a session, in the order of publishing,
	// and must not wait: they miss none.
	Taps []func(*Event)
}

// IdentityRules say how a visitor proves who it is. Without a secret nobody is
// verified.
type IdentityRules struct {
	Secret   string
	Required bool
}

// Open makes an engine on a store. It reads the stored settings and the operators'
// status; nothing is delivered before a sink is served.
func Open(ctx context.Context, c Config) (*Engine, error) {
	hub := newHub(c.Taps...)
	e := &Engine{Store: c.Store, Hub: hub, Outbox: newOutbox(c.Store, hub, c.Log), Inbox: newInbox(c.Store, c.Log)}
	e.Relay = newRelay(c, hub, e.Outbox)
	if err := e.loadSettings(ctx); err != nil {
		return nil, err
	}
	return e, e.loadPresence(ctx)
}

func newRelay(c Config, hub *Hub, outbox *Outbox) *Relay {
	r := &Relay{store: c.Store, hub: hub, outbox: outbox, log: c.Log, targets: c.Targets, env: c.Settings, identity: c.Identity, backend: c.Mode == ModeBridge}
	if r.targets == nil {
		r.targets = func(*Settings) []Target { return nil }
	}
	changed := make(chan struct{})
	r.changed.Store(&changed)
	return r
}

// Run keeps the status of operators and visitors true to the time until ctx ends.
// In bridge mode the backend does.
func (e *Engine) Run(ctx context.Context) error {
	if e.backend {
		<-ctx.Done()
		return nil
	}
	var running sync.WaitGroup
	defer running.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	running.Go(func() { e.keepReceipts(ctx) })
	running.Go(func() { e.keepPresence(ctx) })
	return e.Outbox.Serve(ctx, e.Leaver())
}
