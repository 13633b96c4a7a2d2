package server

import (
	"io"
	"log/slog"
	"mime"
	"net/http"
	"path"
	"strings"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/web"
)

// fileAPI takes and hands out files.
type fileAPI struct {
	*web.Limiter
	engine *engine.Engine
	links  *chat.FileLinks
}

// file answers GET /files/{id}/{name}: a file to anyone with a signed link.
// Browsers show only what is harmless; everything else is a download.
func (s *fileAPI) file(w http.ResponseWriter, r *http.Request, _ chat.Author) (any, error) {
	q := r.URL.Query()
	if !s.links.Check(web.PathVar(r, "id"), q.Get("exp"), q.Get("sig"), chat.Now()) {
		return nil, chat.ErrAttachmentNotFound
	}
	f, err := s.engine.Open(r.Context(), web.PathVar(r, "id"))
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
	http.ServeContent(web.Patient(w), r, path.Base(f.Filename), f.CreatedAt.Std(), f)
	return web.Written{}, nil
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
	ref, err := s.seal.Open(web.PathVar(r, "token"))
	if err != nil {
		return nil, err
	}
	file, err := s.bridges.Fetch(r.Context(), ref)
	if err != nil {
		s.log.Warn("a file cannot be fetched from its platform", "bridge", ref.Bridge, "err", err)
		return nil, &web.Error{Status: http.StatusBadGateway, Text: "The platform does not hand the file out"}
	}
	defer file.Close()
	fileHeader(w.Header(), ref.Filename, ref.MimeType)
	w.Header().Set("Cache-Control", "private, max-age=3600")
	if r.Method == http.MethodHead {
		return web.Written{}, nil
	}
	if _, err := io.Copy(web.Patient(w), file); err != nil {
		s.log.Warn("a file was cut off", "bridge", ref.Bridge, "err", err)
		panic(http.ErrAbortHandler) // an incomplete file must not look complete
	}
	return web.Written{}, nil
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
