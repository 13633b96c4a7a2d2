package server

import (
	"errors"
	"io/fs"
	"net/http"
	"sync"

	"github.com/relay-chat/relay/server/web"
)

// docs are the OpenAPI document, the pages about it and the guides. Each is made
// on its first request: most relays never get one.
type docs struct {
	web.Pages
	mu    sync.Mutex
	files map[string]*staticFile
}

func newDocs(pages web.Pages) *docs { return &docs{Pages: pages, files: map[string]*staticFile{}} }

// file returns a built file with the version filled in. The error wraps
// [fs.ErrNotExist] if there is none of that name.
func (d *docs) file(name, contentType string) (*staticFile, error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if f, ok := d.files[name]; ok {
		return f, nil
	}
	content, err := web.Fill(name, web.Slots{"Version": d.Version}, nil)
	if err != nil {
		return nil, err
	}
	d.files[name] = newStaticFile(contentType, func() []byte { return content })
	return d.files[name], nil
}

// openAPI answers GET /openapi.yaml.
func (d *docs) openAPI(w http.ResponseWriter, r *http.Request) {
	document, err := d.file("openapi.yaml", "application/yaml")
	if err != nil {
		d.PageFailed(w, "openapi.yaml", err)
		return
	}
	document.serve(w, r, cacheChecks)
}

// home answers GET /docs: what people want to do, and the guides for it.
func (d *docs) home(w http.ResponseWriter, r *http.Request) { d.serveDocs(w, r, "docs.html") }

// guide answers GET /docs/{guide}: a guide, the settings, the search or a part of the API
// reference.
func (d *docs) guide(w http.ResponseWriter, r *http.Request) {
	d.serveDocs(w, r, "guide-"+web.PathVar(r, "guide")+".html")
}

func (d *docs) serveDocs(w http.ResponseWriter, r *http.Request, name string) {
	page, err := d.file(name, "text/html; charset=utf-8")
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrInvalid) {
		d.ShowError(w, r, http.StatusNotFound, "There is no such guide. The list is at /docs.")
		return
	}
	if err != nil {
		d.PageFailed(w, name, err)
		return
	}
	w.Header().Set("Content-Security-Policy", web.Policy("docs.html"))
	w.Header().Set("Referrer-Policy", "no-referrer")
	page.serve(w, r, cacheChecks)
}

// routes are the description of the API, and the guides.
func (d *docs) routes() []web.Route {
	pages := web.Rules{Page: true}
	return []web.Route{
		web.On("GET", "/openapi.yaml", pages, web.Page(d.openAPI)),
		web.On("GET", "/docs", pages, web.Page(d.home)),
		web.On("GET", "/docs/{guide}", pages, web.Page(d.guide)),
	}
}
