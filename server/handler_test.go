package server

import (
	"fmt"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"testing"

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
