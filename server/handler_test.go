package server

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server/backlog"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/keyring"
	"github.com/relay-chat/relay/server/web"
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

// TestInternalError: internal failures are only logged.
func TestInternalError(t *testing.T) {
	var log bytes.Buffer
	s := &Server{log: slog.New(slog.NewTextHandler(&log, nil))}
	w := httptest.NewRecorder()
	s.writeError(w, httptest.NewRequest("GET", "/", nil), errors.New("a detail"))
	if w.Code != http.StatusInternalServerError || w.Body.String() != `{"error":"Internal server error"}` || !strings.Contains(log.String(), "a detail") {
		t.Errorf("answered %d %s, logged %s", w.Code, w.Body, &log)
	}
}

// TestOutageIsLoggedOnceAMinute: a failure that every request has is logged once a minute. The log
// may be on the disk that is full.
func TestOutageIsLoggedOnceAMinute(t *testing.T) {
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

// bubbled is a server in a bubble, on a database in memory.
func bubbled(t *testing.T) *community {
	t.Helper()
	store, err := db.Memory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	log := slog.New(slog.DiscardHandler)
	engine, err := engine.Open(t.Context(), engine.Config{Store: store, Log: log})
	if err != nil {
		t.Fatal(err)
	}
	keys, err := keyring.Open(t.Context(), store, config.Config{}, log)
	if err != nil {
		t.Fatal(err)
	}
	d := Deps{Engine: engine, Log: log}
	return newCommunity(newServer(config.Config{}, d, engine.Hub.Close), d, keys)
}

// read reads a stream while something happens, and returns what it wrote.
func read(t *testing.T, stream web.Action, query string, happens func()) string {
	t.Helper()
	ctx, leave := context.WithCancel(t.Context())
	w := page{httptest.NewRecorder()}
	done := make(chan error, 1)
	go func() {
		_, err := stream(w, httptest.NewRequestWithContext(ctx, "GET", "/"+query, nil), chat.Author{})
		done <- err
	}()
	synctest.Wait()
	happens()
	leave()
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	return w.Body.String()
}

// TestConsoleReloadsAfterUncertainCommit: the console gets a resync at the next
// heartbeat, also
// when nothing happens any more.
func TestConsoleReloadsAfterUncertainCommit(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := bubbled(t)
		got := read(t, s.operators.stream, "", func() {
			s.engine.Hub.MarkUncertain("a")
			time.Sleep(2 * heartbeatEvery)
		})
		if strings.Count(got, "event: resync\n") != 1 {
			t.Errorf("the console got %q", got)
		}
	})
}

// TestHeartbeats: every stream has one every 30 seconds.
func TestHeartbeats(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := bubbled(t)
		v, err := s.engine.Init(t.Context(), engine.Visit{VisitorID: "v"})
		if err != nil {
			t.Fatal(err)
		}
		backends := &backendStreams{s.streams, backlog.New(nil)}
		for name, stream := range map[string]web.Action{"backends": backends.stream, "visitors": s.visitors.stream, "operators": s.operators.stream} {
			for after, want := range map[time.Duration]int{29 * time.Second: 0, 31 * time.Second: 1, 5*time.Minute + time.Second: 10} {
				got := read(t, stream, "?sessionId="+v.Session.ID, func() { time.Sleep(after) })
				if n := strings.Count(got, ": heartbeat\n\n"); n != want || !strings.HasPrefix(got, "retry: 2000\n") {
					t.Errorf("after %s the stream of %s has %d heartbeats, want %d", after, name, n, want)
				}
			}
		}
	})
}
