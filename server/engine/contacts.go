package engine

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"github.com/relay-chat/relay/server/chat"
)

const (
	// maxOfContact bounds the sessions of a contact that are looked at.
	maxOfContact = 1_000
	// maxContactBrowsers bounds the browsers of a verified person that are looked through.
	maxContactBrowsers = 50
	// maxClaims is how many sessions of others who claim to be the contact are listed.
	maxClaims = 20
)

// contacts are who the visitors are, beyond one conversation.
type contacts struct {
	store chat.Store
}

// ContactView is a contact with its sessions.
type ContactView struct {
	// Contact has what is written down under all keys of the contact; its own key is where
	// changes go.
	chat.Contact
	// Sessions are those with a message, newest first; More that there are others.
	Sessions []chat.Session
	More     bool
	// Claims are sessions of others who merely claim an identity that the contact has.
	Claims []chat.Session
	keys   []chat.ContactKey
}

// Verified reports whether the contact is a verified identity.
func (v *ContactView) Verified() bool { return v.Kind == chat.ContactPerson }

// Contact finds the contact of a session: whoever has the same verified identity, and what was
// said without one in the same browsers. A browser in which several people were verified proves
// nothing about the rest of its sessions, so these are a contact of their own.
func (c *contacts) Contact(rd chat.Reader, sessionID string) (v *ContactView, err error) {
	s, err := rd.Session(sessionID)
	if err != nil {
		return nil, err
	}
	v = &ContactView{}
	if v.ContactKey, err = contactOf(rd, &s); err != nil {
		return nil, err
	}
	if err := v.find(rd); err != nil {
		return nil, err
	}
	written, err := rd.Contacts(v.keys)
	if err != nil {
		return nil, err
	}
	own := written[v.keys[0]]
	own.ContactKey = v.keys[0]
	for _, key := range v.keys[1:] {
		also := written[key]
		own.Join(&also)
	}
	v.Contact = own
	if err := v.findMerged(rd); err != nil {
		return nil, err
	}
	return v, v.findClaims(rd)
}

// contactOf is the key of the contact that a session belongs to.
func contactOf(rd chat.Reader, s *chat.Session) (chat.ContactKey, error) {
	if s.Person != "" {
		return s.PersonKey(), nil
	}
	device := s.DeviceKey()
	list, err := rd.SessionsOfContact(device, maxOfContact)
	if people := peopleIn(list); len(people) == 1 {
		return chat.ContactKey{Site: s.Site, Kind: chat.ContactPerson, Key: people[0]}, err
	}
	return device, err
}

// peopleIn lists the verified identities of sessions.
func peopleIn(list []chat.Session) (people []string) {
	for i := range list {
		if id := list[i].Person; id != "" && !slices.Contains(people, id) {
			people = append(people, id)
		}
	}
	return people
}

// find collects the sessions of the contact, and its keys.
func (v *ContactView) find(rd chat.Reader) error {
	list, err := rd.SessionsOfContact(v.ContactKey, maxOfContact)
	if err != nil {
		return err
	}
	v.More, v.keys = len(list) == maxOfContact, []chat.ContactKey{v.ContactKey}
	if v.Kind != chat.ContactPerson {
		v.keep(list, func(s *chat.Session) bool { return s.Person == "" })
		return nil
	}
	v.keep(list, func(*chat.Session) bool { return true })
	for i := range list {
		device := list[i].DeviceKey()
		if slices.Contains(v.keys, device) {
			continue
		}
		if len(v.keys) > maxContactBrowsers {
			v.More = true
			break
		}
		there, err := rd.SessionsOfContact(device, maxOfContact)
		if err != nil {
			return err
		}
		if len(peopleIn(there)) == 1 {
			v.keys = append(v.keys, device)
			v.keep(there, func(s *chat.Session) bool { return s.Person == "" })
		}
	}
	slices.SortFunc(v.Sessions, newestFirst)
	return nil
}

func newestFirst(a, b chat.Session) int { return cmp.Compare(b.CreatedAt, a.CreatedAt) }

// findMerged adds the sessions that the team merged with those of the contact. They are shown
// with it, no more: what is written down about the contact does not hang on them.
func (v *ContactView) findMerged(rd chat.Reader) error {
	own := slices.Clone(v.Sessions)
	for i := range own {
		if own[i].Merged == "" {
			continue
		}
		list, err := rd.MergedSessions(v.Site, own[i].Merged)
		if err != nil {
			return err
		}
		v.keep(list, func(s *chat.Session) bool {
			return !slices.ContainsFunc(v.Sessions, func(other chat.Session) bool { return other.ID == s.ID })
		})
	}
	slices.SortStableFunc(v.Sessions, newestFirst)
	return nil
}

// keep adds the sessions with a message of which a condition is true.
func (v *ContactView) keep(list []chat.Session, is func(*chat.Session) bool) {
	for i := range list {
		if s := &list[i]; s.Started() && is(s) {
			v.Sessions = append(v.Sessions, *s)
		}
	}
}

// findClaims finds the sessions of the site in which others say an e-mail address or the id
// of the contact.
func (v *ContactView) findClaims(rd chat.Reader) error {
	var said []string
	if v.Verified() {
		said = append(said, v.Key)
	}
	for i := range v.Sessions {
		if email := v.Sessions[i].Email(); email != "" && len(said) < 4 && !slices.Contains(said, email) {
			said = append(said, email)
		}
	}
	for _, text := range said {
		list, err := rd.Sessions(chat.SessionQuery{Search: text, Sites: chat.SiteSet{v.Site}, Limit: maxClaims})
		if err != nil {
			return err
		}
		for i := range list {
			s := &list[i]
			same := func(other chat.Session) bool { return other.ID == s.ID }
			if len(v.Claims) < maxClaims && s.Says(strings.TrimSpace(text)) && !slices.ContainsFunc(v.Sessions, same) && !slices.ContainsFunc(v.Claims, same) {
				v.Claims = append(v.Claims, *s)
			}
		}
	}
	return nil
}

// ChangeContact changes what is written down about the contact of a session, and returns the
// names of what is different now.
func (c *contacts) ChangeContact(ctx context.Context, sessionID string, h chat.ContactChange) (changed []string, err error) {
	err = c.write(ctx, sessionID, func(v *ContactView, own *chat.Contact) error {
		joined := v.Contact
		if changed, err = h.Apply(&joined); err == nil {
			own.Name, own.Fields = joined.Name, joined.Fields
		}
		return err
	}, func(other *chat.Contact) { other.Name, other.Fields = "", nil })
	return changed, err
}

// NoteContact adds a note about the contact of a session.
func (c *contacts) NoteContact(ctx context.Context, by chat.Author, sessionID, text string) error {
	note, err := chat.NewContactNote(by, text)
	if err != nil {
		return err
	}
	return c.write(ctx, sessionID, func(v *ContactView, own *chat.Contact) error {
		if len(v.Notes) >= chat.MaxContactNotes {
			return chat.Errorf(chat.Conflict, "There are %d notes about this contact; delete one first", chat.MaxContactNotes)
		}
		own.Notes = append(own.Notes, note)
		return nil
	}, nil)
}

// DropContactNote deletes a note: one's own, or anybody's for administrators.
func (c *contacts) DropContactNote(ctx context.Context, by chat.Author, sessionID, id string) error {
	is := func(n chat.ContactNote) bool { return n.ID == id }
	drop := func(one *chat.Contact) { one.Notes = slices.DeleteFunc(one.Notes, is) }
	return c.write(ctx, sessionID, func(v *ContactView, own *chat.Contact) error {
		at := slices.IndexFunc(v.Notes, is)
		switch {
		case at < 0:
			return chat.ErrNoteNotFound
		case by.Role == chat.RoleOperator && (by.Person == "" || v.Notes[at].PersonID != by.Person):
			return chat.Errorf(chat.Forbidden, "Only administrators may delete a colleague’s note")
		}
		drop(own)
		return nil
	}, drop)
}

// write changes what is written down about the contact of a session: under its own key, and,
// with also, under each other one.
func (c *contacts) write(ctx context.Context, sessionID string, change func(v *ContactView, own *chat.Contact) error, also func(other *chat.Contact)) error {
	return c.store.Apply(ctx, func(tx chat.Tx) error {
		v, err := c.Contact(tx, sessionID)
		if err != nil {
			return err
		}
		if len(v.Sessions) == 0 {
			return chat.Errorf(chat.Conflict, "Nothing was said in this conversation yet")
		}
		rows, err := lockContacts(tx, v.keys, also != nil)
		if err == nil {
			v, err = c.Contact(tx, sessionID) // as it is now that nobody else writes
		}
		if err == nil {
			err = change(v, &rows[0])
		}
		for i := range rows {
			if i > 0 {
				also(&rows[i])
			}
			if err == nil {
				err = tx.PutContact(&rows[i])
			}
		}
		return err
	})
}

// lockContacts locks what is written down under the first of a contact's keys, or under all:
// whoever locks several does so in the same order.
func lockContacts(tx chat.Tx, keys []chat.ContactKey, all bool) (rows []chat.Contact, err error) {
	slices.SortFunc(keys[1:], func(a, b chat.ContactKey) int { return cmp.Or(cmp.Compare(a.Kind, b.Kind), cmp.Compare(a.Key, b.Key)) })
	for _, key := range keys {
		if len(rows) > 0 && !all {
			break
		}
		row, err := tx.LockContact(key)
		if err != nil {
			return nil, err
		}
		rows = append(rows, row)
	}
	return rows, nil
}
