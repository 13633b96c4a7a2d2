package db

import (
	"errors"

	"github.com/relay-chat/relay/server/chat"
)

const (
	selectMailAddress = `SELECT site, address, state, changed_at, day, sent FROM mail_addresses WHERE address = ? AND site = ?`
	countMailsOn      = `SELECT COALESCE(SUM(sent), 0) FROM mail_addresses WHERE address = ? AND day = ?`
	upsertMailAddress = `INSERT INTO mail_addresses (site, address, state, changed_at, day, sent) VALUES (?, ?, ?, ?, ?, ?)
		ON CONFLICT (address, site) DO UPDATE SET state = excluded.state, changed_at = excluded.changed_at, day = excluded.day, sent = excluded.sent`
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

// PutMailAddress implements [chat.MailTx].
func (t *tx) PutMailAddress(a *chat.MailAddress) error {
	_, err := t.q.exec(upsertMailAddress, a.Site, a.Key, string(a.State), int64(a.ChangedAt), a.Day, a.Sent)
	return wrap(err, "put e-mail address")
}
