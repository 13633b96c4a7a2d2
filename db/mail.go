package db

import (
	"errors"

	"github.com/relay-chat/relay/server/chat"
)

const (
	selectMailAddress = `SELECT site, address, state, changed_at, day, sent FROM mail_addresses WHERE address = ? AND site = ?`
	countMailsOn      = `SELECT COALESCE(SUM(sent), 0) FROM mail_addresses WHERE address = ? AND day = ?`
	upsertMailState   = `INSERT INTO mail_addresses (address, site, state, changed_at, day, sent) VALUES (?, ?, ?, ?, 0, 0)
		ON CONFLICT (address, site) DO UPDATE SET state = excluded.state, changed_at = excluded.changed_at`
	countMail = `INSERT INTO mail_addresses (address, site, state, changed_at, day, sent) VALUES (?, ?, '', 0, ?, ?)
		ON CONFLICT (address, site) DO UPDATE SET day = excluded.day,
			sent = excluded.sent + CASE WHEN mail_addresses.day = excluded.day THEN mail_addresses.sent ELSE 0 END`
	uncountMail = `UPDATE mail_addresses SET sent = sent + ? WHERE address = ? AND site = ? AND day = ? AND sent + ? >= 0`
)

var errNoMailAddress = errors.New("the e-mail address is unknown")

// MailAddress implements [chat.MailReader].
func (t *tx) MailAddress(site, key string) (chat.MailAddress, error) {
	a, err := one[chat.MailAddress](t, errNoMailAddress, selectMailAddress, key, site)
	if errors.Is(err, errNoMailAddress) {
		return chat.MailAddress{Site: site, Key: key}, nil
	}
	return a, err
}

// MailsOn implements [chat.MailReader].
func (t *tx) MailsOn(key string, day int64) (int64, error) {
	return one[int64](t, nil, countMailsOn, key, day)
}

// SetMailState implements [chat.MailTx].
func (t *tx) SetMailState(site, key string, state chat.MailState, at chat.Time) error {
	_, err := t.q.exec(upsertMailState, key, site, string(state), int64(at))
	return wrap(err, "set the state of an e-mail address")
}

// CountMail implements [chat.MailTx].
func (t *tx) CountMail(site, key string, day, n int64) (err error) {
	if n > 0 {
		_, err = t.q.exec(countMail, key, site, day, n)
	} else {
		_, err = t.q.exec(uncountMail, n, key, site, day, n)
	}
	return wrap(err, "count an e-mail")
}

const (
	receivedColumns    = `id, message_id, at, sender, subject, header, text`
	selectReceivedMail = `SELECT ` + receivedColumns + ` FROM received_mails WHERE session = ` + ofSession + ` AND id = ?`
	selectReceived     = `SELECT ` + receivedColumns + ` FROM received_mails WHERE session = ` + ofSession + ` ORDER BY at DESC, id LIMIT ?`
	selectMailWithID   = `SELECT ` + receivedColumns + `, (SELECT id FROM sessions WHERE number = session) AS session_id FROM received_mails WHERE id = ? ORDER BY at LIMIT 1`
	insertReceivedMail = `INSERT INTO received_mails (session, ` + receivedColumns + `) VALUES (?, ?, ?, ?, ?, ?, ?, ?)`
	emptyReceivedMail  = `UPDATE received_mails SET sender = '', subject = '', text = '' WHERE session = ` + ofSession + ` AND message_id = ?`
)

// ReceivedMail implements [chat.MailReader].
func (t *tx) ReceivedMail(sessionID, id string) (chat.ReceivedMail, error) {
	m, err := one[chat.ReceivedMail](t, chat.ErrMailNotFound, selectReceivedMail, sessionID, id)
	m.SessionID = sessionID
	return m, err
}

// MailWithID implements [chat.MailReader].
func (t *tx) MailWithID(id string) (chat.ReceivedMail, error) {
	return one[chat.ReceivedMail](t, chat.ErrMailNotFound, selectMailWithID, id)
}

// ReceivedMails implements [chat.MailReader].
func (t *tx) ReceivedMails(sessionID string, limit int) ([]chat.ReceivedMail, error) {
	rows, err := list[chat.ReceivedMail](t, selectReceived, sessionID, limit)
	for i := range rows {
		rows[i].SessionID = sessionID
	}
	return rows, err
}

// PutReceivedMail implements [chat.MailTx].
func (t *tx) PutReceivedMail(m *chat.ReceivedMail) error {
	session, err := t.number(m.SessionID)
	if err == nil {
		_, err = t.q.exec(insertReceivedMail, session, m.ID, m.MessageID, int64(m.At), m.From, m.Subject, m.Header, m.Text)
	}
	return wrap(err, "store an e-mail")
}

// ForgetReceivedMail implements [chat.MailTx].
func (t *tx) ForgetReceivedMail(sessionID, messageID string) error {
	_, err := t.q.exec(emptyReceivedMail, sessionID, messageID)
	return wrap(err, "empty an e-mail")
}
