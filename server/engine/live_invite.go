package engine

import (
	"cmp"
	"context"
	"errors"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// WriteToLive writes to a visitor who is on a website now: in the visitor's conversation, or in
// a new one, which the page goes on with when it reports next.
func (l *live) WriteToLive(ctx context.Context, by chat.Author, id, content, clientID string) (s chat.Session, first chat.Message, err error) {
	post := Post{Content: content, ClientID: clientID}
	if err := post.check(by); err != nil {
		return s, first, err
	}
	s, isNew, err := l.sessionFor(by, id)
	if err != nil {
		return s, first, err
	}
	if isNew {
		err = l.relay.store.Apply(ctx, func(tx chat.Tx) error { return tx.CreateSession(&s) })
	}
	if err != nil {
		l.uninvite(id, s.ID)
		return s, first, err
	}
	post.SessionID, by.Name = s.ID, cmp.Or(by.Name, l.relay.SettingsOf(s.Site).Text("operatorName"))
	if first, err = l.relay.Send(ctx, by, post); err != nil {
		return s, first, err
	}
	err = l.relay.store.ReadOne(ctx, func(rd chat.Reader) (err error) {
		s, err = rd.Session(s.ID)
		return err
	})
	return s, first, err
}

// sessionFor is the conversation in which somebody on a website is written to, or a new one, to
// which the page is invited.
func (l *live) sessionFor(by chat.Author, id string) (s chat.Session, isNew bool, err error) {
	now := time.Now()
	l.mu.Lock()
	defer l.mu.Unlock()
	v := l.here[id]
	if v == nil || !now.Before(v.until) || !by.Sites.Has(v.Site) {
		return s, false, ErrLiveLeft
	}
	for _, known := range []string{v.SessionID, v.own, l.invited[id].session} {
		if known != "" {
			return chat.Session{ID: known, Site: v.Site}, false, nil
		}
	}
	if len(l.invited) >= maxInvited {
		return s, false, chat.Errorf(chat.Conflict, "Too many visitors were written to within half an hour: try again in some minutes")
	}
	s = chat.Session{ID: chat.NewID(), Site: v.Site, VisitorID: v.ID, Status: chat.StatusOpen, CreatedAt: chat.Now(),
		TokenHash: chat.Hash(chat.NewToken())} // which nobody has: the page gets one of its own
	s.LastActivity = s.CreatedAt
	s.Metadata = chat.Of(chat.Metadata{URL: v.URL, Referrer: v.Referrer, Country: v.Country, Browser: v.Browser, DeviceType: v.DeviceType})
	l.invite(id, s.ID, now)
	l.relay.nodes.Ring(noteLive, "invited", id, s.ID)
	return s, true, nil
}

// invite notes a conversation for somebody on a website. The caller holds the lock.
func (l *live) invite(id, session string, now time.Time) {
	if l.invited == nil {
		l.invited = map[string]invitation{}
	}
	if len(l.invited) < maxInvited {
		l.invited[id] = invitation{session, now.Add(inviteLasts)}
	}
}

func (l *live) uninvite(id, session string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.invited[id].session == session {
		delete(l.invited, id)
	}
}

// invitedTo is what the page of a visitor goes on with, because somebody wrote first, with a
// token of its own; nil when nobody did, or the page has a conversation of its own.
func (l *live) invitedTo(ctx context.Context, v *liveEntry, now time.Time) (*Conversation, error) {
	l.mu.Lock()
	invited, is := l.invited[v.ID]
	l.mu.Unlock()
	if !is || !now.Before(invited.until) || v.SessionID != "" || v.own != "" {
		return nil, nil
	}
	c := &Conversation{SessionID: invited.session, Token: chat.DeviceToken(invited.session, chat.NewToken())}
	err := l.relay.store.Apply(ctx, func(tx chat.Tx) error {
		s, err := tx.Lock(c.SessionID)
		if err == nil && (s.Site != v.Site || s.Blocked || !s.Started()) {
			err = chat.ErrSessionNotFound
		}
		if err != nil {
			return err
		}
		s.Admit(c.Token)
		return tx.SaveSession(&s)
	})
	if errors.Is(err, chat.ErrSessionNotFound) { // erased since, or its message is not there yet
		return nil, nil
	}
	return c, err
}
