package engine_test

import (
	"errors"
	"testing"
	"time"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// mergedPair is two conversations that are merged: the visitor went on in the second one.
func mergedPair(t *testing.T, h *harness) (left, on string) {
	t.Helper()
	for _, id := range []*string{&left, &on} {
		v, err := h.Init(t.Context(), engine.Visit{VisitorID: chat.NewID(), UseToken: true})
		check(t, err)
		*id = v.Session.ID
		_, err = h.Send(t.Context(), chat.Author{Sender: chat.SenderVisitor, Source: chat.SourceWidget, Token: v.Token}, engine.Post{SessionID: *id, Content: "hello"})
		check(t, err)
		time.Sleep(2 * time.Millisecond)
	}
	got, changed, err := h.Merge(t.Context(), chat.Author{Sender: chat.SenderOperator, Source: chat.SourceConsole}, left, on)
	if err != nil || !changed || got != on {
		t.Fatalf("it goes on in %s, want %s: %v", got, on, err)
	}
	return left, on
}

// TestMergesAreMended: what a crash or an erasure by age left of merged conversations is put in order
// by the clean-up, once.
func TestMergesAreMended(t *testing.T) {
	withDatabase(t, func(t *testing.T, store *db.DB) {
		h := build(t, store)
		session := func(id string) (s chat.Session) {
			t.Helper()
			check(t, store.ReadOne(t.Context(), func(r chat.Reader) (err error) {
				s, err = r.Session(id)
				return err
			}))
			return s
		}
		set := func(id string, change func(s *chat.Session)) {
			t.Helper()
			check(t, store.Apply(t.Context(), func(tx chat.Tx) error {
				s, err := tx.Lock(id)
				change(&s)
				return errors.Join(err, tx.SaveSession(&s))
			}))
		}
		alone, gone := mergedPair(t, h)
		check(t, store.Erase(t.Context(), gone)) // as by age
		one, two := mergedPair(t, h)
		set(one, func(s *chat.Session) { s.Person, s.Verified = "u-1", true })
		set(two, func(s *chat.Session) { s.Person, s.Verified = "u-2", true })
		older, newer := mergedPair(t, h)
		set(older, func(s *chat.Session) {
			s.MovedOn, s.Status, s.WaitingSince, s.Unread = chat.NotMoved, chat.StatusOpen, chat.Now(), 1
		})
		sound, on := mergedPair(t, h)
		for range 2 {
			check(t, h.Sweep(t.Context(), chat.Now()))
			for _, id := range []string{alone, one, two} {
				if s := session(id); s.Merged != "" || s.MovedOn != chat.NotMoved || s.Status != chat.StatusOpen || s.Unread != 1 || s.WaitingSince == 0 {
					t.Errorf("it does not stand alone: %+v", s)
				}
			}
			for left, on := range map[string]string{older: newer, sound: on} {
				a, b := session(left), session(on)
				if a.MovedOn != chat.MovedOpen || a.Status != chat.StatusClosed || b.MovedOn != chat.NotMoved || b.Status != chat.StatusOpen || b.WaitingSince == 0 || a.Merged != b.Merged {
					t.Errorf("they do not go on in one: %+v %+v", a, b)
				}
			}
		}
		if s := session(on); s.Rev != session(sound).Rev-1 { // one was closed by merging, nothing else happened
			t.Errorf("the revisions are %d and %d", s.Rev, session(sound).Rev)
		}
	})
}
