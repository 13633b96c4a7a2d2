package db

import (
	"cmp"
	"fmt"
	"strings"

	"github.com/relay-chat/relay/server/chat"
)

// A delivery's event is stored, or made from its message (see tx.Append).
const selectDeliveries = `SELECT d.dest, s.id, s.site, s.visitor_id, d.rev, d.state, d.attempts, d.next_at, d.last_error, d.passed, d.tries, d.created_at,
	COALESCE(e.type, ''), COALESCE(e.source, ''), COALESCE(e.message_id, ''), COALESCE(e.payload, ''), COALESCE(e.at, 0),
	COALESCE(m.id, ''), COALESCE(m.content, ''), COALESCE(m.sender, ''), COALESCE(m.created_at, 0), COALESCE(m.reply_to, ''),
	COALESCE(m.attachments, '[]'), COALESCE(m.operator_name, ''), COALESCE(m.source_bridge, ''), COALESCE(m.client_id, ''),
	COALESCE(m.deleted_at, 0), COALESCE(m.delivered_at, 0), COALESCE(m.read_at, 0), COALESCE(m.internal, FALSE),
	COALESCE(m.draft, FALSE), COALESCE(m.sources, ''), COALESCE(m.operator_id, ''), COALESCE(m.buttons, '')
	FROM deliveries d JOIN sessions s ON s.number = d.session
	LEFT JOIN events e ON e.session = d.session AND e.rev = d.rev
	LEFT JOIN messages m ON e.session IS NULL AND m.session = d.session AND m.seq = d.rev`

// deliveries reads rows of selectDeliveries.
func (t *tx) deliveries(query string, args ...any) ([]chat.Delivery, error) {
	var list []chat.Delivery
	var messages []joinedMessage
	err := t.q.rows(func() []any {
		list, messages = append(list, chat.Delivery{}), append(messages, joinedMessage{})
		d, m := &list[len(list)-1], &messages[len(messages)-1]
		e := &d.Event
		return []any{&d.Dest, &d.SessionID, &d.Site, &d.VisitorID, &d.Rev, (*int)(&d.State), &d.Attempts, (*int64)(&d.NextAt), &d.LastError, &m.passed, &d.Tries,
			(*int64)(&d.CreatedAt), (*string)(&e.Type), &e.Source, &e.MessageID, &e.Payload, (*int64)(&e.At),
			&m.ID, &m.Content, (*string)(&m.Sender), (*int64)(&m.Timestamp), &m.ReplyTo,
			&m.files, &m.OperatorName, &m.SourceBridge, &m.ClientID,
			(*int64)(&m.DeletedAt), (*int64)(&m.DeliveredAt), (*int64)(&m.ReadAt), &m.Internal,
			&m.Draft, &m.Sources, &m.OperatorID, &m.Buttons}
	}, query, args...)
	if err != nil {
		return nil, err
	}
	for i := range list {
		d, m := &list[i], &messages[i]
		d.Passed = m.passed != 0
		if d.Event.Type == "" {
			m.SessionID, m.Seq = d.SessionID, d.Rev
			if d.Event, err = m.event(); err != nil {
				return nil, err
			}
		}
		d.Event.SessionID, d.Event.Rev = d.SessionID, d.Rev
	}
	return list, nil
}

// joinedMessage is the message of a delivery whose event is not stored.
type joinedMessage struct {
	chat.Message
	files  string // as stored; most have none
	passed int    // of the delivery
}

func (m *joinedMessage) event() (chat.Event, error) {
	m.Attachments.V = chat.Attachments{}
	if m.files != noFiles {
		if err := m.Attachments.Scan(m.files); err != nil {
			return chat.Event{}, fmt.Errorf("the files of message %s: %w", m.ID, err)
		}
	}
	return chat.EventOf(m.Message), nil
}

const selectLane = selectDeliveries + ` WHERE d.dest = ? AND d.session = ` + ofSession + ` AND d.state < 2 ORDER BY d.rev LIMIT ?`

// Lane implements [chat.Reader].
func (t *tx) Lane(dest, sessionID string, limit int) ([]chat.Delivery, error) {
	return t.deliveries(limited(selectLane, limit), dest, sessionID)
}

const selectDelivery = selectDeliveries + ` WHERE d.dest = ? AND d.session = ` + ofSession + ` AND d.rev = ?`

// Delivery implements [chat.Reader].
func (t *tx) Delivery(dest, sessionID string, rev int64) (chat.Delivery, error) {
	list, err := t.deliveries(selectDelivery, dest, sessionID, rev)
	if err != nil || len(list) == 0 {
		return chat.Delivery{}, cmp.Or(err, error(chat.ErrDeliveryNotFound))
	}
	return list[0], nil
}

const selectLanes = `SELECT s.id AS lane, CASE WHEN d.passed = 1 THEN 0 ELSE d.next_at END AS next_at FROM deliveries d JOIN sessions s ON s.number = d.session
	WHERE d.dest = ? AND d.state < 2 AND NOT EXISTS (SELECT 1 FROM deliveries p
		WHERE p.dest = d.dest AND p.session = d.session AND p.state < 2 AND p.rev < d.rev)`

// Lanes implements [chat.Reader]. A lane is due when its first waiting
// delivery is, and at once when later ones may pass that.
func (t *tx) Lanes(dest string) ([]chat.Lane, error) {
	return list[chat.Lane](t, selectLanes, dest)
}

const selectToLock = `SELECT 1 FROM deliveries WHERE dest = ? AND session = ` + ofSession + ` AND rev = ?`

// LockDelivery implements [chat.Tx].
func (t *tx) LockDelivery(dest, sessionID string, rev int64) (chat.Delivery, error) {
	if err := t.row(chat.ErrDeliveryNotFound, []any{new(int)}, t.q.lock(selectToLock), dest, sessionID, rev); err != nil {
		return chat.Delivery{}, err
	}
	return t.Delivery(dest, sessionID, rev)
}

// The list's order, and the conditions of places in it.
const (
	newestDeliveries = ` ORDER BY d.created_at DESC, d.session DESC, d.rev DESC, d.dest DESC LIMIT ?`
	oldestDeliveries = ` ORDER BY d.created_at, d.session, d.rev, d.dest LIMIT ?`
	older            = `(d.created_at, d.session, d.rev, d.dest) < (?, COALESCE(` + ofSession + `, 0), ?, ?)`
	younger          = `(d.created_at, d.session, d.rev, d.dest) > (?, COALESCE(` + ofSession + `, 0), ?, ?)`
)

// byState are the conditions on states. They are written out because the
// indexes on them are partial.
var byState = [...]string{
	chat.DeliveryPending: `d.state < 2 AND d.state = 0`,
	chat.DeliverySending: `d.state < 2 AND d.state = 1`,
	chat.DeliveryDone:    `d.state = 2`,
	chat.DeliveryFailed:  `d.state = 3`,
}

// Deliveries implements [chat.Reader].
func (t *tx) Deliveries(q chat.DeliveryQuery) ([]chat.Delivery, error) {
	var where []string
	var args []any
	if q.State != nil {
		where = append(where, byState[*q.State])
	}
	if q.Dest != "" {
		where = append(where, `d.dest = ?`)
		args = append(args, q.Dest)
	}
	for _, dest := range q.Except {
		where = append(where, `d.dest <> ?`)
		args = append(args, dest)
	}
	order := newestDeliveries
	if q.Before != nil {
		where = append(where, older)
		args = append(args, place(*q.Before)...)
	}
	if q.After != nil {
		order = oldestDeliveries
		where = append(where, younger)
		args = append(args, place(*q.After)...)
	}
	query := selectDeliveries
	if len(where) > 0 {
		query += ` WHERE ` + strings.Join(where, ` AND `)
	}
	return t.deliveries(query+order, append(args, limitOf(q.Limit))...)
}

// place returns the parameters of older and younger.
func place(c chat.Cursor) []any {
	dest, sessionID, rev, _ := chat.ParseDeliveryID(c.ID)
	return []any{int64(c.At), sessionID, rev, dest}
}

// troubled is the condition of [chat.Delivery.Troubled].
var troubled = fmt.Sprintf(`d.state < 2 AND d.last_error <> '' AND (d.passed = 1 OR d.attempts >= %d)`, chat.TroubleTries)

var (
	selectUndelivered = selectDeliveries + ` WHERE d.session = ` + ofSession + ` AND (d.state = 3 OR ` + troubled + `) ORDER BY d.rev, d.dest LIMIT ?`
	countFailed       = `SELECT COUNT(*) FROM deliveries d WHERE d.dest = ? AND d.state = 3`
	countTroubled     = `SELECT COUNT(*) FROM deliveries d WHERE d.dest = ? AND ` + troubled
	lastFailed        = selectDeliveries + ` WHERE d.dest = ? AND d.state = 3` + newestDeliveries
	lastTroubled      = selectDeliveries + ` WHERE d.dest = ? AND ` + troubled + newestDeliveries
)

// Undelivered implements [chat.Reader].
func (t *tx) Undelivered(sessionID string, limit int) ([]chat.Delivery, error) {
	return t.deliveries(selectUndelivered, sessionID, limitOf(limit))
}

// Troubles implements [chat.Reader].
func (t *tx) Troubles(dest string) (failed, retrying chat.Trouble, err error) {
	if failed, err = t.trouble(countFailed, lastFailed, dest); err == nil {
		retrying, err = t.trouble(countTroubled, lastTroubled, dest)
	}
	return failed, retrying, err
}

func (t *tx) trouble(count, last, dest string) (tr chat.Trouble, err error) {
	if tr.Count, err = one[int](t, nil, count, dest); err != nil || tr.Count == 0 {
		return tr, err
	}
	list, err := t.deliveries(last, dest, 1)
	if len(list) > 0 {
		tr.Last = list[0]
	}
	return tr, err
}

const updateDelivery = `UPDATE deliveries SET state = ?, attempts = ?, next_at = ?, last_error = ?, passed = ?, tries = ?
	WHERE session = ` + ofSession + ` AND rev = ? AND dest = ?`

// SaveDelivery implements [chat.Tx]. A delivery that is gone, because its
// session was erased while it was under way, stays gone.
func (t *tx) SaveDelivery(d *chat.Delivery) error {
	_, err := t.q.exec(updateDelivery, int(d.State), d.Attempts, int64(d.NextAt), d.LastError, bit(d.Passed), d.Tries, d.SessionID, d.Rev, d.Dest)
	if err != nil {
		return fmt.Errorf("save delivery %s: %w", d.ID(), err)
	}
	return nil
}

const dropDelivery = `DELETE FROM deliveries WHERE session = ` + ofSession + ` AND rev = ? AND dest = ?`

// DropDelivery implements [chat.Tx].
func (t *tx) DropDelivery(d *chat.Delivery) error {
	if _, err := t.q.exec(dropDelivery, d.SessionID, d.Rev, d.Dest); err != nil {
		return fmt.Errorf("drop delivery %s: %w", d.ID(), err)
	}
	return nil
}

const (
	selectErrors = `SELECT dest, tries FROM deliveries WHERE session = ` + ofSession + ` AND rev = ? AND (last_error <> '' OR tries <> '')`
	updateErrors = `UPDATE deliveries SET last_error = '', tries = ? WHERE session = ` + ofSession + ` AND rev = ? AND dest = ?`
)

// redactErrors removes from the deliveries of an event what went wrong with them:
// receivers say in it what they were sent. That there were attempts stays.
func (t *tx) redactErrors(sessionID string, rev int64) error {
	type delivery struct {
		Dest  string     `db:"dest"`
		Tries chat.Tries `db:"tries"`
	}
	rows, err := list[delivery](t, selectErrors, sessionID, rev)
	for _, d := range rows {
		for i := range d.Tries {
			d.Tries[i].Error = ""
		}
		if err == nil {
			_, err = t.q.exec(updateErrors, d.Tries, sessionID, rev, d.Dest)
		}
	}
	return err
}
