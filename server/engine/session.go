package engine

import (
	"cmp"
	"context"
	"errors"
	"unicode/utf8"

	"github.com/relay-chat/relay/server/chat"
)

// Limits of a visitor's facts.
const (
	maxVisitorID = 200
	// initMessages is how many messages init returns.
	initMessages = 50
)

// Visit is a visitor's arrival at a page: the request to open or resume a
// session.
type Visit struct {
	Site      string // the one whose page it is
	VisitorID string
	Metadata  chat.Metadata
	UseToken  bool   // bind a new session to a token
	Token     string // resume the session that is bound to this token
	New       bool   // do not resume

	turned string // the token of the later session that it goes on with
	ahead  string // that session, if it was locked before the one that it comes after
}

// Visited is the answer to a Visit.
type Visited struct {
	Session chat.Session
	Token   string // of a session that is bound to one
	History History
	// AskContact: see [chat.Takeover].
	AskContact bool
}

// Init opens a visitor's session or resumes it, with its newest messages. A
// session that is bound to a token is resumed by that token only; the others
// by their visitor's id, of which parallel calls make one session.
func (r *Relay) Init(ctx context.Context, v Visit) (Visited, error) {
	if v.VisitorID == "" {
		return Visited{}, chat.Errorf(chat.Invalid, "visitorId is required")
	}
	if utf8.RuneCountInString(v.VisitorID) > maxVisitorID {
		return Visited{}, chat.Errorf(chat.Invalid, "visitorId must be at most %d characters", maxVisitorID)
	}
	v.Metadata.Clip()
	fresh := chat.Session{ID: chat.NewID(), Site: v.Site, VisitorID: v.VisitorID, Status: chat.StatusOpen, CreatedAt: chat.Now()}
	fresh.LastActivity = fresh.CreatedAt
	token := chat.NewToken()
	var out Visited
	err := r.store.Apply(ctx, func(tx chat.Tx) error {
		out, v.turned, v.ahead = Visited{}, "", ""
		s, err := v.resume(tx)
		switch {
		case errors.Is(err, chat.ErrSessionNotFound):
			out.Session = fresh
			out.Session.Browser = s.BrowserKey() // of the earlier session, if the visit brought its token
			if v.UseToken || v.Token != "" {
				out.Token = token
			}
			err = v.create(tx, &out)
		case err == nil:
			out.Session, out.Token = s, cmp.Or(v.turned, v.Token)
			err = v.update(tx, &out.Session)
		}
		if err != nil {
			return err
		}
		if out.AskContact, err = r.stillAsksContact(tx, &out.Session); err != nil {
			return err
		}
		out.AskContact = out.AskContact || r.asksFirst(&out.Session)
		out.History, err = history(tx, &out.Session, HistoryQuery{Limit: initMessages, public: true})
		return err
	})
	return out, err
}

// resume finds and locks the session that the visit continues.
func (v *Visit) resume(tx chat.Tx) (chat.Session, error) {
	s, err := v.find(tx)
	if err != nil {
		return s, err
	}
	if err := barred(&s, tx); err != nil {
		return s, err
	}
	if !v.New {
		return v.goOn(tx, s)
	}
	if s.Resumable {
		s.Resumable = false
		if err := tx.SaveSession(&s); err != nil {
			return s, err
		}
	}
	return s, chat.ErrSessionNotFound
}

// find locks the session of the visit's token or visitor. After waiting for the
// lock it searches again: another visit may have begun a new session.
func (v *Visit) find(tx chat.Tx) (s chat.Session, err error) {
	if v.Token != "" {
		s, err = sessionByToken(tx, v.Token)
		if err == nil && s.Site != v.Site { // the page's author holds another site's token: nothing follows from it
			return chat.Session{}, chat.ErrSessionNotFound
		}
		if err == nil {
			s, err = v.lock(tx, &s)
		}
		return s, err
	}
	if v.UseToken {
		return s, chat.ErrSessionNotFound
	}
	for err == nil && !s.Resumable {
		if s, err = tx.SessionByVisitor(v.Site, v.VisitorID); err == nil {
			s, err = tx.Lock(s.ID)
		}
	}
	return s, err
}

// create stores a new session unless its visitor is blocked.
func (v *Visit) create(tx chat.Tx, out *Visited) error {
	s := &out.Session
	s.Metadata = chat.Of(v.Metadata)
	if out.Token != "" {
		s.TokenHash = chat.Hash(out.Token)
	} else {
		s.Resumable = true
	}
	if err := barred(s, tx); err != nil {
		return err
	}
	return tx.CreateSession(s)
}

// barred returns ErrBlocked when the session's visitor is blocked. The sessions of one
// browser are blocked together; without a token, the visitor's id is all there is.
func barred(s *chat.Session, tx chat.SessionReader) error {
	blocked, err := s.Blocked, error(nil)
	if s.TokenHash == "" {
		blocked, err = tx.VisitorBlocked(s.Site, s.VisitorID)
	}
	if err == nil && blocked {
		err = chat.ErrBlocked
	}
	return err
}

// update stores the visitor's page and where its next stream begins. A session
// without a message is renewed: it is swept after a day without a visit.
func (v *Visit) update(tx chat.Tx, s *chat.Session) error {
	v.Metadata = newerOver(v.Metadata, s.Metadata.V)
	if s.Started() && s.InitRev == s.Rev && s.Metadata.V == v.Metadata && s.LeavingRev == 0 {
		return nil
	}
	if !s.Started() {
		s.LastActivity = chat.Now()
	}
	if err := recordPage(tx, s, v.Metadata.URL); err != nil {
		return err
	}
	s.InitRev, s.Metadata, s.LeavingRev = s.Rev, chat.Of(v.Metadata), 0
	return tx.SaveSession(s)
}

// ShowPage stores that a visitor went to another page without leaving the document
// and shows it to operators.
func (r *Relay) ShowPage(ctx context.Context, by chat.Author, sessionID, url string) error {
	page := chat.Metadata{URL: url}
	page.Clip()
	moved := false
	err := r.change(ctx, by, sessionID, func(c *change) error {
		moved = c.session.Metadata.V.URL != page.URL
		c.session.Metadata.V.URL = page.URL
		return nil
	})
	if err == nil && moved {
		r.hub.PublishState(chat.StateVisitorPage, chat.SourceWidget, sessionID, map[string]string{"url": page.URL})
	}
	return err
}

// newerOver merges the facts about a visitor's page and browser, newer over older.
func newerOver(m chat.Metadata, older chat.Metadata) chat.Metadata {
	for _, f := range []struct{ newer, older *string }{{&m.URL, &older.URL}, {&m.Country, &older.Country}, {&m.Browser, &older.Browser},
		{&m.DeviceType, &older.DeviceType}, {&m.Referrer, &older.Referrer}, {&m.Language, &older.Language}, {&m.UserAgent, &older.UserAgent},
		{&m.Timezone, &older.Timezone}} {
		if *f.newer == "" {
			*f.newer = *f.older
		}
	}
	return m
}

// Close ends a session until its visitor writes again.
func (r *Relay) Close(ctx context.Context, by chat.Author, sessionID string) error {
	return r.setStatus(ctx, by, sessionID, chat.StatusClosed, chat.EventSessionClosed)
}

// End closes a conversation for its visitor, and its link with it; one in which nothing was
// said stays as it is.
func (r *Relay) End(ctx context.Context, by chat.Author, sessionID string) error {
	return r.change(ctx, by, sessionID, func(c *change) error {
		if !c.session.Started() {
			return nil
		}
		c.session.LinkUntil = 0
		return r.enterStatus(c, chat.StatusClosed, chat.EventSessionClosed)
	})
}

// Reopen reverses a Close.
func (r *Relay) Reopen(ctx context.Context, by chat.Author, sessionID string) error {
	return r.setStatus(ctx, by, sessionID, chat.StatusOpen, chat.EventSessionReopened)
}

func (r *Relay) setStatus(ctx context.Context, by chat.Author, sessionID string, to chat.Status, t chat.EventType) error {
	return r.change(ctx, by, sessionID, func(c *change) error { return r.enterStatus(c, to, t) })
}

func (r *Relay) enterStatus(c *change, to chat.Status, t chat.EventType) error {
	if c.session.Status == to {
		return nil
	}
	if to == chat.StatusOpen {
		if err := c.stillHere(); err != nil {
			return err
		}
		c.session.MovedOn = chat.NotMoved
	}
	c.session.Status = to
	if to == chat.StatusClosed {
		c.session.SnoozedUntil = 0
	}
	if err := c.emitFact(t, momentOf(c.at)); err != nil {
		return err
	}
	if to == chat.StatusClosed {
		return c.askAt(csatOnClose)
	}
	return nil
}

// Erased is the payload of [chat.StateSessionErased], where there are several sites.
type Erased struct {
	Site string `json:"site"` // its public id
}

// Erase removes a session with everything that belongs to it and ends its
// streams. Those that are merged with it go on without it.
func (r *Relay) Erase(ctx context.Context, sessionID string) error {
	s, err := r.erase(ctx, sessionID)
	if err == nil && s.Merged != "" {
		r.goOnWithout(context.WithoutCancel(ctx), &s)
	}
	return err
}

func (r *Relay) erase(ctx context.Context, sessionID string) (s chat.Session, err error) {
	err = r.store.ReadOne(ctx, func(rd chat.Reader) (err error) {
		s, err = rd.SessionHeader(sessionID)
		return err
	})
	if err == nil {
		err = r.store.Erase(ctx, sessionID)
	}
	if err != nil {
		return s, err
	}
	var body any
	if site := r.Sites().Shown(s.Site); site != "" {
		body = Erased{site}
	}
	r.hub.PublishState(chat.StateSessionErased, "", sessionID, body)
	r.hub.Drop(sessionID)
	return s, nil
}

// Typing shows the other side that somebody is writing, or stopped.
func (r *Relay) Typing(ctx context.Context, by chat.Author, sessionID string, active bool) error {
	err := r.store.ReadOne(ctx, func(rd chat.Reader) error {
		s, err := rd.SessionHeader(sessionID)
		if err != nil {
			return err
		}
		return by.Authorise(&s)
	})
	if err != nil {
		return err
	}
	state := struct {
		Active       bool        `json:"active"`
		Sender       chat.Sender `json:"sender"`
		OperatorName string      `json:"operatorName,omitempty"`
	}{active, by.Sender, by.Name}
	r.hub.PublishState(chat.StateTyping, by.Source, sessionID, state)
	return nil
}
