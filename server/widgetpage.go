package server

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"

	"github.com/relay-chat/relay/server/chat"
)

// siteSeen is a website that has the widget.
type siteSeen struct {
	Host string    `json:"host"`
	At   chat.Time `json:"at"`
}

// seenAmong is how many of the latest sessions show which sites have the widget.
const seenAmong = 100

// widgetSnippet answers GET /api/admin/widget: the snippet, and where the widget was seen.
func (s *ownPages) widgetSnippet(_ http.ResponseWriter, r *http.Request, _ chat.Author) (any, error) {
	var list []chat.Session
	err := s.engine.Store.Read(r.Context(), func(rd chat.Reader) (err error) {
		list, err = rd.Sessions(chat.SessionQuery{Limit: seenAmong, Empty: true})
		return err
	})
	if err != nil {
		return nil, err
	}
	own, _ := url.Parse(s.baseURL(r))
	latest := map[string]chat.Time{}
	for i := range list {
		page, err := url.Parse(list[i].Public().Metadata.URL)
		if err == nil && page.Hostname() != "" && page.Host != own.Host {
			latest[page.Host] = max(latest[page.Host], list[i].LastActivity)
		}
	}
	seen := []siteSeen{}
	for host, at := range latest {
		seen = append(seen, siteSeen{chat.Clip(host, 100), at})
	}
	slices.SortFunc(seen, func(a, b siteSeen) int { return cmp.Or(cmp.Compare(b.At, a.At), cmp.Compare(a.Host, b.Host)) })
	return map[string]any{"snippet": s.snippet(r), "seen": seen[:min(len(seen), 5)]}, nil
}

type proposeLookRequest struct {
	URL string `json:"url"`
}

// proposeLook answers POST /api/admin/widget/look: what a website says about its look.
func (s *knowledgeAPI) proposeLook(_ http.ResponseWriter, r *http.Request, _ chat.Author, in proposeLookRequest) (any, error) {
	if in.URL == "" || len(in.URL) > 2000 || !isText(in.URL) {
		return nil, badRequest("url is required")
	}
	return s.knowledge.Look(r.Context(), in.URL)
}

// preview answers GET /preview: an empty page with the widget, which the console
// frames and gives the settings that are being edited. It calls no API.
func (s *ownPages) preview(w http.ResponseWriter, r *http.Request) {
	s.show(w, r, http.StatusOK, "preview.html", slots{})
}
