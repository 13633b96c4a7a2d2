package engine

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

const (
	// linkLife is how long the link works with which a visitor goes on at another device.
	linkLife = 30 * 24 * time.Hour
	// maxConversations is how many of a person's conversations are listed.
	maxConversations = 20
	// maxExcerpt is how many characters are shown of each one's newest message.
	maxExcerpt = 200
)

// ErrLinkEnded: the link is too old, a newer one was made, or its conversation has ended.
var ErrLinkEnded = &chat.Error{Kind: chat.NotFound, Text: "This link does not work any more: ask for a new one in the menu of the chat"}

// Identified is the answer to an identity.
type Identified struct {
	Verified bool
	Joined   *Conversation // what the browser goes on with, nil for its own session
}

// Conversation is one that a device may go on with.
type Conversation struct {
	SessionID string    `json:"id"`
	Token     string    `json:"token,omitempty"` // of this device
	Text      string    `json:"text"`            // of the newest message
	At        chat.Time `json:"at"`
}

// sessionByToken finds the session that a token opens: its own, or a further device's.
func sessionByToken(rd chat.SessionReader, token string) (chat.Session, error) {
	id := chat.SessionOfDevice(token)
	if id == "" {
		return rd.SessionByToken(chat.Hash(token))
	}
	s, err := rd.Session(id)
	if err == nil && !s.OpenedBy(token) {
		err = chat.ErrSessionNotFound
	}
	if err != nil {
		return chat.Session{}, err
	}
	return s, nil
}

// NewLink makes the link of a conversation, in whose place the one before works no more, and
// returns until when it works.
func (r *Relay) NewLink(ctx context.Context, by chat.Author, sessionID string) (until chat.Time, err error) {
	err = r.change(ctx, by, sessionID, func(c *change) error {
		s := c.session
		if !s.Started() {
			return chat.Errorf(chat.Conflict, "Nothing was said in this conversation yet")
		}
		if s.TokenHash == "" {
			return chat.Errorf(chat.Conflict, "This conversation has no token that another device could get: begin it with useSessionToken")
		}
		s.LinkUntil = max(c.at.Add(linkLife), s.LinkUntil+1)
		until = s.LinkUntil
		return nil
	})
	return until, err
}

// Linked returns the session of a link, or ErrLinkEnded. Without a time it is one that has no
// token that another device could get.
func (r *Relay) Linked(ctx context.Context, sessionID string, until chat.Time) (s chat.Session, err error) {
	err = r.store.ReadOne(ctx, func(rd chat.Reader) (err error) {
		s, err = rd.Session(sessionID)
		return err
	})
	if err == nil && until == 0 && s.TokenHash == "" && !s.Blocked {
		return s, nil // it leads back to the browser that has the session, no further
	}
	return s, r.stillLinked(&s, until, err)
}

// stillLinked is ErrLinkEnded unless the link of the session, if that was found, works.
func (r *Relay) stillLinked(s *chat.Session, until chat.Time, found error) error {
	if errors.Is(found, chat.ErrSessionNotFound) || found == nil && (s.LinkUntil != until || until < chat.Now() || s.Blocked) {
		return ErrLinkEnded
	}
	return found
}

// Resume lets a device go on with the session of a link, at its site only.
func (r *Relay) Resume(ctx context.Context, site, sessionID string, until chat.Time) (token string, err error) {
	token = chat.DeviceToken(sessionID, chat.NewToken())
	err = r.store.Apply(ctx, func(tx chat.Tx) error {
		s, err := tx.Lock(sessionID)
		if err == nil && s.Site != site {
			err = chat.ErrSessionNotFound
		}
		if err = r.stillLinked(&s, until, err); err != nil {
			return err
		}
		s.Admit(token)
		return tx.SaveSession(&s)
	})
	return token, err
}

// openOfPerson admits a browser in which nothing was said, but who it is was proved, to the
// person's open conversation at the site; nil if there is none.
func (r *Relay) openOfPerson(ctx context.Context, by chat.Author, own *chat.Session) (*Conversation, error) {
	others, err := r.othersOf(ctx, own)
	if err != nil {
		return nil, err
	}
	for _, s := range others {
		if s.Status == chat.StatusOpen {
			return r.conversation(ctx, by, own, &s)
		}
	}
	return nil, nil
}

// Conversations lists the person's other conversations at the site, the newest first, if the
// session's identity is verified, and admits its device to each of them.
func (r *Relay) Conversations(ctx context.Context, by chat.Author, sessionID string) ([]Conversation, error) {
	var own chat.Session
	err := r.store.ReadOne(ctx, func(rd chat.Reader) (err error) {
		own, err = rd.Session(sessionID)
		if err == nil {
			err = by.Authorise(&own)
		}
		return err
	})
	if err != nil {
		return nil, err
	}
	others, err := r.othersOf(ctx, &own)
	if err != nil {
		return nil, err
	}
	list := make([]Conversation, 0, len(others))
	for i := range others {
		one, err := r.conversation(ctx, by, &own, &others[i])
		if err != nil {
			return nil, err
		}
		if one != nil {
			list = append(list, *one)
		}
	}
	return list, nil
}

// othersOf lists the other sessions of a person at a site that a device like this session's
// can go on with: without a token, only those without one.
func (r *Relay) othersOf(ctx context.Context, own *chat.Session) (others []chat.Session, err error) {
	if own.Person == "" {
		return nil, nil
	}
	err = r.store.ReadOne(ctx, func(rd chat.Reader) (err error) {
		others, err = rd.SessionsOfPerson(own.Site, own.Person, maxConversations+1)
		return err
	})
	return slices.DeleteFunc(others, func(s chat.Session) bool {
		return s.ID == own.ID || (s.TokenHash == "") != (own.TokenHash == "")
	}), err
}

// conversation admits the device of a session to another one of the same person; nil if that
// has just gone or changed.
func (r *Relay) conversation(ctx context.Context, by chat.Author, own, other *chat.Session) (*Conversation, error) {
	c := &Conversation{SessionID: other.ID, At: other.LastActivity}
	if other.TokenHash != "" {
		c.Token = deviceToken(by.Token, other.ID)
	}
	err := r.store.Apply(ctx, func(tx chat.Tx) error {
		s, err := tx.Lock(other.ID)
		if err != nil {
			return err
		}
		if s.Person != own.Person || s.Blocked {
			return chat.ErrSessionNotFound
		}
		if c.Token != "" && s.Admit(c.Token) {
			if err := tx.SaveSession(&s); err != nil {
				return err
			}
		}
		last, err := tx.LastMessages([]string{s.ID})
		m := last[s.ID]
		c.Text = m.Content
		if c.Text == "" && len(m.Attachments.V) > 0 {
			c.Text = m.Attachments.V[0].Filename
		}
		c.Text = chat.Clip(c.Text, maxExcerpt)
		return err
	})
	if errors.Is(err, chat.ErrSessionNotFound) {
		return nil, nil
	}
	return c, err
}

// deviceToken is the token of a device for another session of its person. It is made of the
// device's own secret, so that asking again gives the same one.
func deviceToken(own, sessionID string) string {
	return chat.DeviceToken(sessionID, hexMAC(own, "relay device\n"+sessionID))
}
