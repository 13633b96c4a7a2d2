package moving

import (
	"errors"

	"github.com/relay-chat/relay/server/chat"
)

// contacts stores what was written down about the site's visitors, unless something is by now.
// Nobody of this team wrote the notes. A contact is as checked as one that is changed here.
func (m *importer) contacts(site string) error {
	for i := range m.archive.manifest.Contacts {
		moved := &m.archive.manifest.Contacts[i]
		c, err := checkContact(moved)
		var refused *chat.Error
		if errors.As(err, &refused) {
			m.note("What was written down about a contact was not taken over: %s", refused.Text)
			continue
		}
		c.ContactKey = chat.ContactKey{Site: site, Kind: moved.Kind, Key: moved.Key}
		err = m.engine.Store.Apply(m.ctx, func(tx chat.Tx) (err error) {
			if moved.Kind == chat.ContactBrowser { // it is called like its first session
				if c.Key, err = m.renamed(tx, moved.Key, site); err != nil {
					return err
				}
			}
			there, err := tx.LockContact(c.ContactKey)
			if err != nil {
				return err
			}
			if !there.Empty() {
				c = there
			}
			return tx.PutContact(&c)
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// checkContact makes what is stored of a contact in a zip.
func checkContact(moved *chat.WrittenContact) (c chat.Contact, err error) {
	switch {
	case moved.Kind != chat.ContactPerson && moved.Kind != chat.ContactBrowser && moved.Kind != chat.ContactVisitor:
		return c, chat.Errorf(chat.Invalid, "its kind is unknown")
	case moved.Key == "" || len(moved.Key) > maxText || len(moved.Notes) > chat.MaxContactNotes:
		return c, chat.Errorf(chat.Invalid, "it has no key, or too many notes")
	}
	if _, err := (&chat.ContactChange{Name: &moved.Name, Fields: moved.Fields}).Apply(&c); err != nil {
		return c, err
	}
	for _, n := range moved.Notes {
		checked, err := chat.NewContactNote(chat.Author{Name: chat.Clip(chat.OneLine(n.Name), maxID)}, n.Content)
		if err != nil {
			return c, err
		}
		checked.At = n.At
		c.Notes = append(c.Notes, checked)
	}
	return c, nil
}
