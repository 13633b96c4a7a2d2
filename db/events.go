package db

import (
	"errors"
	"fmt"
	"math"

	"github.com/relay-chat/relay/server/chat"
)

const eventColumns = `rev, type, source, message_id, payload, at`

const selectEvents = `SELECT ` + eventColumns + ` FROM events WHERE session = ` + ofSession + ` AND rev > ? ORDER BY rev LIMIT ?`

// Events implements [chat.Reader].
func (t *tx) Events(sessionID string, after int64, limit int) ([]chat.Event, error) {
	written, err := t.events(limited(selectEvents, limit), sessionID, after)
	if n := len(written); err != nil || n > 0 && n == limit && written[n-1].Rev == after+int64(n) {
		return written, err // no message is among them
	}
	messages, err := t.messages(limited(selectMessagesAfter, limit), sessionID, after, int64(math.MaxInt64))
	if err != nil {
		return nil, err
	}
	return join(written, messages, limitOf(limit)), nil
}

// join merges the stored events with those made from messages, in order, up to
// the first gap.
func join(written []chat.Event, messages []chat.Message, limit int) (list []chat.Event) {
	for len(list) < limit && len(written)+len(messages) > 0 {
		var next chat.Event
		switch {
		case len(messages) == 0 || len(written) > 0 && written[0].Rev <= messages[0].Seq:
			next, written = written[0], written[1:]
		default:
			next, messages = chat.EventOf(messages[0]), messages[1:]
		}
		if n := len(list); n > 0 && next.Rev == list[n-1].Rev {
			continue // the message of an event that is written
		} else if n > 0 && next.Rev != list[n-1].Rev+1 {
			break
		}
		list = append(list, next)
	}
	return list
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
	insertEvent      = `INSERT INTO events (session, ` + eventColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?)`
	insertFirstEvent = insertEvent + ` ON CONFLICT (session, rev) DO NOTHING`
	insertDelivery   = `INSERT INTO deliveries (session, rev, dest, state, attempts, next_at, created_at, last_error)
		VALUES (?, ?, ?, 0, 0, ?, ?, '')`
)

// Append implements [chat.Tx]. The event of a new message is not stored but made
// from the message, until that is edited (see keepFirstEvent): that saves a third of
// the cost of a message. Deliveries are written before their event, because a
// bounded database drops events without deliveries.
func (t *tx) Append(e *chat.Event, to []chat.Destination) error {
	n, err := t.number(e.SessionID)
	if err != nil {
		return fmt.Errorf("append event %s.%d: %w", e.SessionID, e.Rev, err)
	}
	for _, d := range to {
		_, err := t.q.exec(insertDelivery, n, e.Rev, d.Dest, int64(e.At.Add(d.Delay)), int64(e.At))
		if err != nil {
			return fmt.Errorf("append delivery of %s.%d to %s: %w", e.SessionID, e.Rev, d.Dest, err)
		}
	}
	if !e.OfMessage {
		err = t.writeEvent(insertEvent, n, e)
	}
	return wrap(err, "append event %s.%d", e.SessionID, e.Rev)
}

func (t *tx) writeEvent(query string, session int64, e *chat.Event) error {
	_, err := t.q.exec(query, session, e.Rev, string(e.Type), e.Source, e.MessageID, string(e.Payload), int64(e.At))
	return err
}

// keepFirstEvent stores the event of a message that is about to be edited, so that it
// keeps the original text.
func (t *tx) keepFirstEvent(sessionID, id string) error {
	m, err := t.Message(sessionID, id)
	if err != nil || m.EditedAt != 0 || m.DeletedAt != 0 {
		return err
	}
	n, err := t.number(sessionID)
	if err != nil {
		return err
	}
	return t.writeFirstEvent(n, &m)
}

// writeFirstEvent stores the event that announced a message, unless it is stored.
func (t *tx) writeFirstEvent(session int64, m *chat.Message) error {
	e := chat.EventOf(*m)
	return t.writeEvent(insertFirstEvent, session, &e)
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
		_, err := t.q.exec(updatePayload, payload(e), sessionID, e.Rev)
		if err != nil {
			return fmt.Errorf("redact event %s.%d: %w", sessionID, e.Rev, err)
		}
	}
	m, err := t.Message(sessionID, messageID)
	if err == nil {
		events = append(events, chat.Event{Rev: m.Seq}) // which may not be written
		if err := t.forgetRehearsed(&m); err != nil {
			return fmt.Errorf("forget what was rehearsed of message %s: %w", messageID, err)
		}
	} else if !errors.Is(err, chat.ErrMessageNotFound) {
		return err
	}
	for _, e := range events {
		if err := t.redactErrors(sessionID, e.Rev); err != nil {
			return fmt.Errorf("redact the deliveries of event %s.%d: %w", sessionID, e.Rev, err)
		}
	}
	return nil
}
