// Package engine is the service through which everything changes: sessions and messages, the
// operators' presence, the AI's turns, commands, and the API for backends. A change is one
// transaction: it stores the session, the events with their revisions, and one delivery per
// destination. Then the hub shows the events to streams, and the queue wakes the sinks.
//
// It imports server/chat and the rooms below it: queue, hub, nodes.
package engine

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"sync"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine/hub"
	"github.com/relay-chat/relay/server/engine/nodes"
	"github.com/relay-chat/relay/server/engine/queue"
)

// Engine is a server without its interfaces. Its parts are each about one idea; [Relay] is
// the one that changes sessions. Hub and Outbox are the pipes by which events leave, Inbox
// takes what comes from platforms.
type Engine struct {
	*Relay
	*presenceSwitch
	*receipts
	*organiser
	*snoozes
	*savedAnswers
	*aiTurns
	*aiBudget
	*contacts
	*mails
	Store  chat.Store
	Hub    *hub.Hub
	Outbox *queue.Outbox
	Inbox  *queue.Inbox
	Nodes  *nodes.Nodes
	// Volatile: the store loses everything when relay ends.
	Volatile bool

	alsoPrune func(chat.Tx, chat.Time) error

	stopping chan struct{} // closed by Stop
	ended    chan struct{} // closed when Run has ended
}

// Config holds the parts and options of an Engine.
type Config struct {
	Store chat.Store
	// Cluster is what the nodes that share the store need; nil: there is one node.
	Cluster chat.Cluster
	Mode    chat.Mode
	// Volatile: the store loses everything when relay ends.
	Volatile bool
	Log      *slog.Logger
	// Declared are all settings; nil: those of a relay without bridges. See [chat.SettingList].
	Declared []chat.Setting
	// Settings are the environment's values of settings, by name.
	Settings map[string]chat.Raw
	// Targets returns the sinks that events go to under the current settings;
	// nil for none.
	Targets  func(*chat.Settings) []chat.Target
	Identity IdentityRules
	// PublicURL is relay's own address, Origins are those of the website: see [chat.Hosts].
	PublicURL string
	Origins   []string
	// IsBot tells by a User-Agent that nobody sits there; nil: no one. See [Backend].
	IsBot func(agent string) bool
	// Listen finds what is shown of a recording in the Ogg file that it reads; nil: nothing is.
	Listen func(io.Reader) chat.Sound
	// Prune removes what else is too old; nil: there is nothing.
	Prune func(chat.Tx, chat.Time) error
	// Attempted is called with the outcome of each delivery attempt; it may be nil.
	Attempted func(dest string, came chat.Outcome)
	// Taps are called with every event of a session, in the order of publishing,
	// and must not wait: they miss none.
	Taps []func(*chat.Event)
}

// Open makes an engine on a store. It reads the stored settings and the operators'
// status; nothing is delivered before a sink is served.
func Open(ctx context.Context, c Config) (*Engine, error) {
	e := &Engine{Store: c.Store, Nodes: nodes.New(c.Cluster, c.Log), Volatile: c.Volatile, alsoPrune: c.Prune, stopping: make(chan struct{}), ended: make(chan struct{})}
	e.Hub = hub.New(e.Nodes.Ring, c.Taps...)
	for kind, receive := range e.Hub.Notes() {
		e.Nodes.Subscribe(kind, nodes.Topic{Receive: receive})
	}
	e.Outbox = queue.NewOutbox(c.Store, e.Hub, e.Nodes, c.Log, c.Attempted)
	e.Inbox = queue.NewInbox(c.Store, e.Nodes, c.Log)
	e.Relay = newRelay(c, e)
	e.addParts()
	if err := e.loadSettings(ctx); err != nil {
		return nil, err
	}
	if err := loadHost(ctx, e.hosts, c.Store); err != nil {
		return nil, err
	}
	return e, e.loadPresence(ctx, c.Store, e.businessHours(), e.Sites().IDs())
}

// Hosts returns the names of the website.
func (r *Relay) Hosts() *chat.Hosts { return r.hosts }

func newRelay(c Config, e *Engine) *Relay {
	backend := c.Mode == chat.ModeBridge
	team := &operators{hub: e.Hub, nodes: e.Nodes, backend: backend}
	config := newConfiguration(c, e, team)
	return &Relay{configuration: config, operators: team, visitors: &visitors{hub: e.Hub, peers: e.Nodes}, viewing: &viewing{nodes: e.Nodes, hub: e.Hub},
		uploads: &uploads{store: c.Store, config: config, log: c.Log, listen: c.Listen},
		store:   c.Store, hub: e.Hub, outbox: e.Outbox, nodes: e.Nodes, log: c.Log, hosts: chat.NewHosts(c.PublicURL, c.Origins),
		isBot: c.IsBot, identity: c.Identity, backend: backend, backlog: backend && !c.Volatile}
}

func newConfiguration(c Config, e *Engine, o *operators) *configuration {
	conf := &configuration{store: c.Store, hub: e.Hub, nodes: e.Nodes, operators: o, declared: c.Declared, env: c.Settings, targets: c.Targets, publicURL: c.PublicURL, backend: c.Mode == chat.ModeBridge}
	if conf.declared == nil {
		conf.declared = chat.SettingList()
	}
	if conf.targets == nil {
		conf.targets = func(*chat.Settings) []chat.Target { return nil }
	}
	if conf.backend {
		conf.targets = withoutMail(conf.targets)
	}
	changed := make(chan struct{})
	conf.changed.Store(&changed)
	return conf
}

// addParts adds what works on the service.
func (e *Engine) addParts() {
	r := e.Relay
	r.live = &live{relay: r}
	e.presenceSwitch, e.receipts, e.snoozes, e.aiTurns = &presenceSwitch{r}, &receipts{relay: r}, &snoozes{relay: r}, &aiTurns{r}
	e.organiser = &organiser{r, e.snoozes}
	e.savedAnswers = &savedAnswers{store: r.store, config: r.configuration, none: r.backend}
	e.aiBudget, e.mails, e.contacts = &aiBudget{r.store}, &mails{relay: r}, &contacts{store: r.store}
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
	sharing.Go(func() { e.Nodes.Run(joined, peers{e}) })
	for _, part := range append(parts, e.keepTime, e.keepStoreAlone, e.noticeSettings, e.eraseSitesAlone) {
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
	e.Nodes.End()
	if err := context.Cause(ctx); !errors.Is(err, context.Canceled) {
		return err
	}
	return nil
}

// keepTime updates the status of operators and visitors as time passes, turns announced
// leaves into facts, takes the steps for who is not answered, and asks for e-mails to the team. In bridge mode the backend does that.
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
	sinks := []chat.Sink{e.Leaver(), e.Unanswered(), e.MemberMails()}
	ended := make(chan error)
	for _, sink := range sinks {
		running.Go(func() { ended <- e.Outbox.Serve(ctx, sink) })
	}
	err := <-ended
	cancel()
	for range len(sinks) - 1 {
		err = errors.Join(err, <-ended)
	}
	return err
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
	for _, target := range e.configuration.targets(e.Settings()) {
		n := 0
		err := e.Store.ReadOne(ctx, func(r chat.Reader) (err error) {
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
