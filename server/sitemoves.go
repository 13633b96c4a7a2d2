package server

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/moving"
	"github.com/relay-chat/relay/server/web"
)

// maxSiteFile is how large the file of a site may be that a request brings, in bytes.
const maxSiteFile = 16 << 30

// zipType is the type of a site's file.
const zipType = "application/zip"

// exportSite answers GET /api/admin/sites/{site}/export: all that is a site's as a zip,
// written while it is read.
func (s *siteAPI) exportSite(w http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	site, err := s.named(r)
	if err != nil {
		return nil, err
	}
	s.Audit(r, by, chat.AuditSiteExported, site.PublicID(), site.Label())
	web.Attachment(w, zipType, site.PublicID()+"-"+time.Now().UTC().Format(time.DateOnly)+".zip")
	key := ViewSite(site, s.engine.Sites(), s.keys, s.Config).PublicKey
	if _, err := moving.Export(r.Context(), s.engine, s.base, site, key, web.Patient(w)); err != nil {
		return cutExport(s.Log, r, err)
	}
	return web.Written{}, nil
}

// importSite answers POST /api/admin/site-imports, whose body is a zip that exportSite wrote.
// ?id= and ?name= are those of the new site.
func (s *siteAPI) importSite(w http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	if media, _, err := mime.ParseMediaType(cmp.Or(r.Header.Get("Content-Type"), zipType)); err != nil || media != zipType && media != "application/octet-stream" {
		return nil, &web.Error{Status: http.StatusUnsupportedMediaType, Text: "Content-Type must be application/zip"}
	}
	body := web.NewPatientReader(http.MaxBytesReader(nil, r.Body, maxSiteFile), w)
	defer body.End()
	kept, size, err := keepFile(body)
	if err != nil {
		return nil, err
	}
	defer dropFile(kept)
	_ = http.NewResponseController(w).SetWriteDeadline(time.Time{}) // storing may take long
	site, done, err := moving.Import(r.Context(), s.engine, s.base, kept, size, moving.Options{
		ID: r.URL.Query().Get("id"), Name: r.URL.Query().Get("name"), KeyTaken: s.keys.IsPublic, By: by,
		Imported: func(id string) { s.finder.Notice(&chat.Event{Type: chat.EventMessage, SessionID: id}) },
	})
	if err != nil {
		return nil, err
	}
	s.AuditAt(r, by, site.ID, chat.AuditSiteImported, site.ID, fmt.Sprintf("%s, %s", site.Name, chat.Count(done.Conversations, "conversation")))
	view, err := s.whole(r, &site)
	return struct {
		Site SiteView `json:"site"`
		moving.Done
	}{view, done}, err
}

// keepFile writes a body to a file of its own: a zip is read from its end.
func keepFile(body io.Reader) (*os.File, int64, error) {
	f, err := os.CreateTemp("", "relay-site-*.zip")
	if err != nil {
		return nil, 0, err
	}
	size, err := io.Copy(f, body)
	var tooLarge *http.MaxBytesError
	var ours *os.PathError
	switch {
	case err == nil:
		return f, size, nil
	case errors.As(err, &tooLarge):
		err = web.ErrTooLarge
	case !errors.As(err, &ours):
		err = web.BadRequest("The file could not be read as a whole")
	}
	dropFile(f)
	return nil, 0, err
}

func dropFile(f *os.File) {
	_ = f.Close()
	_ = os.Remove(f.Name())
}
