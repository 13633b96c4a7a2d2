package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/relay-chat/relay/server/chat"
)

// Limits of the e-mails to the team.
const (
	maxUnansweredShown = 10 // of the visitor's messages
	maxLookedThrough   = 100
)

// TeamLetter is an e-mail to somebody of the team, about a visitor who waits.
type TeamLetter struct {
	Session  chat.Session
	To       string
	Minutes  string         // since when, in words
	Messages []chat.Message // that nobody has answered, oldest first
}

// TeamLetter returns the letter that an event asks for; nil if the visitor waits no more.
func (m *mails) TeamLetter(ctx context.Context, e *chat.Event, asks chat.TeamMail) (*TeamLetter, error) {
	letter := &TeamLetter{To: asks.To}
	err := m.relay.store.Read(ctx, func(rd chat.Reader) (err error) {
		if letter.Session, err = rd.Session(e.SessionID); err != nil {
			return err
		}
		list, err := rd.Messages(chat.MessageQuery{SessionID: e.SessionID, Public: true, Limit: maxLookedThrough})
		list = slices.DeleteFunc(list, func(m chat.Message) bool {
			return m.Sender != chat.SenderVisitor || m.DeletedAt != 0 || m.Timestamp < asks.Since
		})
		letter.Messages = list[max(0, len(list)-maxUnansweredShown):]
		return err
	})
	if errors.Is(err, chat.ErrSessionNotFound) || err == nil && letter.Session.WaitingSince != asks.Since {
		return nil, nil
	}
	letter.Minutes = chat.UnansweredSince(asks.Since, chat.Now()).Content
	return letter, err
}

// TeamLetterEnded stores what became of an e-mail to the team.
func (m *mails) TeamLetterEnded(ctx context.Context, sessionID, to, outcome, reason string) error {
	err := m.inSession(ctx, sessionID, func(c *change) error {
		return c.emitFact(chat.EventMailed, chat.MailedTo(to, outcome, reason, c.at))
	})
	if errors.Is(err, chat.ErrSessionNotFound) {
		return nil
	}
	return err
}
