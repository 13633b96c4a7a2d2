package db

import (
	"cmp"
	"math"
	"slices"

	"github.com/relay-chat/relay/server/chat"
)

const (
	insertEntry    = `INSERT INTO timeline (session, rev, at, type, data) VALUES (?, ?, ?, ?, ?)`
	selectTimeline = `SELECT rev, at, type, data FROM timeline
		WHERE session = ` + ofSession + ` AND rev >= ? AND rev < ? ORDER BY rev DESC, number DESC LIMIT ?`
)

// PutEntry implements [chat.Tx].
func (t *tx) PutEntry(e *chat.TimelineEntry) error {
	n, err := t.number(e.SessionID)
	if err == nil {
		_, err = t.q.exec(insertEntry, n, e.Rev, int64(e.At), string(e.Type), string(e.Data))
	}
	return wrap(err, "timeline of %s", e.SessionID)
}

// Timeline implements [chat.Reader].
func (t *tx) Timeline(sessionID string, from, to int64, limit int) ([]chat.TimelineEntry, error) {
	entries, err := list[chat.TimelineEntry](t, limited(selectTimeline, limit), sessionID, from, cmp.Or(to, math.MaxInt64))
	slices.Reverse(entries)
	return entries, err
}
