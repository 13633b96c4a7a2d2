package server

import (
	"errors"
	"io/fs"
	"net/http"
	"sync"

	"github.com/relay-chat/relay/schema"
)

// docs are the OpenAPI document, the page about it and the guides. Each is made
// on its first request: most relays never get one.
type docs struct {
	version  string
	document func() *staticFile

	mu    sync.Mutex
	pages map[string]*staticFile
}

func newDocs(version string) *docs {
	return &docs{version: version, pages: map[string]*staticFile{},
		document: sync.OnceValue(func() *staticFile { return newStaticFile(schema.OpenAPI, "application/yaml") })}
}

// page returns a built page with the version filled in. The error wraps
// [fs.ErrNotExist] if there is none of that name.
func (d *docs) page(name string) (*staticFile, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f, ok := d.pages[name]; ok {
		return f, nil
	}
	page, err := fill(name, slots{"Version": d.version})
	if err != nil {
		return nil, err
	}
	d.pages[name] = newStaticFile(page, "text/html; charset=utf-8")
	return d.pages[name], nil
}

// openAPI answers GET /openapi.yaml.
func (s *Server) openAPI(w http.ResponseWriter, r *http.Request) {
	s.docs.document().serve(w, r, cacheChecks)
}

// apiDocs answers GET /docs: the API reference.
func (s *Server) apiDocs(w http.ResponseWriter, r *http.Request) { s.serveDocs(w, r, "docs.html") }

// guide answers GET /docs/{guide}: one page of the manual.
func (s *Server) guide(w http.ResponseWriter, r *http.Request) {
	s.serveDocs(w, r, "guide-"+pathVar(r, "guide")+".html")
}

func (s *Server) serveDocs(w http.ResponseWriter, r *http.Request, name string) {
	page, err := s.docs.page(name)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) {
		s.showError(w, r, http.StatusNotFound, "There is no such guide. The list is at /docs.")
		return
	}
	if err != nil {
		s.log.Error("page failed", "page", name, "err", err)
		http.Error(w, "Internal server error", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Security-Policy", pageCSP)
	w.Header().Set("Referrer-Policy", "no-referrer")
	page.serve(w, r, cacheChecks)
}
