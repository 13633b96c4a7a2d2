package db_test

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
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
			for _, err := range []error{tx.InsertMessage(m), tx.Append(e, []chat.Destination{{Dest: "bridge"}}),
				tx.CreateFile(&chat.File{ID: fmt.Sprint(id, rev), SessionID: id, MessageID: m.ID}),
				tx.SaveLink(&chat.Link{Bridge: "bridge", Channel: "c", Remote: fmt.Sprint(id, rev), SessionID: id, MessageID: m.ID})} {
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
		lane, err := r.Lane("bridge", id, 1000)
		if err != nil {
			return err
		}
		if n := int(451 - first); len(messages) != n || len(events) != n || len(lane) != n || messages[0].Seq != first {
			t.Errorf("%s has %d messages, %d events and %d deliveries, want %d", id, len(messages), len(events), len(lane), n)
		}
		for rev := int64(1); rev <= 450; rev++ {
			_, gone := r.File(fmt.Sprint(id, rev))
			links, err := r.Links(id, fmt.Sprint("m", rev), "bridge", "c")
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
		if err := d.EraseIdle(t.Context(), nil, 2000); err != nil {
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

const canary = "CANARY what operators wrote"

// bear puts a text wherever a session can have one.
func bear(t *testing.T, d *db.DB, id, ref string) {
	t.Helper()
	apply(t, d, func(tx chat.Tx) error {
		s := newSession(id, 1)
		s.Metadata.V.URL, s.Comment = "https://shop.example/"+canary, canary
		s.Identity, s.PreChat = chat.Raw(`{"name":"`+canary+`"}`), chat.Raw(`{"topic":"`+canary+`"}`)
		m := newMessage(id, "m", 1)
		m.Content, m.ClientID, m.OperatorName = canary, canary, canary
		e := newEvent(id, 2, m.ID)
		e.Payload = chat.Raw(`{"content":"` + canary + `"}`)
		for _, err := range []error{tx.CreateSession(s), tx.InsertMessage(m), tx.Append(e, []chat.Destination{{Dest: "bridge"}}),
			tx.SaveDelivery(&chat.Delivery{Dest: "bridge", Event: *e, State: chat.DeliveryFailed, LastError: canary,
				Tries: chat.Tries{{At: 1, Error: canary}}}),
			tx.SaveThread(&chat.Thread{Bridge: "bridge", Channel: "c", Ref: ref, SessionID: id}),
			tx.CreateFile(&chat.File{ID: "f" + id, SessionID: id, MessageID: m.ID, Filename: canary}), tx.PutChunk("f"+id, 0, []byte(canary))} {
			if err != nil {
				return err
			}
		}
		return nil
	})
	a := chat.Act{ID: "act" + id, SessionID: id, Name: "refund", Shown: canary, Arguments: canary, Person: canary, Changes: true, State: chat.ActWaiting, Asked: id}
	if begun, err := d.BeginAct(t.Context(), &a, 0, 9, 9); err != nil || !begun {
		t.Fatal(begun, err)
	}
	for _, state := range []chat.UpdateState{chat.UpdatePending, chat.UpdateDone, chat.UpdateFailed} {
		u := chat.Update{Bridge: "bridge", Key: fmt.Sprint(ref, state), Thread: ref, Raw: chat.Raw(`{"text":"` + canary + `"}`), ReceivedAt: 1000}
		apply(t, d, func(tx chat.Tx) error {
			_, err := tx.PutUpdate(&u)
			return err
		})
		if u.State = state; state == chat.UpdateFailed {
			u.LastError = canary
		}
		apply(t, d, func(tx chat.Tx) error { return tx.SaveUpdate(&u) })
	}
}

// TestErasedTexts looks for what an erased session had, in every table and in the
// files themselves. That updates came is still known.
func TestErasedTexts(t *testing.T) {
	for name, erase := range map[string]func(*db.DB) error{
		"erased": func(d *db.DB) error { return d.Erase(t.Context(), "a") },
		"idle":   func(d *db.DB) error { return d.EraseIdle(t.Context(), nil, 2) },
	} {
		t.Run(name, func(t *testing.T) {
			dbtest.EachURL(t, func(t *testing.T, url string) {
				d, err := db.Open(t.Context(), url, db.Options{})
				if err != nil {
					t.Fatal(err)
				}
				defer d.Close()
				bear(t, d, "a", "77")
				if err := errors.Join(erase(d), d.Prune(t.Context(), 1)); err != nil {
					t.Fatal(err)
				}
				apply(t, d, func(tx chat.Tx) error {
					for state := range 3 {
						fresh, err := tx.PutUpdate(&chat.Update{Bridge: "bridge", Key: fmt.Sprint("77", state), Thread: "77", Raw: chat.Raw("{}")})
						if fresh || err != nil {
							t.Errorf("an update that came before is new: %v", err)
						}
					}
					return nil
				})
				if err := d.Close(); err != nil {
					t.Fatal(err)
				}
				expectNowhere(t, url, canary)
			})
		})
	}
}

// expectNowhere fails if a text is in a database that nobody has open.
func expectNowhere(t *testing.T, url, text string) {
	t.Helper()
	if strings.HasPrefix(url, "sqlite://") {
		content, err := os.ReadFile(pathOf(url))
		if n := bytes.Count(content, []byte(text)); n > 0 || err != nil {
			t.Errorf("the file has the text %d times, %v", n, err)
		}
		return
	}
	handle, err := sqlx.Open("pgx", url)
	if err != nil {
		t.Fatal(err)
	}
	defer handle.Close()
	var tables []string
	if err := handle.Select(&tables, `SELECT tablename FROM pg_tables WHERE schemaname = current_schema()`); err != nil || len(tables) < 10 {
		t.Fatalf("there are the tables %v, %v", tables, err)
	}
	for _, table := range tables {
		n := 0
		err := handle.Get(&n, `SELECT COUNT(*) FROM `+table+` AS r WHERE r::text LIKE '%' || $1 || '%'`, text)
		if n > 0 || err != nil {
			t.Errorf("%s has the text in %d rows, %v", table, n, err)
		}
	}
}

// TestErasedThreadsOfAName: what waits for another session's thread of the same
// name, in another channel, is worked on.
func TestErasedThreadsOfAName(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		bear(t, d, "a", "77")
		apply(t, d, func(tx chat.Tx) error {
			return errors.Join(tx.CreateSession(newSession("b", 1)), tx.SaveThread(&chat.Thread{Bridge: "bridge", Channel: "d", Ref: "77", SessionID: "b"}))
		})
		if err := d.Erase(t.Context(), "a"); err != nil {
			t.Fatal(err)
		}
		read(t, d, func(r chat.Reader) error {
			lane, err := r.InboxLane("bridge", "77", 10)
			if err == nil && (len(lane) != 1 || !strings.Contains(string(lane[0].Raw), canary)) {
				t.Errorf("what waits is %v", lane)
			}
			return err
		})
	})
}

// TestRetentionKeepsSnoozed: a session that is snoozed is still to come, however long
// ago something happened in it.
func TestRetentionKeepsSnoozed(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		for id, until := range map[string]chat.Time{"snoozed": 1 << 45, "idle": 0} {
			longSession(t, d, id, 1000)
			apply(t, d, func(tx chat.Tx) error {
				s, err := tx.Lock(id)
				if err != nil {
					return err
				}
				s.SnoozedUntil = until
				return tx.SaveSession(&s)
			})
		}
		if err := d.EraseIdle(t.Context(), nil, 2000); err != nil {
			t.Fatal(err)
		}
		expectFrom(t, d, "snoozed", 1)
		want(t, d.Erase(t.Context(), "idle"), chat.ErrSessionNotFound)
	})
}

// TestRetentionInSmallSteps: what retention and erasing do to a file is many short
// transactions, between which others write.
func TestRetentionInSmallSteps(t *testing.T) {
	for name, do := range map[string]func(*db.DB) error{
		"retention": func(d *db.DB) error { return d.EraseIdle(t.Context(), nil, 2000) },
		"erasing":   func(d *db.DB) error { return d.Erase(t.Context(), "a") },
	} {
		var commits atomic.Int64
		d, err := db.Open(t.Context(), dbtest.FileURL(t), db.Options{Committed: func(int, time.Duration) { commits.Add(1) }})
		if err != nil {
			t.Fatal(err)
		}
		longSession(t, d, "a", 1000) // 450 messages
		before := commits.Load()
		if err := do(d); err != nil {
			t.Fatal(err)
		}
		if n := commits.Load() - before; n < 450/20 {
			t.Errorf("%s takes %d transactions", name, n)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
