package db

import (
	"fmt"
	"strconv"

	"github.com/relay-chat/relay/server/chat"
)

// metaBacklog is the number of the newest event of the backlog.
const metaBacklog = "backlog"

const (
	insertBacklog = `INSERT INTO backlog (number, session, at, type, source, message_id, payload) VALUES (?, ?, ?, ?, ?, ?, ?)`
	selectBacklog = `SELECT b.number, s.id AS session_id, b.at, b.type, b.source, b.message_id, b.payload
		FROM backlog b JOIN sessions s ON s.number = b.session WHERE b.number > ? ORDER BY b.number LIMIT ?`
	deleteBacklog = `DELETE FROM backlog WHERE number <= ?`
)

// AppendBacklog implements [chat.Tx]. The lock on the last number makes commits follow
// the order of the numbers.
func (t *tx) AppendBacklog(events []chat.Event) error {
	text, err := t.LockMeta(metaBacklog)
	if err != nil {
		return err
	}
	last, _ := strconv.ParseInt(text, 10, 64) // there is none before the first
	for i := range events {
		e := &events[i]
		n, err := t.number(e.SessionID)
		if err != nil {
			return err
		}
		last++
		if _, err := t.q.exec(insertBacklog, last, n, int64(e.At), string(e.Type), e.Source, e.MessageID, string(e.Payload)); err != nil {
			return fmt.Errorf("append %s.%d to the backlog: %w", e.SessionID, e.Rev, err)
		}
	}
	return t.PutMeta(metaBacklog, strconv.FormatInt(last, 10))
}

// Backlog implements [chat.Reader].
func (t *tx) Backlog(after int64, limit int) ([]chat.BacklogEvent, error) {
	return list[chat.BacklogEvent](t, selectBacklog, after, limit)
}

// BacklogEnd implements [chat.Reader].
func (t *tx) BacklogEnd() (int64, error) {
	text, err := t.Meta(metaBacklog)
	if err != nil || text == "" {
		return 0, err
	}
	return strconv.ParseInt(text, 10, 64)
}

// PruneBacklog implements [chat.Tx].
func (t *tx) PruneBacklog(upTo int64) error {
	_, err := t.q.exec(deleteBacklog, upTo)
	return wrap(err, "prune the backlog")
}
