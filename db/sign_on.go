package db

import (
	"database/sql"
	"errors"

	"github.com/relay-chat/relay/server/chat"
)

const (
	selectIdentity = `SELECT COALESCE(person, '') FROM identities WHERE issuer = ? AND subject = ?`
	countIdentity  = `SELECT COUNT(*) FROM identities WHERE issuer = ? AND person = ?`
	upsertIdentity = `INSERT INTO identities (issuer, subject, person, created_at) VALUES (?, ?, ?, ?)
		ON CONFLICT (issuer, subject) DO UPDATE SET person = excluded.person`
	selectGrants = `SELECT g.sign_in, g.issuer, g.subject, g.refresh, g.renew_at, s.until FROM sign_on_grants g
		JOIN sign_ins s ON s.id = g.sign_in WHERE g.renew_at <= ? ORDER BY g.renew_at, g.sign_in LIMIT ?`
	upsertGrant = `INSERT INTO sign_on_grants (sign_in, issuer, subject, refresh, renew_at) VALUES (?, ?, ?, ?, ?)
		ON CONFLICT (sign_in) DO UPDATE SET refresh = excluded.refresh, renew_at = excluded.renew_at`
	updateUntil = `UPDATE sign_ins SET until = ? WHERE id = ?`
)

// Identity implements [chat.SignOnReader].
func (t *tx) Identity(issuer, subject string) (person string, known bool, err error) {
	person, err = one[string](t, sql.ErrNoRows, selectIdentity, issuer, subject)
	if errors.Is(err, sql.ErrNoRows) {
		return "", false, nil
	}
	return person, err == nil, err
}

// HasIdentity implements [chat.SignOnReader].
func (t *tx) HasIdentity(issuer, person string) (bool, error) {
	n, err := one[int64](t, nil, countIdentity, issuer, person)
	return n > 0, err
}

// SignOnGrants implements [chat.SignOnReader].
func (t *tx) SignOnGrants(due chat.Time, limit int) ([]chat.SignOnGrant, error) {
	return list[chat.SignOnGrant](t, selectGrants, int64(due), limit)
}

// PutIdentity implements [chat.SignOnTx].
func (t *tx) PutIdentity(issuer, subject, person string) error {
	_, err := t.q.exec(upsertIdentity, issuer, subject, nullable(person), int64(chat.Now()))
	return wrap(err, "put identity of %s", person)
}

// PutSignOnGrant implements [chat.SignOnTx].
func (t *tx) PutSignOnGrant(g *chat.SignOnGrant) error {
	_, err := t.q.exec(upsertGrant, g.SignIn, g.Issuer, g.Subject, g.Refresh, int64(g.RenewAt))
	return wrap(err, "put grant of %s", g.SignIn)
}

// RenewSignOn implements [chat.SignOnTx].
func (t *tx) RenewSignOn(g *chat.SignOnGrant) error {
	if err := t.touch(chat.ErrSignInNotFound, updateUntil, int64(g.Until), g.SignIn); err != nil {
		return err
	}
	return t.PutSignOnGrant(g)
}
