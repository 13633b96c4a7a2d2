package server

import (
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"path"
	"strings"
	"time"

	"relay/server/chat"
)

// Limits of uploads and downloads: neither side may sit still for idleTimeout,
// and the form around a file may be this big.
const (
	idleTimeout  = 30 * time.Second
	formOverhead = 64 << 10
	maxFormField = 1 << 10
)

func (s *Server) widgetUpload(w http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	return s.upload(w, r, by, r.URL.Query().Get("sessionId"))
}

func (s *Server) adminUpload(w http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	return s.upload(w, r, by, pathVar(r, "session"))
}

// upload stores the file of a multipart form, a chunk at a time. The form's
// sessionId counts unless the address names the session already.
func (s *Server) upload(w http.ResponseWriter, r *http.Request, by chat.Author, sessionID string) (any, error) {
	media, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "multipart/form-data" || params["boundary"] == "" {
		return nil, &httpError{status: http.StatusUnsupportedMediaType, text: "Content-Type must be multipart/form-data"}
	}
	most := s.relay.Settings().AttachmentRules().MaxBytes
	body := &patientReader{r: http.MaxBytesReader(nil, r.Body, most+formOverhead), rc: http.NewResponseController(w)}
	form := &uploadForm{parts: multipart.NewReader(body, params["boundary"]), sessionID: sessionID}
	defer form.close()
	if err := form.read(); err != nil {
		return nil, formError(err)
	}
	if err := required("sessionId", form.sessionID); err != nil {
		return nil, err
	}
	if form.file == nil {
		return nil, badRequest("file is required")
	}
	if by.Sender == chat.SenderVisitor {
		if err := s.limited(w, r, s.rates.uploads, form.sessionID); err != nil {
			return nil, err
		}
	}
	a, err := s.relay.Upload(r.Context(), by, form.sessionID, form.filename, form.file)
	if err != nil {
		return nil, uploadError(err)
	}
	a.URL = s.links.URL(&a, chat.Now().Add(chat.LinkLife))
	return a, nil
}

// uploadForm reads a form up to its file; what follows the file is not needed
// when the session is known by then.
type uploadForm struct {
	parts     *multipart.Reader
	sessionID string
	filename  string
	file      io.Reader
	spool     *os.File
}

func (f *uploadForm) read() error {
	for f.file == nil || f.sessionID == "" {
		part, err := f.parts.NextPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch part.FormName() {
		case "sessionId":
			text, err := io.ReadAll(io.LimitReader(part, maxFormField))
			if err != nil {
				return err
			}
			if f.sessionID = string(text); !isText(f.sessionID) {
				return badRequest("sessionId must be UTF-8 text without NUL characters")
			}
		case "file":
			f.filename, f.file = part.FileName(), part
			if f.sessionID == "" {
				err = f.setAside(part)
			}
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// setAside keeps a file that came before its session on disk, not in memory.
func (f *uploadForm) setAside(part io.Reader) (err error) {
	if f.spool, err = os.CreateTemp("", "relay-upload-"); err != nil {
		return badRequest("sessionId must come before file")
	}
	if _, err = io.Copy(f.spool, part); err != nil {
		return err
	}
	_, err = f.spool.Seek(0, io.SeekStart)
	f.file = f.spool
	return err
}

func (f *uploadForm) close() {
	if f.spool != nil {
		_ = f.spool.Close()
		_ = os.Remove(f.spool.Name())
	}
}

// formError says in the caller's words why a form could not be read.
func formError(err error) error {
	var answered *httpError
	switch err := uploadError(err); {
	case errors.As(err, &answered):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, io.EOF):
		return chat.ErrUploadCut
	}
	return badRequest("The form could not be read")
}

// uploadError recognises a body that is larger than any file with its form.
func uploadError(err error) error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return errTooLarge
	}
	return err
}

// patientReader waits for a slow sender as long as something comes.
type patientReader struct {
	r  io.Reader
	rc *http.ResponseController
}

func (p *patientReader) Read(b []byte) (int, error) {
	if err := p.rc.SetReadDeadline(time.Now().Add(idleTimeout)); err != nil {
		return 0, err
	}
	return p.r.Read(b)
}

// patientWriter waits for a slow reader as long as it takes something.
type patientWriter struct {
	http.ResponseWriter
	rc *http.ResponseController
}

func (p patientWriter) Write(b []byte) (int, error) {
	if err := p.rc.SetWriteDeadline(time.Now().Add(idleTimeout)); err != nil {
		return 0, err
	}
	return p.ResponseWriter.Write(b)
}

// file answers GET /files/{id}/{name}: a file to whoever has a link to it.
// Browsers show only what is harmless; everything else is a download.
func (s *Server) file(w http.ResponseWriter, r *http.Request) (any, error) {
	q := r.URL.Query()
	if !s.links.Check(pathVar(r, "id"), q.Get("exp"), q.Get("sig"), chat.Now()) {
		return nil, chat.ErrAttachmentNotFound
	}
	f, err := s.relay.Open(r.Context(), pathVar(r, "id"))
	if err != nil {
		return nil, err
	}
	disposition, contentType := "attachment", f.MimeType
	if chat.Inline(f.MimeType) {
		disposition = "inline"
	}
	if strings.HasPrefix(contentType, "text/") {
		contentType += "; charset=utf-8"
	}
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Disposition", mime.FormatMediaType(disposition, map[string]string{"filename": f.Filename}))
	h.Set("Content-Security-Policy", "default-src 'none'; sandbox")
	h.Set("Cross-Origin-Resource-Policy", "cross-origin")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("Cache-Control", "private, max-age=86400, immutable")
	h.Set("ETag", `"`+f.ID+`"`)
	http.ServeContent(patientWriter{w, http.NewResponseController(w)}, r, path.Base(f.Filename), f.CreatedAt.Std(), f)
	return written{}, nil
}

// showFiles gives the attachments of messages links that work for a day.
func (s *Server) showFiles(list []chat.Message) []chat.Message {
	until := chat.Now().Add(chat.LinkLife)
	for i := range list {
		if len(list[i].Attachments.V) > 0 {
			s.links.Show(&list[i], until)
		}
	}
	return list
}

// shown is showFiles for the answer of one message.
func (s *Server) shown(m chat.Message, err error) (any, error) {
	if err != nil {
		return nil, err
	}
	return s.showFiles([]chat.Message{m})[0], nil
}
