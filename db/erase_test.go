package db_test

import (
	"fmt"
	"testing"

	"relay/db"
	"relay/db/dbtest"
	"relay/server/chat"
)

// longSession makes a session with 450 messages, each with a file, a copy and
// a delivery.
func longSession(t *testing.T, d *db.DB, id string, at chat.Time) {
	t.Helper()
	apply(t, d, func(tx chat.Tx) error {
		s := newSession(id, at)
		s.Rev = 450
		if err := tx.CreateSession(s); err != nil {
			return err
		}
		for rev := int64(1); rev <= 450; rev++ {
			m := newMessage(id, fmt.Sprint("m", rev), rev)
			e := newEvent(id, rev, m.ID)
			for _, err := range []error{tx.InsertMessage(m), tx.Append(e, []chat.Destination{{Dest: "desk"}}),
				tx.CreateFile(&chat.File{ID: fmt.Sprint(id, rev), SessionID: id, MessageID: m.ID}),
				tx.SaveLink(&chat.Link{Bridge: "desk", Channel: "c", Remote: fmt.Sprint(id, rev), SessionID: id, MessageID: m.ID})} {
				if err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// expectFrom fails unless a long session begins with a message, and what
// belongs to messages does, too.
func expectFrom(t *testing.T, d *db.DB, id string, first int64) {
	t.Helper()
	read(t, d, func(r chat.Reader) error {
		messages, err := r.Messages(chat.MessageQuery{SessionID: id, After: -1, Limit: 1000})
		if err != nil {
			return err
		}
		events, err := r.Events(id, 0, 1000)
		if err != nil {
			return err
		}
		lane, err := r.Lane("desk", id, 1000)
		if err != nil {
			return err
		}
		if n := int(451 - first); len(messages) != n || len(events) != n || len(lane) != n || messages[0].Seq != first {
			t.Errorf("%s has %d messages, %d events and %d deliveries, want %d", id, len(messages), len(events), len(lane), n)
		}
		for rev := int64(1); rev <= 450; rev++ {
			_, gone := r.File(fmt.Sprint(id, rev))
			links, err := r.Links(id, fmt.Sprint("m", rev), "desk", "c")
			if err != nil {
				return err
			}
			if kept := rev >= first; kept != (gone == nil) || kept != (len(links) == 1) {
				t.Errorf("of message %d of %s there are %d copies and the file: %v", rev, id, len(links), gone)
			}
		}
		return nil
	})
}

// TestErase: a long session goes in portions, from its beginning, unless
// something happens in it meanwhile that keeps it.
func TestErase(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		longSession(t, d, "a", 1000)
		longSession(t, d, "b", 2000)
		for id, first := range map[string]int64{"a": 401, "b": 1} {
			if err := d.Shorten(t.Context(), id, 2000); err != nil {
				t.Fatal(err)
			}
			expectFrom(t, d, id, first)
		}
		if err := d.EraseIdle(t.Context(), 2000); err != nil {
			t.Fatal(err)
		}
		want(t, d.Erase(t.Context(), "a"), chat.ErrSessionNotFound)
		expectFrom(t, d, "b", 1)
		if err := d.Erase(t.Context(), "b"); err != nil {
			t.Fatal(err)
		}
		want(t, d.Erase(t.Context(), "b"), chat.ErrSessionNotFound)
	})
}
