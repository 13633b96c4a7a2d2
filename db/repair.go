package db

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"math"

	"github.com/relay-chat/relay/server/chat"
)

// A session's next event has the revision behind the session's. If there is one
// already, nothing can happen in the session any more. Earlier versions of relay
// could leave it so.
const (
	selectAhead = `SELECT s.number, s.id, EXISTS (SELECT 1 FROM events e WHERE e.session = s.number AND e.rev > s.rev)
			OR EXISTS (SELECT 1 FROM messages m WHERE m.session = s.number AND m.seq > s.rev) AS ahead
		FROM sessions s WHERE s.number < ? ORDER BY s.number DESC LIMIT ?`
	selectLastRev = `SELECT MAX(rev) FROM (SELECT COALESCE(MAX(rev), 0) AS rev FROM events WHERE session = ` + ofSession + `
		UNION ALL SELECT COALESCE(MAX(rev), 0) FROM deliveries WHERE session = ` + ofSession + `
		UNION ALL SELECT COALESCE(MAX(seq), 0) FROM messages WHERE session = ` + ofSession + `) AS revs`
)

// repairPortion is how many sessions are looked at in one read.
const repairPortion = 2000

// noNumber is behind the numbers of all sessions.
const noNumber int64 = math.MaxInt64

type aheadSession struct {
	Number int64  `db:"number"`
	ID     string `db:"id"`
	Ahead  bool   `db:"ahead"`
}

// Repair brings sessions whose events are ahead of them in step again, the newest
// sessions first. It reads in portions, so that nobody waits for it.
func (d *DB) Repair(ctx context.Context, log *slog.Logger) error {
	last := noNumber
	for {
		var rows []aheadSession
		err := d.backend.look(ctx, func(t *tx) (err error) {
			rows, err = list[aheadSession](t, selectAhead, last, repairPortion)
			return err
		})
		if err != nil || len(rows) == 0 {
			return wrap(err, "look for sessions behind their events")
		}
		for _, r := range rows {
			if !r.Ahead {
				continue
			}
			if err := d.repairSession(ctx, r.ID); err != nil {
				return err
			}
			log.Warn("a session was behind its events, so that nothing could be stored in it; it is repaired", "session", r.ID)
		}
		last = rows[len(rows)-1].Number
	}
}

// repairSession gives a session the revision of the last thing that is stored of it.
func (d *DB) repairSession(ctx context.Context, id string) error {
	err := d.backend.apply(ctx, func(t *tx) error {
		s, err := t.Lock(id)
		if err != nil {
			return err
		}
		rev, err := one[int64](t, nil, selectLastRev, id, id, id)
		if err != nil || rev <= s.Rev {
			return err
		}
		s.Rev = rev
		return t.saveSession(&s)
	})
	if errors.Is(err, chat.ErrSessionNotFound) { // erased meanwhile
		return nil
	}
	if err != nil {
		return fmt.Errorf("repair session %s: %w", id, err)
	}
	return nil
}
