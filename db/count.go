package db

import (
	"cmp"
	"context"
	"math"
	"slices"
)

// selectAtMost reads what there is at most of each kind, in the order of eviction:
// the number of rows, which SQLite counts by its pages, and the size of all pages
// in use. A queue's deliveries may count more than they take (see deliveryBytes).
const selectAtMost = `WITH pages AS (SELECT (page_count - freelist_count) * page_size AS bytes
		FROM pragma_page_count, pragma_freelist_count, pragma_page_size)
	SELECT 'queue' AS kind, '' AS dest, n, bytes + 256 * n AS bytes FROM pages, (SELECT COUNT(*) AS n FROM deliveries)
	UNION ALL SELECT 'messages', '', (SELECT COUNT(*) FROM messages), bytes FROM pages
	UNION ALL SELECT 'links', '', (SELECT COUNT(*) FROM links), 0
	UNION ALL SELECT 'sessions', '', (SELECT COUNT(*) FROM sessions), bytes FROM pages`

// The bytes of a row. A delivery counts the payload of its event if that is
// stored, else a flat rate: the message that it delivers is counted as a message.
const (
	sessionBytes  = `OCTET_LENGTH(s.visitor_id) + OCTET_LENGTH(s.metadata) + OCTET_LENGTH(s.identity) + OCTET_LENGTH(s.prechat) + OCTET_LENGTH(s.csat_comment)`
	messageBytes  = `OCTET_LENGTH(m.content) + OCTET_LENGTH(m.attachments) + OCTET_LENGTH(m.sources)`
	deliveryBytes = `COALESCE((SELECT OCTET_LENGTH(e.payload) FROM events e WHERE e.session = d.session AND e.rev = d.rev), 256)`
)

// selectHeld counts the rows of a kind in a portion of the sessions. Links are bounded
// by their number alone, which selectAtMost has.
var selectHeld = map[string]string{
	"queue": `SELECT 'queue' AS kind, d.dest, COUNT(*) AS n, SUM(` + deliveryBytes + `) AS bytes FROM deliveries d
		WHERE d.session > ? AND d.session <= ? GROUP BY d.dest`,
	"messages": `SELECT 'messages' AS kind, COUNT(*) AS n, COALESCE(SUM(` + messageBytes + `), 0) AS bytes FROM messages m
		WHERE m.session > ? AND m.session <= ?`,
	"sessions": `SELECT 'sessions' AS kind, COUNT(*) AS n, COALESCE(SUM(` + sessionBytes + `), 0) AS bytes FROM sessions s
		WHERE s.number > ? AND s.number <= ?`,
}

// count counts the kinds that may exceed their bounds, and the queues if one of them has
// dropped deliveries.
func (e *evictor) count(ctx context.Context) (all []held, err error) {
	var most []held
	err = e.read(ctx, func(t *tx) (err error) {
		most, err = list[held](t, selectAtMost)
		return err
	})
	for _, h := range most {
		if err != nil || !e.bounds.over(h) && !(h.Kind == "queue" && len(e.dropping) > 0) {
			continue
		}
		counted := []held{h}
		if query, ok := selectHeld[h.Kind]; ok {
			counted, err = e.countPortions(ctx, query)
		}
		all = append(all, counted...)
	}
	return all, err
}

// selectPortion finds the last of the next sessions to count.
const selectPortion = `SELECT number FROM sessions WHERE number > ? ORDER BY number LIMIT 1 OFFSET 999`

// countPortions sums a query over all sessions. Writers run between the portions, so the
// sum is not of a single moment.
func (e *evictor) countPortions(ctx context.Context, query string) (all []held, err error) {
	for after := int64(0); err == nil && after < math.MaxInt64; {
		var last int64
		var portion []held
		err = e.read(ctx, func(t *tx) (err error) {
			if last, err = one[int64](t, nil, selectPortion, after); err != nil {
				return err
			}
			last = cmp.Or(last, math.MaxInt64)
			portion, err = list[held](t, query, after, last)
			return err
		})
		all, after = addHeld(all, portion), last
	}
	return all, err
}

// addHeld adds a portion to the kinds and queues it belongs to.
func addHeld(all, portion []held) []held {
	for _, p := range portion {
		i := slices.IndexFunc(all, func(h held) bool { return h.Kind == p.Kind && h.Dest == p.Dest })
		if i < 0 {
			all = append(all, p)
			continue
		}
		all[i].N, all[i].Bytes = all[i].N+p.N, all[i].Bytes+p.Bytes
	}
	return all
}
