package server

import (
	"bytes"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"relay/server/chat"
)

// TestDatabaseAway: that the database is away is no fault of relay's, and passes.
func TestDatabaseAway(t *testing.T) {
	s := &Server{log: slog.New(slog.DiscardHandler)}
	w := httptest.NewRecorder()
	s.writeError(w, httptest.NewRequest("GET", "/", nil), fmt.Errorf("ask: %w", chat.ErrAway))
	if w.Code != http.StatusServiceUnavailable || w.Header().Get("Retry-After") != "5" {
		t.Errorf("answered %d with %v", w.Code, w.Header())
	}
}

// TestOutageTold: what every request fails of is told once a minute. The log
// may be on the disk that is full.
func TestOutageTold(t *testing.T) {
	for _, outage := range []error{chat.ErrAway, chat.ErrStorageFull} {
		synctest.Test(t, func(t *testing.T) {
			var log bytes.Buffer
			s := &Server{log: slog.New(slog.NewTextHandler(&log, nil))}
			fail := func(times int) {
				for range times {
					s.writeError(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil), fmt.Errorf("ask: %w", outage))
				}
			}
			fail(50)
			if lines := strings.Count(log.String(), "\n"); lines != 1 {
				t.Errorf("%v: %d lines for one outage:\n%s", outage, lines, &log)
			}
			time.Sleep(time.Minute)
			fail(1)
			if !strings.HasSuffix(log.String(), " count=50\n") {
				t.Errorf("%v: a minute later:\n%s", outage, &log)
			}
		})
	}
}
