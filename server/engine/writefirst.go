package engine

import (
	"context"
	"errors"
	"strings"

	"github.com/relay-chat/relay/server/chat"
)

// Opening is a conversation that the team begins, by e-mail.
type Opening struct {
	Site, Email, Name string
	Content           string
	// ClientID is the same when the opening is tried again, "" if it is not.
	ClientID string
	Keys     MailKeys
}

// WriteFirst opens a conversation with the owner of an e-mail address, and returns it with its
// first message. The address gets it like any answer: further ones only with its owner's consent,
// and none if the owner wants none.
func (m *mails) WriteFirst(ctx context.Context, by chat.Author, o *Opening) (s chat.Session, first chat.Message, err error) {
	if err := o.check(m.relay.SettingsOf(o.Site), by); err != nil {
		return s, first, err
	}
	s = mailSession(o.Site, o.Email, o.Name, o.Keys)
	if o.ClientID != "" {
		s.ID = chat.IDOf(o.Keys("opening", o.Site+"\n"+ownerOf(by)+"\n"+o.ClientID))
	}
	err = m.relay.store.Apply(ctx, func(tx chat.Tx) error {
		before, err := tx.Lock(s.ID)
		if err == nil { // it was tried before
			if before.Email() != s.Email() {
				return chat.ErrorAt(chat.Conflict, "clientId", "clientId is that of a conversation with another address")
			}
			s = before
			return nil
		}
		if !errors.Is(err, chat.ErrSessionNotFound) {
			return err
		}
		if err := mayWrite(tx, &s, o.Keys); err != nil {
			return err
		}
		return tx.CreateSession(&s)
	})
	if err != nil {
		return s, first, err
	}
	first, err = m.relay.Send(ctx, by, Post{SessionID: s.ID, Content: o.Content, ClientID: o.ClientID})
	return s, first, err
}

// check rejects what cannot be sent.
func (o *Opening) check(settings *chat.Settings, by chat.Author) error {
	if o.Email = chat.CleanAddress(o.Email); o.Email == "" {
		return chat.ErrorAt(chat.Invalid, "email", "email must be an e-mail address, like ada@example.com")
	}
	if !settings.Mail().On() {
		return chat.Errorf(chat.Conflict, "E-mail is not set up: set smtpUrl and mailFrom first")
	}
	return (&Post{Content: o.Content, ClientID: o.ClientID}).check(by)
}

// mayWrite refuses addresses whose owner is blocked, or wants no e-mails, and those that do not
// exist.
func mayWrite(tx chat.Tx, s *chat.Session, keys MailKeys) error {
	if err := browserBarred(tx, s); err != nil {
		return err
	}
	address, err := tx.MailAddress(s.Site, keys(s.Email(), ""))
	switch {
	case err != nil:
		return err
	case address.State == chat.MailStopped:
		return chat.ErrorAt(chat.Conflict, "email", "The owner of this address wants no e-mails from this website")
	case address.State == chat.MailRefused:
		return chat.ErrorAt(chat.Conflict, "email", "The mail server does not know this address")
	}
	return nil
}

// ownerOf names who chose an id for what it does.
func ownerOf(by chat.Author) string {
	key := ""
	if by.Key != nil {
		key = by.Key.ID
	}
	if by.Hook != nil {
		key = by.Hook.ID
	}
	return strings.Join([]string{by.Source, by.Person, key}, "\n")
}
