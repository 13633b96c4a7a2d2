package server

import (
	"net/http"
	"net/url"

	"github.com/relay-chat/relay/server/chat"
)

// savedAnswers answers GET /api/admin/saved-answers: the shared ones and
// one's own, by name.
func (s *conversationAPI) savedAnswers(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	list, err := s.engine.SavedAnswers(r.Context(), by)
	return map[string]any{"savedAnswers": append([]chat.SavedAnswer{}, list...)}, err
}

type saveAnswerRequest struct {
	Content string `json:"content"`
	Own     bool   `json:"own"`
}

// saveAnswer answers PUT /api/admin/saved-answers/{name}.
func (s *conversationAPI) saveAnswer(_ http.ResponseWriter, r *http.Request, by chat.Author, in saveAnswerRequest) (any, error) {
	saved, err := s.engine.SaveAnswer(r.Context(), by, savedName(r), in.Content, in.Own)
	if err == nil {
		s.audit(r, by, chat.AuditAnswerSaved, saved.Name, whose(in.Own))
	}
	return saved, err
}

// whose tells in the audit list whether a saved answer is one person's alone.
func whose(own bool) string {
	if own {
		return "their own"
	}
	return ""
}

// deleteSavedAnswer answers DELETE /api/admin/saved-answers/{name}.
func (s *conversationAPI) deleteSavedAnswer(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	own := r.URL.Query().Get("own")
	if own != "" && own != "true" && own != "false" {
		return nil, badRequest("own must be true or false")
	}
	err := s.engine.DeleteSavedAnswer(r.Context(), by, savedName(r), own == "true")
	if err == nil {
		s.audit(r, by, chat.AuditAnswerRemoved, savedName(r), whose(own == "true"))
	}
	return ok, err
}

// savedName is the name in the path, which may have letters of any script.
func savedName(r *http.Request) string {
	name, err := url.PathUnescape(pathVar(r, "name"))
	if err != nil {
		return ""
	}
	return name
}
