package bridgetest

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptrace"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// Answers is a transport that answers every call alike. A call with an error was sent
// if there is a status, too.
type Answers struct {
	Status int
	Header http.Header
	Body   string
	Err    error
}

// RoundTrip implements [http.RoundTripper].
func (a Answers) RoundTrip(r *http.Request) (*http.Response, error) {
	if trace := httptrace.ContextClientTrace(r.Context()); trace != nil && a.Status != 0 {
		trace.WroteRequest(httptrace.WroteRequestInfo{})
	}
	if a.Err != nil {
		return nil, a.Err
	}
	return &http.Response{StatusCode: a.Status, Header: a.Header.Clone(), Body: io.NopCloser(strings.NewReader(a.Body)), Request: r}, nil
}

// Meanings of a platform's errors beside those of package chat.
var (
	ErrMisconfigured = errors.New("misconfigured")
	ErrRetried       = errors.New("retried")
	ErrWaits         = errors.New("waits")
)

// ExpectError checks what an error means. A wait concerns the whole platform and has at
// least this length.
func ExpectError(t *testing.T, name string, err, want error, wait time.Duration) {
	t.Helper()
	var misconfigured *chat.Misconfigured
	var later *chat.RetryAfter
	ok := errors.Is(err, want)
	switch want {
	case ErrMisconfigured:
		ok = errors.As(err, &misconfigured) && misconfigured.Problem != "" && misconfigured.Fix != "" && !strings.Contains(err.Error(), "canary")
	case ErrWaits:
		ok = errors.As(err, &later) && later.After >= wait && later.After <= wait+time.Second && later.Scope == chat.ScopeSink
	case ErrRetried:
		ok = err != nil && !errors.Is(err, chat.ErrPermanent) && !errors.Is(err, chat.ErrAmbiguous)
	}
	if !ok {
		t.Errorf("%s: %v, want %v", name, err, want)
	}
}
