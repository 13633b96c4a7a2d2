package db

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"github.com/relay-chat/relay/schema"
	"github.com/relay-chat/relay/server/chat"
)

// Bounded opens an empty SQLite database in memory that forgets: a delivery once
// it is settled, an event once it has no delivery, and the oldest of everything
// beyond the bounds (see schema.Bounded). Streams cannot resume from it.
func Bounded(ctx context.Context, b Bounds) (*DB, error) {
	m, err := openMemory(ctx, migrated(schema.Bounded))
	if err != nil {
		return nil, fmt.Errorf("open the memory database: %w", err)
	}
	e := &evictor{backend: m, bounds: b, dropping: map[string]bool{}, closing: make(chan struct{})}
	e.running.Go(e.run)
	return &DB{backend: e, evictor: e}, nil
}

// evictor keeps a database in memory within its bounds.
type evictor struct {
	backend
	bounds  Bounds
	closing chan struct{}
	end     sync.Once
	running sync.WaitGroup
	changes int64 // total_changes() at the last eviction

	mu       sync.Mutex      // held while evicting
	dropping map[string]bool // destinations that dropped deliveries and whose queue is not half empty yet
}

// evictEvery is how often the database is compared with its bounds; in between it may
// exceed them.
const evictEvery = 200 * time.Millisecond

// run evicts until close. Writers wait while it counts, or searches for sessions
// to evict and finds none, so it spends at most a tenth of the time on that.
func (e *evictor) run() {
	rest := evictEvery
	for {
		select {
		case <-e.closing:
			return
		case <-time.After(rest):
		}
		searched, err := e.evictIfChanged(context.Background())
		if err != nil && e.bounds.Failed != nil {
			e.bounds.Failed(err)
		}
		rest = max(evictEvery, 10*searched)
	}
}

// fewChanges is how many changed rows do not justify a count.
const fewChanges = 100

// evictIfChanged evicts if enough was written since it did so last.
func (e *evictor) evictIfChanged(ctx context.Context) (searched time.Duration, err error) {
	var changes int64
	err = e.read(ctx, func(t *tx) error { return t.q.get(&changes, "SELECT total_changes()") })
	if err != nil || changes-e.changes < fewChanges {
		return 0, err
	}
	e.changes = changes
	return e.evict(ctx)
}

func (e *evictor) close() error {
	e.end.Do(func() { close(e.closing) })
	e.running.Wait()
	return e.backend.close()
}

// evict removes the oldest rows of every kind that exceeds its bounds. It returns how
// long it searched without removing anything.
func (e *evictor) evict(ctx context.Context) (searched time.Duration, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	begun := time.Now()
	now, err := e.count(ctx)
	if err != nil {
		return 0, fmt.Errorf("count the rows: %w", err)
	}
	searched = time.Since(begun)
	e.clearHalfEmpty(now)
	for _, h := range now {
		if err != nil || !e.bounds.over(h) {
			continue
		}
		begun, removed := time.Now(), 0
		if removed, err = e.evictKind(ctx, h); removed == 0 {
			searched += time.Since(begun)
		}
	}
	return searched, err
}

// clearHalfEmpty forgets the queues that dropped deliveries and are half empty by now.
func (e *evictor) clearHalfEmpty(now []held) {
	for dest := range e.dropping {
		full := slices.ContainsFunc(now, func(h held) bool { return h.Kind == "queue" && h.Dest == dest && e.bounds.over(h.times(200)) })
		if !full {
			delete(e.dropping, dest)
		}
	}
}

func (e *evictor) evictKind(ctx context.Context, h held) (removed int, err error) {
	switch h.Kind {
	case "sessions":
		return e.evictSessions(ctx, h)
	case "messages":
		return e.remove(ctx, &h, e.bounds.over, (*eviction).oldestMessages)
	case "links":
		return e.remove(ctx, &h, e.bounds.over, (*eviction).oldestLinks)
	default:
		return e.remove(ctx, &h, e.bounds.over, func(v *eviction) ([]removal, error) { return v.oldestQueued(h.Dest) })
	}
}

func (e *evictor) evictSessions(ctx context.Context, h held) (removed int, err error) {
	removed, err = e.remove(ctx, &h, e.bounds.over, idleSessions(selectIdleDelivered, chat.Now()))
	if err != nil {
		return removed, err
	}
	most, err := e.remove(ctx, &h, e.bounds.overMost, idleSessions(selectIdleAny, chat.Now()))
	return removed + most, err
}

// evictAtOnce is how many rows one transaction evicts: more than one can add.
const evictAtOnce = 500

// eviction is a transaction that evicts.
type eviction struct {
	*tx
	dropped map[string]int // deliveries by destination
}

// removal removes a row and returns the bytes that it counted.
type removal func() (bytes int64, err error)

// remove removes the oldest rows of a kind, one portion per transaction, until they are
// a hundredth below their bound or none is left. It reports the deliveries dropped.
func (e *evictor) remove(ctx context.Context, h *held, over func(held) bool, oldest func(*eviction) ([]removal, error)) (total int, err error) {
	for more := true; more; {
		var left held
		var dropped map[string]int
		err := e.apply(ctx, func(t *tx) (err error) {
			left, dropped = *h, map[string]int{}
			more, err = evictPortion(&left, over, oldest, &eviction{t, dropped})
			return err
		})
		if err != nil {
			return total, fmt.Errorf("evict %s: %w", h.Kind, err)
		}
		total += h.N - left.N
		*h = left
		e.reportFull(dropped)
	}
	return total, nil
}

// evictPortion removes the oldest rows while there are too many, and reports whether
// there may be more to remove.
func evictPortion(h *held, over func(held) bool, oldest func(*eviction) ([]removal, error), v *eviction) (more bool, err error) {
	rows, err := oldest(v)
	for _, remove := range rows {
		if err != nil || !over(h.times(101)) {
			return false, err
		}
		var bytes int64
		bytes, err = remove()
		h.N, h.Bytes = h.N-1, h.Bytes-bytes
	}
	return len(rows) > 0, err
}

// reportFull reports which queues dropped events.
func (e *evictor) reportFull(dropped map[string]int) {
	for dest, n := range dropped {
		if e.bounds.Full != nil {
			first := !e.dropping[dest]
			e.dropping[dest] = true
			e.bounds.Full(dest, n, first)
		}
	}
}
