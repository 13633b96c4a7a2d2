package web

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

	"github.com/relay-chat/relay/server/chat"
)

// Limits of the form around a file.
const (
	FormOverhead = 64 << 10 // up to the next part, and in all
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

var errFormTooLarge = &Error{Status: http.StatusRequestEntityTooLarge, Text: "The form around the file is too large"}

// FormBoundary stands between the parts of a form.
func FormBoundary(r *http.Request) (string, error) {
	media, params, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	if err != nil || media != "multipart/form-data" || params["boundary"] == "" {
		return "", &Error{Status: http.StatusUnsupportedMediaType, Text: "Content-Type must be multipart/form-data"}
	}
	return params["boundary"], nil
}

// Form reads a form up to its file; what follows the file is not needed
// when the session is known by then.
type Form struct {
	budget    *budget
	parts     *multipart.Reader
	SessionID string
	Filename  string
	File      io.Reader
}

// NewForm makes a form of a body; sessionID is "" where a field has to name it.
func NewForm(body io.Reader, boundary, sessionID string) *Form {
	b := &budget{r: body}
	return &Form{budget: b, parts: multipart.NewReader(b, boundary), SessionID: sessionID}
}

// Read reads up to the file.
func (f *Form) Read() error {
	for f.File == nil || f.SessionID == "" {
		f.budget.left = FormOverhead
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
func (f *Form) take(part *multipart.Part) error {
	switch name := part.FormName(); {
	case name == "sessionId" && f.SessionID == "":
		text, err := io.ReadAll(io.LimitReader(part, maxFormField))
		if err != nil {
			return err
		}
		if f.SessionID = string(text); !IsText(f.SessionID) {
			return BadRequest("sessionId must be UTF-8 text without NUL characters")
		}
	case name == "file" && f.File != nil:
		return BadRequest("A form has one file, and a sessionId")
	case name == "file":
		f.budget.left = math.MaxInt64
		f.Filename, f.File = formFilename.Replace(part.FileName()), part
		if f.SessionID == "" {
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
func (f *Form) hold(part io.Reader) error {
	data, err := io.ReadAll(io.LimitReader(part, maxAhead+1))
	if err != nil {
		return err
	}
	if len(data) > maxAhead {
		return BadRequest("sessionId must come before file")
	}
	f.File = bytes.NewReader(data)
	return nil
}

// FormError describes why a form could not be read.
func FormError(err error) error {
	var answered *Error
	switch err := UploadError(err); {
	case errors.As(err, &answered):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, os.ErrDeadlineExceeded), errors.Is(err, io.EOF):
		return chat.ErrUploadCut
	}
	return BadRequest("The form could not be read")
}

// UploadError recognises a body larger than any allowed form. Its
// answer names the limit, as for a file that is slightly too large.
func UploadError(err error) error {
	var tooLarge *http.MaxBytesError
	if errors.As(err, &tooLarge) {
		return &Error{Status: http.StatusRequestEntityTooLarge,
			Text: fmt.Sprintf("Attachments must be at most %d bytes", tooLarge.Limit-FormOverhead)}
	}
	return err
}

// budget bounds what may be read until it is renewed: multipart.Reader keeps
// the header of a part in memory.
type budget struct {
	r    io.Reader
	left int64
}

// Read implements [io.Reader].
func (b *budget) Read(p []byte) (int, error) {
	if b.left <= 0 {
		return 0, errFormTooLarge
	}
	n, err := b.r.Read(p[:min(int64(len(p)), b.left)])
	b.left -= int64(n)
	return n, err
}

// PatientReader waits for a slow client as long as it sends at least at the
// pace of an upload. The time to answer restarts with every read.
// The time that relay itself needs to store the data does not count.
type PatientReader struct {
	r        io.Reader
	rc       *http.ResponseController
	waited   time.Duration // for the client
	received int64
}

// NewPatientReader makes a reader of a body that waits for a slow client.
func NewPatientReader(r io.Reader, w http.ResponseWriter) *PatientReader {
	return &PatientReader{r: r, rc: http.NewResponseController(w)}
}

// Read implements [io.Reader].
func (p *PatientReader) Read(b []byte) (int, error) {
	now := time.Now()
	if err := p.rc.SetReadDeadline(now.Add(p.patience())); err != nil {
		return 0, err
	}
	if err := p.rc.SetWriteDeadline(now.Add(IdleTimeout + answerTime)); err != nil {
		return 0, err
	}
	n, err := p.r.Read(b)
	p.waited += time.Since(now)
	p.received += int64(n)
	return n, err
}

// patience is how long the next bytes may take.
func (p *PatientReader) patience() time.Duration {
	return min(IdleTimeout, uploadGrace+time.Duration(p.received/uploadPace)*time.Second-p.waited)
}

// End renews the time to answer: storing the last bytes may have taken long.
func (p *PatientReader) End() {
	_ = p.rc.SetWriteDeadline(time.Now().Add(answerTime)) // or the connection is gone
}
