package server

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"relay/db"
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

// page is who reads a stream, in a bubble.
type page struct{ *httptest.ResponseRecorder }

func (page) SetReadDeadline(time.Time) error  { return nil }
func (page) SetWriteDeadline(time.Time) error { return nil }

// TestConsoleIsToldOfDoubt: the console is told to look what the store knows also
// when nothing happens any more.
func TestConsoleIsToldOfDoubt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		store, err := db.Memory(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		defer store.Close()
		s := &Server{hub: chat.NewHub(), log: slog.New(slog.DiscardHandler)}
		s.keys = newKeyring(store, Config{}, s.log)
		s.relay, err = chat.New(t.Context(), chat.Config{Store: store, Hub: s.hub, Outbox: chat.NewOutbox(store, s.hub, s.log), Log: s.log})
		if err != nil {
			t.Fatal(err)
		}
		ctx, leave := context.WithCancel(t.Context())
		w := page{httptest.NewRecorder()}
		done := make(chan error, 1)
		go func() {
			_, err := s.adminStream(w, httptest.NewRequestWithContext(ctx, "GET", "/api/admin/stream", nil), chat.Author{})
			done <- err
		}()
		synctest.Wait()
		s.hub.Doubt("a")
		time.Sleep(2 * heartbeatEvery)
		leave()
		if err := <-done; err != nil {
			t.Fatal(err)
		}
		if got := w.Body.String(); strings.Count(got, "event: resync\n") != 1 {
			t.Errorf("the console was told %q", got)
		}
	})
}
