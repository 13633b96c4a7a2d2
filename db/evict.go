package db

import (
	"context"
	"fmt"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// removals removes each of the rows that a query finds.
func removals[R any](v *eviction, remove func(R) (int64, error), query string, args ...any) (all []removal, err error) {
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
	return removals(v, func(d queued) (int64, error) {
		v.lost[dest]++
		_, err := v.q.exec(deleteQueued, d.Session, d.Rev, dest)
		return d.Bytes, err
	}, selectOldestQueued, dest, evicted)
}

const (
	selectOldestMessages = `SELECT m.rowid AS row, m.session, s.id AS session_id, m.id, ` + messageBytes + ` AS bytes,
			EXISTS (SELECT 1 FROM deliveries d WHERE d.session = m.session AND d.rev = m.seq) AS waits
		FROM messages m JOIN sessions s ON s.number = m.session ORDER BY m.rowid LIMIT ?`
	deleteMessage = `DELETE FROM messages WHERE rowid = ?`
	deleteLinks   = `DELETE FROM links WHERE session = ? AND message_id = ?`
)

// oldestMessages removes messages with their links. While a message waits to be
// delivered, its event is stored in its place.
func (v *eviction) oldestMessages() ([]removal, error) {
	type old struct {
		Row       int64  `db:"row"`
		Session   int64  `db:"session"`
		SessionID string `db:"session_id"`
		ID        string `db:"id"`
		Bytes     int64  `db:"bytes"`
		Waits     bool   `db:"waits"`
	}
	return removals(v, func(o old) (int64, error) {
		if o.Waits {
			m, err := v.Message(o.SessionID, o.ID)
			if err == nil {
				err = v.writeBrought(o.Session, &m)
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
	}, selectOldestMessages, evicted)
}

const (
	selectOldestLinks = `SELECT bridge, channel, remote, session, message_id, part FROM links INDEXED BY links_created
		ORDER BY created_at LIMIT ?`
	deleteLink = `DELETE FROM links WHERE bridge = ? AND channel = ? AND remote = ? AND session = ? AND message_id = ? AND part = ?`
)

// oldestLinks removes links. Those of a message go with it, but notes have no
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
	return removals(v, func(l key) (int64, error) {
		_, err := v.q.exec(deleteLink, l.Bridge, l.Channel, l.Remote, l.Session, l.MessageID, l.Part)
		return 0, err
	}, selectOldestLinks, evicted)
}

// The longest idle sessions: without waiting deliveries, or all.
const (
	selectIdlest = `SELECT s.number, s.id, ` + sessionBytes + ` AS bytes FROM sessions s INDEXED BY sessions_idle WHERE s.last_activity <= ? AND s.id <> ''
		AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.session = s.number) ORDER BY s.last_activity LIMIT ?`
	selectOldest = `SELECT s.number, s.id, ` + sessionBytes + ` AS bytes FROM sessions s INDEXED BY sessions_idle WHERE s.last_activity <= ? AND s.id <> ''
		ORDER BY s.last_activity LIMIT ?`
	countQueued = `SELECT dest, COUNT(*) AS n FROM deliveries WHERE session = ? GROUP BY dest`
)

// idlest removes sessions in which nothing happened since a time; query is
// selectIdlest or selectOldest.
func idlest(query string, before chat.Time) func(*eviction) ([]removal, error) {
	type idle struct {
		Number int64  `db:"number"`
		ID     string `db:"id"`
		Bytes  int64  `db:"bytes"`
	}
	return func(v *eviction) ([]removal, error) {
		return removals(v, func(s idle) (int64, error) {
			queued, err := list[held](v.tx, countQueued, s.Number)
			for _, q := range queued {
				v.lost[q.Dest] += q.N
			}
			if err != nil {
				return 0, err
			}
			return s.Bytes, v.EraseSession(s.ID)
		}, query, int64(before), evicted)
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
	_, err := e.remove(ctx, &held{Kind: "sessions"}, always, idlest(selectIdlest, before))
	return err
}
