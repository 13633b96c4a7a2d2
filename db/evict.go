package db

import (
	"context"
	"fmt"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// removals removes each of the rows that a query finds.
func removals[R any](t *tx, remove func(R) error, query string, args ...any) (all []removal, err error) {
	rows, err := list[R](t, query, args...)
	for _, r := range rows {
		all = append(all, func() error { return remove(r) })
	}
	return all, err
}

const (
	selectOldestQueued = `SELECT d.session, d.rev FROM deliveries d INDEXED BY deliveries_created WHERE d.dest = ? ORDER BY d.created_at LIMIT ?`
	deleteQueued       = `DELETE FROM deliveries WHERE session = ? AND rev = ? AND dest = ?`
)

func (t *tx) oldestQueued(dest string) ([]removal, error) {
	return removals(t, func(d deliveryKey) error {
		_, err := t.q.exec(deleteQueued, d.Session, d.Rev, dest)
		return err
	}, selectOldestQueued, dest, evicted)
}

const (
	selectOldestMessages = `SELECT m.rowid AS row, m.session, s.id AS session_id, m.id,
			EXISTS (SELECT 1 FROM deliveries d WHERE d.session = m.session AND d.rev = m.seq) AS waits
		FROM messages m JOIN sessions s ON s.number = m.session ORDER BY m.rowid LIMIT ?`
	deleteMessage = `DELETE FROM messages WHERE rowid = ?`
	deleteLinks   = `DELETE FROM links WHERE session = ? AND message_id = ?`
)

// oldestMessages removes messages with their links. The event that brought one
// is written while it waits to be delivered: the message can tell it no longer.
func (t *tx) oldestMessages() ([]removal, error) {
	type old struct {
		Row       int64  `db:"row"`
		Session   int64  `db:"session"`
		SessionID string `db:"session_id"`
		ID        string `db:"id"`
		Waits     bool   `db:"waits"`
	}
	return removals(t, func(o old) error {
		if o.Waits {
			m, err := t.Message(o.SessionID, o.ID)
			if err == nil {
				err = t.writeBrought(o.Session, &m)
			}
			if err != nil {
				return err
			}
		}
		_, err := t.q.exec(deleteMessage, o.Row)
		if err == nil {
			_, err = t.q.exec(deleteLinks, o.Session, o.ID)
		}
		return err
	}, selectOldestMessages, evicted)
}

const (
	selectOldestLinks = `SELECT bridge, channel, remote, session, message_id, part FROM links INDEXED BY links_created
		ORDER BY created_at LIMIT ?`
	deleteLink = `DELETE FROM links WHERE bridge = ? AND channel = ? AND remote = ? AND session = ? AND message_id = ? AND part = ?`
)

// oldestLinks removes links. Those of a message go with it, but notes have no
// message, and a long session may have any number of them.
func (t *tx) oldestLinks() ([]removal, error) {
	type key struct {
		Bridge    string `db:"bridge"`
		Channel   string `db:"channel"`
		Remote    string `db:"remote"`
		Session   int64  `db:"session"`
		MessageID string `db:"message_id"`
		Part      int    `db:"part"`
	}
	return removals(t, func(l key) error {
		_, err := t.q.exec(deleteLink, l.Bridge, l.Channel, l.Remote, l.Session, l.MessageID, l.Part)
		return err
	}, selectOldestLinks, evicted)
}

// The longest idle sessions: without waiting deliveries, or all.
const (
	selectIdlest = `SELECT s.id FROM sessions s INDEXED BY sessions_idle WHERE s.last_activity <= ? AND s.id <> ''
		AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.session = s.number) ORDER BY s.last_activity LIMIT ?`
	selectOldest = `SELECT s.id FROM sessions s INDEXED BY sessions_idle WHERE s.last_activity <= ? AND s.id <> ''
		ORDER BY s.last_activity LIMIT ?`
)

// idlest removes sessions in which nothing happened since a time; query is
// selectIdlest or selectOldest.
func idlest(query string, before chat.Time) func(*tx) ([]removal, error) {
	return func(t *tx) ([]removal, error) { return removals(t, t.EraseSession, query, int64(before), evicted) }
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
	_, err := e.remove(ctx, held{Kind: "sessions"}, always, idlest(selectIdlest, before))
	return err
}
