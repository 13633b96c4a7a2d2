package bridges

import (
	"context"
	"encoding/json"
	"errors"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"relay/bridges/mirror"
	"relay/server/chat"
)

// inboxParallel is how many threads' updates of a bridge are worked on at once:
// looking up names and files takes a while.
const inboxParallel = 8

// slot is the place of one kind of bridge.
type slot struct {
	set  *Set
	kind Kind
	log  *slog.Logger
	anew chan struct{} // has run start the bridge anew

	mu      sync.Mutex
	bridge  chat.Bridge // nil while none runs
	mirror  *mirror.Mirror
	hook    http.Handler
	broken  error     // why the bridge could not be made
	deaf    error     // why nothing is received, or was not before the last attempt
	receive string    // how operators' answers come in
	deafen  func()    // ends receiving
	since   time.Time // begin of the last attempt to receive, zero between attempts
}

// run keeps the bridge as the settings want it until ctx ends.
func (s *slot) run(ctx context.Context) {
	stop, made := func() {}, ""
	for first := true; ; first = false {
		changed := s.set.engine.SettingsChanged()
		settings := s.set.engine.Settings()
		if print := s.kind.print(settings); first || print != made {
			stop()
			stop, made = s.start(ctx, settings, first), print
		}
		select {
		case <-ctx.Done():
			stop()
			return
		case <-changed:
		case <-s.anew:
			made = ""
		}
	}
}

// ails reports whether the bridge tells of a problem. The caller holds the lock.
func (s *slot) ails() bool {
	r, tells := s.bridge.(Receiving)
	if !tells {
		return false
	}
	_, problem := r.Receiving()
	return problem != nil
}

// hurry starts a bridge anew that rests because something failed, or that was
// mended. One that still ails otherwise is left alone: Discord counts how often
// a bot connects.
func (s *slot) hurry(mended bool) {
	s.mu.Lock()
	rests := s.bridge != nil && (s.deaf != nil || s.mirror.Trouble() != nil)
	s.mu.Unlock()
	if !rests && !mended {
		return
	}
	select {
	case s.anew <- struct{}{}:
	default: // it will be
	}
}

// start makes the bridge and serves it until the returned function is called,
// which waits for what is in flight.
func (s *slot) start(ctx context.Context, settings *chat.Settings, first bool) (stop func()) {
	s.put(nil, nil, nil)
	if !s.kind.configured(settings) {
		return func() {}
	}
	b, err := s.kind.New(settings)
	if err != nil {
		s.log.Error("the bridge cannot be started", "err", err)
		s.put(nil, nil, err)
		return func() {}
	}
	m := s.newMirror(b)
	s.put(b, m, nil)
	if !first { // what rests failed under the settings before
		if err := s.set.engine.Outbox.Hasten(ctx, m.Name()); err != nil {
			s.log.Warn("what waits is not hurried", "err", err)
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	var parts sync.WaitGroup
	for _, part := range []func(context.Context) error{
		func(ctx context.Context) error { return s.set.engine.Outbox.Serve(ctx, m) },
		func(ctx context.Context) error {
			return s.set.engine.Inbox.Serve(ctx, m.Name(), inboxParallel, m.Handle)
		},
		m.ShowTyping,
	} {
		parts.Go(func() { s.keepServing(ctx, part) })
	}
	if r, tells := b.(Receiving); tells {
		parts.Go(func() { s.seeLife(ctx, r) })
	}
	if w, watches := b.(Watching); watches {
		parts.Go(func() { w.Watch(ctx) })
	}
	ear, deafen := context.WithCancel(ctx)
	listening := make(chan struct{})
	parts.Go(func() {
		defer close(listening)
		s.keepReceiving(ear, b)
	})
	s.mu.Lock()
	s.deafen = func() {
		deafen()
		<-listening
	}
	s.mu.Unlock()
	return func() {
		cancel()
		parts.Wait()
		s.put(nil, nil, nil)
	}
}

// stopReceiving ends receiving and returns when nothing comes in any more.
func (s *slot) stopReceiving() {
	s.mu.Lock()
	deafen := s.deafen
	s.hook = nil
	s.mu.Unlock()
	if deafen != nil {
		deafen()
	}
}

func (s *slot) newMirror(b chat.Bridge) *mirror.Mirror {
	o := s.set.opts.Mirror
	o.Log, o.Moved = s.set.opts.Log, s.moved
	if o.Seal != nil {
		o.OpenFile = s.set.openSealed(o.OpenFile)
	}
	return mirror.New(s.set.engine, b, o)
}

// moved stores the new id of the bridge's channel.
func (s *slot) moved(ctx context.Context, to string) error {
	id, err := json.Marshal(to)
	if err != nil {
		return err
	}
	return s.set.engine.PatchSettings(ctx, map[string]json.RawMessage{s.kind.Channel: id})
}

// Pauses before a part that ended is started again.
var (
	pauses      = chat.Backoff(time.Second, time.Minute)
	humanPauses = chat.Backoff(time.Minute, 10*time.Minute)
)

// keepServing runs a part until ctx ends, or it has nothing more to do.
func (s *slot) keepServing(ctx context.Context, part func(context.Context) error) {
	for n := 1; ctx.Err() == nil; n++ {
		err := part(ctx)
		if err == nil {
			return
		}
		if ctx.Err() == nil {
			s.log.Error("a bridge cannot use the database", "err", err)
			_ = chat.Rest(ctx, pauses(n)) // the loop ends with ctx
		}
	}
}

// healthy is how long receiving has to last to count as working.
const healthy = 10 * time.Second

// keepReceiving receives updates until ctx ends, or leaves it to the webhook.
func (s *slot) keepReceiving(ctx context.Context, b chat.Bridge) {
	for failures := 0; ctx.Err() == nil; {
		began := time.Now()
		s.beginReceiving(began)
		err := b.Run(ctx, s.inbox())
		if ctx.Err() != nil {
			return
		}
		if err == nil {
			s.receiving("webhook", nil)
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
		s.receiving("none", err)
		s.log.Error("operators' answers are not received; trying again", "err", err, "in", wait)
		_ = chat.Rest(ctx, wait)
	}
}

func (s *slot) put(b chat.Bridge, m *mirror.Mirror, broken error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.bridge, s.mirror, s.broken, s.deaf, s.receive, s.hook, s.since = b, m, broken, nil, "none", nil, time.Time{}
	if b != nil {
		s.hook = b.Webhook(s.inbox())
	}
}

func (s *slot) beginReceiving(at time.Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.since = at
}

func (s *slot) receiving(way string, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.receive, s.deaf, s.since = way, err, time.Time{}
}

// received is how updates come in, and what keeps them away. An attempt that
// follows a failure has to last before it counts. The caller holds the lock.
func (s *slot) received() (way string, err error) {
	if !s.since.IsZero() && (s.deaf == nil || time.Since(s.since) > healthy) {
		return s.kind.Live, nil
	}
	return s.receive, s.deaf
}

func (s *slot) current() chat.Bridge {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.bridge
}

func (s *slot) webhook() http.Handler {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.hook
}
