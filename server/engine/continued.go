package engine

import (
	"cmp"
	"context"
	"errors"

	"github.com/relay-chat/relay/server/chat"
)

// BeginAnother opens a further conversation with a session's visitor, and returns it with its first
// message. The visitor's browsers go on there; what was said before stays a conversation of its own.
func (r *Relay) BeginAnother(ctx context.Context, by chat.Author, sessionID string, p Post) (s chat.Session, first chat.Message, err error) {
	if err := p.check(by); err != nil {
		return s, first, err
	}
	var again bool
	err = r.change(ctx, by, sessionID, func(c *change) (err error) {
		s, again = chat.Session{}, false
		if c.session.ContinuedIn != "" && p.ClientID != "" {
			if s, first, err = c.begunBy(p.ClientID); err != nil || s.ID != "" {
				again = true
				return err
			}
		}
		if err := c.mayBeginAnother(); err != nil {
			return err
		}
		s = another(c.session, c.at)
		c.session.Resumable, c.session.ContinuedIn = false, s.ID
		if err := c.SaveSession(c.session); err != nil { // a visitor has one resumable session at most
			return err
		}
		return c.CreateSession(&s)
	})
	if err != nil || again {
		return s, first, err
	}
	p.SessionID, by.Name = s.ID, cmp.Or(by.Name, r.SettingsOf(s.Site).Text("operatorName"))
	if first, err = r.Send(ctx, by, p); err != nil {
		return s, first, err
	}
	r.hub.Drop(sessionID) // the visitor's pages begin anew, and find it
	err = r.store.ReadOne(ctx, func(rd chat.Reader) (err error) {
		s, err = rd.Session(s.ID)
		return err
	})
	return s, first, err
}

// begunBy is the conversation that an earlier attempt with the client id began, with its message.
func (c *change) begunBy(clientID string) (s chat.Session, first chat.Message, err error) {
	first, err = c.MessageByClientID(c.session.ContinuedIn, chat.SenderOperator, clientID)
	if errors.Is(err, chat.ErrMessageNotFound) {
		return s, first, nil
	}
	if err == nil {
		s, err = c.Session(c.session.ContinuedIn)
	}
	return s, first, err
}

func (c *change) mayBeginAnother() error {
	s := c.session
	if err := c.stillHere(); err != nil {
		return err
	}
	switch {
	case !s.Started():
		return chat.Errorf(chat.Conflict, "Nothing was said in this conversation yet: write here")
	case s.Blocked:
		return chat.ErrBlocked
	case s.TokenHash == "" && !s.Resumable:
		return chat.Errorf(chat.Conflict, "The visitor goes on in a later conversation: begin the next one there")
	case s.Merged != "": // nobody but this browser would go on there
		return chat.Errorf(chat.Conflict, "This conversation is merged with another one: write here, or separate them first")
	}
	return nil
}

// another is a new session of the same visitor.
func another(s *chat.Session, at chat.Time) chat.Session {
	next := chat.Session{ID: chat.NewID(), Site: s.Site, VisitorID: s.VisitorID, Browser: s.BrowserKey(), Person: s.Person, Status: chat.StatusOpen,
		Metadata: s.Metadata, Identity: s.Identity, Verified: s.Verified, PreChat: s.PreChat, CreatedAt: at, LastActivity: at}
	if s.TokenHash == "" {
		next.Resumable = true
	} else {
		next.TokenHash = chat.Hash(chat.NewToken()) // which nobody has: each device gets one of its own
	}
	return next
}

// next is the session that a device goes on with after another one, with its token; the id is ""
// if there is none, or the device has been there.
func next(rd chat.SessionReader, s *chat.Session, token string) (id, own string, err error) {
	if s.ContinuedIn == "" || s.TokenHash == "" {
		return "", "", nil
	}
	later, err := rd.Session(s.ContinuedIn)
	own = deviceToken(token, s.ContinuedIn)
	switch {
	case errors.Is(err, chat.ErrSessionNotFound):
		return "", "", nil
	case err != nil:
		return "", "", err
	case later.Site != s.Site || !later.Started() || later.Blocked || later.OpenedBy(own):
		return "", "", nil
	}
	return later.ID, own, nil
}

// lock locks the session of a visit, and before it the later one that it goes on with if that has
// the smaller id: see [lockInOrder].
func (v *Visit) lock(tx chat.Tx, s *chat.Session) (chat.Session, error) {
	id, _, err := next(tx, s, v.Token)
	if err == nil && !v.New && id != "" && id < s.ID {
		_, err = tx.Lock(id)
		v.ahead = id
	}
	if err != nil && !errors.Is(err, chat.ErrSessionNotFound) {
		return chat.Session{}, err
	}
	return tx.Lock(s.ID)
}

// goOn turns a visit from a session to the one that the team began after it.
func (v *Visit) goOn(tx chat.Tx, s chat.Session) (chat.Session, error) {
	id, own, err := next(tx, &s, v.Token)
	if err != nil || id == "" || id < s.ID && id != v.ahead { // began just now: the team's message makes the page ask again
		return s, err
	}
	later, err := tx.Lock(id)
	if err != nil {
		return s, err
	}
	later.Admit(own)
	v.turned = own
	return later, tx.SaveSession(&later)
}

// goesOn reports whether a visitor's device has yet to go on with a later session: its stream of
// this one ends, and the page begins anew.
func (r *Relay) goesOn(ctx context.Context, by chat.Author, s *chat.Session) (goes bool, err error) {
	if s.ContinuedIn == "" || by.Sender != chat.SenderVisitor {
		return false, nil
	}
	err = r.store.ReadOne(ctx, func(rd chat.Reader) error {
		id, _, err := next(rd, s, by.Token)
		goes = id != ""
		return err
	})
	return goes, err
}
