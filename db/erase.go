package db

import (
	"context"
	"errors"
	"math"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// erased is how many revisions of a long session are removed at a time: as few as hold up
// no writer noticeably, though each takes its words out of SQLite's index.
const erased = 20

// These remove the beginning of a session, up to a revision.
const (
	deleteFilesUpTo      = `DELETE FROM attachments WHERE session = ? AND message_id IN (` + messagesUpTo + `)`
	deleteLinksUpTo      = `DELETE FROM links WHERE session = ? AND message_id IN (` + messagesUpTo + `)`
	messagesUpTo         = `SELECT id FROM messages WHERE session = ? AND seq <= ?`
	deleteDeliveriesUpTo = `DELETE FROM deliveries WHERE session = ? AND rev <= ?`
	deleteEventsUpTo     = `DELETE FROM events WHERE session = ? AND rev <= ?`
	deleteTimelineUpTo   = `DELETE FROM timeline WHERE session = ? AND rev <= ?`
	deleteMessagesUpTo   = `DELETE FROM messages WHERE session = ? AND seq <= ?`
)

// Erase implements [chat.Store]. It finishes even if the caller goes away.
func (d *DB) Erase(ctx context.Context, sessionID string) error {
	ctx = context.WithoutCancel(ctx)
	if err := d.shorten(ctx, sessionID, erased, math.MaxInt64, atOnce); err != nil {
		return err
	}
	return d.Apply(ctx, func(tx chat.Tx) error {
		if _, err := tx.Lock(sessionID); err != nil {
			return err
		}
		return tx.EraseSession(sessionID)
	})
}

// shorten removes a session's beginning, so many revisions at a time, until no
// more are left, or something happens in it that is not before a time.
func (d *DB) shorten(ctx context.Context, sessionID string, revisions int64, before chat.Time, between between) error {
	for to, more := revisions, true; more; to += revisions {
		begun := time.Now()
		err := d.backend.apply(ctx, func(t *tx) error {
			s, err := t.Lock(sessionID)
			more = err == nil && s.Rev > to && s.LastActivity < before
			if !more {
				return err
			}
			return t.removeUpTo(t.locked.Number, to)
		})
		if err == nil && more {
			err = between(ctx, time.Since(begun))
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// between is what happens after a transaction that took so long.
type between func(ctx context.Context, took time.Duration) error

// atOnce goes on: somebody waits for the end.
func atOnce(context.Context, time.Duration) error { return nil }

// yield leaves a SQLite file to others for a multiple of the time, until ctx ends: nobody
// waits for the end of what is done behind, and everybody who writes for its transactions.
func (d *DB) yield(ctx context.Context, took time.Duration) error {
	if d.Cluster() == nil && !rest(ctx, min(took*quietPause, maxPause)) {
		return ctx.Err()
	}
	return nil
}

// removeUpTo removes what belongs to a session up to a revision.
func (t *tx) removeUpTo(session, rev int64) error {
	_, err := t.q.exec(deleteFilesUpTo, session, session, rev)
	if err == nil {
		_, err = t.q.exec(deleteLinksUpTo, session, session, rev)
	}
	for _, query := range []string{deleteDeliveriesUpTo, deleteEventsUpTo, deleteTimelineUpTo, deleteMessagesUpTo} {
		if err == nil {
			_, err = t.q.exec(query, session, rev)
		}
	}
	return err
}

const selectLongIdle = `SELECT listed_at AS at, id FROM sessions
	WHERE status = ? AND started_at > 0 AND rev > ? AND (listed_at, id) > (?, ?) AND listed_at < ? AND snoozed_until = 0`

// shortenIdle shortens the long ones of the sessions that EraseIdle erases.
func (d *DB) shortenIdle(ctx context.Context, site *string, status chat.Status, before chat.Time) error {
	return portions(ctx, d, func(t *tx, last aged) ([]aged, error) {
		return agedSessions(t, selectLongIdle, site, portion, string(status), erased, last.At, last.ID, int64(before))
	}, func(long []aged) error {
		for _, s := range long {
			if err := d.shorten(ctx, s.ID, erased, before, d.yield); err != nil && !errors.Is(err, chat.ErrSessionNotFound) {
				return err
			}
		}
		return nil
	})
}
