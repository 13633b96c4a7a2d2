package server

import (
	"cmp"
	"net/http"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/web"
)

// openingRequest begins a conversation.
type openingRequest struct {
	Email        string `json:"email"`
	Name         string `json:"name"`
	Content      string `json:"content"`
	ClientID     string `json:"clientId"`
	OperatorName string `json:"operatorName"`
}

// open answers POST /api/admin/sessions: a conversation with the owner of an e-mail address, at
// the site that ?site= names, or the first one of one's own.
func (s *conversationAPI) open(_ http.ResponseWriter, r *http.Request, by chat.Author, in openingRequest) (any, error) {
	sites, err := web.SitesAsked(r, by, s.engine.Sites())
	if err != nil {
		return nil, err
	}
	site, err := web.Home(chat.Author{Sites: sites}, s.engine.Sites())
	if err != nil {
		return nil, err
	}
	if by, err = called(by, in.OperatorName); err != nil {
		return nil, err
	}
	by.Name = cmp.Or(by.Name, s.engine.SettingsOf(site.ID).Text("operatorName"))
	if err := s.noCommand(r.Context(), by, in.Content); err != nil {
		return nil, err
	}
	session, first, err := s.engine.WriteFirst(r.Context(), by, &engine.Opening{Site: site.ID, Email: in.Email, Name: in.Name, Content: in.Content, ClientID: in.ClientID, Keys: s.keys})
	if err != nil {
		return nil, err
	}
	if by.Key != nil {
		s.AuditAt(r, by, site.ID, chat.AuditKeyUsed, session.ID, "began")
	}
	return s.view(&session, first), nil
}

// beginAnother answers POST /api/admin/sessions/{session}/next: a new conversation with the same
// visitor.
func (s *conversationAPI) beginAnother(_ http.ResponseWriter, r *http.Request, by chat.Author, in liveMessage) (any, error) {
	by, err := called(by, in.OperatorName)
	if err != nil {
		return nil, err
	}
	if err := s.noCommand(r.Context(), by, in.Content); err != nil {
		return nil, err
	}
	session, first, err := s.engine.BeginAnother(r.Context(), by, web.PathVar(r, "session"), engine.Post{Content: in.Content, ClientID: in.ClientID})
	if err != nil {
		return nil, err
	}
	return s.view(&session, first), nil
}
