package server

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/web"
)

// snippet embeds the widget in the first website.
func (s *ownPages) snippet(r *http.Request) string {
	return snippetFor(s.BaseURL(r), s.Keys.Public(), s.engine.Settings())
}

// demo answers GET /demo: the page of an imaginary shop with the widget.
func (s *ownPages) demo(w http.ResponseWriter, r *http.Request) {
	s.Show(w, r, http.StatusOK, "demo.html", web.Slots{"PublicKey": s.Keys.Public()})
}

// config answers GET /api/widget/config: the config without a session.
func (s *widgetAPI) config(_ http.ResponseWriter, _ *http.Request, by chat.Author) (any, error) {
	return s.engine.WidgetConfig(by.Site), nil
}

// preview answers GET /preview: an empty page with the widget, which the console
// frames and gives the settings that are being edited. It calls no API.
func (s *ownPages) preview(w http.ResponseWriter, r *http.Request) {
	s.Show(w, r, http.StatusOK, "preview.html", web.Slots{})
}

// siteSeen is a website that has the widget.
type siteSeen struct {
	Host string    `json:"host"`
	At   chat.Time `json:"at"`
}

// seenAmong is how many of the latest sessions show which sites have the widget.
const seenAmong = 100

// widgetSnippet answers GET /api/admin/widget: the first site's snippet, or that of ?site=,
// and where the widget was seen.
func (s *ownPages) widgetSnippet(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	site, err := web.SiteAsked(r, by, s.engine.Sites())
	if err != nil {
		return nil, err
	}
	var sites chat.SiteSet
	if site != nil {
		sites = chat.SiteSet{*site}
	}
	var list []chat.Session
	err = s.engine.Store.Read(r.Context(), func(rd chat.Reader) (err error) {
		list, err = rd.Sessions(chat.SessionQuery{Sites: sites, Limit: seenAmong, Empty: true})
		return err
	})
	if err != nil {
		return nil, err
	}
	own, _ := url.Parse(s.BaseURL(r))
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
	snippet := s.snippet(r)
	if site != nil && *site != "" {
		snippet = snippetFor(s.BaseURL(r), s.engine.Sites().Of(*site).Key, s.engine.SettingsOf(*site))
	}
	return map[string]any{"snippet": snippet, "seen": seen[:min(len(seen), 5)]}, nil
}
