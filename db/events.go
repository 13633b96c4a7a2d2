package db

import (
	"fmt"

	"relay/server/chat"
)

const eventColumns = `rev, type, source, message_id, payload, at`

const selectEvents = `SELECT ` + eventColumns + ` FROM events WHERE session = ` + ofSession + ` AND rev > ? ORDER BY rev LIMIT ?`

// Events implements [chat.Reader].
func (t *tx) Events(sessionID string, after int64, limit int) ([]chat.Event, error) {
	return t.events(limited(selectEvents, limit), sessionID, after)
}

// events reads events of a session.
func (t *tx) events(query, sessionID string, args ...any) ([]chat.Event, error) {
	rows, err := list[chat.Event](t, query, append([]any{sessionID}, args...)...)
	for i := range rows {
		rows[i].SessionID = sessionID
	}
	return rows, err
}

const (
	insertEvent    = `INSERT INTO events (session, ` + eventColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?)`
	insertDelivery = `INSERT INTO deliveries (session, rev, dest, state, attempts, next_at, created_at, last_error)
		VALUES (?, ?, ?, 0, 0, ?, ?, '')`
)

// Append implements [chat.Tx]. A bounded database holds no event that goes
// nowhere.
func (t *tx) Append(e *chat.Event, to []chat.Destination) error {
	if t.change != nil && len(to) == 0 {
		return nil
	}
	n, err := t.number(e.SessionID)
	if err == nil {
		_, err = t.q.exec(insertEvent, n, e.Rev, string(e.Type), e.Source, e.MessageID, string(e.Payload), int64(e.At))
	}
	if err != nil {
		return fmt.Errorf("append event %s.%d: %w", e.SessionID, e.Rev, err)
	}
	for _, d := range to {
		_, err := t.q.exec(insertDelivery, n, e.Rev, d.Dest, int64(e.At.Add(d.Delay)), int64(e.At))
		if err != nil {
			return fmt.Errorf("append delivery of %s.%d to %s: %w", e.SessionID, e.Rev, d.Dest, err)
		}
		if t.change != nil {
			t.change.queue(d.Dest, 1, len(e.Payload))
		}
	}
	return nil
}

const (
	selectMessageEvents = `SELECT ` + eventColumns + ` FROM events WHERE session = ` + ofSession + ` AND message_id = ? ORDER BY rev`
	updatePayload       = `UPDATE events SET payload = ? WHERE session = ` + ofSession + ` AND rev = ?`
)

// Redact implements [chat.Tx].
func (t *tx) Redact(sessionID, messageID string, payload func(chat.Event) chat.Raw) error {
	events, err := t.events(selectMessageEvents, sessionID, messageID)
	if err != nil {
		return fmt.Errorf("find the events of message %s: %w", messageID, err)
	}
	for _, e := range events {
		if _, err := t.q.exec(updatePayload, payload(e), sessionID, e.Rev); err != nil {
			return fmt.Errorf("redact event %s.%d: %w", sessionID, e.Rev, err)
		}
	}
	return nil
}
