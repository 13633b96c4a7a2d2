package server

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"net/http"
	"path"
	"strconv"
	"strings"
	"sync"

	"github.com/relay-chat/relay/assets"
	"github.com/relay-chat/relay/server/web"
)

// static is the built files that browsers load, each compressed once.
type static struct{ files map[string]*staticFile }

// staticFile is one built file. It is tagged when first requested; images have nothing zipped.
type staticFile struct {
	contentType string
	plain       func() []byte
	etag        func() string
	zipped      func() []byte
}

// contentTypes has the types of the built files. Package mime would read the
// system's tables for them at every start.
var contentTypes = map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".mjs": "text/javascript; charset=utf-8", ".mts": "text/plain; charset=utf-8",
	".png": "image/png", ".webp": "image/webp", ".webmanifest": "application/manifest+json"}

// loadStatic lists the embedded files.
func loadStatic() (*static, error) {
	st := &static{files: map[string]*staticFile{}}
	return st, errors.Join(st.list(assets.Names(), assets.File), st.list(assets.Pictures(), assets.Picture))
}

// list adds files that read returns.
func (st *static) list(names []string, read func(name string) ([]byte, error)) error {
	for _, name := range names {
		contentType := contentTypes[path.Ext(name)]
		if contentType == "" {
			return fmt.Errorf("built files: %s has no content type", name)
		}
		plain := func() []byte {
			data, _ := read(name) // it is in the list
			return data
		}
		file := newStaticFile(contentType, plain)
		file.zipped = sync.OnceValue(func() []byte {
			data, _ := assets.Zipped(name) // an image has none
			return data
		})
		st.files[name] = file
	}
	return nil
}

func newStaticFile(contentType string, plain func() []byte) *staticFile {
	return &staticFile{contentType: contentType, plain: plain, etag: sync.OnceValue(func() string { return tag(plain()) }),
		zipped: sync.OnceValue(func() []byte { return zip(plain()) })}
}

func tag(data []byte) string {
	sum := sha256.Sum256(data)
	return `"` + hex.EncodeToString(sum[:8]) + `"`
}

func zip(data []byte) []byte {
	var out bytes.Buffer
	w, _ := gzip.NewWriterLevel(&out, gzip.BestCompression)
	_, _ = w.Write(data) // a bytes.Buffer never fails
	_ = w.Close()
	return out.Bytes()
}

// serve answers the built file with a name, or 404.
func (st *static) serve(w http.ResponseWriter, r *http.Request, name, cache string) {
	f, ok := st.files[name]
	if !ok {
		http.NotFound(w, r)
		return
	}
	f.serve(w, r, cache)
}

// serve answers the file, or 304 to clients that have it.
func (f *staticFile) serve(w http.ResponseWriter, r *http.Request, cache string) {
	h := w.Header()
	h.Set("Cache-Control", cache)
	h.Set("ETag", f.etag())
	h.Set("Vary", "Accept-Encoding")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Access-Control-Allow-Origin", "*")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	if r.Header.Get("If-None-Match") == f.etag() {
		w.WriteHeader(http.StatusNotModified)
		return
	}
	var body []byte
	if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
		body = f.zipped()
	}
	if body != nil {
		h.Set("Content-Encoding", "gzip")
	} else {
		body = f.plain()
	}
	h.Set("Content-Type", f.contentType)
	h.Set("Content-Length", strconv.Itoa(len(body)))
	if r.Method != http.MethodHead {
		_, _ = w.Write(body)
	}
}

// Cache rules: the loader's name never changes, hashed names change with their
// content.
const (
	cacheLoader = "public, max-age=300, stale-while-revalidate=86400"
	cacheHashed = "public, max-age=31536000, immutable"
	cacheChecks = "no-cache"
)

func (st *static) widgetLoader(w http.ResponseWriter, r *http.Request) {
	st.serve(w, r, path.Base(r.URL.Path), cacheLoader)
}

// widgetFile answers a part of the widget. A loader that a browser cached
// before an upgrade requests parts that no longer exist: it gets the current ones.
func (st *static) widgetFile(w http.ResponseWriter, r *http.Request) {
	name := web.PathVar(r, "file")
	if _, ok := st.files[name]; ok {
		st.serve(w, r, name, cacheHashed)
		return
	}
	st.serve(w, r, st.part(name), cacheChecks)
}

// part returns the current file of the part of the widget that once had a name.
func (st *static) part(once string) string {
	for name := range st.files {
		if partOf(once) != "" && partOf(name) == partOf(once) {
			return name
		}
	}
	return ""
}

// partOf returns a part's name without its hash, "" for other files.
func partOf(name string) string { return name[:max(0, strings.LastIndexByte(name, '-'))] }

func (st *static) staticFile(w http.ResponseWriter, r *http.Request) {
	name := web.PathVar(r, "file")
	if name == "worker.js" {
		w.Header().Set("Service-Worker-Allowed", "/console")
		w.Header().Set("Content-Security-Policy", "default-src 'none'")
	}
	st.serve(w, r, name, cacheChecks)
}
