// Package mirror keeps a session and its thread on a platform the same, both
// ways, once for all bridges. It imports server/chat and server/engine only.
package mirror

import (
	"context"
	"io"
	"log/slog"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// Mirror delivers a session's events to its thread (as a [chat.Sink]) and what
// operators do there to the service (as a [queue.Handler]). It decides what is shown
// and keeps the links; the bridge shows it.
type Mirror struct {
	bridge   chat.Bridge
	engine   *engine.Engine
	store    chat.Store
	relay    *engine.Engine
	log      *slog.Logger
	opts     Options
	unlinked warnings
	barred   warnings

	ambiguous         atomic.Int64
	opsDone           atomic.Int64 // how many ops were carried out
	refusals          refusals
	uncertainOpenings sync.Map // by session: its thread may have been opened
	refusedSteps      sync.Map // by session: the [refusedStep], while its fallback waits
	channel           boundChannel
	mu                sync.Mutex
	problem           error                // the last failure, nil once something worked
	failures          int                  // how often something went wrong
	resting           bool                 // the bridge was found misconfigured
	silentUntil       time.Time            // until when the platform wants no calls
	turns             map[string]chat.Time // by thread: when relay itself closed or reopened it
	unstored          chat.LogThrottle
	unfound           chat.LogThrottle // of threads that could not be looked for
}

// Options are what a Mirror is made of.
type Options struct {
	Log *slog.Logger
	// Links makes links to files for platforms that take none; nil when relay
	// has no public address.
	Links *chat.FileLinks
	// Stateless is bridge mode: the store forgets, threads lead back to their
	// session, operators' files stay on the platform.
	Stateless bool
	// OpenFile opens an attachment of a message; nil opens those that relay
	// keeps.
	OpenFile func(ctx context.Context, sessionID string, a chat.Attachment) (io.ReadCloser, error)
	// Colleague completes an operator whom the platform calls by these names, if that is a
	// person of the team; nil: there is no team.
	Colleague func(ctx context.Context, by chat.Author, names ...string) chat.Author
	// Seal makes the tokens under which operators' files are read in bridge
	// mode.
	Seal *chat.FileSeal
	// Moved is called when the bridge's channel has another id.
	Moved func(ctx context.Context, to string) error
}

// New makes the mirror of a bridge.
func New(engine *engine.Engine, b chat.Bridge, o Options) *Mirror {
	m := &Mirror{bridge: b, engine: engine, store: engine.Store, relay: engine, log: o.Log.With("bridge", b.Name()), opts: o}
	m.channel.id = b.Channel()
	if m.opts.Colleague == nil {
		m.opts.Colleague = func(_ context.Context, by chat.Author, _ ...string) chat.Author { return by }
	}
	if m.opts.OpenFile == nil {
		m.opts.OpenFile = func(ctx context.Context, _ string, a chat.Attachment) (io.ReadCloser, error) {
			file, err := engine.Relay.Open(ctx, a.ID)
			return io.NopCloser(file), err
		}
	}
	return m
}

var _ chat.Sink = (*Mirror)(nil)

// Name implements [chat.Sink].
func (m *Mirror) Name() string { return m.bridge.Name() }

// Deliveries are retried in order, for days.
const (
	maxBatch       = 30
	deliverFor     = 10 * time.Second // then the outbox may store what is done
	deliverTimeout = 15 * time.Minute // of everything; each op has its own
	deliverMaxAge  = 72 * time.Hour
	opTimeout      = time.Minute // unless the bridge says otherwise
	// misconfiguredRest is the pause of a misconfigured bridge: pending deliveries arrive
	// that long after an operator fixed it, at the latest.
	misconfiguredRest = time.Minute
)

// Policy implements [chat.Sink].
func (m *Mirror) Policy() chat.Policy {
	return chat.Policy{Parallel: max(m.bridge.Limits().Parallel, 1), Batch: maxBatch, Timeout: deliverTimeout, MaxAge: deliverMaxAge,
		RetryOnRecovery: true, Attempts: math.MaxInt32, Backoff: chat.Backoff(time.Second, 5*time.Minute)}
}
