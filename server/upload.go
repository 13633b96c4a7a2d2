package server

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"mime"
	"mime/multipart"
	"net/http"
	"os"
	"strings"
	"time"

	_ "golang.org/x/image/webp" // for image.DecodeConfig

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/web"
)

// Limits of the form around a file.
const (
	formOverhead = 64 << 10 // up to the next part, and in all
	maxFormField = 1 << 10
	// maxAhead is how much of a file is held until its session is known.
	maxAhead = 64 << 10
)

// The pace of an upload: after uploadGrace the client must have sent
// uploadPace bytes for every further second that relay waits for them. answerTime
// remains for the answer.
const (
	uploadGrace = time.Minute
	uploadPace  = 16 << 10
	answerTime  = 20 * time.Second
)

var errFormTooLarge = &web.Error{Status: http.StatusRequestEntityTooLarge, Text: "The form around the file is too large"}

func (s *fileAPI) widgetUpload(w http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	leave, err := s.EnterTransfer(r, &s.Rates.AddressUploads)
	if err != nil {
		return nil, err
	}
	defer leave()
	return s.upload(w, r, by, r.URL.Query().Get("sessionId"))
}

func (s *fileAPI) adminUpload(w http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	return s.upload(w, r, by, web.PathVar(r, "session"))
}

// upload stores the file of a multipart form in chunks. The form's
// sessionId is used unless the path names the session.
func (s *fileAPI) upload(w http.ResponseWriter, r *http.Request, by chat.Author, sessionID string) (any, error) {
	boundary, err := formBoundary(r)
	if err != nil {
		return nil, err
	}
	rules, err := s.rules(r, by, sessionID)
	if err != nil {
		return nil, err
	}
	body := newPatientReader(web.LimitedBody(r, rules.MaxBytes+formOverhead), w)
	defer body.end()
	form := newUploadForm(body, boundary, sessionID)
	if err := form.read(); err != nil {
		return nil, formError(err)
	}
	if err := web.Required("sessionId", form.sessionID); err != nil {
		return nil, err
	}
	if form.file == nil {
		return nil, web.BadRequest("file is required")
	}
	if err := s.mayUpload(w, r, by, form.sessionID, rules.MaxBytes); err != nil {
		return nil, err
	}
	a, err := s.engine.Upload(r.Context(), by, form.sessionID, form.filename, form.file)
	if err != nil {
		return nil, uploadError(err)
	}
	a.URL = s.links.URL(&a, chat.Now().Add(chat.LinkLife))
	return a, nil
}

// rules are those for the files of a session, whose id may still be in the form.
func (s *fileAPI) rules(r *http.Request, by chat.Author, sessionID string) (chat.AttachmentRules, error) {
	settings, err := s.engine.SettingsIn(r.Context(), by, sessionID)
	if err != nil {
		return chat.AttachmentRules{}, err
	}
	rules := settings.AttachmentRules()
	if !rules.Enabled {
		err = chat.ErrAttachmentsOff
	}
	return rules, err
}

// formBoundary stands between the parts of a form.
func formBoundary(r *http.Request) (string, error) {
	media, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "multipart/form-data" || params["boundary"] == "" {
		return "", &web.Error{Status: http.StatusUnsupportedMediaType, Text: "Content-Type must be multipart/form-data"}
	}
	return params["boundary"], nil
}

// mayUpload counts a visitor's upload against its limits. Uploads that are not
// allowed anyway are not counted.
func (s *fileAPI) mayUpload(w http.ResponseWriter, r *http.Request, by chat.Author, sessionID string, maxBytes int64) error {
	if by.Sender != chat.SenderVisitor {
		return nil
	}
	if err := s.engine.MayUpload(r.Context(), by, sessionID); err != nil {
		return err
	}
	if err := s.Limited(w, r, s.Rates.Uploads, s.VisitorKey(r, sessionID)); err != nil {
		return err
	}
	if err := s.Limited(w, r, s.Rates.UploadsOfAddress, s.Address(r)); err != nil {
		return err
	}
	return s.MayBring(r, maxBytes)
}

// uploadForm reads a form up to its file; what follows the file is not needed
// when the session is known by then.
type uploadForm struct {
	budget    *budget
	parts     *multipart.Reader
	sessionID string
	filename  string
	file      io.Reader
}

func newUploadForm(body io.Reader, boundary, sessionID string) *uploadForm {
	b := &budget{r: body}
	return &uploadForm{budget: b, parts: multipart.NewReader(b, boundary), sessionID: sessionID}
}

func (f *uploadForm) read() error {
	for f.file == nil || f.sessionID == "" {
		f.budget.left = formOverhead
		part, err := f.parts.NextPart()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err == nil {
			err = f.take(part)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// take reads a part, if it is one of the two known ones.
func (f *uploadForm) take(part *multipart.Part) error {
	switch name := part.FormName(); {
	case name == "sessionId" && f.sessionID == "":
		text, err := io.ReadAll(io.LimitReader(part, maxFormField))
		if err != nil {
			return err
		}
		if f.sessionID = string(text); !web.IsText(f.sessionID) {
			return web.BadRequest("sessionId must be UTF-8 text without NUL characters")
		}
	case name == "file" && f.file != nil:
		return web.BadRequest("A form has one file, and a sessionId")
	case name == "file":
		f.budget.left = math.MaxInt64
		f.filename, f.file = formFilename.Replace(part.FileName()), part
		if f.sessionID == "" {
			return f.hold(part)
		}
	}
	return nil
}

// formFilename decodes how browsers encode the three characters that would end
// a name in a part's header (HTML, multipart/form-data encoding algorithm).
var formFilename = strings.NewReplacer("%22", `"`, "%0D", "\r", "%0A", "\n")

// hold keeps a small file that came before its session's id. A larger one must come
// after it: nothing is stored for unknown sessions.
func (f *uploadForm) hold(part io.Reader) error {
	data, err := io.ReadAll(io.LimitReader(part, maxAhead+1))
	if err != nil {
		return err
	}
	if len(data) > maxAhead {
		return web.BadRequest("sessionId must come before file")
	}
	f.file = bytes.NewReader(data)
	return nil
}

// formError describes why a form could not be read.
func formError(err error) error {
	var answered *web.Error
	switch err := uploadError(err); {
	case errors.As(err, &answered):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, io.EOF):
		return chat.ErrUploadCut
	}
	return web.BadRequest("The form could not be read")
}

// uploadError recognises a body larger than any allowed form. Its
// answer names the limit, as for a file that is slightly too large.
func uploadError(err error) error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return &web.Error{Status: http.StatusRequestEntityTooLarge,
			Text: fmt.Sprintf("Attachments must be at most %d bytes", tooLarge.Limit-formOverhead)}
	}
	return err
}

// budget bounds what may be read until it is renewed: multipart.Reader keeps
// the header of a part in memory.
type budget struct {
	r    io.Reader
	left int64
}

func (b *budget) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errFormTooLarge
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// patientReader waits for a slow client as long as it sends at least at the
// pace of an upload. The time to answer restarts with every read.
// The time that relay itself needs to store the data does not count.
type patientReader struct {
	r        io.Reader
	rc       *http.ResponseController
	waited   time.Duration // for the client
	received int64
}

func newPatientReader(r io.Reader, w http.ResponseWriter) *patientReader {
	return &patientReader{r: r, rc: http.NewResponseController(w)}
}

func (p *patientReader) Read(b []byte) (int, error) {
	now := time.Now()
	if err := p.rc.SetReadDeadline(now.Add(p.patience())); err != nil {
		return 0, err
	}
	if err := p.rc.SetWriteDeadline(now.Add(web.IdleTimeout + answerTime)); err != nil {
		return 0, err
	}
	n, err := p.r.Read(b)
	p.waited += time.Since(now)
	p.received += int64(n)
	return n, err
}

// patience is how long the next bytes may take.
func (p *patientReader) patience() time.Duration {
	return min(web.IdleTimeout, uploadGrace+time.Duration(p.received/uploadPace)*time.Second-p.waited)
}

// end renews the time to answer: storing the last bytes may have taken long.
func (p *patientReader) end() {
	_ = p.rc.SetWriteDeadline(time.Now().Add(answerTime)) // or the connection is gone
}
