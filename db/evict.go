package db

import (
	"context"
	"fmt"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// removalsOf returns a removal for each row that a query finds.
func removalsOf[R any](v *eviction, remove func(R) (int64, error), query string, args ...any) (all []removal, err error) {
	rows, err := list[R](v.tx, query, args...)
	for _, r := range rows {
		all = append(all, func() (int64, error) { return remove(r) })
	}
	return all, err
}

const (
	selectOldestQueued = `SELECT d.session, d.rev, ` + deliveryBytes + ` AS bytes FROM deliveries d INDEXED BY deliveries_created
		WHERE d.dest = ? ORDER BY d.created_at LIMIT ?`
	deleteQueued = `DELETE FROM deliveries WHERE session = ? AND rev = ? AND dest = ?`
)

func (v *eviction) oldestQueued(dest string) ([]removal, error) {
	type queued struct {
		Session int64 `db:"session"`
		Rev     int64 `db:"rev"`
		Bytes   int64 `db:"bytes"`
	}
	return removalsOf(v, func(d queued) (int64, error) {
		v.dropped[dest]++
		_, err := v.q.exec(deleteQueued, d.Session, d.Rev, dest)
		return d.Bytes, err
	}, selectOldestQueued, dest, evictAtOnce)
}

const (
	selectOldestMessages = `SELECT m.rowid AS row, m.session, s.id AS session_id, m.id, ` + messageBytes + ` AS bytes,
			EXISTS (SELECT 1 FROM deliveries d WHERE d.session = m.session AND d.rev = m.seq) AS waits
		FROM messages m JOIN sessions s ON s.number = m.session ORDER BY m.rowid LIMIT ?`
	deleteMessage = `DELETE FROM messages WHERE rowid = ?`
	deleteLinks   = `DELETE FROM links WHERE session = ? AND message_id = ?`
)

// oldestMessages finds messages to remove with their links. The event of a message that
// waits for its delivery is stored first, because it is otherwise made from the message.
func (v *eviction) oldestMessages() ([]removal, error) {
	type old struct {
		Row       int64  `db:"row"`
		Session   int64  `db:"session"`
		SessionID string `db:"session_id"`
		ID        string `db:"id"`
		Bytes     int64  `db:"bytes"`
		Waits     bool   `db:"waits"`
	}
	return removalsOf(v, func(o old) (int64, error) {
		if o.Waits {
			m, err := v.Message(o.SessionID, o.ID)
			if err == nil {
				err = v.writeFirstEvent(o.Session, &m)
			}
			if err != nil {
				return 0, err
			}
		}
		_, err := v.q.exec(deleteMessage, o.Row)
		if err == nil {
			_, err = v.q.exec(deleteLinks, o.Session, o.ID)
		}
		return o.Bytes, err
	}, selectOldestMessages, evictAtOnce)
}

const (
	selectOldestLinks = `SELECT bridge, channel, remote, session, message_id, part FROM links INDEXED BY links_created
		ORDER BY created_at LIMIT ?`
	deleteLink = `DELETE FROM links WHERE bridge = ? AND channel = ? AND remote = ? AND session = ? AND message_id = ? AND part = ?`
)

// oldestLinks finds links to remove. A message's links go with it, but notes have no
// message, and a long session may have any number of them.
func (v *eviction) oldestLinks() ([]removal, error) {
	type key struct {
		Bridge    string `db:"bridge"`
		Channel   string `db:"channel"`
		Remote    string `db:"remote"`
		Session   int64  `db:"session"`
		MessageID string `db:"message_id"`
		Part      int    `db:"part"`
	}
	return removalsOf(v, func(l key) (int64, error) {
		_, err := v.q.exec(deleteLink, l.Bridge, l.Channel, l.Remote, l.Session, l.MessageID, l.Part)
		return 0, err
	}, selectOldestLinks, evictAtOnce)
}

// The longest idle sessions: those without waiting deliveries, or any.
const (
	selectIdleDelivered = `SELECT s.number, s.id, ` + sessionBytes + ` AS bytes FROM sessions s INDEXED BY sessions_idle WHERE s.last_activity <= ? AND s.id <> ''
		AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.session = s.number) ORDER BY s.last_activity LIMIT ?`
	selectIdleAny = `SELECT s.number, s.id, ` + sessionBytes + ` AS bytes FROM sessions s INDEXED BY sessions_idle WHERE s.last_activity <= ? AND s.id <> ''
		ORDER BY s.last_activity LIMIT ?`
	countQueued = `SELECT dest, COUNT(*) AS n FROM deliveries WHERE session = ? GROUP BY dest`
)

// idleSessions finds sessions without activity since a time; query is
// selectIdleDelivered or selectIdleAny.
func idleSessions(query string, before chat.Time) func(*eviction) ([]removal, error) {
	type idle struct {
		Number int64  `db:"number"`
		ID     string `db:"id"`
		Bytes  int64  `db:"bytes"`
	}
	return func(v *eviction) ([]removal, error) {
		return removalsOf(v, func(s idle) (int64, error) {
			queued, err := list[held](v.tx, countQueued, s.Number)
			for _, q := range queued {
				v.dropped[q.Dest] += q.N
			}
			if err != nil {
				return 0, err
			}
			return s.Bytes, v.EraseSession(s.ID)
		}, query, int64(before), evictAtOnce)
	}
}

// Forget removes from a bounded database sessions that are idle for longer than
// its bounds allow, and updates that were handled an hour ago.
func (d *DB) Forget(ctx context.Context, now chat.Time) error {
	if e := d.evictor; e.bounds.Idle > 0 {
		if err := e.forgetIdle(ctx, now.Add(-e.bounds.Idle)); err != nil {
			return fmt.Errorf("forget idle sessions: %w", err)
		}
	}
	return d.pruneInbox(ctx, now.Add(-time.Hour))
}

func (e *evictor) forgetIdle(ctx context.Context, before chat.Time) error {
	e.mu.Lock()
	defer e.mu.Unlock()
	always := func(held) bool { return true }
	_, err := e.remove(ctx, &held{Kind: "sessions"}, always, idleSessions(selectIdleDelivered, before))
	return err
}
