package engine

import (
	"context"
	"errors"
	"slices"
	"strings"

	"github.com/relay-chat/relay/server/chat"
)

// Limits of the e-mails to the team.
const (
	maxUnansweredShown = 10 // of the visitor's messages
	maxWokenShown      = 3  // after a snooze, however old they are
	maxLookedThrough   = 100
)

// TeamLetter is an e-mail to somebody of the team, about a visitor who waits.
type TeamLetter struct {
	Session  chat.Session
	To       string
	Now      bool           // it tells of new messages, not of a wait
	Woke     bool           // it tells of the end of a snooze
	Minutes  string         // since when, in words
	Messages []chat.Message // that nobody has answered, or the visitor's last ones after a snooze, oldest first
}

// TeamLetter returns the letter that an event asks for; nil if the visitor waits no more.
func (m *mails) TeamLetter(ctx context.Context, e *chat.Event, asks chat.TeamMail) (*TeamLetter, error) {
	letter := &TeamLetter{To: asks.To, Now: asks.From != 0, Woke: asks.Woke}
	err := m.relay.store.Read(ctx, func(rd chat.Reader) (err error) {
		if letter.Session, err = rd.Session(e.SessionID); err != nil {
			return err
		}
		if asks.Person != "" {
			p, err := m.stillWanted(rd, &letter.Session, asks)
			if err != nil || p == nil {
				letter = nil
				return err
			}
			letter.To = chat.CleanAddress(p.Email)
		}
		list, err := rd.Messages(chat.MessageQuery{SessionID: e.SessionID, Public: true, Limit: maxLookedThrough})
		list = slices.DeleteFunc(list, func(m chat.Message) bool {
			return m.Sender != chat.SenderVisitor || m.DeletedAt != 0 || !letter.Woke && m.Timestamp < max(asks.Since, asks.From) ||
				letter.Now && m.Timestamp > e.At // of that the next one tells
		})
		shown := maxUnansweredShown
		if letter.Woke {
			shown = maxWokenShown
		}
		letter.Messages = list[max(0, len(list)-shown):]
		return err
	})
	if errors.Is(err, chat.ErrSessionNotFound) {
		return nil, nil
	}
	if err != nil || letter == nil || !letter.Session.Waits() || letter.Session.WaitingSince != asks.Since {
		return nil, err
	}
	letter.Minutes = chat.UnansweredSince(asks.Since, chat.Now()).Content
	return letter, nil
}

// TeamLetterEnded stores what became of an e-mail to the team. Of one that a person asked for
// colleagues are told only if it failed, and not where it went.
func (m *mails) TeamLetterEnded(ctx context.Context, sessionID string, asks chat.TeamMail, outcome, reason string) error {
	if asks.Person != "" && outcome == chat.MailedSent {
		return nil
	}
	return m.inSession(ctx, sessionID, func(c *change) error {
		to := asks.To
		if asks.Person != "" {
			p, err := c.Person(asks.Person)
			if errors.Is(err, chat.ErrPersonNotFound) {
				return nil
			}
			if err != nil {
				return err
			}
			to, reason = p.Name, strings.ReplaceAll(reason, p.Email, p.Name)
		}
		return c.emitFact(chat.EventMailed, chat.MailedTo(to, outcome, reason, c.at))
	})
}

// MailInvitation sends a link of the team by e-mail, and returns where: to its own address, or
// that of the person whose password it sets.
func (m *mails) MailInvitation(ctx context.Context, by chat.Author, id string) (to string, err error) {
	if !m.relay.Settings().Mail().On() {
		return "", chat.Errorf(chat.Conflict, "E-mail is not set up: set smtpUrl and mailFrom first")
	}
	err = m.relay.transact(ctx, by, lockSystemSession, func(c *change) (err error) {
		if _, to, err = addressee(c, id); err != nil {
			return err
		}
		return errors.Join(c.SetInvitationMailed(id, chat.MailedWaiting, ""), c.emitFact(chat.EventInvitationMail, chat.InvitationMail{ID: id}))
	})
	return to, err
}

// addressee finds an invitation that still works, and where it can be sent.
func addressee(rd chat.Reader, id string) (i chat.Invitation, to string, err error) {
	if i, err = rd.InvitationByID(id); err != nil {
		return i, "", err
	}
	if to = i.Email; i.Person != "" {
		p, err := rd.Person(i.Person)
		if err != nil {
			return i, "", err
		}
		to = p.Email
	}
	if i.ExpiresAt <= chat.Now() {
		return i, "", chat.ErrInvitationNotFound
	}
	if to = chat.CleanAddress(to); to == "" {
		return i, "", chat.Errorf(chat.Conflict, "The link has no e-mail address: copy it, or make one with an address")
	}
	return i, to, nil
}

// Invited is a link of the team that is about to be sent.
type Invited struct {
	chat.Invitation
	To     string
	Secret string
}

// RenewInvitation gives a link a secret for an e-mail, in place of the one before: it is stored
// nowhere, and so was that. nil if the link does not work any more.
func (m *mails) RenewInvitation(ctx context.Context, id string) (*Invited, error) {
	invited := &Invited{Secret: chat.NewToken()}
	err := m.relay.store.Apply(ctx, func(tx chat.Tx) (err error) {
		if invited.Invitation, invited.To, err = addressee(tx, id); err != nil {
			return err
		}
		return tx.RenewInvitation(id, chat.Hash(invited.Secret))
	})
	var gone *chat.Error
	if errors.As(err, &gone) && (gone.Kind == chat.NotFound || gone.Kind == chat.Conflict) {
		return nil, nil
	}
	return invited, err
}

// InvitationMailed stores what became of the e-mail with a link.
func (m *mails) InvitationMailed(ctx context.Context, id, outcome, reason string) error {
	err := m.relay.store.Apply(ctx, func(tx chat.Tx) error { return tx.SetInvitationMailed(id, outcome, reason) })
	if errors.Is(err, chat.ErrInvitationNotFound) { // withdrawn meanwhile
		return nil
	}
	return err
}
