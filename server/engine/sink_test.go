package engine_test

import (
	"context"
	"fmt"
	"io"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/team"
)

// testSink stands where platforms will stand: it keeps what it was handed and
// answers what the test wants.
type testSink struct {
	name   string
	policy chat.Policy
	answer func(lane []chat.Delivery) (int, error)

	mu      sync.Mutex
	got     []string // "session/rev", with ? when ambiguous
	at      []time.Duration
	started chat.Time
	flying  map[string]bool
	maximum int
}

func newSink(name string) *testSink {
	return &testSink{name: name, started: chat.Now(), flying: map[string]bool{}, policy: chat.Policy{Parallel: 4, Batch: 1, Timeout: time.Minute,
		Attempts: 5, MaxAge: 24 * time.Hour, Backoff: chat.Backoff(time.Second, time.Minute)}}
}

func (s *testSink) Name() string        { return s.name }
func (s *testSink) Policy() chat.Policy { return s.policy }

func (s *testSink) Deliver(_ context.Context, lane []chat.Delivery) (int, error) {
	s.enter(lane)
	defer s.leave(lane[0].SessionID)
	if s.answer == nil {
		return len(lane), nil
	}
	return s.answer(lane)
}

func (s *testSink) enter(lane []chat.Delivery) {
	s.mu.Lock()
	defer s.mu.Unlock()
	id := lane[0].SessionID
	if s.flying[id] {
		panic("two deliveries of one lane at once")
	}
	s.flying[id] = true
	s.maximum = max(s.maximum, len(s.flying))
	for _, d := range lane {
		mark := fmt.Sprintf("%s/%d", d.SessionID, d.Rev)
		if d.Ambiguous() {
			mark += "?"
		}
		s.got = append(s.got, mark)
		s.at = append(s.at, chat.Now().Sub(s.started))
	}
}

func (s *testSink) leave(id string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.flying, id)
}

// saw returns what the sink was handed so far.
func (s *testSink) saw() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.Clone(s.got)
}

// broken is a store whose next writes fail, as often as failures says.
type broken struct {
	chat.Store
	failures atomic.Int64
}

func (b *broken) Apply(ctx context.Context, op func(chat.Tx) error) error {
	if b.failures.Load() > 0 && b.failures.Add(-1) >= 0 {
		return chat.ErrStorageFull
	}
	return b.Store.Apply(ctx, op)
}

// harness is an engine on an empty database.
type harness struct {
	*engine.Engine
	store chat.Store
	sinks []chat.Sink
}

var quiet = slog.New(slog.NewTextHandler(io.Discard, nil))

// openEngine opens an engine whose sinks are bridges.
func openEngine(t testing.TB, store chat.Store, log *slog.Logger, sinks ...chat.Sink) *engine.Engine {
	t.Helper()
	var targets []chat.Target
	for _, s := range sinks {
		targets = append(targets, chat.Target{Name: s.Name(), Kind: chat.TargetBridge})
	}
	e, err := engine.Open(t.Context(), engine.Config{Store: store, Log: log, Prune: team.Prune,
		Targets: func(*chat.Settings) []chat.Target { return targets }})
	if err != nil {
		t.Fatal(err)
	}
	return e
}

// build makes a harness on a database; its sinks are bridges.
func build(t *testing.T, store chat.Store, sinks ...chat.Sink) *harness {
	t.Helper()
	return &harness{openEngine(t, store, quiet, sinks...), store, sinks}
}

// run serves the sinks until the returned function is called.
func (h *harness) run(t *testing.T) (stop func()) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	var served sync.WaitGroup
	for _, sink := range append(h.sinks, h.Leaver(), h.Unanswered()) {
		served.Go(func() {
			if err := h.Outbox.Serve(ctx, sink); err != nil {
				t.Errorf("outbox: %v", err)
			}
		})
	}
	stop = sync.OnceFunc(func() {
		cancel()
		served.Wait()
	})
	t.Cleanup(stop)
	return stop
}

// open makes a session without a token.
func (h *harness) open(t *testing.T, visitor string) string {
	t.Helper()
	v, err := h.Init(t.Context(), engine.Visit{VisitorID: visitor})
	if err != nil {
		t.Fatal(err)
	}
	return v.Session.ID
}

var (
	visitor  = chat.Author{Sender: chat.SenderVisitor, Source: chat.SourceWidget}
	operator = chat.Author{Sender: chat.SenderOperator, Source: chat.SourceAPI}
)

// say sends a message of a visitor, or fails the test.
func (h *harness) say(t *testing.T, sessionID, text string) chat.Message {
	t.Helper()
	m, err := h.Send(t.Context(), visitor, engine.Post{SessionID: sessionID, Content: text})
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func expectTexts(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s:\n got %q\nwant %q", what, got, want)
	}
}
