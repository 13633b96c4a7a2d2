package db

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/relay-chat/relay/schema"
	"github.com/relay-chat/relay/server/chat"
)

// Bounded opens an empty SQLite database in memory that forgets: a delivery once
// it is settled, an event once it has no delivery, and the oldest of everything
// beyond the bounds. Streams cannot resume from it. Its triggers count what it
// holds (see schema.Bounded), so that nothing has to be counted to find out.
func Bounded(ctx context.Context, b Bounds) (*DB, error) {
	m, err := openMemory(ctx, schema.Bounded)
	if err != nil {
		return nil, fmt.Errorf("open the memory database: %w", err)
	}
	e := &evictor{backend: m, bounds: b, gave: map[string]bool{}, closing: make(chan struct{})}
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

	mu   sync.Mutex      // held while evicting
	gave map[string]bool // the destinations that gave something up and are not half empty yet
}

// evictEvery is how often the database is held against its bounds: what comes in
// meanwhile may be too much.
const evictEvery = 200 * time.Millisecond

// run evicts until close. What cannot be evicted, because it waits to be
// delivered, is not looked at all the time: everybody waits meanwhile.
func (e *evictor) run() {
	rest := evictEvery
	for {
		select {
		case <-e.closing:
			return
		case <-time.After(rest):
		}
		vain, err := e.evict(context.Background())
		if err != nil && e.bounds.Failed != nil {
			e.bounds.Failed(err)
		}
		rest = max(evictEvery, 10*vain)
	}
}

func (e *evictor) close() error {
	e.end.Do(func() { close(e.closing) })
	e.running.Wait()
	return e.backend.close()
}

// evict removes the oldest of every kind of which there is too much. It returns
// how long it looked in vain.
func (e *evictor) evict(ctx context.Context) (vain time.Duration, err error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	var now []held
	err = e.read(ctx, func(t *tx) (err error) {
		now, err = list[held](t, selectHeld)
		return err
	})
	for _, h := range now {
		if h.Kind == "queue" && !e.bounds.over(h.times(200)) {
			delete(e.gave, h.Dest)
		}
		if err != nil || !e.bounds.over(h) {
			continue
		}
		begun, removed := time.Now(), 0
		switch h.Kind {
		case "sessions":
			removed, err = e.evictSessions(ctx, h)
		case "messages":
			removed, err = e.remove(ctx, h, e.bounds.over, (*tx).oldestMessages)
		case "links":
			removed, err = e.remove(ctx, h, e.bounds.over, (*tx).oldestLinks)
		case "queue":
			removed, err = e.remove(ctx, h, e.bounds.over, func(t *tx) ([]removal, error) { return t.oldestQueued(h.Dest) })
		}
		if removed == 0 {
			vain += time.Since(begun)
		}
	}
	return vain, err
}

func (e *evictor) evictSessions(ctx context.Context, h held) (removed int, err error) {
	removed, err = e.remove(ctx, h, e.bounds.over, idlest(selectIdlest, chat.Now()))
	if err != nil {
		return removed, err
	}
	most, err := e.remove(ctx, h, e.bounds.overMost, idlest(selectOldest, chat.Now()))
	return removed + most, err
}

// evicted is how much is evicted in one transaction: more than one can bring.
const evicted = 500

// removal removes a row.
type removal func() error

// remove removes the oldest of a kind, a portion in a transaction, until there
// is a hundredth less than too much or nothing to remove. It returns how many
// were removed, and reports what queues gave up by it.
func (e *evictor) remove(ctx context.Context, h held, over func(held) bool, oldest func(*tx) ([]removal, error)) (total int, err error) {
	for more := true; more; {
		removed := 0
		var before, after []held
		err := e.apply(ctx, func(t *tx) (err error) {
			removed, more = 0, false
			if before, err = list[held](t, selectQueues); err != nil {
				return err
			}
			rows, err := oldest(t)
			for _, remove := range rows {
				if err == nil {
					err = t.row(nil, []any{&h.N, &h.Bytes}, selectHeldOf, h.Kind, h.Dest)
				}
				if more = err == nil && over(h.times(101)); !more {
					break
				}
				err = remove()
				removed++
			}
			if err != nil {
				return err
			}
			after, err = list[held](t, selectQueues)
			return err
		})
		if err != nil {
			return total, fmt.Errorf("evict %s: %w", h.Kind, err)
		}
		total += removed
		e.reportFull(before, after)
	}
	return total, nil
}

const (
	selectHeld   = `SELECT kind, dest, n, bytes FROM held`
	selectHeldOf = `SELECT n, bytes FROM held WHERE kind = ? AND dest = ?`
	selectQueues = selectHeld + ` WHERE kind = 'queue' ORDER BY dest`
)

// reportFull reports which queues gave events up. None begins or ends between
// before and after.
func (e *evictor) reportFull(before, after []held) {
	for i, q := range after {
		if n := before[i].N - q.N; n > 0 && e.bounds.Full != nil {
			first := !e.gave[q.Dest]
			e.gave[q.Dest] = true
			e.bounds.Full(q.Dest, n, first)
		}
	}
}
