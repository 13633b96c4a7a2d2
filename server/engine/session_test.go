package engine_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server/chat"
)

// TestInitRenewsAnEmptySession: a session without a message is swept a day
// after its visitor was last there, not after it began.
func TestInitRenewsAnEmptySession(t *testing.T) {
	withDatabase(t, func(t *testing.T, store *db.DB) {
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
			err := store.SweepEmpty(t.Context(), nil, chat.Now().Add(-24*time.Hour))
			if err != nil {
				t.Fatal(err)
			}
			err = store.ReadOne(t.Context(), func(r chat.Reader) error { _, err := r.Session(id); return err })
			if !errors.Is(err, tt.left) {
				t.Errorf("%s: %v, want %v", tt.name, err, tt.left)
			}
		}
	})
}

// overtaken is a store whose next change has to wait while others are made.
type overtaken struct {
	chat.Store
	others func()
}

func (o *overtaken) Apply(ctx context.Context, op func(chat.Tx) error) error {
	if others := o.others; others != nil {
		o.others = nil
		others()
	}
	return o.Store.Apply(ctx, op)
}

// TestTimesFollowTheOrder: who waited for another is later than that one, and
// the session's last activity never moves back.
func TestTimesFollowTheOrder(t *testing.T) {
	withDatabase(t, func(t *testing.T, memory *db.DB) {
		store := &overtaken{Store: memory}
		h := build(t, store)
		id := h.open(t, "visitor")
		var first chat.Message
		store.others = func() {
			time.Sleep(time.Second)
			first = h.say(t, id, "first")
		}
		second := h.say(t, id, "second")
		if first.Seq >= second.Seq || first.Timestamp > second.Timestamp {
			t.Errorf("message %d is of %s, message %d of %s", first.Seq, first.Timestamp, second.Seq, second.Timestamp)
		}
		err := store.ReadOne(t.Context(), func(r chat.Reader) error {
			s, err := r.Session(id)
			if s.LastActivity != second.Timestamp {
				t.Errorf("the last activity was at %s, the last message at %s", s.LastActivity, second.Timestamp)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	})
}
