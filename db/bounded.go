package db

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"sync"
	"time"

	"relay/server/chat"
)

// Bounded opens an empty SQLite database in memory that forgets: an event when
// it was delivered to all of its destinations, or has none, and the rest beyond
// the bounds. Streams cannot resume from it.
func Bounded(ctx context.Context, b Bounds) (*DB, error) {
	d, err := Memory(ctx)
	if err != nil {
		return nil, err
	}
	bounds := &bounded{backend: d.backend, bounds: b, held: held{queues: map[string]size{}}, gave: map[string]bool{}, over: make(chan struct{}, 1), closing: make(chan struct{})}
	err = d.backend.apply(ctx, func(t *tx) error {
		for _, statement := range boundedIndexes {
			if _, err := t.q.exec(statement); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return nil, errors.Join(err, d.Close())
	}
	d.bounded = bounds
	bounds.tidying.Go(bounds.tidy)
	return d, nil
}

// boundedIndexes leave out what serves lists and searches, which nobody makes
// here, and find what has been idle for longest.
var boundedIndexes = []string{
	`DROP INDEX IF EXISTS sessions_started`, `DROP INDEX IF EXISTS sessions_empty`, `DROP INDEX IF EXISTS sessions_resumable`,
	`DROP INDEX IF EXISTS sessions_token`, `DROP INDEX IF EXISTS sessions_visitor`,
	`DROP INDEX IF EXISTS deliveries_failed`, `DROP INDEX IF EXISTS deliveries_pending`, `CREATE INDEX sessions_idle ON sessions (last_activity)`,
	`CREATE INDEX links_created ON links (created_at)`,
}

// bounded keeps a database in memory within its bounds.
type bounded struct {
	backend backend
	bounds  Bounds
	over    chan struct{} // rung when something is over its bound
	closing chan struct{}
	end     sync.Once
	tidying sync.WaitGroup
	keeping sync.Mutex // one keeps at a time

	mu   sync.Mutex
	held held
	gave map[string]bool // the destinations that gave something up and are not half empty yet
}

// held is what the database holds, or by how much an operation changes it.
type held struct {
	sessions size
	messages size
	links    int
	queues   map[string]size // by destination
}

// queue notes that events were put in a queue, or, with negative numbers, taken
// out of it.
func (h *held) queue(dest string, n int, bytes int) {
	if h.queues == nil {
		h.queues = map[string]size{}
	}
	h.queues[dest] = h.queues[dest].plus(size{n, int64(bytes)})
}

// apply carries out an operation and has tidied what it makes necessary.
func (b *bounded) apply(ctx context.Context, op func(chat.Tx) error) error {
	var change held
	err := b.backend.apply(ctx, func(t *tx) error {
		change = held{}
		t.change = &change
		return op(t)
	})
	if err == nil && b.note(change) {
		select {
		case b.over <- struct{}{}:
		default:
		}
	}
	return err
}

// tidy keeps the database within its bounds until close. Nobody waits for it,
// and it rests much longer than it counts: counting holds everybody up, and what
// cannot be removed, because it waits to be delivered, must not be looked at all
// the time. Removing is no reason to rest, or a busy backend would be ahead of it
// for ever.
func (b *bounded) tidy() {
	for {
		select {
		case <-b.closing:
			return
		case <-b.over:
		}
		counting, err := b.keep(context.Background())
		if err != nil && b.bounds.Failed != nil {
			b.bounds.Failed(err)
		}
		select {
		case <-b.closing:
			return
		case <-time.After(10 * counting):
		}
	}
}

func (b *bounded) close() {
	b.end.Do(func() { close(b.closing) })
	b.tidying.Wait()
}

// note counts a change and reports whether anything is over its bound.
func (b *bounded) note(change held) (over bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.held.sessions = b.held.sessions.plus(change.sessions)
	b.held.messages = b.held.messages.plus(change.messages)
	b.held.links += change.links
	for dest, s := range change.queues {
		b.held.queues[dest] = b.held.queues[dest].plus(s)
		if len(b.gave) > 0 && b.bounds.queueHalfEmpty(b.held.queues[dest]) {
			delete(b.gave, dest)
		}
		over = over || b.bounds.queueFull(b.held.queues[dest])
	}
	return over || b.bounds.manyLinks(b.held.links) || b.bounds.manyMessages(b.held.messages) || b.bounds.manySessions(b.held.sessions)
}

// keep brings everything that is over its bound some way below it, so that
// this is not due again with the next operation. It returns how long it counted.
func (b *bounded) keep(ctx context.Context) (counting time.Duration, err error) {
	b.keeping.Lock()
	defer b.keeping.Unlock()
	begun := time.Now()
	now, err := b.recount(ctx)
	counting = time.Since(begun)
	if err != nil {
		return counting, err
	}
	for dest, q := range now.queues {
		if b.bounds.queueFull(q) {
			if err := b.shorten(ctx, dest, q.beyond(b.bounds.queueRoom(q))); err != nil {
				return counting, err
			}
		}
	}
	if b.bounds.manyMessages(now.messages) {
		if err := b.forgetMessages(ctx, now.messages.beyond(b.bounds.messageRoom(now.messages))); err != nil {
			return counting, err
		}
	}
	if b.bounds.manyLinks(now.links) {
		if err := b.forgetLinks(ctx, now.links-b.bounds.Links+b.bounds.Links/20); err != nil {
			return counting, err
		}
	}
	if b.bounds.manySessions(now.sessions) {
		return counting, b.thinSessions(ctx, now.sessions)
	}
	return counting, nil
}

const (
	countMessages = `SELECT COUNT(*) AS n, COALESCE(SUM(` + messageBytes + `), 0) AS bytes FROM messages m`
	countLinks    = `SELECT COUNT(*) FROM links`
	countSessions = `SELECT COUNT(*) AS n, COALESCE(SUM(` + sessionBytes + `), 0) AS bytes FROM sessions s`
)

// recount counts what the database holds. Edits change the size of messages and
// sessions that were counted, so before any is given up they are looked at. The
// count of queues is exact: a full one takes up to a second to count.
func (b *bounded) recount(ctx context.Context) (held, error) {
	var now held
	err := b.backend.read(ctx, func(t *tx) error {
		type row struct {
			N     int   `db:"n"`
			Bytes int64 `db:"bytes"`
		}
		messages, err := one[row](t, nil, countMessages)
		if err != nil {
			return err
		}
		sessions, err := one[row](t, nil, countSessions)
		if err != nil {
			return err
		}
		if now.links, err = one[int](t, nil, countLinks); err != nil {
			return err
		}
		now.sessions, now.messages = size{sessions.N, sessions.Bytes}, size{messages.N, messages.Bytes}
		return nil
	})
	if err != nil {
		return held{}, fmt.Errorf("count what the database holds: %w", err)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	queues := b.held.queues
	b.held, now.queues = now, maps.Clone(queues)
	b.held.queues = queues
	return now, nil
}

// inPortions removes n things, a portion in a transaction, until there are no
// more, and adds to total how many it removed. remove answers the same of one
// portion.
func (b *bounded) inPortions(ctx context.Context, n int, remove func(t *tx, most int) (int, error), total *int) error {
	for n > 0 {
		removed := 0
		var change held
		err := b.backend.apply(ctx, func(t *tx) (err error) {
			change = held{}
			t.change = &change
			removed, err = remove(t, min(n, portion))
			return err
		})
		if err != nil || removed == 0 {
			return err
		}
		b.note(change)
		n -= removed
		*total += removed
	}
	return nil
}

const (
	selectOldestQueued = `SELECT d.session, d.rev FROM deliveries d INDEXED BY deliveries_created WHERE d.dest = ? AND d.state = 0 ORDER BY d.created_at LIMIT ?`
	deleteQueued       = `DELETE FROM deliveries WHERE session = ?1 AND rev = ?2 AND dest = ?3
		RETURNING COALESCE((SELECT OCTET_LENGTH(e.payload) FROM events e WHERE e.session = ?1 AND e.rev = ?2), 0)`
	deleteDelivered = `DELETE FROM events WHERE session = ?1 AND rev = ?2
		AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.session = ?1 AND d.rev = ?2)`
)

// shorten lets a destination's queue give up its n oldest events.
func (b *bounded) shorten(ctx context.Context, dest string, n int) error {
	given := 0
	err := b.inPortions(ctx, n, func(t *tx, most int) (int, error) {
		type queued struct {
			Session int64 `db:"session"`
			Rev     int64 `db:"rev"`
		}
		oldest, err := list[queued](t, selectOldestQueued, dest, most)
		if err != nil {
			return 0, fmt.Errorf("find the oldest events for %s: %w", dest, err)
		}
		for _, d := range oldest {
			if err := t.unqueue(d.Session, d.Rev, dest); err != nil {
				return 0, err
			}
		}
		return len(oldest), nil
	}, &given)
	b.tellFull(dest, given)
	return err
}

// tellFull tells that a destination gave events up.
func (b *bounded) tellFull(dest string, events int) {
	if events == 0 || b.bounds.Full == nil {
		return
	}
	b.mu.Lock()
	first := !b.gave[dest]
	b.gave[dest] = true
	b.mu.Unlock()
	b.bounds.Full(dest, events, first)
}

// unqueue removes a delivery, and its event if it was the last one.
func (t *tx) unqueue(session, rev int64, dest string) error {
	bytes := -1 // if it is gone already
	err := t.row(nil, []any{&bytes}, deleteQueued, session, rev, dest)
	if err == nil && bytes >= 0 {
		t.change.queue(dest, -1, -bytes)
		_, err = t.q.exec(deleteDelivered, session, rev)
	}
	if err != nil {
		return fmt.Errorf("remove a delivery to %s: %w", dest, err)
	}
	return nil
}

const selectDests = `SELECT dest FROM deliveries WHERE session = ` + ofSession + ` AND rev = ?`

// resized notes that the payload of an event changed its length where it waits.
func (t *tx) resized(sessionID string, rev int64, bytes int) error {
	dests, err := list[string](t, selectDests, sessionID, rev)
	for _, dest := range dests {
		t.change.queue(dest, 0, bytes)
	}
	return err
}

// forgetDelivery removes a delivery that is settled. Its session may have been
// erased meanwhile.
func (t *tx) forgetDelivery(d *chat.Delivery) error {
	n, err := t.number(d.SessionID)
	if errors.Is(err, chat.ErrSessionNotFound) {
		return nil
	}
	if err != nil {
		return err
	}
	return t.unqueue(n, d.Rev, d.Dest)
}

const (
	// messageBytes are the texts of a message m whose length others choose.
	messageBytes = `OCTET_LENGTH(m.content) + OCTET_LENGTH(m.attachments)`

	selectOldestMessages = `SELECT rowid AS row, session, id, ` + messageBytes + ` AS bytes FROM messages m ORDER BY rowid LIMIT ?`
	deleteMessage        = `DELETE FROM messages WHERE rowid = ?`
	deleteLinks          = `DELETE FROM links WHERE session = ? AND message_id = ?`
)

// forgetMessages forgets the n oldest messages.
func (b *bounded) forgetMessages(ctx context.Context, n int) error {
	return b.inPortions(ctx, n, func(t *tx, most int) (int, error) {
		type old struct {
			Row     int64  `db:"row"`
			Session int64  `db:"session"`
			ID      string `db:"id"`
			Bytes   int64  `db:"bytes"`
		}
		oldest, err := list[old](t, selectOldestMessages, most)
		if err != nil {
			return 0, fmt.Errorf("find the oldest messages: %w", err)
		}
		for _, m := range oldest {
			if _, err := t.q.exec(deleteMessage, m.Row); err != nil {
				return 0, fmt.Errorf("forget a message: %w", err)
			}
			copies, err := t.q.exec(deleteLinks, m.Session, m.ID)
			if err != nil {
				return 0, fmt.Errorf("forget the copies of a message: %w", err)
			}
			t.change.links -= int(copies)
			t.change.messages = t.change.messages.plus(size{-1, -m.Bytes})
		}
		return len(oldest), nil
	}, new(int))
}
