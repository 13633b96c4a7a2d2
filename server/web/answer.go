package web

import (
	"encoding/json"
	"maps"
	"net/http"
	"strconv"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// IdleTimeout is how long an upload or a download may make no progress.
const IdleTimeout = 30 * time.Second

// PatientWriter waits for a slow client as long as it reads something.
type PatientWriter struct {
	http.ResponseWriter
	rc *http.ResponseController
}

// Patient makes an answer wait for a slow client.
func Patient(w http.ResponseWriter) PatientWriter {
	return PatientWriter{w, http.NewResponseController(w)}
}

// Write implements [io.Writer].
func (p PatientWriter) Write(b []byte) (int, error) {
	if err := p.rc.SetWriteDeadline(time.Now().Add(IdleTimeout)); err != nil {
		return 0, err
	}
	return p.ResponseWriter.Write(b)
}

// jsonHeader is what every answer in JSON has: nothing that relay answers may be
// cached.
var jsonHeader = http.Header{"Content-Type": {"application/json"}, "Cache-Control": {"no-store"}, "X-Content-Type-Options": {"nosniff"}}

// WriteJSON answers v.
func WriteJSON(w http.ResponseWriter, status int, v any) {
	data, err := encode(v)
	if err != nil {
		status, data = http.StatusInternalServerError, []byte(`{"error":"Internal server error"}`)
	}
	h := w.Header()
	maps.Copy(h, jsonHeader)
	h.Set("Content-Length", strconv.Itoa(len(data)))
	w.WriteHeader(status)
	_, _ = w.Write(data) // the client may be gone
}

func encode(v any) ([]byte, error) {
	if m, ok := v.(chat.Message); ok {
		return m.AppendJSON(make([]byte, 0, 384+len(m.Content))), nil
	}
	return json.Marshal(v)
}

// Attachment begins an answer that browsers save.
func Attachment(w http.ResponseWriter, contentType, filename string) {
	h := w.Header()
	h.Set("Content-Type", contentType)
	h.Set("Content-Disposition", `attachment; filename="`+filename+`"`)
	h.Set("Cache-Control", "no-store")
	h.Set("X-Content-Type-Options", "nosniff")
}
