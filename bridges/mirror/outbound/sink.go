// Package outbound shows a session's events in its thread on a platform: it plans what
// the thread must show, executes the steps and settles what is certain of each. It
// imports server/chat and bridges/mirror/platform only.
package outbound

import (
	"context"
	"io"
	"math"
	"sync"
	"time"

	"github.com/relay-chat/relay/bridges/mirror/platform"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/engine/hub"
)

// Sink delivers a session's events to its thread. It decides what is shown and keeps
// the links; the bridge shows it.
type Sink struct {
	planner
	platform *platform.Client
	store    chat.Store
	relay    *engine.Engine
	hub      *hub.Hub

	failing memory[failing]   // by delivery: what the platform keeps failing at
	refused memory[refusal]   // by session: the step that was refused, while its note waits
	begun   memory[chat.Time] // by session: when its thread may have been opened
	unfound chat.LogThrottle  // of threads that could not be looked for
}

// Opener opens an attachment of a message.
type Opener func(ctx context.Context, sessionID string, a chat.Attachment) (io.ReadCloser, error)

// New makes the sink of a platform. links makes links to files for platforms that take
// none; nil when relay has no public address.
func New(engine *engine.Engine, p *platform.Client, links *chat.FileLinks, open Opener) *Sink {
	_, recalls := p.Bridge.(chat.Recaller)
	_, finds := p.Bridge.(chat.Finder)
	return &Sink{planner: planner{split: p.Split, hosts: engine.Relay.Hosts(), stateless: p.Stateless, searchable: recalls || finds, links: links, open: open},
		platform: p, store: engine.Store, relay: engine, hub: engine.Hub}
}

var _ chat.Sink = (*Sink)(nil)

// Name implements [chat.Sink].
func (s *Sink) Name() string { return s.platform.Name() }

// Deliveries are retried in order, for days.
const (
	maxBatch       = 30
	deliverFor     = 10 * time.Second // then the outbox may store what is done
	deliverTimeout = 15 * time.Minute // of everything; each op has its own
	deliverMaxAge  = 72 * time.Hour
)

// Policy implements [chat.Sink].
func (s *Sink) Policy() chat.Policy {
	return chat.Policy{Parallel: max(s.platform.Limits().Parallel, 1), Batch: maxBatch, Timeout: deliverTimeout, MaxAge: deliverMaxAge,
		RetryOnRecovery: true, Attempts: math.MaxInt32, Backoff: chat.Backoff(time.Second, 5*time.Minute)}
}

// memory is what an attempt leaves for the next one; a restart forgets it.
type memory[V any] struct {
	mu    sync.Mutex
	known map[string]V
}

func (m *memory[V]) get(id string) (v V, known bool) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, known = m.known[id]
	return v, known
}

func (m *memory[V]) put(id string, v V) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.known == nil {
		m.known = map[string]V{}
	}
	m.known[id] = v
}

func (m *memory[V]) drop(id string) {
	m.mu.Lock()
	defer m.mu.Unlock()
	delete(m.known, id)
}
