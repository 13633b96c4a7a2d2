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
