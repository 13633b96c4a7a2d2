package db

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/relay-chat/relay/server/chat"
)

const (
	selectContactPerson  = `SELECT ` + sessionColumns + ` FROM sessions WHERE person = ? AND person <> '' AND site = ? ORDER BY number DESC LIMIT ?`
	selectContactVisitor = `SELECT ` + sessionColumns + ` FROM sessions WHERE visitor_id = ? AND site = ? AND token_hash = '' ORDER BY number DESC LIMIT ?`
	selectContactBrowser = `SELECT ` + sessionColumns + ` FROM sessions WHERE browser = ? AND browser <> '' AND site = ? ORDER BY number DESC LIMIT ?`
)

// SessionsOfContact implements [chat.Reader].
func (t *tx) SessionsOfContact(key chat.ContactKey, limit int) (found []chat.Session, err error) {
	switch key.Kind {
	case chat.ContactPerson:
		return list[chat.Session](t, selectContactPerson, key.Key, key.Site, limit)
	case chat.ContactVisitor:
		return list[chat.Session](t, selectContactVisitor, key.Key, key.Site, limit)
	}
	if found, err = list[chat.Session](t, selectContactBrowser, key.Key, key.Site, limit); err != nil {
		return nil, err
	}
	first, err := t.Session(key.Key) // the oldest of the browser
	if errors.Is(err, chat.ErrSessionNotFound) || err == nil && (first.Site != key.Site || first.TokenHash == "") {
		return found, nil
	}
	return append(found, first), err
}

// contactRow is a row of the table contacts.
type contactRow struct {
	Site, Kind, Key, Name string
	Fields, Notes         chat.Raw
}

func (r *contactRow) contact() (c chat.Contact, err error) {
	c = chat.Contact{ContactKey: chat.ContactKey{Site: r.Site, Kind: chat.ContactKind(r.Kind), Key: r.Key}, Name: r.Name}
	if len(r.Fields) > 0 {
		err = json.Unmarshal(r.Fields, &c.Fields)
	}
	if err == nil && len(r.Notes) > 0 {
		err = json.Unmarshal(r.Notes, &c.Notes)
	}
	return c, wrap(err, "read the contact %s %s", r.Kind, r.Key)
}

const (
	selectContacts = `SELECT site, kind, key, name, fields, notes FROM contacts WHERE `
	ofContact      = `site = ? AND kind = ? AND key = ?`
	ofContacts     = `site = ? AND kind = ? AND key IN (`
	behindContact  = `site = ? AND (kind, key) > (?, ?) ORDER BY kind, key LIMIT ?`
)

// contactsAtOnce is how many contacts one statement names.
const contactsAtOnce = 100

// Contacts implements [chat.Reader]. One site and kind at a time, because SQLite looks up lists
// of single columns by the index, and reads all rows for lists of rows.
func (t *tx) Contacts(keys []chat.ContactKey) (map[chat.ContactKey]chat.Contact, error) {
	alike := map[chat.ContactKey][]any{}
	for _, k := range keys {
		of := chat.ContactKey{Site: k.Site, Kind: k.Kind}
		alike[of] = append(alike[of], k.Key)
	}
	found := map[chat.ContactKey]chat.Contact{}
	for of, all := range alike {
		for some := range slices.Chunk(all, contactsAtOnce) {
			rows, err := t.contacts(ofContacts+marks(len(some))+`)`, append([]any{of.Site, string(of.Kind)}, some...)...)
			if err != nil {
				return nil, err
			}
			for _, c := range rows {
				found[c.ContactKey] = c
			}
		}
	}
	return found, nil
}

func (t *tx) contacts(where string, args ...any) ([]chat.Contact, error) {
	rows, err := list[contactRow](t, selectContacts+where, args...)
	all := make([]chat.Contact, len(rows))
	for i := range rows {
		if err == nil {
			all[i], err = rows[i].contact()
		}
	}
	return all, err
}

// ContactsOfSite implements [chat.Reader].
func (t *tx) ContactsOfSite(site string, after chat.ContactKey, limit int) ([]chat.Contact, error) {
	return t.contacts(behindContact, site, string(after.Kind), after.Key, limit)
}

const (
	addContact    = `INSERT INTO contacts (site, kind, key) VALUES (?, ?, ?) ON CONFLICT DO NOTHING`
	updateContact = `UPDATE contacts SET name = ?, fields = ?, notes = ? WHERE ` + ofContact
	deleteContact = `DELETE FROM contacts WHERE ` + ofContact
)

// LockContact implements [chat.Tx]. A row to lock is there until PutContact.
func (t *tx) LockContact(key chat.ContactKey) (c chat.Contact, err error) {
	if _, err := t.q.exec(addContact, key.Site, string(key.Kind), key.Key); err != nil {
		return c, wrap(err, "add a contact")
	}
	row, err := one[contactRow](t, chat.ErrSessionNotFound, t.q.lock(selectContacts+ofContact), key.Site, string(key.Kind), key.Key)
	if err != nil {
		return c, err
	}
	return row.contact()
}

// PutContact implements [chat.Tx].
func (t *tx) PutContact(c *chat.Contact) error {
	place := []any{c.Site, string(c.Kind), c.Key}
	if c.Empty() {
		_, err := t.q.exec(deleteContact, place...)
		return wrap(err, "delete a contact")
	}
	fields, notes := chat.Raw{}, chat.Raw{}
	if len(c.Fields) > 0 {
		fields = chat.MustJSON(c.Fields)
	}
	if len(c.Notes) > 0 {
		notes = chat.MustJSON(c.Notes)
	}
	return wrap(t.touch(chat.ErrSessionNotFound, updateContact, append([]any{c.Name, fields, notes}, place...)...), "put a contact")
}

// These remove what is written down about contacts that have no session with a message.
const (
	dropPersons = `DELETE FROM contacts WHERE kind = 'person' AND NOT EXISTS (SELECT 1 FROM sessions s
		WHERE s.person = contacts.key AND s.person <> '' AND s.site = contacts.site AND s.started_at > 0)`
	dropVisitors = `DELETE FROM contacts WHERE kind = 'visitor' AND NOT EXISTS (SELECT 1 FROM sessions s
		WHERE s.visitor_id = contacts.key AND s.site = contacts.site AND s.token_hash = '' AND s.started_at > 0)`
	dropBrowsers = `DELETE FROM contacts WHERE kind = 'browser'
		AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.browser = contacts.key AND s.browser <> '' AND s.site = contacts.site AND s.started_at > 0)
		AND NOT EXISTS (SELECT 1 FROM sessions s WHERE s.id = contacts.key AND s.site = contacts.site AND s.started_at > 0)`
	dropOne        = ` AND site = ? AND key = ?`
	contactsOfSite = `DELETE FROM contacts WHERE site = ?`
)

// DropContacts implements [chat.Tx].
func (t *tx) DropContacts() error {
	for _, query := range []string{dropPersons, dropBrowsers, dropVisitors} {
		if _, err := t.q.exec(query); err != nil {
			return fmt.Errorf("drop contacts: %w", err)
		}
	}
	return nil
}

// forgetContacts removes what is written down about those whose last session was erased.
func (t *tx) forgetContacts(s *chat.Session) error {
	device := s.DeviceKey()
	query := dropBrowsers
	if device.Kind == chat.ContactVisitor {
		query = dropVisitors
	}
	_, err := t.q.exec(query+dropOne, device.Site, device.Key)
	if err == nil && s.Person != "" {
		_, err = t.q.exec(dropPersons+dropOne, s.Site, s.Person)
	}
	return err
}

const selectWhose = `SELECT site, visitor_id, token_hash, browser, person FROM sessions WHERE id = ?`

// whose reads of a session whose it is.
func (t *tx) whose(id string) (chat.Session, error) {
	s := chat.Session{ID: id}
	return s, t.row(chat.ErrSessionNotFound, []any{&s.Site, &s.VisitorID, &s.TokenHash, &s.Browser, &s.Person}, selectWhose, id)
}
