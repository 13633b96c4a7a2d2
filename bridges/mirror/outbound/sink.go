// Package outbound shows a session's events in its thread on a platform: it plans what
// the thread must show, executes the steps and settles what is certain of each. It
// imports server/chat, bridges/mirror/access and bridges/cache only.
package outbound

import (
	"context"
	"io"
	"math"
	"time"

	"github.com/relay-chat/relay/bridges/cache"
	"github.com/relay-chat/relay/bridges/mirror/access"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/engine/hub"
)

// Sink delivers a session's events to its thread. It decides what is shown and keeps
// the links; the bridge shows it.
type Sink struct {
	planner
	platform *access.Platform
	store    chat.Store
	relay    *engine.Engine
	hub      *hub.Hub

	// What an attempt leaves for the next one; a restart forgets it.
	failing *cache.Cache[failing]   // by delivery: what the platform keeps failing at
	refused *cache.Cache[refusal]   // by session: the step that was refused, while its note waits
	begun   *cache.Cache[chat.Time] // by session: when its thread may have been opened

	unfound chat.LogThrottle // of threads that could not be looked for
}

// Opener opens an attachment of a message.
type Opener func(ctx context.Context, sessionID string, a chat.Attachment) (io.ReadCloser, error)

// New makes the sink of a platform. links makes links to files for platforms that take
// none; nil when relay has no public address.
func New(engine *engine.Engine, p *access.Platform, links *chat.FileLinks, open Opener) *Sink {
	_, recalls := p.At("").(chat.Recaller)
	_, finds := p.At("").(chat.Finder)
	return &Sink{planner: planner{split: p.Split, names: engine.Relay, shared: p.Shared, stateless: p.Stateless, searchable: recalls || finds, links: links, open: open},
		platform: p, store: engine.Store, relay: engine, hub: engine.Hub,
		failing: cache.New[failing](maxRemembered), refused: cache.New[refusal](maxRemembered), begun: cache.New[chat.Time](maxRemembered)}
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
	maxRemembered  = 10000 // of each kind
)

// Policy implements [chat.Sink].
func (s *Sink) Policy() chat.Policy {
	return chat.Policy{Parallel: max(s.platform.Limits().Parallel, 1), Batch: maxBatch, Timeout: deliverTimeout, MaxAge: deliverMaxAge,
		RetryOnRecovery: true, Attempts: math.MaxInt32, Backoff: chat.Backoff(time.Second, 5*time.Minute)}
}
