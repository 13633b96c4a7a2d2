package db

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/relay-chat/relay/server/chat"
)

// Rows are removed in small portions: a read finds their keys, then a short
// transaction deletes them, so that writers never wait for long.
const portion = 200

// keptPages is how many free pages are kept while there is more to remove: the more pages
// are free, the longer SQLite takes to release one.
const keptPages = 1024

// settledKept is how many deliveries to a destination are kept that are done,
// and how many that failed.
const settledKept = 10_000

// Prune removes old events, settled deliveries and handled updates, and all but the
// newest settled deliveries of each destination. An event stays while a delivery of it or
// of an earlier one waits, so that the rest of a session's events has no gaps.
func (d *DB) Prune(ctx context.Context, before chat.Time) error {
	for _, prune := range []func(context.Context, chat.Time) error{d.pruneDeliveries, d.pruneEvents, d.pruneInbox} {
		if err := prune(ctx, before); err != nil {
			return err
		}
	}
	if err := d.pruneSettled(ctx, settledKept); err != nil {
		return err
	}
	return d.giveBack(ctx, 0)
}

// giveBack gives the free pages beyond those to be kept back to the disk.
func (d *DB) giveBack(ctx context.Context, keep int) error {
	for more := true; more; {
		var err error
		if more, err = d.backend.vacuum(ctx, keep); err != nil {
			return fmt.Errorf("give free pages back: %w", err)
		}
	}
	return nil
}

// portions hands portions of keys, each behind the last key of the one before, to
// work until there are none.
func portions[K any](ctx context.Context, d *DB, find func(t *tx, last K) ([]K, error), work func([]K) error) error {
	var last K
	for {
		var keys []K
		err := d.backend.read(ctx, func(t *tx) (err error) {
			keys, err = find(t, last)
			return err
		})
		if err != nil || len(keys) == 0 {
			return err
		}
		if err := work(keys); err != nil {
			return err
		}
		last = keys[len(keys)-1]
	}
}

// sweep removes what find finds, a portion in a transaction.
func sweep[K any](ctx context.Context, d *DB, find func(t *tx, last K) ([]K, error), remove func(t *tx, key K) error) error {
	return portions(ctx, d, find, func(keys []K) error {
		err := d.backend.apply(ctx, func(t *tx) error {
			for _, k := range keys {
				if err := remove(t, k); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		return d.giveBack(ctx, keptPages)
	})
}

const (
	selectOldDeliveries = `SELECT created_at, session, rev, dest FROM deliveries
		WHERE created_at < ? AND state > 1 AND (created_at, session, rev, dest) > (?, ?, ?, ?)
		ORDER BY created_at, session, rev, dest LIMIT ?`
	deleteDelivery = `DELETE FROM deliveries WHERE session = ? AND rev = ? AND dest = ? AND state > 1`
)

func (d *DB) pruneDeliveries(ctx context.Context, before chat.Time) error {
	return sweep(ctx, d, func(t *tx, k deliveryKey) ([]deliveryKey, error) {
		return list[deliveryKey](t, selectOldDeliveries, int64(before), k.CreatedAt, k.Session, k.Rev, k.Dest, portion)
	}, removeSettled)
}

// The first look finds, of each destination and state, the newest delivery
// that is beyond those that are kept; the second what is older, it included.
const (
	selectSurplus = `SELECT dest, state, created_at, session, rev FROM (SELECT dest, state, created_at, session, rev,
			ROW_NUMBER() OVER (PARTITION BY dest, state ORDER BY created_at DESC, session DESC, rev DESC) AS place
			FROM deliveries WHERE state > 1) AS settled WHERE place = ?`
	selectSettled = `SELECT created_at, session, rev, dest FROM deliveries
		WHERE state > 1 AND dest = ? AND state = ? AND (created_at, session, rev) <= (?, ?, ?) AND (created_at, session, rev, dest) > (?, ?, ?, ?)
		ORDER BY created_at, session, rev, dest LIMIT ?`
)

// deliveryKey is a delivery in the order of pruning.
type deliveryKey struct {
	CreatedAt int64  `db:"created_at"`
	Session   int64  `db:"session"`
	Rev       int64  `db:"rev"`
	Dest      string `db:"dest"`
}

// surplus is the newest of the deliveries in a state that are too many.
type surplus struct {
	deliveryKey
	State int `db:"state"`
}

// pruneSettled keeps of the deliveries to a destination so many that are done,
// and so many that failed.
func (d *DB) pruneSettled(ctx context.Context, kept int) error {
	var over []surplus
	err := d.backend.read(ctx, func(t *tx) (err error) {
		over, err = list[surplus](t, selectSurplus, kept+1)
		return err
	})
	for _, s := range over {
		if err != nil {
			break
		}
		err = sweep(ctx, d, func(t *tx, k deliveryKey) ([]deliveryKey, error) {
			return list[deliveryKey](t, selectSettled, s.Dest, s.State, s.CreatedAt, s.Session, s.Rev, k.CreatedAt, k.Session, k.Rev, k.Dest, portion)
		}, removeSettled)
	}
	return err
}

func removeSettled(t *tx, k deliveryKey) error {
	_, err := t.q.exec(deleteDelivery, k.Session, k.Rev, k.Dest)
	return err
}

// The events of a session age in order, so its first one shows whether there is
// anything to remove. up_to is the revision before which no delivery waits.
const (
	selectOldSessions = `SELECT s.number, COALESCE((SELECT MIN(d.rev) FROM deliveries d
			WHERE d.session = s.number AND d.state < 2), s.rev + 1) AS up_to
		FROM sessions s WHERE s.number > ?
		AND (SELECT e.at FROM events e WHERE e.session = s.number ORDER BY e.rev LIMIT 1) < ?
		ORDER BY s.number LIMIT ?`
	selectOldEvents = `SELECT session, rev FROM events
		WHERE session = ? AND rev > ? AND rev < ? AND at < ? ORDER BY rev LIMIT ?`
	deleteEvent = `DELETE FROM events WHERE session = ? AND rev = ?`
)

type oldSession struct {
	Number int64 `db:"number"`
	UpTo   int64 `db:"up_to"`
}

func (d *DB) pruneEvents(ctx context.Context, before chat.Time) error {
	return portions(ctx, d, func(t *tx, last oldSession) ([]oldSession, error) {
		return list[oldSession](t, selectOldSessions, last.Number, int64(before), portion)
	}, func(sessions []oldSession) error { return d.pruneEventsOf(ctx, sessions, before) })
}

// pruneEventsOf removes the old events of a few sessions.
func (d *DB) pruneEventsOf(ctx context.Context, sessions []oldSession, before chat.Time) error {
	type key struct {
		Session int64 `db:"session"`
		Rev     int64 `db:"rev"`
	}
	return sweep(ctx, d, func(t *tx, last key) (keys []key, err error) {
		for _, s := range sessions {
			if s.Number < last.Session || len(keys) >= portion {
				continue
			}
			after := int64(0)
			if s.Number == last.Session {
				after = last.Rev
			}
			more, err := list[key](t, selectOldEvents, s.Number, after, s.UpTo, int64(before), portion-len(keys))
			if err != nil {
				return nil, err
			}
			keys = append(keys, more...)
		}
		return keys, nil
	}, func(t *tx, k key) error {
		_, err := t.q.exec(deleteEvent, k.Session, k.Rev)
		return err
	})
}

const (
	selectOldUpdates = `SELECT seq FROM inbox WHERE seq > ? AND received_at < ? AND state > 0 ORDER BY seq LIMIT ?`
	deleteUpdate     = `DELETE FROM inbox WHERE seq = ? AND state > 0`
)

func (d *DB) pruneInbox(ctx context.Context, before chat.Time) error {
	return sweep(ctx, d, func(t *tx, last int64) ([]int64, error) {
		return list[int64](t, selectOldUpdates, last, int64(before), portion)
	}, func(t *tx, seq int64) error {
		_, err := t.q.exec(deleteUpdate, seq)
		return err
	})
}

const (
	selectOldEmpty = `SELECT listed_at AS at, id FROM sessions
		WHERE started_at = 0 AND id <> '' AND (listed_at, id) > (?, ?) AND listed_at < ? AND ` + withoutFiles
	deleteEmpty = `DELETE FROM sessions WHERE id = ? AND started_at = 0 AND last_activity < ? AND ` + withoutFiles

	// A file that was uploaded belongs to a message that may still come.
	withoutFiles = `NOT EXISTS (SELECT 1 FROM attachments WHERE session = sessions.number)`

	selectOrphans = `SELECT created_at AS at, id FROM attachments
		WHERE message_id = '' AND (created_at, id) > (?, ?) AND created_at < ?`
	orphansOf    = ` AND session IN (SELECT number FROM sessions WHERE site = ?)`
	deleteOrphan = `DELETE FROM attachments WHERE id = ? AND message_id = ''`
)

// aged is a key with the time that it is ordered by.
type aged struct {
	At int64  `db:"at"`
	ID string `db:"id"`
}

// agedOf lists the first rows of a query: those of a site that the condition names, or of
// all with nil.
func agedOf(t *tx, query, ofSite string, site *string, most int, args ...any) ([]aged, error) {
	if site != nil {
		query, args = query+ofSite, append(args, *site)
	}
	return list[aged](t, query+oldestOnes, append(args, most)...)
}

const oldestOnes = ` ORDER BY at, id LIMIT ?`

// agedSessions is agedOf for sessions that have begun, along the indexes of them.
func agedSessions(t *tx, query string, site *string, most int, args ...any) (all []aged, err error) {
	of, its := ofSite(site)
	queries := []string{query + of}
	if site == nil {
		queries = halved(query)
	}
	args = append(append(args, its...), most)
	for _, query := range queries {
		some, err := list[aged](t, query+oldestOnes, args...)
		if err != nil {
			return nil, err
		}
		all = append(all, some...)
	}
	slices.SortFunc(all, func(a, b aged) int { return cmp.Or(cmp.Compare(a.At, b.At), strings.Compare(a.ID, b.ID)) })
	return all[:min(len(all), most)], nil
}

// agedBefore finds a portion of the rows older than a time, after the last one.
func agedBefore(query, ofSite string, site *string, before chat.Time, most int) func(*tx, aged) ([]aged, error) {
	return func(t *tx, last aged) ([]aged, error) {
		return agedOf(t, query, ofSite, site, most, last.At, last.ID, int64(before))
	}
}

// SweepOrphans erases files of a site, or of all with nil, that were uploaded before a time
// and belong to no message.
func (d *DB) SweepOrphans(ctx context.Context, site *string, before chat.Time) error {
	err := sweep(ctx, d, agedBefore(selectOrphans, orphansOf, site, before, 5), func(t *tx, k aged) error { // files may be large
		_, err := t.q.exec(deleteOrphan, k.ID)
		return err
	})
	if err != nil {
		return fmt.Errorf("erase files without a message: %w", err)
	}
	return nil
}

// SweepEmpty erases sessions of a site, or of all with nil, without a message and without a file whose visitor was
// last seen before a time.
func (d *DB) SweepEmpty(ctx context.Context, site *string, before chat.Time) error {
	err := sweep(ctx, d, agedBefore(selectOldEmpty, ` AND site = ?`, site, before, portion), func(t *tx, k aged) error {
		return t.erase(deleteEmpty, k.ID, int64(before)) // unless its visitor came back just now
	})
	if err != nil {
		return fmt.Errorf("erase sessions without a message: %w", err)
	}
	return nil
}
