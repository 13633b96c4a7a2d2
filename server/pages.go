package server

import (
	"bytes"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"strings"
	"sync"

	"relay/assets"
	"relay/server/chat"
)

// pageCSP lets relay's own pages load what relay serves, and nothing else.
// Pages with the widget also show the operator's avatar, wherever it is.
const (
	pageCSP = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; " +
		"frame-ancestors 'none'; base-uri 'none'; form-action 'self'; img-src 'self' data: blob:"
	widgetCSP = pageCSP + " https:"
)

// pages are the templates by file name, each parsed when it is first shown:
// relay starts faster than it parses.
type pages map[string]func() (*template.Template, error)

// newPages knows every page.
func newPages() pages {
	p := pages{}
	for _, name := range []string{"setup.html", "status.html", "demo.html", "error.html"} {
		p[name] = parsed(assets.Pages(), "layout", "layout.html", name)
	}
	for _, name := range []string{"login.html", "console.html"} {
		p[name] = parsed(assets.Console(), name, name)
	}
	return p
}

// parsed parses files once and returns the template with a name.
func parsed(from fs.FS, name string, files ...string) func() (*template.Template, error) {
	return sync.OnceValues(func() (*template.Template, error) {
		t, err := template.ParseFS(from, files...)
		if err != nil {
			return nil, err
		}
		return t.Lookup(name), nil
	})
}

// show answers a page. Pages are never cached: they show keys and sessions.
func (s *Server) show(w http.ResponseWriter, r *http.Request, status int, name string, data any) {
	var page bytes.Buffer
	t, err := s.pages[name]()
	if err == nil {
		err = t.Execute(&page, data)
	}
	if err != nil {
		s.log.Error("page failed", "page", name, "err", err)
		http.Error(w, "Internal server error", http.StatusInternalServerError)
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", pageCSP)
	if name == "demo.html" {
		h.Set("Content-Security-Policy", widgetCSP)
	}
	h.Set("Referrer-Policy", "no-referrer")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "no-store")
	w.WriteHeader(status)
	if r.Method != http.MethodHead {
		_, _ = w.Write(page.Bytes())
	}
}

// errorPage is the data of error.html.
type errorPage struct {
	Status      int
	Title, Text string
}

// snippet is what goes into a website to embed the widget.
func (s *Server) snippet(r *http.Request) string {
	return fmt.Sprintf(`<script async src="%[1]s/widget.js" data-api-key="%[2]s" data-api-url="%[1]s"></script>`,
		template.HTMLEscapeString(s.baseURL(r)), s.keys.Public())
}

// baseURL is where relay is reached: as configured, else as this request
// reached it. The latter is shown to its sender only.
func (s *Server) baseURL(r *http.Request) string {
	if s.cfg.PublicURL != "" {
		return strings.TrimSuffix(s.cfg.PublicURL, "/")
	}
	scheme := "http://"
	if s.secure(r) {
		scheme = "https://"
	}
	return scheme + r.Host
}

// demo answers GET /demo: a page of somebody's shop with the widget on it.
func (s *Server) demo(w http.ResponseWriter, r *http.Request) {
	s.show(w, r, http.StatusOK, "demo.html", map[string]any{"PublicKey": s.keys.Public(), "Version": s.version})
}

// widgetSettings answers GET /api/widget/config: the config without a session.
func (s *Server) widgetSettings(http.ResponseWriter, *http.Request, chat.Author) (any, error) {
	return s.relay.Settings().WidgetConfig(), nil
}
