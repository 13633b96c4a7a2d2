package chat_test

import (
	"errors"
	"testing"
	"time"

	"relay/db"
	"relay/server/chat"
)

// TestInitRenewsAnEmptySession: a session without a message is swept a day
// after its visitor was last there, not after it began.
func TestInitRenewsAnEmptySession(t *testing.T) {
	inHouse(t, func(t *testing.T, store *db.DB) {
		h := build(t, store)
		id := h.open(t, "visitor")
		for _, tt := range []struct {
			name string
			wait time.Duration
			back bool
			left error
		}{
			{"almost a day later", 23 * time.Hour, true, nil},
			{"a day after it began", 2 * time.Hour, false, nil},
			{"a day after the last visit", 23 * time.Hour, false, chat.ErrSessionNotFound},
		} {
			time.Sleep(tt.wait)
			if tt.back && h.open(t, "visitor") != id {
				t.Fatalf("%s: another session began", tt.name)
			}
			err := store.SweepEmpty(t.Context(), chat.Now().Add(-24*time.Hour))
			if err != nil {
				t.Fatal(err)
			}
			err = store.Look(t.Context(), func(r chat.Reader) error { _, err := r.Session(id); return err })
			if !errors.Is(err, tt.left) {
				t.Errorf("%s: %v, want %v", tt.name, err, tt.left)
			}
		}
	})
}
