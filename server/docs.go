package server

import (
	"net/http"
	"sync"

	"relay/schema"
)

// docs are the OpenAPI document and the page about it. Both are made when
// somebody asks for them first: most relays never are.
type docs struct {
	document func() *staticFile
	page     func() (*staticFile, error)
}

func newDocs(version string) *docs {
	return &docs{
		document: sync.OnceValue(func() *staticFile { return newStaticFile(schema.OpenAPI, "application/yaml") }),
		page: sync.OnceValues(func() (*staticFile, error) {
			page, err := fill("docs.html", slots{"Version": version})
			return newStaticFile(page, "text/html; charset=utf-8"), err
		}),
	}
}

// openAPI answers GET /openapi.yaml.
func (s *Server) openAPI(w http.ResponseWriter, r *http.Request) {
	s.docs.document().serve(w, r, cacheChecks)
}

// apiDocs answers GET /docs.
func (s *Server) apiDocs(w http.ResponseWriter, r *http.Request) {
	page, err := s.docs.page()
	if err != nil {
		s.log.Error("page failed", "page", "docs.html", "err", err)
		http.Error(w, "Internal server error", http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Security-Policy", pageCSP)
	w.Header().Set("Referrer-Policy", "no-referrer")
	page.serve(w, r, cacheChecks)
}
