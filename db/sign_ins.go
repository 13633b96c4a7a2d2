package db

import (
	"cmp"

	"github.com/relay-chat/relay/server/chat"
)

const (
	selectSignIns     = `SELECT id, hash, COALESCE(person, '') AS person, name, created_at, seen_at, agent, address, until, password_only FROM sign_ins`
	selectSignIn      = selectSignIns + ` WHERE hash = ?`
	selectSignInByID  = selectSignIns + ` WHERE id = ?`
	selectSignInsOf   = selectSignIns + ` WHERE person = ? ORDER BY seen_at DESC, id LIMIT 1000`
	selectAllSignIns  = selectSignIns + ` ORDER BY seen_at DESC, id LIMIT 1000`
	insertSignIn      = `INSERT INTO sign_ins (id, hash, person, name, created_at, seen_at, agent, address, until, password_only) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	proveSignIn       = `UPDATE sign_ins SET password_only = ? WHERE id = ?`
	unproveSignIns    = `UPDATE sign_ins SET password_only = ? WHERE person = ?`
	updateSeen        = `UPDATE sign_ins SET seen_at = ?, address = ? WHERE id = ?`
	deleteSignIn      = `DELETE FROM sign_ins WHERE id = ?`
	deleteOldSignIns  = `DELETE FROM sign_ins WHERE seen_at < ?`
	deleteMostSignIns = `DELETE FROM sign_ins WHERE COALESCE(person, '') = ? AND id NOT IN
		(SELECT id FROM sign_ins WHERE COALESCE(person, '') = ? ORDER BY seen_at DESC, id LIMIT ?)`
)

// keptSignIns is how many sign-ins of a person, or with the secret key, are kept: the last
// seen ones.
const keptSignIns = 100

// SignIn implements [chat.PeopleReader].
func (t *tx) SignIn(hash string) (chat.SignIn, error) {
	return one[chat.SignIn](t, chat.ErrSignInNotFound, selectSignIn, hash)
}

// SignInByID implements [chat.PeopleReader].
func (t *tx) SignInByID(id string) (chat.SignIn, error) {
	return one[chat.SignIn](t, chat.ErrSignInNotFound, selectSignInByID, id)
}

// SignIns implements [chat.PeopleReader].
func (t *tx) SignIns(person string) ([]chat.SignIn, error) {
	if person == "" {
		return list[chat.SignIn](t, selectAllSignIns)
	}
	return list[chat.SignIn](t, selectSignInsOf, person)
}

// PutSignIn implements [chat.PeopleTx].
func (t *tx) PutSignIn(s *chat.SignIn) error {
	_, err := t.q.exec(insertSignIn, s.ID, s.Hash, nullable(s.Person), s.Name, int64(s.CreatedAt), int64(s.SeenAt), s.Agent, s.Address, int64(s.Until), s.PasswordOnly)
	if err == nil {
		_, err = t.q.exec(deleteMostSignIns, s.Person, s.Person, keptSignIns)
	}
	return wrap(err, "put sign-in of %s", s.Person)
}

// ProvedSignIn implements [chat.PeopleTx].
func (t *tx) ProvedSignIn(id string) error {
	_, err := t.q.exec(proveSignIn, false, id)
	return err
}

// UnprovedSignIns implements [chat.PeopleTx].
func (t *tx) UnprovedSignIns(person string) error {
	_, err := t.q.exec(unproveSignIns, true, person)
	return err
}

// SeenSignIn implements [chat.PeopleTx].
func (t *tx) SeenSignIn(id string, at chat.Time, address string) error {
	_, err := t.q.exec(updateSeen, int64(at), address, id)
	return err
}

// DeleteSignIn implements [chat.PeopleTx].
func (t *tx) DeleteSignIn(id string) error {
	return t.touch(chat.ErrSignInNotFound, deleteSignIn, id)
}

// DropSignIns implements [chat.PeopleTx].
func (t *tx) DropSignIns(before chat.Time) error {
	_, err := t.q.exec(deleteOldSignIns, int64(before))
	return err
}

const (
	selectInvitations = `SELECT id, hash, role, email, COALESCE(person, '') AS person, invited_by, inviter, sites, created_at, expires_at, mailed, mail_reason FROM invitations`
	selectInvitation  = selectInvitations + ` WHERE hash = ?`
	selectInvited     = selectInvitations + ` WHERE id = ?`
	selectOpen        = selectInvitations + ` WHERE expires_at > ? ORDER BY created_at DESC, id`
	insertInvitation  = `INSERT INTO invitations (id, hash, role, email, person, invited_by, inviter, sites, created_at, expires_at) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	deleteLinksOf     = `DELETE FROM invitations WHERE person = ?`
	renewInvitation   = `UPDATE invitations SET hash = ? WHERE id = ?`
	setMailed         = `UPDATE invitations SET mailed = ?, mail_reason = ? WHERE id = ?`
	deleteInvitation  = `DELETE FROM invitations WHERE id = ?`
	deleteExpired     = `DELETE FROM invitations WHERE expires_at <= ?`
)

// Invitation implements [chat.PeopleReader].
func (t *tx) Invitation(hash string) (chat.Invitation, error) {
	return one[chat.Invitation](t, chat.ErrInvitationNotFound, selectInvitation, hash)
}

// InvitationByID implements [chat.PeopleReader].
func (t *tx) InvitationByID(id string) (chat.Invitation, error) {
	return one[chat.Invitation](t, chat.ErrInvitationNotFound, selectInvited, id)
}

// Invitations implements [chat.PeopleReader].
func (t *tx) Invitations(at chat.Time) ([]chat.Invitation, error) {
	return list[chat.Invitation](t, selectOpen, int64(at))
}

// PutInvitation implements [chat.PeopleTx].
func (t *tx) PutInvitation(i *chat.Invitation) error {
	_, err := t.q.exec(insertInvitation, i.ID, i.Hash, string(i.Role), i.Email, nullable(i.Person), i.InvitedBy, i.Inviter, i.Sites, int64(i.CreatedAt), int64(i.ExpiresAt))
	return wrap(err, "put invitation %s", i.ID)
}

// RenewInvitation implements [chat.PeopleTx].
func (t *tx) RenewInvitation(id, hash string) error {
	return t.touch(chat.ErrInvitationNotFound, renewInvitation, hash, id)
}

// SetInvitationMailed implements [chat.PeopleTx].
func (t *tx) SetInvitationMailed(id, mailed, reason string) error {
	return t.touch(chat.ErrInvitationNotFound, setMailed, mailed, reason, id)
}

// DeleteInvitation implements [chat.PeopleTx].
func (t *tx) DeleteInvitation(id string) error {
	return t.touch(chat.ErrInvitationNotFound, deleteInvitation, id)
}

// DropInvitations implements [chat.PeopleTx].
func (t *tx) DropInvitations(before chat.Time) error {
	_, err := t.q.exec(deleteExpired, int64(before))
	return err
}

// DropLinksOf implements [chat.PeopleTx].
func (t *tx) DropLinksOf(person string) error {
	_, err := t.q.exec(deleteLinksOf, person)
	return err
}

// DropKeyHolders implements [chat.PeopleTx].
func (t *tx) DropKeyHolders() error {
	for _, query := range []string{`DELETE FROM sign_ins WHERE person IS NULL`, `DELETE FROM push_devices WHERE sign_in IS NULL`, `DELETE FROM invitations WHERE inviter = ''`} {
		if _, err := t.q.exec(query); err != nil {
			return err
		}
	}
	return nil
}

// nullable is NULL for the id of nobody.
func nullable(id string) any {
	if id == "" {
		return nil
	}
	return id
}

const (
	selectAudit = `SELECT number, at, person, name, action, target, detail, address, site, count FROM audit
		WHERE number < ? AND (? = '' OR person = ?) AND (? = '' OR action = ?)`
	newestAudit = ` ORDER BY number DESC LIMIT ?`
	nextAudit   = `SELECT COALESCE(MAX(number), 0) + 1 FROM audit`
	insertAudit = `INSERT INTO audit (number, at, person, name, action, target, detail, address, site, count) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`
	countAudit  = `UPDATE audit SET count = count + 1, at = ? WHERE number = ?`
	deleteAudit = `DELETE FROM audit WHERE at < ?`
)

// Audit implements [chat.PeopleReader].
func (t *tx) Audit(q chat.AuditQuery) ([]chat.AuditEntry, error) {
	of, args := inList("site", q.Sites.Names())
	args = append([]any{cmp.Or(q.Before, int64(noLimit)), q.Person, q.Person, q.Action, q.Action}, args...)
	return list[chat.AuditEntry](t, selectAudit+of+newestAudit, append(args, limitOf(q.Limit))...)
}

// PutAudit implements [chat.PeopleTx].
func (t *tx) PutAudit(e *chat.AuditEntry) (err error) {
	if e.Number, err = one[int64](t, nil, nextAudit); err != nil {
		return err
	}
	_, err = t.q.exec(insertAudit, e.Number, int64(e.At), e.Person, e.Name, e.Action, e.Target, e.Detail, e.Address, e.Site, e.Count)
	return wrap(err, "put audit entry")
}

// putEntry adds an entry of the audit list with what it is about, unless it is empty.
func (t *tx) putEntry(e chat.AuditEntry) error {
	if e.Action == "" {
		return nil
	}
	return t.PutAudit(&e)
}

// CountAudit implements [chat.PeopleTx].
func (t *tx) CountAudit(number int64, at chat.Time) error {
	_, err := t.q.exec(countAudit, int64(at), number)
	return err
}

// DropAudit implements [chat.PeopleTx].
func (t *tx) DropAudit(before chat.Time) error {
	_, err := t.q.exec(deleteAudit, int64(before))
	return err
}
