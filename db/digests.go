package db

import (
	"context"
	"log/slog"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/relay-chat/relay/db/digest"
	"github.com/relay-chat/relay/server/chat"
)

// portionSize is how many numbers of sessions a digest covers; the triggers know it too.
const portionSize = 512

// Digests keeps the digests of sessions, from which statistics are counted. Whatever changes
// a session notes it for them in the same transaction (see 0034_digests), so what they say
// together with the rows of the sessions that were noted is always right.
type Digests struct {
	db  *DB
	log *slog.Logger
}

// NewDigests returns the digests of a database.
func NewDigests(d *DB, log *slog.Logger) *Digests { return &Digests{d, log} }

const (
	digestEvery = time.Minute
	// maxChanged is how many sessions of a portion may have changed before it is made again.
	maxChanged  = 64
	ticketPause = 100 * time.Millisecond
)

// Run makes what digests are missing until ctx ends, with pauses that leave the database to
// others.
func (d *Digests) Run(ctx context.Context) error {
	for pause := startPause; rest(ctx, pause); pause = digestEvery {
		if err := d.Round(ctx); err != nil && ctx.Err() == nil {
			d.log.Warn("statistics take longer, because their digests cannot be made; relay retries", "err", err)
		}
	}
	return nil
}

// Round makes the digests that are missing or have seen many changes.
func (d *Digests) Round(ctx context.Context) error {
	wanted, err := d.wanted(ctx)
	for _, portion := range wanted {
		begun := time.Now()
		if err := d.renew(ctx, portion); err != nil {
			return err
		}
		if !rest(ctx, min(time.Since(begun)*quietPause, maxPause)) {
			return ctx.Err()
		}
	}
	return err
}

const selectMuchChanged = `SELECT session / ? FROM digest_changes GROUP BY 1 HAVING COUNT(*) >= ?`

// wanted lists the portions to make, without the last, which still grows.
func (d *Digests) wanted(ctx context.Context) (wanted []int64, err error) {
	err = d.db.backend.look(ctx, func(t *tx) error {
		highest, err := one[int64](t, nil, selectHighest)
		if err != nil {
			return err
		}
		have, err := list[int64](t, selectDigested)
		if err != nil {
			return err
		}
		wanted, err = list[int64](t, selectMuchChanged, portionSize, maxChanged)
		for p := range highest / portionSize {
			if _, made := slices.BinarySearch(have, p); !made && !slices.Contains(wanted, p) {
				wanted = append(wanted, p)
			}
		}
		return err
	})
	return wanted, err
}

const (
	beginDigest = `INSERT INTO digests (portion, maker, latest, facts) VALUES (?, ?, 0, ?)
		ON CONFLICT (portion) DO UPDATE SET maker = excluded.maker, latest = 0, facts = excluded.facts`
	forgetChanges = `DELETE FROM digest_changes WHERE session BETWEEN ? AND ?`
	finishDigest  = `UPDATE digests SET latest = ?, facts = ? WHERE portion = ? AND maker = ? AND latest = 0`
)

// renew makes one digest. Changes are noted from its beginning on; what is read later
// contains those that came before.
func (d *Digests) renew(ctx context.Context, portion int64) error {
	maker, first := rand.Int64(), portion*portionSize
	err := d.db.backend.applyRelaxed(ctx, func(t *tx) error {
		if _, err := t.q.exec(beginDigest, portion, maker, []byte{}); err != nil {
			return err
		}
		_, err := t.q.exec(forgetChanges, first, first+portionSize-1)
		return err
	})
	if err != nil {
		return err
	}
	latest, facts, err := d.read(ctx, first)
	if err != nil {
		return err
	}
	return d.db.backend.applyRelaxed(ctx, func(t *tx) error {
		_, err := t.q.exec(finishDigest, int64(latest), facts, portion, maker) // of none: another node makes it
		return err
	})
}

// read packs a portion, once the transactions that did not see its beginning have ended.
func (d *Digests) read(ctx context.Context, first int64) (latest chat.Time, facts []byte, err error) {
	var ticket int64
	err = d.db.backend.applyRelaxed(ctx, func(t *tx) (err error) {
		ticket, err = t.q.ticket()
		return err
	})
	for ended := false; err == nil && !ended; {
		err = d.db.backend.read(ctx, func(t *tx) (err error) {
			if ended, err = t.q.ended(ticket); ended && err == nil {
				latest, facts, err = t.pack(first)
			}
			return err
		})
		if err == nil && !ended && !rest(ctx, ticketPause) {
			err = ctx.Err()
		}
	}
	return latest, facts, err
}

// pack reads a portion. latest is when something happened last, 1 for never.
func (t *tx) pack(first int64) (latest chat.Time, facts []byte, err error) {
	latest = 1
	var sessions []chat.SessionFacts
	err = t.readFacts(factsOfAll, first, first+portionSize-1, func(s *chat.SessionFacts) error {
		sessions = append(sessions, *s)
		latest = max(latest, s.StartedAt, s.RespondedAt)
		for _, m := range s.Messages {
			latest = max(latest, m.At)
		}
		for _, list := range [][]chat.Time{s.Closings, s.HandBacks} {
			for _, at := range list {
				latest = max(latest, at)
			}
		}
		return nil
	})
	return latest, digest.Encode(sessions), err
}
