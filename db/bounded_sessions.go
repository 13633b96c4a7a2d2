package db

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"time"

	"relay/server/chat"
)

// sessionBytes are the texts of a session s whose length others choose.
const sessionBytes = `OCTET_LENGTH(s.visitor_id) + OCTET_LENGTH(s.metadata) + OCTET_LENGTH(s.identity)
		+ OCTET_LENGTH(s.prechat) + OCTET_LENGTH(s.csat_comment)`

// profileBytes counts sessionBytes of a session as it is to be stored.
func profileBytes(s *chat.Session) int64 {
	metadata, _ := json.Marshal(s.Metadata) // texts, on which it cannot fail
	return int64(len(s.VisitorID) + len(metadata) + len(s.Identity) + len(s.PreChat) + len(s.Comment))
}

// The longest idle sessions with what is held of them: of which nothing waits
// to be delivered, or whatever waits.
const (
	selectIdlest = selectAnyIdlest + ` AND NOT EXISTS (SELECT 1 FROM deliveries d WHERE d.session = s.number AND d.state < 2)` + byIdleness
	selectOldest = selectAnyIdlest + byIdleness

	selectAnyIdlest = `SELECT s.id, s.number, ` + sessionBytes + ` AS known,
		(SELECT COUNT(*) FROM messages m WHERE m.session = s.number) AS n,
		(SELECT COALESCE(SUM(` + messageBytes + `), 0) FROM messages m WHERE m.session = s.number) AS bytes
	FROM sessions s INDEXED BY sessions_idle WHERE s.last_activity <= ? AND s.id <> ''`
	byIdleness = ` ORDER BY s.last_activity LIMIT ?`

	selectQueuesOf = `SELECT d.dest, COUNT(*) AS n, SUM(OCTET_LENGTH(e.payload)) AS bytes FROM deliveries d
		JOIN events e ON e.session = d.session AND e.rev = d.rev WHERE d.session = ? GROUP BY d.dest`
)

// thinSessions forgets the longest idle ones of so many sessions, until they
// are some way below their bound.
func (b *bounded) thinSessions(ctx context.Context, now size) error {
	var over size
	if b.bounds.Sessions > 0 && now.n > b.bounds.Sessions {
		over.n = now.n - b.bounds.Sessions + b.bounds.Sessions/100
	}
	if b.bounds.SessionBytes > 0 && now.bytes > b.bounds.SessionBytes {
		over.bytes = now.bytes - b.bounds.SessionBytes + b.bounds.SessionBytes/100
	}
	gone, err := b.forgetSessions(ctx, selectIdlest, over, chat.Now())
	most := b.bounds.SessionMost
	if left := now.bytes - gone.bytes; err == nil && most > 0 && left > most {
		_, err = b.forgetSessions(ctx, selectOldest, size{bytes: left - most + most/100}, chat.Now())
	}
	return err
}

// forgetSessions forgets the longest idle sessions of those in which nothing
// happened since a time, until as much is gone as was over, and returns how much
// that is. query is selectIdlest or selectOldest; what waits for sessions that go
// is given up.
func (b *bounded) forgetSessions(ctx context.Context, query string, over size, before chat.Time) (gone size, err error) {
	given := map[string]int{}
	for gone.n < over.n || gone.bytes < over.bytes {
		var change held
		err = b.backend.apply(ctx, func(t *tx) error {
			change = held{}
			t.change = &change
			return t.forgetIdlest(query, size{over.n - gone.n, over.bytes - gone.bytes}, before)
		})
		if err != nil || change.sessions.n == 0 {
			break
		}
		b.note(change)
		gone = gone.plus(size{-change.sessions.n, -change.sessions.bytes})
		for dest, q := range change.queues {
			given[dest] -= q.n
		}
	}
	for dest, events := range given {
		b.tellFull(dest, events)
	}
	return gone, err
}

// forgetIdlest is a portion of forgetSessions.
func (t *tx) forgetIdlest(query string, over size, before chat.Time) error {
	type idle struct {
		ID     string `db:"id"`
		Number int64  `db:"number"`
		Known  int64  `db:"known"`
		N      int    `db:"n"`
		Bytes  int64  `db:"bytes"`
	}
	idlest, err := list[idle](t, query, int64(before), portion)
	if err != nil {
		return fmt.Errorf("find idle sessions: %w", err)
	}
	for _, s := range idlest {
		if gone := t.change.sessions; -gone.n >= over.n && -gone.bytes >= over.bytes {
			return nil
		}
		if err := t.giveUp(s.Number); err != nil {
			return err
		}
		if err := t.EraseSession(s.ID); err != nil {
			return err
		}
		t.change.sessions = t.change.sessions.plus(size{-1, -s.Known})
		t.change.messages = t.change.messages.plus(size{-s.N, -s.Bytes})
	}
	return nil
}

// giveUp counts what waits for a session that is about to be erased.
func (t *tx) giveUp(session int64) error {
	type queue struct {
		Dest  string `db:"dest"`
		N     int    `db:"n"`
		Bytes int    `db:"bytes"`
	}
	queues, err := list[queue](t, selectQueuesOf, session)
	if err != nil {
		return fmt.Errorf("find what waits for a session: %w", err)
	}
	for _, q := range queues {
		t.change.queue(q.Dest, -q.N, -q.Bytes)
	}
	return nil
}

// Forget removes from a bounded database what it has known for long enough now:
// sessions that are idle, and updates that were worked on an hour ago.
func (d *DB) Forget(ctx context.Context, now chat.Time) error {
	if d.bounded.bounds.Idle > 0 {
		before := now.Add(-d.bounded.bounds.Idle)
		if _, err := d.bounded.forgetSessions(ctx, selectIdlest, size{n: math.MaxInt}, before); err != nil {
			return err
		}
	}
	return d.pruneInbox(ctx, now.Add(-time.Hour))
}
