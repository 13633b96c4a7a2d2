package server_test

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/relay-chat/relay/db/dbtest"
)

// noted is a test that only notes what fails.
type noted struct{ failures []string }

func (n *noted) Errorf(format string, args ...any) {
	n.failures = append(n.failures, fmt.Sprintf(format, args...))
}

// TestWitness lets a server break its contract in every way that the witness
// has to notice.
func TestWitness(t *testing.T) {
	const id = "7KQM2HXNW4TCBR5VEYLPD63FGA"
	connected := `{"type":"connected","sessionId":"` + id + `","lastEventId":"0","operatorOnline":true,"status":"open"}`
	closed := `{"type":"session_closed","sessionId":"` + id + `","at":"2026-01-31T12:00:00.000Z"}`
	s := newSite(t, dbtest.Memory(t))
	for _, tt := range []struct {
		name, method, path, sent string
		status                   int
		contentType, answer      string
		want                     string // "": nothing is wrong
	}{
		{"right", "POST", "/api/widget/typing", `{"sessionId":"x"}`, 200, "application/json", `{"ok":true}`, ""},
		{"null for an optional field", "POST", "/api/widget/typing", `{"sessionId":"x","active":null}`, 200, "application/json", `{"ok":true}`, ""},
		{"an unknown field answered", "POST", "/api/widget/typing", `{"sessionId":"x"}`, 200, "application/json", `{"ok":true,"more":1}`, "/more"},
		{"a missing field answered", "GET", "/api/widget/config", "", 200, "application/json", `{}`, "missing"},
		{"not JSON", "POST", "/api/widget/typing", `{"sessionId":"x"}`, 200, "text/plain", "ok", "Content-Type"},
		{"an unknown status", "POST", "/api/widget/typing", `{"sessionId":"x"}`, 418, "application/json", `{"error":"x"}`, "status is not documented"},
		{"an error without words", "POST", "/api/widget/typing", `{}`, 400, "application/json", `{"error":""}`, "minLength"},
		{"no Retry-After", "POST", "/api/widget/typing", `{}`, 429, "application/json", `{"error":"x"}`, "Retry-After"},
		{"a wrong type accepted", "POST", "/api/widget/typing", `{"sessionId":7}`, 200, "application/json", `{"ok":true}`, "/sessionId"},
		{"a missing field accepted", "POST", "/api/widget/typing", `{}`, 200, "application/json", `{"ok":true}`, "sessionId"},
		{"a missing parameter accepted", "DELETE", "/api/widget/messages/x", "", 200, "application/json", `{"ok":true}`, "sessionId"},
		{"an unknown setting accepted", "PATCH", "/api/admin/settings", `{"nonsense":1}`, 200, "application/json", `{}`, "nonsense"},
		{"the wrong key accepted", "POST", "/api/admin/sessions/x/close", "", 200, "application/json", `{"ok":true}`, "ecurity"},
		{"an unknown route", "GET", "/api/secret", "", 200, "application/json", `{}`, "404"},
		{"an unknown method", "PUT", "/api/admin/settings", "", 404, "application/json", `{"error":"x"}`, "405"},
		{"a right stream", "GET", "/api/widget/stream?sessionId=x", "", 200, "text/event-stream", "retry: 2000\nevent: connected\ndata: " + connected + "\n\n: heartbeat\n\nevent: session_closed\nid: 1\ndata: " + closed + "\n\n", ""},
		{"an unknown event", "GET", "/api/widget/stream?sessionId=x", "", 200, "text/event-stream", "event: party\ndata: {\"type\":\"party\"}\n\n", "party"},
		{"an event called another", "GET", "/api/widget/stream?sessionId=x", "", 200, "text/event-stream", "event: party\ndata: " + connected + "\n\n", "called"},
		{"an event with a hole", "GET", "/api/widget/stream?sessionId=x", "", 200, "text/event-stream", "event: session_closed\nid: 1\ndata: {\"type\":\"session_closed\"}\n\n", "missing"},
		{"a state with an id", "GET", "/api/widget/stream?sessionId=x", "", 200, "text/event-stream", "event: connected\nid: 1\ndata: " + connected + "\n\n", "id is"},
		{"a fact without", "GET", "/api/widget/stream?sessionId=x", "", 200, "text/event-stream", "event: session_closed\ndata: " + closed + "\n\n", "id is"},
		{"an export with a strange line", "GET", "/api/admin/export", "", 200, "application/x-ndjson", "{\"type\":\"party\"}\n", "party"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			notes := &noted{}
			witness := newWitness(t, s, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(io.Discard, r.Body)
				w.Header().Set("Content-Type", tt.contentType)
				w.WriteHeader(tt.status)
				_, _ = io.WriteString(w, tt.answer)
			}))
			witness.t = notes
			r := httptest.NewRequest(tt.method, tt.path, strings.NewReader(tt.sent))
			r.Header.Set("Content-Type", "application/json")
			key := publicKey
			if strings.HasPrefix(tt.path, "/api/admin/") && tt.name != "the wrong key accepted" {
				key = secretKey
			}
			r.Header.Set("Authorization", "Bearer "+key)
			witness.ServeHTTP(httptest.NewRecorder(), r)
			told := strings.Join(notes.failures, "\n")
			if (told == "") != (tt.want == "") || !strings.Contains(told, tt.want) {
				t.Errorf("the witness said %q, want something about %q", told, tt.want)
			}
		})
	}
}
