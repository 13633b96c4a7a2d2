package db

import (
	"context"
	"fmt"

	"github.com/relay-chat/relay/server/chat"
)

const (
	selectIdle = `SELECT last_activity AS at, id FROM sessions
		WHERE status = ? AND started_at > 0 AND (last_activity, id) > (?, ?) AND last_activity < ? AND snoozed_until = 0 ORDER BY last_activity, id LIMIT ?`
	deleteIdle = `DELETE FROM sessions WHERE id = ? AND last_activity < ? AND snoozed_until = 0`
)

// EraseIdle erases the sessions in which nothing happened since a time, with
// everything that belongs to them. One that is snoozed is still to come; one that comes to life meanwhile stays; a long
// one may have lost its beginning then, which was due.
func (d *DB) EraseIdle(ctx context.Context, before chat.Time) error {
	for _, status := range []chat.Status{chat.StatusOpen, chat.StatusClosed} {
		err := d.shortenIdle(ctx, status, before)
		if err == nil {
			err = sweep(ctx, d, func(t *tx, last aged) ([]aged, error) {
				return list[aged](t, selectIdle, string(status), last.At, last.ID, int64(before), 5) // with their files
			}, func(t *tx, k aged) error { return t.erase(deleteIdle, k.ID, int64(before)) })
		}
		if err != nil {
			return fmt.Errorf("erase idle sessions: %w", err)
		}
	}
	return nil
}
