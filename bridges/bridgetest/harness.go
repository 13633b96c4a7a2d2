package bridgetest

import (
	"context"
	"fmt"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges/mirror"
	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// Harness is an engine with one bridge, on a store in memory that survives its
// restarts.
type Harness struct {
	*engine.Engine
	Bridge chat.Bridge
	Mirror *mirror.Mirror
	// Own and Former are the bridges of other channels that the next Start has.
	Own    map[string]chat.Bridge
	Former []chat.Bridge
	// Stop ends the engine.
	Stop func()

	t         *testing.T
	stateless bool
	store     *db.DB
	others    []chat.Sink
}

// NewHarness starts an engine on an empty store, with a bridge. It ends with the
// test or with Stop.
func NewHarness(t *testing.T, b chat.Bridge) *Harness { return newHarness(t, b, false) }

// newHarness makes a harness whose events also go to other sinks.
func newHarness(t *testing.T, b chat.Bridge, stateless bool, others ...chat.Sink) *Harness {
	t.Helper()
	store, err := db.Memory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	h := &Harness{t: t, stateless: stateless, store: store, others: others}
	h.Start(b)
	return h
}

// Start starts an engine with a bridge on the store, as relay does when it starts.
func (h *Harness) Start(b chat.Bridge) {
	h.t.Helper()
	targets := []chat.Target{{Name: b.Name(), Kind: chat.TargetBridge}, {Name: chat.AISink, Kind: chat.TargetAI, Delay: time.Hour}}
	for _, sink := range h.others {
		targets = append(targets, chat.Target{Name: sink.Name(), Kind: chat.TargetBridge})
	}
	mode := chat.ModeCommunity
	if h.stateless {
		mode = chat.ModeBridge
	}
	var err error
	h.Engine, err = engine.Open(h.t.Context(), engine.Config{Store: h.store, Mode: mode, Log: slog.New(slog.DiscardHandler),
		Targets: func(*chat.Settings) []chat.Target { return targets }})
	h.must(err)
	h.serve(b)
}

// serve runs a bridge with the engine until Stop.
func (h *Harness) serve(b chat.Bridge) {
	h.t.Helper()
	seal, err := chat.NewFileSeal("a secret", "")
	h.must(err)
	h.Bridge = b
	h.Mirror = mirror.New(h.Engine, b, mirror.Options{Log: slog.New(slog.DiscardHandler), Stateless: h.stateless, Seal: seal, Own: h.Own, Former: h.Former})
	ctx, cancel := context.WithCancel(context.Background())
	var working sync.WaitGroup
	run := func(part func() error) {
		working.Go(func() {
			if err := part(); err != nil && ctx.Err() == nil {
				h.t.Errorf("the engine: %v", err)
			}
		})
	}
	for _, sink := range append([]chat.Sink{h.Mirror}, h.others...) {
		run(func() error { return h.Outbox.Serve(ctx, sink) })
	}
	run(func() error { return h.Inbox.Serve(ctx, b.Name(), 4, h.Mirror.Handle) })
	run(func() error { return b.Run(ctx, h.Inbox) })
	h.Stop = sync.OnceFunc(func() {
		time.Sleep(time.Millisecond) // a library holds a lock for a second when a connection ends as it begins
		cancel()
		working.Wait()
	})
	h.t.Cleanup(h.Stop)
}

func (h *Harness) must(err error) {
	h.t.Helper()
	if err != nil {
		h.t.Fatal(err)
	}
}

// Visitor is the author of messages sent by [Harness.Say], of whichever site.
var Visitor = chat.Author{Sender: chat.SenderVisitor, Source: chat.SourceWidget, AnySite: true}

// Visit opens a visitor's session.
func (h *Harness) Visit(name string) (sessionID string) {
	h.t.Helper()
	v, err := h.Init(h.t.Context(), engine.Visit{VisitorID: name, Metadata: chat.Metadata{URL: "https://shop.example/" + name}})
	h.must(err)
	return v.Session.ID
}

// Say sends a visitor's message.
func (h *Harness) Say(sessionID, text string) chat.Message {
	h.t.Helper()
	return h.Post(engine.Post{SessionID: sessionID, Content: text})
}

// SayWithFile sends a visitor's message with a file.
func (h *Harness) SayWithFile(sessionID, text, filename, content string) chat.Message {
	h.t.Helper()
	a, err := h.Upload(h.t.Context(), Visitor, sessionID, filename, strings.NewReader(content))
	h.must(err)
	return h.Post(engine.Post{SessionID: sessionID, Content: text, AttachmentIDs: []string{a.ID}})
}

// Post sends a visitor's message.
func (h *Harness) Post(p engine.Post) chat.Message {
	h.t.Helper()
	m, err := h.Send(h.t.Context(), Visitor, p)
	h.must(err)
	return m
}

// Undelivered counts the waiting deliveries.
func (h *Harness) Undelivered() (n int) {
	h.t.Helper()
	h.must(h.store.ReadOne(h.t.Context(), func(r chat.Reader) error {
		for _, sink := range append([]chat.Sink{h.Mirror}, h.others...) {
			waiting, err := r.Waiting(sink.Name())
			if n += waiting; err != nil {
				return err
			}
		}
		return nil
	}))
	return n
}

// Settle waits, at most ten hours of a synctest bubble, until everything is delivered.
func (h *Harness) Settle() {
	h.t.Helper()
	for range 600 {
		if time.Sleep(time.Minute); h.Undelivered() == 0 {
			return
		}
	}
	h.t.Fatalf("%d deliveries are still waiting", h.Undelivered())
}

// Messages returns a session's messages, oldest first.
func (h *Harness) Messages(sessionID string) (list []chat.Message) {
	h.t.Helper()
	h.must(h.store.ReadOne(h.t.Context(), func(r chat.Reader) (err error) {
		list, err = r.Messages(chat.MessageQuery{SessionID: sessionID, Limit: 1000})
		return err
	}))
	return list
}

// InStorm has visitors write in turn while the platform fails as storm describes; halfway
// it is unreachable for ten minutes. It returns once everything is delivered.
func (h *Harness) InStorm(p Platform, storm Storm, visitors, messages int, pause time.Duration, say func(sessionID string, n, m int)) {
	h.t.Helper()
	p.Storm(storm)
	sessions := make([]string, visitors)
	for n := range sessions {
		sessions[n] = h.Visit(fmt.Sprint("visitor", n))
	}
	for m := range messages {
		if m == messages/2 {
			p.Storm(Storm{Seed: storm.Seed + 1, All: 1})
		}
		for n, session := range sessions {
			say(session, n, m)
		}
		time.Sleep(pause)
	}
	time.Sleep(10 * time.Minute)
	storm.Seed += 2
	p.Storm(storm)
	h.Settle()
}

// Numbers returns the messages "n.m" of each visitor n, in the order in which the threads
// show them.
func Numbers(p Platform) map[string][]string {
	numbers := map[string][]string{}
	for _, th := range p.Threads() {
		for _, m := range th.Messages {
			for line := range strings.Lines(m.Text) {
				if visitor, number, ok := strings.Cut(strings.TrimSpace(line), "."); ok && strings.Trim(visitor+number, "0123456789") == "" {
					numbers[visitor] = append(numbers[visitor], number)
				}
			}
		}
	}
	return numbers
}
