package chat

import (
	"cmp"
	"context"
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"unicode/utf8"
)

// The limits of what the team writes down about a contact, in characters.
const (
	maxContactName  = 100
	maxContactField = 40
	maxContactValue = 1_000
	maxContactNote  = 10_000
	// MaxContactFields and MaxContactNotes are how many fields and notes a contact has.
	MaxContactFields = 30
	MaxContactNotes  = 200
)

// ErrNoteNotFound: the contact has no such note.
var ErrNoteNotFound = &Error{Kind: NotFound, Text: "Note not found"}

// ContactKind says what makes sessions those of one contact.
type ContactKind string

// The kinds of contacts, in the order of what they prove.
const (
	ContactPerson  ContactKind = "person"  // a verified identity
	ContactBrowser ContactKind = "browser" // a browser, by the tokens that its sessions began with
	ContactVisitor ContactKind = "visitor" // a visitor's id, of sessions without tokens
)

// ContactKey names a contact of a site.
type ContactKey struct {
	Site string      `db:"site"`
	Kind ContactKind `db:"kind"`
	Key  string      `db:"key"`
}

// Contact is what the team wrote down about a contact.
type Contact struct {
	ContactKey
	Name   string
	Fields map[string]string
	Notes  []ContactNote // oldest first
}

// ContactNote is a note about a contact, which only the team sees.
type ContactNote struct {
	ID       string `json:"id"`
	Content  string `json:"content"`
	At       Time   `json:"createdAt"`
	Name     string `json:"authorName,omitempty"`
	PersonID string `json:"authorId,omitempty"`
}

// Empty reports whether nothing is written down.
func (c *Contact) Empty() bool { return c.Name == "" && len(c.Fields) == 0 && len(c.Notes) == 0 }

// WrittenContact is what is written down about a contact as exports have it.
type WrittenContact struct {
	Kind   ContactKind       `json:"kind"`
	Key    string            `json:"key"`
	Name   string            `json:"name"`
	Fields map[string]string `json:"fields"`
	Notes  []ContactNote     `json:"notes"`
}

// Written returns the contact for an export.
func (c *Contact) Written() WrittenContact {
	w := WrittenContact{c.Kind, c.Key, c.Name, map[string]string{}, append([]ContactNote{}, c.Notes...)}
	maps.Copy(w.Fields, c.Fields)
	return w
}

// contactPage is how many contacts are in memory at a time.
const contactPage = 100

// EachContact calls use with all that is written down about a site's contacts.
func EachContact(ctx context.Context, store Store, site string, use func(*Contact) error) error {
	for after := (ContactKey{}); ; {
		var list []Contact
		err := store.ReadOne(ctx, func(rd Reader) (err error) {
			list, err = rd.ContactsOfSite(site, after, contactPage)
			return err
		})
		for i := range list {
			if err == nil {
				err = use(&list[i])
			}
			after = list[i].ContactKey
		}
		if err != nil || len(list) < contactPage {
			return err
		}
	}
}

// PersonKey names the contact of the session's verified identity; its key is "" without one.
func (s *Session) PersonKey() ContactKey { return ContactKey{s.Site, ContactPerson, s.Person} }

// DeviceKey names the contact that the session's browser is, whoever sits there; without
// a token, the visitor's id.
func (s *Session) DeviceKey() ContactKey {
	if browser := s.BrowserKey(); browser != "" {
		return ContactKey{s.Site, ContactBrowser, browser}
	}
	return ContactKey{s.Site, ContactVisitor, s.VisitorID}
}

// ContactKey names whose session it is by what it proves itself.
func (s *Session) ContactKey() ContactKey {
	if s.Person != "" {
		return s.PersonKey()
	}
	return s.DeviceKey()
}

// Says reports whether the session's visitor said a text, like an e-mail address, in the
// identity or a form. It proves nothing.
func (s *Session) Says(text string) bool { return says(s.Identity, text) || says(s.PreChat, text) }

// says reports whether a JSON object has a text as one of its values.
func says(object Raw, text string) bool {
	var values map[string]any
	if len(object) == 0 || json.Unmarshal(object, &values) != nil {
		return false
	}
	for _, v := range values {
		if s, ok := v.(string); ok && strings.EqualFold(strings.TrimSpace(s), text) {
			return true
		}
	}
	return false
}

// ContactChange changes a contact's name and fields: nil leaves the name, "" takes it or a
// field away, and fields that are not named stay.
type ContactChange struct {
	Name   *string
	Fields map[string]string
}

// Apply makes the change, and returns the names of what is different now, in order.
func (h *ContactChange) Apply(c *Contact) (changed []string, err error) {
	if h.Name != nil {
		name := OneLine(*h.Name)
		if utf8.RuneCountInString(name) > maxContactName {
			return nil, Errorf(Invalid, "name must be at most %d characters", maxContactName)
		}
		if name != c.Name {
			c.Name, changed = name, append(changed, "name")
		}
	}
	fields := map[string]string{}
	maps.Copy(fields, c.Fields)
	for given, value := range h.Fields {
		name, value := OneLine(given), strings.TrimSpace(value)
		switch n := utf8.RuneCountInString(name); {
		case n == 0 || n > maxContactField:
			return nil, ErrorAt(Invalid, "fields", "the name of a field must be 1 to 40 characters")
		case utf8.RuneCountInString(value) > maxContactValue:
			return nil, ErrorAt(Invalid, "fields", "a field must be at most 1000 characters")
		case fields[name] == value:
			continue
		case value == "":
			delete(fields, name)
		default:
			fields[name] = value
		}
		changed = append(changed, name)
	}
	if len(fields) > max(MaxContactFields, len(c.Fields)) { // a joined contact may have more
		return nil, ErrorAt(Invalid, "fields", "fields must be at most 30; remove one first")
	}
	c.Fields = fields
	slices.Sort(changed)
	return changed, nil
}

// NewContactNote makes a note of an author's text.
func NewContactNote(by Author, text string) (ContactNote, error) {
	text = strings.TrimSpace(text)
	switch n := utf8.RuneCountInString(text); {
	case n == 0:
		return ContactNote{}, ErrorAt(Invalid, "content", "content is required")
	case n > maxContactNote:
		return ContactNote{}, Errorf(Invalid, "content must be at most %d characters", maxContactNote)
	}
	return ContactNote{ID: NewID(), Content: text, At: Now(), Name: by.Name, PersonID: by.Person}, nil
}

// Join adds what is written down about the same contact under another key: what it has
// already wins.
func (c *Contact) Join(other *Contact) {
	c.Name = cmp.Or(c.Name, other.Name)
	if c.Fields == nil {
		c.Fields = map[string]string{}
	}
	for name, value := range other.Fields {
		if _, has := c.Fields[name]; !has {
			c.Fields[name] = value
		}
	}
	c.Notes = append(c.Notes, other.Notes...)
	slices.SortStableFunc(c.Notes, func(a, b ContactNote) int { return cmp.Compare(a.At, b.At) })
}

// ContactReader is the part of a [Reader] about contacts.
type ContactReader interface {
	// SessionsOfContact lists the sessions of a contact, those without a message and blocked
	// ones, too, the newest first.
	SessionsOfContact(key ContactKey, limit int) ([]Session, error)
	// Contacts finds what is written down about contacts.
	Contacts(keys []ContactKey) (map[ContactKey]Contact, error)
	// ContactsOfSite lists all that is written down about a site's contacts, in the order of
	// their keys, behind one of them.
	ContactsOfSite(site string, after ContactKey, limit int) ([]Contact, error)
}

// ContactTx is the part of a [Tx] about contacts.
type ContactTx interface {
	// LockContact reads what is written down about a contact, and locks it.
	LockContact(key ContactKey) (Contact, error)
	// PutContact replaces what is written down; nothing of it stays if it is empty.
	PutContact(c *Contact) error
	// DropContacts removes what is written down about contacts that have no session any more.
	DropContacts() error
}
