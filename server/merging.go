package server

import (
	"net/http"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/web"
)

// mergeRequest names the conversation with which another one is merged.
type mergeRequest struct {
	With string `json:"with"`
	// SamePerson: who merges has made sure that it is the same person.
	SamePerson bool `json:"samePerson"`
}

// mergedView is the conversation that goes on, or that stands on its own again.
type mergedView struct {
	Session sessionView `json:"session"`
}

// merge answers POST /api/admin/sessions/{session}/merge.
func (s *conversationAPI) merge(_ http.ResponseWriter, r *http.Request, by chat.Author, in mergeRequest) (any, error) {
	if err := web.Required("with", in.With); err != nil {
		return nil, err
	}
	if !in.SamePerson {
		return nil, chat.Errorf(chat.Invalid, "samePerson must be true: merge only conversations of which you know that it is the same person")
	}
	if err := web.MayRead(r.Context(), s.engine.Store, by, in.With); err != nil {
		return nil, err
	}
	by, err := s.named(r, by, "")
	if err != nil {
		return nil, err
	}
	id := web.PathVar(r, "session")
	on, changed, err := s.engine.Merge(r.Context(), by, id, in.With)
	if err != nil {
		return nil, err
	}
	if changed {
		s.Audit(r, by, chat.AuditMerged, id, "with "+in.With)
	}
	return s.mergedView(r, by, on)
}

// separate answers DELETE /api/admin/sessions/{session}/merge.
func (s *conversationAPI) separate(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	by, err := s.named(r, by, "")
	if err != nil {
		return nil, err
	}
	id := web.PathVar(r, "session")
	changed, err := s.engine.Separate(r.Context(), by, id)
	if err != nil {
		return nil, err
	}
	if changed {
		s.Audit(r, by, chat.AuditSeparated, id, "")
	}
	return s.mergedView(r, by, id)
}

func (s *conversationAPI) mergedView(r *http.Request, by chat.Author, id string) (out mergedView, err error) {
	err = s.engine.Store.Read(r.Context(), func(rd chat.Reader) error {
		session, err := rd.Session(id)
		if err != nil {
			return err
		}
		views, err := s.views(rd, []chat.Session{session})
		if err == nil {
			out.Session = views[0]
		}
		return err
	})
	if !by.Holds(chat.ScopeRead) {
		out.Session.hide()
	}
	return out, err
}

// showMerged shows with which others a session is merged, and where it goes on.
func (v *sessionView) showMerged(rd chat.Reader, s *chat.Session) error {
	if s.Merged == "" {
		return nil
	}
	all, err := rd.MergedSessions(s.Site, s.Merged)
	for i := range all {
		if all[i].ID != s.ID {
			v.MergedWith = append(v.MergedWith, all[i].ID)
		}
	}
	if on := engine.GoesOnAmong(all, s); on != nil {
		v.GoesOnIn = on.ID
	}
	return err
}
