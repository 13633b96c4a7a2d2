package server

import (
	"net/http"
	"net/url"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/web"
)

// savedAnswers answers GET /api/admin/saved-answers: the shared ones and
// one's own, by name.
func (s *conversationAPI) savedAnswers(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	sites, err := web.SitesAsked(r, by, s.engine.Sites())
	if err != nil {
		return nil, err
	}
	list, err := s.engine.SavedAnswers(r.Context(), by)
	views := []answerView{}
	for _, a := range list {
		if chat.IsFor(a.Site, sites) {
			views = append(views, s.viewAnswer(a))
		}
	}
	return map[string]any{"savedAnswers": views}, err
}

// answerView is a saved answer with its site, if it has one, as soon as there are several.
type answerView struct {
	chat.SavedAnswer
	Site string `json:"site,omitempty"`
}

func (s *conversationAPI) viewAnswer(a chat.SavedAnswer) answerView {
	return answerView{a, s.engine.Sites().Shown(a.Site)}
}

type saveAnswerRequest struct {
	Content string `json:"content"`
	Own     bool   `json:"own"`
}

// saveAnswer answers PUT /api/admin/saved-answers/{name}.
func (s *conversationAPI) saveAnswer(_ http.ResponseWriter, r *http.Request, by chat.Author, in saveAnswerRequest) (any, error) {
	site, err := s.answerSite(r, by, in.Own)
	if err != nil {
		return nil, err
	}
	saved, err := s.engine.SaveAnswer(r.Context(), by, site, savedName(r), in.Content, in.Own)
	if err != nil {
		return nil, err
	}
	s.Audit(r, by, chat.AuditAnswerSaved, saved.Name, whose(in.Own))
	return s.viewAnswer(saved), nil
}

// answerSite is for whose visitors a saved answer is; one's own may be for all.
func (s *conversationAPI) answerSite(r *http.Request, by chat.Author, own bool) (string, error) {
	if own && r.URL.Query().Get("site") == "" {
		return chat.AllSites, nil
	}
	return web.SiteOrAll(r, by, s.engine.Sites())
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
		return nil, web.BadRequest("own must be true or false")
	}
	site, err := s.answerSite(r, by, own == "true")
	if err != nil {
		return nil, err
	}
	err = s.engine.DeleteSavedAnswer(r.Context(), by, site, savedName(r), own == "true")
	if err == nil {
		s.Audit(r, by, chat.AuditAnswerRemoved, savedName(r), whose(own == "true"))
	}
	return web.OK, err
}

// savedName is the name in the path, which may have letters of any script.
func savedName(r *http.Request) string {
	name, err := url.PathUnescape(web.PathVar(r, "name"))
	if err != nil {
		return ""
	}
	return name
}
