package server

import (
	"context"
	"encoding/json"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// mostSeen bounds the sessions whose sites a stream keeps in mind.
const mostSeen = 10_000

// sight is what an operator sees of all events: those of the own sites. A session's site
// never changes.
type sight struct {
	engine   *engine.Engine
	by       chat.Author
	sessions map[string]bool // whether they are of the own sites
}

// of returns an event as the operator sees it, nil for one that is not shown.
func (s *sight) of(ctx context.Context, e *chat.Event) *chat.Event {
	switch {
	case !e.For(chat.StreamOperators) && (s.by.Source != chat.SourceConsole || !e.For(chat.StreamConsole)):
		return nil
	case s.by.Sites == nil:
		return e
	case e.Type == chat.StatePresence:
		own := chat.NewEvent(e.Type, e.Source, e.At, "", presenceFor(s.engine, s.by))
		return &own
	case e.SessionID == engine.SystemSession: // about the first site, or all
		if !s.by.Sites.Has("") {
			return nil
		}
	case !s.sees(ctx, e):
		return nil
	}
	return e
}

// sees reports whether an event's session is of one of the own sites. What cannot be known is
// not shown.
func (s *sight) sees(ctx context.Context, e *chat.Event) bool {
	if seen, known := s.sessions[e.SessionID]; known {
		return seen
	}
	if e.Type == chat.StateSessionErased {
		var gone engine.Erased
		_ = json.Unmarshal(e.Payload, &gone) // without a site it is nobody's
		site, err := s.engine.Sites().Named(gone.Site)
		return err == nil && s.by.Sites.Has(site.ID)
	}
	var session chat.Session
	err := s.engine.Store.ReadOne(ctx, func(rd chat.Reader) (err error) {
		session, err = rd.SessionHeader(e.SessionID)
		return err
	})
	if err != nil {
		return false
	}
	if len(s.sessions) >= mostSeen {
		clear(s.sessions)
	}
	seen := s.by.Sites.Has(session.Site)
	s.sessions[e.SessionID] = seen
	return seen
}
