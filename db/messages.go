package db

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"math"
	"slices"

	"github.com/relay-chat/relay/server/chat"
)

const messageColumns = `id, seq, content, sender, created_at, reply_to, attachments, operator_name, source_bridge,
	client_id, edited_at, deleted_at, delivered_at, read_at, internal, draft, sent_at, sources, operator_id, buttons, key_id`

const (
	selectMessage = `SELECT ` + messageColumns + ` FROM messages WHERE session = ` + ofSession + ` AND seq = ? AND id = ?`
	selectForeign = `SELECT ` + messageColumns + ` FROM messages
		WHERE session = ` + ofSession + ` AND foreign_id = ? AND foreign_id <> ''`
)

// Message implements [chat.Reader].
func (t *tx) Message(sessionID, id string) (chat.Message, error) {
	if seq, ok := chat.SeqOf(id); ok {
		m, err := t.message(selectMessage, sessionID, seq, id)
		if !errors.Is(err, chat.ErrMessageNotFound) {
			return m, err
		}
	}
	return t.message(selectForeign, sessionID, id)
}

const selectMessageByClientID = `SELECT id FROM messages
	WHERE session = ` + ofSession + ` AND client_key = ? AND client_key <> 0 AND client_id = ?`

// MessageByClientID implements [chat.Reader]. As a rule there is none, and
// looking for one column costs half as much as for all.
func (t *tx) MessageByClientID(sessionID string, sender chat.Sender, clientID string) (chat.Message, error) {
	key := clientKey(&chat.Message{Sender: sender, ClientID: clientID})
	id, err := one[string](t, chat.ErrMessageNotFound, selectMessageByClientID, sessionID, key, clientID)
	if err != nil {
		return chat.Message{}, err
	}
	return t.Message(sessionID, id)
}

// message reads one message of a session.
func (t *tx) message(query, sessionID string, args ...any) (chat.Message, error) {
	m, err := one[chat.Message](t, chat.ErrMessageNotFound, query, append([]any{sessionID}, args...)...)
	m.SessionID = sessionID
	return m, err
}

// messages reads messages of a session.
func (t *tx) messages(query, sessionID string, args ...any) ([]chat.Message, error) {
	rows, err := list[chat.Message](t, query, append([]any{sessionID}, args...)...)
	for i := range rows {
		rows[i].SessionID = sessionID
	}
	return rows, err
}

const (
	selectMessagesAfter = `SELECT ` + messageColumns + ` FROM messages
		WHERE session = ` + ofSession + ` AND seq > ? AND seq < ? ORDER BY seq LIMIT ?`
	selectMessagesBefore = `SELECT ` + messageColumns + ` FROM messages
		WHERE session = ` + ofSession + ` AND seq > ? AND seq < ? ORDER BY seq DESC LIMIT ?`
	selectPublicAfter = `SELECT ` + messageColumns + ` FROM messages
		WHERE session = ` + ofSession + ` AND seq > ? AND seq < ? AND NOT internal ORDER BY seq LIMIT ?`
	selectPublicBefore = `SELECT ` + messageColumns + ` FROM messages
		WHERE session = ` + ofSession + ` AND seq > ? AND seq < ? AND NOT internal ORDER BY seq DESC LIMIT ?`
)

// Messages implements [chat.Reader].
func (t *tx) Messages(q chat.MessageQuery) ([]chat.Message, error) {
	before := q.Before
	if before == 0 {
		before = math.MaxInt64
	}
	queries := [...]string{selectMessagesBefore, selectMessagesAfter}
	if q.Public {
		queries = [...]string{selectPublicBefore, selectPublicAfter}
	}
	query := queries[0]
	if q.After != 0 {
		query = queries[1]
	}
	rows, err := t.messages(limited(query, q.Limit), q.SessionID, q.After, before)
	if q.After == 0 {
		slices.Reverse(rows)
	}
	return rows, err
}

const selectLastMessage = `SELECT ` + messageColumns + ` FROM messages WHERE session = ` + ofSession + ` AND NOT internal ORDER BY seq DESC LIMIT 1`

// LastMessages implements [chat.Reader]. Sessions without a message are not in
// the answer.
func (t *tx) LastMessages(sessionIDs []string) (map[string]chat.Message, error) {
	last := make(map[string]chat.Message, len(sessionIDs))
	for _, id := range sessionIDs {
		m, err := t.message(selectLastMessage, id)
		switch {
		case err == nil:
			last[id] = m
		case !errors.Is(err, chat.ErrMessageNotFound):
			return nil, err
		}
	}
	return last, nil
}

const selectUnread = `SELECT ` + messageColumns + ` FROM messages
	WHERE session = ` + ofSession + ` AND seq > ? AND seq <= ? AND sender = ? AND read_at = 0 AND deleted_at = 0 ORDER BY seq LIMIT ?`

// UnreadMessages implements [chat.Reader]. Deleted messages are not waiting to
// be read.
func (t *tx) UnreadMessages(sessionID string, sender chat.Sender, after, upTo int64, limit int) ([]chat.Message, error) {
	return t.messages(limited(selectUnread, limit), sessionID, after, upTo, string(sender))
}

// insertFresh is insertMessage for most messages: nothing has happened to them
// yet, and whatever a visitor's message has not is not bound either.
const (
	insertMessage = `INSERT INTO messages (session, foreign_id, client_key, ` + messageColumns + `)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)` + onceByClientID
	insertFresh = `INSERT INTO messages (session, foreign_id, client_key, ` + messageColumns + `)
		VALUES (?, '', ?, ?, ?, ?, ?, ?, '', '[]', '', '', ?, 0, 0, 0, 0, FALSE, FALSE, 0, '', '', '', '')` + onceByClientID
	onceByClientID = ` ON CONFLICT (session, client_key) WHERE client_key <> 0 DO NOTHING`
)

// clientKey makes a number of a message's client id, which no two ids of a
// session share by chance: it is 63 bits of a SHA-256. The visitor's and the
// operators' clients choose theirs independently. A backend's message, which has
// its id as client id, is the same whoever wrote it.
func clientKey(m *chat.Message) int64 {
	if m.ClientID == "" {
		return 0
	}
	name := m.ClientID
	if m.Sender != chat.SenderVisitor && m.ID != m.ClientID {
		name = "operator\x00" + name
	}
	sum := sha256.Sum256([]byte(name))
	return int64(binary.BigEndian.Uint64(sum[:])) | 1 // never 0
}

// foreignID returns the id of a message, unless its seq is part of the id.
func foreignID(m *chat.Message) string {
	if seq, ok := chat.SeqOf(m.ID); ok && seq == m.Seq {
		return ""
	}
	return m.ID
}

// InsertMessage implements [chat.Tx].
func (t *tx) InsertMessage(m *chat.Message) error {
	n, err := t.number(m.SessionID)
	if err == nil {
		err = t.insertMessage(n, m)
	}
	return wrap(err, "insert message %s", m.ID)
}

func (t *tx) insertMessage(session int64, m *chat.Message) error {
	key, foreign := clientKey(m), foreignID(m)
	if foreign == "" && isFresh(m) {
		return t.touch(chat.ErrMessageExists, insertFresh, session, key, m.ID, m.Seq, m.Content, string(m.Sender),
			int64(m.Timestamp), m.ClientID)
	}
	return t.touch(chat.ErrMessageExists, insertMessage, session, foreign, key, m.ID, m.Seq, m.Content, string(m.Sender),
		int64(m.Timestamp), m.ReplyTo, files(m), m.OperatorName, m.SourceBridge, m.ClientID, int64(m.EditedAt),
		int64(m.DeletedAt), int64(m.DeliveredAt), int64(m.ReadAt), m.Internal, m.Draft, int64(m.SentAt), m.Sources, m.OperatorID, m.Buttons, m.KeyID)
}

// isFresh reports whether insertFresh is enough for a message.
func isFresh(m *chat.Message) bool {
	return m.ReplyTo == "" && len(m.Attachments.V) == 0 && m.OperatorName == "" && m.OperatorID == "" && m.KeyID == "" && m.SourceBridge == "" && !m.Internal && !m.Draft &&
		len(m.Sources)+len(m.Buttons) == 0 && m.EditedAt|m.DeletedAt|m.DeliveredAt|m.ReadAt|m.SentAt == 0
}

const updateMessage = `UPDATE messages SET content = ?, reply_to = ?, attachments = ?, operator_name = ?, source_bridge = ?,
	edited_at = ?, deleted_at = ?, delivered_at = ?, read_at = ?, sent_at = ?, sources = ?, buttons = ? WHERE session = ` + ofSession + ` AND seq = ? AND id = ?`

// SaveMessage implements [chat.Tx]. A message keeps its ids, its sender, its
// place and its time.
func (t *tx) SaveMessage(m *chat.Message) error {
	var err error
	if m.EditedAt != 0 && m.DeletedAt == 0 {
		err = t.keepFirstEvent(m.SessionID, m.ID)
	}
	if err == nil {
		err = t.saveMessage(m)
	}
	if err == nil && m.EditedAt|m.DeletedAt != 0 {
		err = t.changeText(m)
	}
	return wrap(err, "save message %s", m.ID)
}

func (t *tx) saveMessage(m *chat.Message) error {
	return t.touch(chat.ErrMessageNotFound, updateMessage, m.Content, m.ReplyTo, files(m), m.OperatorName, m.SourceBridge,
		int64(m.EditedAt), int64(m.DeletedAt), int64(m.DeliveredAt), int64(m.ReadAt), int64(m.SentAt), m.Sources, m.Buttons, m.SessionID, m.Seq, m.ID)
}

// noFiles is the usual list of files as it is stored.
const noFiles = "[]"

// files is a message's list of files as it is stored; it is never null.
func files(m *chat.Message) any {
	if len(m.Attachments.V) == 0 {
		return noFiles
	}
	return m.Attachments
}
