package db_test

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

// bring inserts a message with the event that brings it.
func bring(tx chat.Tx, m *chat.Message, to ...chat.Destination) error {
	e := chat.EventOf(*m)
	e.OfMessage = true
	return errors.Join(tx.InsertMessage(m), tx.Append(&e, to))
}

// withMessages makes a session and brings its first messages, behind which
// comes an event of another kind.
func withMessages(t *testing.T, d *db.DB, n int64) (list []chat.Message) {
	t.Helper()
	apply(t, d, func(tx chat.Tx) error {
		list = nil
		err := tx.CreateSession(newSession("a", 1))
		for seq := int64(1); seq <= n; seq++ {
			m := newMessage("a", fmt.Sprint("m", seq), seq)
			m.ClientID, m.ReplyTo = fmt.Sprint("c", seq), "other"
			m.Attachments.V = chat.Attachments{{ID: "f", Filename: "ä.png", MimeType: "image/png", Size: 3}}
			if seq == 2 {
				m.Sender, m.OperatorName, m.SourceBridge = chat.SenderOperator, "Olga", "telegram"
			}
			err = errors.Join(err, bring(tx, m, chat.Destination{Dest: "hook"}))
			list = append(list, *m)
		}
		other := newEvent("a", n+1, "")
		other.Type = chat.EventSessionClosed
		return errors.Join(err, tx.Append(other, nil))
	})
	return list
}

func revs(list []chat.Event) string {
	var b strings.Builder
	for _, e := range list {
		fmt.Fprint(&b, e.Rev, " ")
	}
	return strings.TrimSpace(b.String())
}

// eventsBehind lists events behind a revision.
func eventsBehind(t *testing.T, d *db.DB, after int64, limit int) (list []chat.Event) {
	t.Helper()
	read(t, d, func(r chat.Reader) (err error) {
		list, err = r.Events("a", after, limit)
		return err
	})
	return list
}

// TestEventsAreRestoredFromMessages: the event that brings a message is not written,
// and reads, in streams and in deliveries, as if it were.
func TestEventsAreRestoredFromMessages(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		messages := withMessages(t, d, 3)
		if n, err := d.Reader(t.Context(), "SELECT COUNT(*) FROM events"); n != "1" || err != nil {
			t.Errorf("%s events are written, want the one of the other kind: %v", n, err)
		}
		list := eventsBehind(t, d, 0, 0)
		if revs(list) != "1 2 3 4" || list[3].Type != chat.EventSessionClosed {
			t.Fatalf("events: %+v", list)
		}
		for i, m := range messages {
			if e := chat.EventOf(m); !reflect.DeepEqual(list[i], e) {
				t.Errorf("\n got %s %+v\nwant %s %+v", list[i].Payload, list[i], e.Payload, e)
			}
		}
		if list[0].Source != chat.SourceWidget || list[1].Source != "telegram" {
			t.Errorf("sources: %s, %s", list[0].Source, list[1].Source)
		}
		for _, c := range []struct {
			after int64
			limit int
			want  string
		}{{0, 2, "1 2"}, {1, 2, "2 3"}, {2, 9, "3 4"}, {3, 1, "4"}, {4, 1, ""}} {
			if got := revs(eventsBehind(t, d, c.after, c.limit)); got != c.want {
				t.Errorf("%d events behind %d: %q, want %q", c.limit, c.after, got, c.want)
			}
		}
		read(t, d, func(r chat.Reader) error {
			lane, err := r.Lane("hook", "a", 0)
			for i, m := range messages {
				if len(lane) != 3 || !reflect.DeepEqual(lane[i].Event, chat.EventOf(m)) {
					t.Errorf("lane: %+v", lane)
				}
			}
			one, err2 := r.Delivery("hook", "a", 2)
			all, err3 := r.Deliveries(chat.DeliveryQuery{})
			if string(one.Event.Payload) != string(list[1].Payload) || len(all) != 3 || string(all[0].Event.Payload) != string(list[2].Payload) {
				t.Errorf("one: %+v; all: %+v", one, all)
			}
			return errors.Join(err, err2, err3)
		})
	})
}

// TestEditedMessageKeepsItsEvent: what a message once said stays in the event
// that brought it, which marks do not change either.
func TestEditedMessageKeepsItsEvent(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		messages := withMessages(t, d, 2)
		before := eventsBehind(t, d, 0, 0)
		first, second := messages[0], messages[1]
		second.DeliveredAt, second.ReadAt = 5000, 6000
		for _, text := range []string{"edited", "edited again"} {
			first.Content, first.EditedAt = text, first.EditedAt+4000
			apply(t, d, func(tx chat.Tx) error { return errors.Join(tx.SaveMessage(&first), tx.SaveMessage(&second)) })
			if after := eventsBehind(t, d, 0, 0); !reflect.DeepEqual(after, before) {
				t.Errorf("\n got %v\nwant %v", after, before)
			}
		}
		read(t, d, func(r chat.Reader) error {
			lane, err := r.Lane("hook", "a", 0)
			if len(lane) != 2 || string(lane[0].Event.Payload) != string(before[0].Payload) {
				t.Errorf("lane: %+v", lane)
			}
			return err
		})
	})
}

// TestDeletedMessageIsGoneFromItsEvent: also from the one that was written for
// an edit.
func TestDeletedMessageIsGoneFromItsEvent(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		messages := withMessages(t, d, 2)
		first := messages[0]
		first.Content, first.EditedAt = "edited", 4000
		apply(t, d, func(tx chat.Tx) error { return tx.SaveMessage(&first) })
		for i := range messages {
			m := messages[i]
			m.Content, m.Attachments.V, m.EditedAt, m.DeletedAt = "", chat.Attachments{}, first.EditedAt, 7000
			apply(t, d, func(tx chat.Tx) error {
				return errors.Join(tx.SaveMessage(&m), tx.Redact("a", m.ID, func(chat.Event) chat.Raw { return chat.EventOf(m).Payload }))
			})
		}
		for _, e := range eventsBehind(t, d, 0, 2) {
			m, err := e.Message()
			if err != nil || m.Content != "" || m.DeletedAt != 7000 || len(m.Attachments.V) != 0 {
				t.Errorf("%s: %v", e.Payload, err)
			}
		}
	})
}

// TestDeletedMessageIsGoneFromTheLog: receivers say in their errors what they were
// sent, which the log of deliveries shows.
func TestDeletedMessageIsGoneFromTheLog(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		m := withMessages(t, d, 2)[0]
		quote := "400 Bad Request: " + m.Content
		apply(t, d, func(tx chat.Tx) error {
			m.EditedAt = 4000
			edit := newEvent("a", 4, m.ID)
			err := errors.Join(tx.SaveMessage(&m), tx.Append(edit, []chat.Destination{{Dest: "hook"}}))
			for _, rev := range []int64{1, 2, 4} {
				failed, err2 := tx.Delivery("hook", "a", rev)
				failed.State, failed.Attempts, failed.LastError = chat.DeliveryFailed, 1, quote
				failed.Tries = chat.Tries{{At: 5, Status: 400, Took: 6, Error: quote}}
				err = errors.Join(err, err2, tx.SaveDelivery(&failed))
			}
			return err
		})
		apply(t, d, func(tx chat.Tx) error {
			m.Content, m.DeletedAt = "", 7000
			return errors.Join(tx.SaveMessage(&m), tx.Redact("a", m.ID, func(chat.Event) chat.Raw { return chat.EventOf(m).Payload }))
		})
		read(t, d, func(r chat.Reader) error {
			all, err := r.Deliveries(chat.DeliveryQuery{})
			for _, f := range all {
				kept := f.Rev == 2 // another message
				if (f.LastError != "") != kept || len(f.Tries) != 1 || (f.Tries[0].Error != "") != kept || f.Tries[0].Status != 400 || f.State != chat.DeliveryFailed {
					t.Errorf("the delivery of revision %d: %+v", f.Rev, f)
				}
			}
			if len(all) != 3 {
				t.Errorf("%d deliveries", len(all))
			}
			return err
		})
	})
}

// TestEventsEndAtAGap: what an earlier relay wrote and pruned is not skipped.
func TestEventsEndAtAGap(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		withMessages(t, d, 2)
		apply(t, d, func(tx chat.Tx) error { return bring(tx, newMessage("a", "m5", 5)) })
		if got := revs(eventsBehind(t, d, 0, 0)); got != "1 2 3" {
			t.Errorf("before the gap: %q", got)
		}
		if got := revs(eventsBehind(t, d, 3, 0)); got != "5" {
			t.Errorf("behind it: %q", got)
		}
	})
}

// TestPageBehindMessages: a page that is full of written events does not hide
// the messages in front of them.
func TestPageBehindMessages(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		withMessages(t, d, 2)
		apply(t, d, func(tx chat.Tx) error { return tx.Append(newEvent("a", 4, ""), nil) })
		if got := revs(eventsBehind(t, d, 0, 2)); got != "1 2" {
			t.Errorf("a page: %q", got)
		}
		if got := revs(eventsBehind(t, d, 1, 2)); got != "2 3" {
			t.Errorf("the next: %q", got)
		}
		if got := revs(eventsBehind(t, d, 2, 2)); got != "3 4" {
			t.Errorf("behind the messages: %q", got)
		}
	})
}
