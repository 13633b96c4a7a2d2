package bridges

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/relay-chat/relay/bridges/mirror"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine/nodes"
)

// inboxParallel is how many threads of a bridge are handled at once: looking up
// names and files takes a while.
const inboxParallel = 8

// runner starts, restarts and stops the bridge of one kind.
type runner struct {
	set     *Set
	kind    Kind
	log     *slog.Logger
	restart chan struct{} // makes run restart the bridge
	homes   homes         // since the last start; of run

	mu         sync.Mutex
	channels   channels // none while none runs
	mirror     *mirror.Mirror
	hook       http.Handler
	startErr   error     // why the bridge could not be made
	receiveErr error     // why the last attempt to receive ended
	receive    string    // how operators' answers are received
	endReceive func()    // stops receiving and waits for its end
	since      time.Time // begin of the current attempt to receive, zero between attempts
	serving    bool      // this node serves the bridge; others only take what is pushed

	setting    sync.Mutex // guards connecting a platform
	connecting Setup      // of these tokens
	tokens     string
}

// run keeps the bridge in line with the settings until ctx ends.
func (r *runner) run(ctx context.Context) {
	stop, made := func() {}, ""
	for first := true; ; first = false {
		changed := r.set.engine.SettingsChanged()
		sites := r.set.engine.Sites()
		if wanted := fingerprint(&r.kind, sites); first || wanted != made {
			stop()
			stop, made = r.start(ctx, sites, first), wanted
		}
		select {
		case <-ctx.Done():
			stop()
			return
		case <-changed:
		case <-r.restart:
			made = ""
		}
	}
}

// hasProblem reports whether the bridge reports a problem. The caller holds the lock.
func (r *runner) hasProblem() bool {
	return slices.ContainsFunc(r.channels.all(), func(b chat.Bridge) bool {
		receiving, ok := b.(Receiving)
		if !ok {
			return false
		}
		_, problem := receiving.Receiving()
		return problem != nil
	})
}

// restartIfFailing restarts a bridge that pauses after a failure, or whose problem
// was fixed. Others keep running: platforms limit how often a bot connects.
func (r *runner) restartIfFailing(fixed bool) {
	r.mu.Lock()
	pausing := r.receiveErr != nil || slices.ContainsFunc(r.channels.all(), func(b chat.Bridge) bool { return r.mirror.TroubleAt(b.Channel()) != nil })
	r.mu.Unlock()
	if pausing || fixed {
		r.requestRestart()
	}
}

// requestRestart makes run restart the bridge.
func (r *runner) requestRestart() {
	select {
	case r.restart <- struct{}{}:
	default: // a restart is pending already
	}
}

// start makes the bridges, which take what their platform pushes, and serves them as soon as
// no other node does. The returned function stops them and waits for what is in flight.
func (r *runner) start(ctx context.Context, sites *chat.Sites, first bool) (stop func()) {
	before := r.homes
	r.homes = nil
	r.put(nil, nil, nil)
	if !connected(&r.kind, sites) {
		return func() {}
	}
	made, err := r.makeChannels(ctx, sites)
	if err != nil {
		r.log.Error("the bridge cannot be started", "err", err)
		r.put(nil, nil, err)
		return func() {}
	}
	r.homes, made.before = made.homes, before
	m := r.newMirror(made)
	r.put(made, m, nil)
	ctx, cancel := context.WithCancel(ctx)
	var serving sync.WaitGroup
	serving.Go(func() {
		_ = r.set.engine.Nodes.Hold(ctx, m.Name(), func(ctx context.Context, lease *nodes.Lease) error {
			r.serve(ctx, lease, made, m, first)
			return nil
		})
	})
	return func() {
		cancel()
		serving.Wait()
		r.put(nil, nil, nil)
	}
}

// serve serves a bridge until ctx ends, and waits for what is in flight. One that loses
// its lease starts again with a new bridge: what it remembers of its platform may no longer hold.
func (r *runner) serve(ctx context.Context, lease *nodes.Lease, on *channels, m *mirror.Mirror, first bool) {
	if !first { // earlier failures belong to the earlier settings
		if err := r.set.engine.Outbox.RetryNow(ctx, m.Name()); err != nil {
			r.log.Warn("cannot retry pending deliveries at once", "err", err)
		}
	}
	r.setServing(true)
	defer r.setServing(false)
	var parts sync.WaitGroup
	for _, part := range []func(context.Context) error{
		func(ctx context.Context) error { return r.set.engine.Outbox.ServeUnder(ctx, lease, m) },
		func(ctx context.Context) error {
			return r.set.engine.Inbox.Serve(ctx, m.Name(), inboxParallel, m.Handle)
		},
		m.ShowTyping,
	} {
		parts.Go(func() { r.keepServing(ctx, part) })
	}
	if before := on.before; before != nil {
		on.before = nil // told once
		parts.Go(func() { r.tellMoves(ctx, before, on) })
	}
	for _, b := range on.all() {
		if receiving, ok := b.(Receiving); ok {
			parts.Go(func() { r.watchRecovery(ctx, receiving) })
		}
		if w, ok := b.(Watching); ok {
			parts.Go(func() { w.Watch(ctx) })
		}
	}
	parts.Go(func() {
		r.set.engine.Nodes.Describe(ctx, lease, func() any { return r.state(r.set.engine.Sites()) })
	})
	r.receiveUntil(ctx, &parts, on.common)
	<-ctx.Done()
	parts.Wait()
	if errors.Is(context.Cause(ctx), chat.ErrLeaseLost) {
		r.requestRestart()
	}
}

// receiveUntil receives updates until ctx ends or stopReceiving is called.
func (r *runner) receiveUntil(ctx context.Context, parts *sync.WaitGroup, b chat.Bridge) {
	ctx, cancel := context.WithCancel(ctx)
	ended := make(chan struct{})
	parts.Go(func() {
		defer close(ended)
		defer cancel()
		r.keepReceiving(ctx, b)
	})
	r.mu.Lock()
	defer r.mu.Unlock()
	r.endReceive = func() {
		cancel()
		<-ended
	}
}

// setServing notes whether this node serves the bridge.
func (r *runner) setServing(is bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.serving = is
}

// stopReceiving stops receiving; nothing is received after it returned.
func (r *runner) stopReceiving() {
	r.mu.Lock()
	end := r.endReceive
	r.hook = nil
	r.mu.Unlock()
	if end != nil {
		end()
	}
}

func (r *runner) newMirror(on *channels) *mirror.Mirror {
	o := r.set.opts.Mirror
	o.Log, o.Moved, o.Own, o.Former = r.set.opts.Log, r.moved, on.own, on.former
	if o.Seal != nil {
		o.OpenFile = r.set.openSealed(o.OpenFile)
	}
	return mirror.New(r.set.engine, on.common, o)
}

// moved stores the new id of a channel: relay's, or that of the sites whose own it is.
func (r *runner) moved(ctx context.Context, from, to string) error {
	id, err := json.Marshal(to)
	if err != nil {
		return err
	}
	patch, sites := map[string]json.RawMessage{r.kind.Card.Channel: id}, r.set.engine.Sites()
	homes := homesOf(&r.kind, sites)
	if homes[chat.AllSites] == from {
		err = r.store(ctx, patch)
	}
	for _, site := range sites.All() {
		if homes[site.ID] == from && homes[chat.AllSites] != from {
			err = errors.Join(err, r.set.engine.PatchSiteSettings(ctx, site.ID, patch))
		}
	}
	return err
}

// Pauses before a part that ended is restarted.
var (
	pauses      = chat.Backoff(time.Second, time.Minute)
	humanPauses = chat.Backoff(time.Minute, 10*time.Minute)
)

// keepServing runs a part until it succeeds or ctx ends.
func (r *runner) keepServing(ctx context.Context, part func(context.Context) error) {
	for n := 1; ctx.Err() == nil; n++ {
		err := part(ctx)
		if err == nil {
			return
		}
		if ctx.Err() == nil {
			r.log.Error("a bridge cannot use the database", "err", err)
			_ = chat.Rest(ctx, pauses(n)) // the loop ends with ctx
		}
	}
}

// healthy is how long an attempt to receive has to last to count as working.
const healthy = 10 * time.Second

// keepReceiving receives updates until ctx ends or the bridge uses its webhook.
func (r *runner) keepReceiving(ctx context.Context, b chat.Bridge) {
	for failures := 0; ctx.Err() == nil; {
		began := time.Now()
		r.beginReceiving(began)
		err := b.Run(ctx, r.inbox())
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			r.receiving("webhook", nil)
			return
		}
		if time.Since(began) > healthy {
			failures = 0
		}
		failures++
		wait := pauses(failures)
		if wrong := (*chat.Misconfigured)(nil); errors.As(err, &wrong) {
			wait = humanPauses(failures)
		}
		r.receiving("none", err)
		r.log.Error("operators' answers are not received; retrying", "err", err, "in", wait)
		_ = chat.Rest(ctx, wait)
	}
}

func (r *runner) put(on *channels, m *mirror.Mirror, startErr error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.channels, r.mirror, r.startErr, r.receiveErr, r.receive, r.hook, r.since = channels{}, m, startErr, nil, "none", nil, time.Time{}
	if on != nil {
		r.channels, r.hook = *on, on.common.Webhook(r.inbox())
	}
}

func (r *runner) beginReceiving(at time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.since = at
}

func (r *runner) receiving(way string, err error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.receive, r.receiveErr, r.since = way, err, time.Time{}
}

// received returns how updates are received, and why not. An attempt after a
// failure has to last before it counts. The caller holds the lock.
func (r *runner) received() (way string, err error) {
	if !r.since.IsZero() && (r.receiveErr == nil || time.Since(r.since) > healthy) {
		return r.kind.Live, nil
	}
	return r.receive, r.receiveErr
}

// current are the bridges, none while none runs.
func (r *runner) current() channels {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.channels
}

func (r *runner) webhook() http.Handler {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.hook
}
