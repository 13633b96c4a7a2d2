package server

import (
	"io"
	"log/slog"
	"mime"
	"net/http"
	"path"
	"strings"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// idleTimeout is how long an upload or a download may make no progress.
const idleTimeout = 30 * time.Second

// patientWriter waits for a slow client as long as it reads something.
type patientWriter struct {
	http.ResponseWriter
	rc *http.ResponseController
}

func patient(w http.ResponseWriter) patientWriter {
	return patientWriter{w, http.NewResponseController(w)}
}

// Write implements [io.Writer].
func (p patientWriter) Write(b []byte) (int, error) {
	if err := p.rc.SetWriteDeadline(time.Now().Add(idleTimeout)); err != nil {
		return 0, err
	}
	return p.ResponseWriter.Write(b)
}

// fileAPI takes and hands out files.
type fileAPI struct {
	*limiter
	engine *engine.Engine
	links  *chat.FileLinks
}

// download limits how many files an address reads at a time.
func (s *limiter) download(a action) action {
	return func(w http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
		leave, err := s.enterTransfer(r, &s.rates.AddressDownloads)
		if err != nil {
			return nil, err
		}
		defer leave()
		return a(w, r, by)
	}
}

// file answers GET /files/{id}/{name}: a file to anyone with a signed link.
// Browsers show only what is harmless; everything else is a download.
func (s *fileAPI) file(w http.ResponseWriter, r *http.Request, _ chat.Author) (any, error) {
	q := r.URL.Query()
	if !s.links.Check(pathVar(r, "id"), q.Get("exp"), q.Get("sig"), chat.Now()) {
		return nil, chat.ErrAttachmentNotFound
	}
	f, err := s.engine.Open(r.Context(), pathVar(r, "id"))
	if err != nil {
		return nil, err
	}
	fileHeader(w.Header(), f.Filename, f.MimeType)
	h := w.Header()
	h.Set("Cache-Control", "private, max-age=86400, immutable")
	h.Set("ETag", `"`+f.ID+`"`)
	if strings.Contains(r.Header.Get("Range"), ",") {
		r.Header.Del("Range") // no player wants several parts, of which a thousand cost more than the whole (RFC 9110, 17.15)
	}
	http.ServeContent(patient(w), r, path.Base(f.Filename), f.CreatedAt.Std(), f)
	return written{}, nil
}

// fileHeader allows browsers only to show a harmless file, and to save
// any other.
func fileHeader(h http.Header, filename, mimeType string) {
	disposition, contentType := "attachment", strings.ToLower(mimeType)
	if engine.Inline(mimeType) {
		disposition = "inline"
	}
	switch {
	case strings.Contains(contentType, "script") || contentType == "text/css":
		contentType = "application/octet-stream" // relay's pages take scripts and styles from its address, but not a visitor's
	case strings.HasPrefix(contentType, "text/"):
		contentType += "; charset=utf-8"
	}
	h.Set("Content-Type", contentType)
	h.Set("Content-Disposition", mime.FormatMediaType(disposition, map[string]string{"filename": filename}))
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	if strings.HasPrefix(contentType, "audio/") { // the widget decodes voice messages itself, whatever media the page allows
		h.Set("Access-Control-Allow-Origin", "*")
	}
	h.Set("X-Content-Type-Options", "nosniff")
}

// sealedFiles hands out operators' files in bridge mode.
type sealedFiles struct {
	bridges Bridges
	seal    *chat.FileSeal
	log     *slog.Logger
}

// file answers GET /files/{token} in bridge mode: a file that an operator
// sent, streamed from its platform. Nothing of it is stored.
func (s *sealedFiles) file(w http.ResponseWriter, r *http.Request, _ chat.Author) (any, error) {
	ref, err := s.seal.Open(pathVar(r, "token"))
	if err != nil {
		return nil, err
	}
	file, err := s.bridges.Fetch(r.Context(), ref)
	if err != nil {
		s.log.Warn("a file cannot be fetched from its platform", "bridge", ref.Bridge, "err", err)
		return nil, &httpError{status: http.StatusBadGateway, text: "The platform does not hand the file out"}
	}
	defer file.Close()
	fileHeader(w.Header(), ref.Filename, ref.MimeType)
	w.Header().Set("Cache-Control", "private, max-age=3600")
	if r.Method == http.MethodHead {
		return written{}, nil
	}
	if _, err := io.Copy(patient(w), file); err != nil {
		s.log.Warn("a file was cut off", "bridge", ref.Bridge, "err", err)
		panic(http.ErrAbortHandler) // an incomplete file must not look complete
	}
	return written{}, nil
}

// presentation shows sessions and messages, with links to their files.
type presentation struct {
	engine *engine.Engine
	links  *chat.FileLinks
}

// showFiles gives the attachments of messages links that work for a day. The list is
// never nil.
func (s presentation) showFiles(list []chat.Message) []chat.Message {
	if list == nil {
		return []chat.Message{}
	}
	until := chat.Now().Add(chat.LinkLife)
	for i := range list {
		if len(list[i].Attachments.V) > 0 {
			s.links.Show(&list[i], until)
		}
	}
	return list
}

// shown is showFiles for the answer of one message.
func (s presentation) shown(m chat.Message, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return s.showFiles([]chat.Message{m})[0], nil
}
