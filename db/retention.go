package db

import (
	"context"
	"fmt"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

const (
	selectIdle = `SELECT listed_at AS at, id FROM sessions
		WHERE status = ? AND started_at > 0 AND (listed_at, id) > (?, ?) AND listed_at < ? AND snoozed_until = 0`
	deleteIdle = `DELETE FROM sessions WHERE id = ? AND last_activity < ? AND snoozed_until = 0`
)

// EraseIdle erases the sessions of a site, or of all with nil, in which nothing happened
// since a time, with everything that belongs to them. One that is snoozed is still to come; one that comes to life meanwhile stays; a long
// one may have lost its beginning then, which was due.
func (d *DB) EraseIdle(ctx context.Context, site *string, before chat.Time) error {
	for _, status := range []chat.Status{chat.StatusOpen, chat.StatusClosed} {
		err := d.shortenIdle(ctx, site, status, before)
		if err == nil {
			err = d.eraseShort(ctx, site, status, before)
		}
		if err != nil {
			return fmt.Errorf("erase idle sessions: %w", err)
		}
	}
	return nil
}

// eraseShort erases the idle sessions, of which the long ones have lost their beginning:
// one with its files in a transaction.
func (d *DB) eraseShort(ctx context.Context, site *string, status chat.Status, before chat.Time) error {
	return portions(ctx, d, func(t *tx, last aged) ([]aged, error) {
		return agedSessions(t, selectIdle, site, 5, string(status), last.At, last.ID, int64(before))
	}, func(idle []aged) error {
		for _, s := range idle {
			begun := time.Now()
			err := d.backend.apply(ctx, func(t *tx) error { return t.erase(deleteIdle, s.ID, int64(before)) })
			if err == nil {
				err = d.yield(ctx, time.Since(begun))
			}
			if err != nil {
				return err
			}
		}
		return d.giveBack(ctx, keptPages)
	})
}
