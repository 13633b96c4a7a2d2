package db

import (
	"fmt"

	"github.com/relay-chat/relay/server/chat"
)

const selectInboxLane = `SELECT bridge, key, seq, thread, raw, state, attempts, next_at, last_error, received_at FROM inbox
	WHERE bridge = ? AND thread = ? AND state = 0 ORDER BY seq LIMIT ?`

// InboxLane implements [chat.Reader].
func (t *tx) InboxLane(bridge, thread string, limit int) ([]chat.Update, error) {
	return list[chat.Update](t, limited(selectInboxLane, limit), bridge, thread)
}

const selectInboxLanes = `SELECT i.thread AS lane, i.next_at FROM inbox i
	WHERE i.bridge = ? AND i.state = 0 AND NOT EXISTS (SELECT 1 FROM inbox p
		WHERE p.bridge = i.bridge AND p.thread = i.thread AND p.state = 0 AND p.seq < i.seq)`

// InboxLanes implements [chat.Reader]. A thread is due when its first waiting
// update is.
func (t *tx) InboxLanes(bridge string) ([]chat.Lane, error) {
	return list[chat.Lane](t, selectInboxLanes, bridge)
}

const insertUpdate = `INSERT INTO inbox (bridge, key, thread, raw, state, attempts, next_at, last_error, received_at)
	VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT (bridge, key) DO NOTHING`

// PutUpdate implements [chat.Tx].
func (t *tx) PutUpdate(u *chat.Update) (bool, error) {
	n, err := t.q.exec(insertUpdate, u.Bridge, u.Key, u.Thread, u.Raw, int(u.State), u.Attempts, int64(u.NextAt), u.LastError,
		int64(u.ReceivedAt))
	if err != nil {
		return false, fmt.Errorf("put update %s of %s: %w", u.Key, u.Bridge, err)
	}
	return n == 1, nil
}

const (
	updateUpdate = `UPDATE inbox SET state = ?, attempts = ?, next_at = ?, last_error = ? WHERE bridge = ? AND key = ?`
	// settleUpdate keeps of an update that was worked on only that it came.
	settleUpdate = `UPDATE inbox SET state = ?, attempts = ?, next_at = ?, last_error = ?, raw = '' WHERE bridge = ? AND key = ?`
)

// SaveUpdate implements [chat.Tx].
func (t *tx) SaveUpdate(u *chat.Update) error {
	query := updateUpdate
	if u.State == chat.UpdateDone {
		query = settleUpdate
	}
	_, err := t.q.exec(query, int(u.State), u.Attempts, int64(u.NextAt), u.LastError, u.Bridge, u.Key)
	return wrap(err, "save update %s of %s", u.Key, u.Bridge)
}

// Updates of an erased session's threads: failed ones are emptied, waiting ones
// settled, unless another session has a thread of the same name in another
// channel. Their keys stay, so that a repetition is known.
const (
	selectPlaces  = `SELECT bridge, ref FROM threads WHERE session = ` + ofSession
	emptyFailed   = `UPDATE inbox SET raw = '', last_error = '' WHERE bridge = ? AND thread = ? AND state = 2`
	settleWaiting = `UPDATE inbox SET raw = '', last_error = '', state = 1 WHERE bridge = ? AND thread = ? AND state = 0
		AND NOT EXISTS (SELECT 1 FROM threads WHERE bridge = ? AND ref = ?)`
)

// threadName is a thread as the inbox names it.
type threadName struct {
	Bridge string `db:"bridge"`
	Ref    string `db:"ref"`
}

// emptyInbox removes the content of updates from the threads of an erased session.
func (t *tx) emptyInbox(places []threadName) error {
	for _, p := range places {
		for _, bridge := range []string{p.Bridge, p.Bridge + chat.Errands} {
			_, err := t.q.exec(emptyFailed, bridge, p.Ref)
			if err == nil {
				_, err = t.q.exec(settleWaiting, bridge, p.Ref, p.Bridge, p.Ref)
			}
			if err != nil {
				return fmt.Errorf("empty the inbox of thread %s of %s: %w", p.Ref, p.Bridge, err)
			}
		}
	}
	return nil
}
