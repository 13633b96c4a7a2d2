package server

import (
	"cmp"
	"html"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/relay-chat/relay/assets"
	"github.com/relay-chat/relay/server/chat"
)

// pageCSP lets relay's own pages load what relay serves, and nothing else.
const pageCSP = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; frame-src 'self'; " +
	"base-uri 'none'; form-action 'self'; media-src 'self'; img-src 'self' data: blob:"

// policy returns the Content-Security-Policy of a page. Pages with the widget also show
// the operator's avatar, wherever it is. The set-up page frames the demo and the
// console, which frames the preview of the widget and is an app with a service worker.
func policy(name string) string {
	switch name {
	case "demo.html", "preview.html":
		return pageCSP + " https:; frame-ancestors 'self'"
	case "chat.html":
		return pageCSP + " https:; manifest-src 'self'; frame-ancestors 'none'"
	case "console.html":
		return pageCSP + "; manifest-src 'self'; worker-src 'self'; frame-ancestors 'self'"
	}
	return pageCSP + "; frame-ancestors 'none'"
}

// slots are the values of a page's placeholders, by name.
type slots map[string]string

// parts are the parts of a page that other pages' sources were filled for, by name.
type parts map[string][]byte

// fill returns a page with its values, each escaped, and its parts as they are.
func fill(name string, values slots, within parts) ([]byte, error) {
	return fillIn("en", name, values, within)
}

// fillIn is fill in a language.
func fillIn(language, name string, values slots, within parts) ([]byte, error) {
	page, err := assets.PageIn(language, name)
	if err != nil {
		return nil, err
	}
	pairs := make([]string, 0, 2*(len(values)+len(within)))
	for slot, part := range within {
		pairs = append(pairs, "${"+slot+"}", string(part))
	}
	for slot, value := range values {
		pairs = append(pairs, "${"+slot+"}", html.EscapeString(value))
	}
	return []byte(strings.NewReplacer(pairs...).Replace(string(page))), nil
}

// renderer answers relay's own pages.
type renderer struct {
	version string
	log     *slog.Logger
}

func newPages(version string, log *slog.Logger) renderer { return renderer{version, log} }

// show answers a page. Pages are never cached: they show keys and sessions.
func (s renderer) show(w http.ResponseWriter, r *http.Request, status int, name string, values slots) {
	s.showWith(w, r, status, name, values, nil)
}

// showWith answers a page that has parts, in the browser's language.
func (s renderer) showWith(w http.ResponseWriter, r *http.Request, status int, name string, values slots, within parts) {
	s.showIn(browserLanguage(r), w, r, status, name, values, within)
}

// showIn answers a page in a language.
func (s renderer) showIn(language string, w http.ResponseWriter, r *http.Request, status int, name string, values slots, within parts) {
	values["Version"] = s.version
	page, err := fillIn(language, name, values, within)
	if err != nil {
		s.pageFailed(w, name, err)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", policy(name))
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(page)
	}
}

// pageFailed reports a page that the program should have.
func (s renderer) pageFailed(w http.ResponseWriter, name string, err error) {
	s.log.Error("page failed", "page", name, "err", err)
	http.Error(w, "Internal server error", http.StatusInternalServerError)
}

// showError answers a page with an error.
func (s renderer) showError(w http.ResponseWriter, r *http.Request, status int, text string) {
	s.show(w, r, status, "error.html", slots{"Status": strconv.Itoa(status), "Title": http.StatusText(status), "Text": text})
}

// snippet embeds the widget in the first website.
func (s *ownPages) snippet(r *http.Request) string {
	return snippetFor(s.baseURL(r), s.keys.Public(), s.engine.Settings())
}

// baseURL is relay's address: as configured, else as this request
// reached it. The latter is shown to its sender only.
func (s *clients) baseURL(r *http.Request) string {
	return cmp.Or(s.cfg.PublicURL, s.reachedAt(r))
}

// pagesURL is baseURL for the console and relay's other pages.
func (s *clients) pagesURL(r *http.Request) string { return cmp.Or(s.cfg.PagesURL(), s.reachedAt(r)) }

// reachedAt is the address by which the request reached relay.
func (s *clients) reachedAt(r *http.Request) string {
	scheme := "http://"
	if s.secure(r) {
		scheme = "https://"
	}
	return scheme + r.Host
}

// demo answers GET /demo: the page of an imaginary shop with the widget.
func (s *ownPages) demo(w http.ResponseWriter, r *http.Request) {
	s.show(w, r, http.StatusOK, "demo.html", slots{"PublicKey": s.keys.Public()})
}

// config answers GET /api/widget/config: the config without a session.
func (s *widgetAPI) config(_ http.ResponseWriter, _ *http.Request, by chat.Author) (any, error) {
	return s.engine.WidgetConfig(by.Site), nil
}

// preview answers GET /preview: an empty page with the widget, which the console
// frames and gives the settings that are being edited. It calls no API.
func (s *ownPages) preview(w http.ResponseWriter, r *http.Request) {
	s.show(w, r, http.StatusOK, "preview.html", slots{})
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
	site, err := siteAsked(r, by, s.engine.Sites())
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
	snippet := s.snippet(r)
	if site != nil && *site != "" {
		snippet = snippetFor(s.baseURL(r), s.engine.Sites().Of(*site).Key, s.engine.SettingsOf(*site))
	}
	return map[string]any{"snippet": snippet, "seen": seen[:min(len(seen), 5)]}, nil
}
