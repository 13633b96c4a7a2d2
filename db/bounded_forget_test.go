package db_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server/chat"
)

// An event is made from its message until that is edited or evicted; its delivery
// is the same before and after, and nothing stays behind.
func TestBoundedForgetsMessagesBeforeTheirEvents(t *testing.T) {
	d, _ := bounded(t, db.Bounds{Messages: 10})
	say(t, d, "a", "first")
	const said = 40
	payloads := map[int64]string{}
	for i := range said {
		apply(t, d, func(tx chat.Tx) error {
			s, err := tx.Lock("a")
			if err != nil {
				return err
			}
			s.Rev++
			m := chat.Message{ID: fmt.Sprint("m", i), SessionID: "a", Seq: s.Rev, Content: fmt.Sprint("message ", i), Sender: chat.SenderVisitor, Timestamp: chat.Now(),
				Attachments: chat.Of(chat.Attachments{})}
			e := chat.EventOf(m)
			e.OfMessage = true
			payloads[s.Rev] = string(e.Payload)
			return errors.Join(tx.InsertMessage(&m), tx.Append(&e, []chat.Destination{{Dest: "dest"}}), tx.SaveSession(&s))
		})
		if i%3 == 0 {
			apply(t, d, func(tx chat.Tx) error {
				m, err := tx.Message("a", fmt.Sprint("m", i))
				m.Content, m.EditedAt = "edited", chat.Now()
				return errors.Join(err, tx.SaveMessage(&m))
			})
		}
	}
	tidy(t, d)
	err := d.Read(t.Context(), func(r chat.Reader) error {
		lane, err := r.Lane("dest", "a", 0)
		if len(lane) != said {
			t.Errorf("%d deliveries wait of %d", len(lane), said)
		}
		for _, l := range lane {
			if got := string(l.Event.Payload); got != payloads[l.Rev] {
				t.Errorf("event %d is %s, not %s", l.Rev, got, payloads[l.Rev])
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	settle(t, d, "dest", "a")
	apply(t, d, func(tx chat.Tx) error { // nobody waits for its event any more
		m, err := tx.Message("a", fmt.Sprint("m", said-2))
		m.Content, m.EditedAt = "edited", chat.Now()
		return errors.Join(err, tx.SaveMessage(&m))
	})
	if n := events(t, d, "a"); n != 0 {
		t.Errorf("%d events are held that nobody waits for", n)
	}
	if wrong, err := d.Surplus(t.Context()); wrong != "" || err != nil {
		t.Error(wrong, err)
	}
}

func TestBoundedForgetsMessages(t *testing.T) {
	for name, bounds := range map[string]db.Bounds{"number": {Messages: 50}, "bytes": {MessageBytes: 50 * 12}} {
		t.Run(name, func(t *testing.T) {
			d, _ := bounded(t, bounds)
			for range 200 {
				say(t, d, "a", "ten bytes.")
				tidy(t, d)
			}
			var list []chat.Message
			err := d.Read(t.Context(), func(r chat.Reader) (err error) {
				list, err = r.Messages(chat.MessageQuery{SessionID: "a"})
				return err
			})
			if err != nil || len(list) > 50 || len(list) < 40 || list[len(list)-1].Seq != 200 {
				t.Errorf("%d messages are held: %v", len(list), err)
			}
		})
	}
}

// Notes have no message with which their links would go.
func TestBoundedForgetsLinksOfNotes(t *testing.T) {
	d, _ := bounded(t, db.Bounds{Links: 50})
	say(t, d, "a", "ten bytes.")
	saved := func(i int) chat.Link {
		return chat.Link{Bridge: "bridge", Channel: "c", Remote: fmt.Sprint(i), SessionID: "a", MessageID: fmt.Sprint("\ufdd0note ", i), CreatedAt: chat.Time(i)}
	}
	for i := range 200 {
		link := saved(i)
		if err := d.Apply(t.Context(), func(tx chat.Tx) error { return tx.SaveLink(&link) }); err != nil {
			t.Fatal(err)
		}
		tidy(t, d)
	}
	held := 0
	err := d.Read(t.Context(), func(r chat.Reader) error {
		for i := range 200 {
			list, err := r.LinksAt("bridge", "c", fmt.Sprint(i))
			if held += len(list); err != nil || len(list) == 0 && i >= 190 {
				t.Errorf("of the links of note %d are held %v, %v", i, list, err)
			}
		}
		return nil
	})
	if err != nil || held > 50 || held < 40 {
		t.Errorf("%d links are held: %v", held, err)
	}
}

func TestBoundedForgetsSessions(t *testing.T) {
	d, _ := bounded(t, db.Bounds{Sessions: 100})
	say(t, d, "waiting", "hello", "dest")
	for i := range 300 {
		say(t, d, fmt.Sprint("s", i), "hello")
		tidy(t, d)
	}
	if knows(t, d, "s0") || !knows(t, d, "s299") {
		t.Error("not the longest idle sessions left")
	}
	if !knows(t, d, "waiting") {
		t.Error("a session left of which something waits")
	}
}

func TestBoundedForgetsIdleSessions(t *testing.T) {
	d, _ := bounded(t, db.Bounds{Idle: time.Hour})
	say(t, d, "new", "hello")
	err := d.Apply(t.Context(), func(tx chat.Tx) error {
		return tx.CreateSession(&chat.Session{ID: "old", Status: chat.StatusOpen, LastActivity: chat.Now().Add(-2 * time.Hour)})
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := d.Forget(t.Context(), chat.Now()); err != nil {
		t.Fatal(err)
	}
	if knows(t, d, "old") || !knows(t, d, "new") {
		t.Error("not the idle session left")
	}
}

// Those of which something waits leave last, and with them what waits: their
// number is bounded by no queue.
func TestBoundedForgetsWaitingSessionsInTheEnd(t *testing.T) {
	d, given := bounded(t, db.Bounds{SessionBytes: 50_000, SessionMost: 100_000})
	for i := range 300 {
		introduce(t, d, fmt.Sprint("s", i), 1000, "dead")
	}
	n := waiting(t, d, "dead")
	if n < 80 || n > 100 || given["dead"] != 300-n {
		t.Errorf("%d wait and %d were given up of 300", n, given["dead"])
	}
	if knows(t, d, "s0") || !knows(t, d, "s299") {
		t.Error("not the longest idle sessions left")
	}
}
