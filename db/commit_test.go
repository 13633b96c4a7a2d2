package db_test

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

// hold keeps the writer of a SQLite database busy until the returned function
// is called; what is applied meanwhile becomes one batch.
func hold(t *testing.T, d *db.DB) (release func()) {
	t.Helper()
	busy, free := make(chan struct{}), make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		err := d.Apply(context.Background(), func(chat.Tx) error {
			close(busy)
			<-free
			return nil
		})
		if err != nil {
			t.Error(err)
		}
	})
	<-busy
	return func() { close(free); wg.Wait() }
}

var errOp = errors.New("the operation's own error")

// TestBatch: operations that share a commit fail alone.
func TestBatch(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		ids := newSessions(t, d, 30)
		release := hold(t, d)
		var wg sync.WaitGroup
		for i, id := range ids {
			wg.Go(func() {
				err := d.Apply(t.Context(), func(tx chat.Tx) error {
					if i%5 == 4 {
						return errOp // before it wrote
					}
					if err := visitorMessage(id, "m")(tx); err != nil {
						return err
					}
					switch i % 5 {
					case 1:
						return errOp
					case 2:
						panic("oops")
					case 3:
						return tx.InsertMessage(newMessage(id, "m", 9)) // the id is taken
					}
					return nil
				})
				switch i % 5 {
				case 0:
					want(t, err, nil)
				case 1, 4:
					want(t, err, errOp)
				case 2:
					if err == nil || !strings.Contains(err.Error(), "oops") || !strings.Contains(err.Error(), "commit_test.go") {
						t.Errorf("panic: %v", err)
					}
				case 3:
					if err == nil {
						t.Error("an operation with an error was carried out")
					}
				}
			})
		}
		release()
		wg.Wait()
		for i, id := range ids {
			apply(t, d, func(tx chat.Tx) error {
				s, err := tx.Lock(id)
				list, err2 := tx.Messages(chat.MessageQuery{SessionID: id})
				events, err3 := tx.Events(id, 0, 0)
				wanted := 0
				if i%5 == 0 {
					wanted = 1
				}
				if int(s.Rev) != wanted || len(list) != wanted || len(events) != wanted {
					t.Errorf("session %d: revision %d, %d messages, %d events", i, s.Rev, len(list), len(events))
				}
				return errors.Join(err, err2, err3)
			})
		}
	})
}

// TestConcurrentWriters: revisions of one session are dense whoever writes.
func TestConcurrentWriters(t *testing.T) {
	each := 8
	if testing.Short() {
		each = 2
	}
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		id := newSessions(t, d, 1)[0]
		var wg sync.WaitGroup
		for range 64 {
			wg.Go(func() {
				for range each {
					if err := sendMessage(t, d, id); err != nil {
						t.Error(err)
					}
				}
			})
		}
		wg.Wait()
		read(t, d, func(r chat.Reader) error {
			events, err := r.Events(id, 0, 0)
			s, err2 := r.Session(id)
			if len(events) != 64*each || s.Rev != int64(64*each) || s.Unread != 64*each {
				t.Errorf("%d events, revision %d, %d unread, want %d", len(events), s.Rev, s.Unread, 64*each)
			}
			for i, e := range events {
				if e.Rev != int64(i+1) {
					t.Fatalf("event %d has revision %d", i+1, e.Rev)
				}
			}
			return errors.Join(err, err2)
		})
	})
}

// TestSnapshot: what is written during a Read is not seen in it.
func TestSnapshot(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		d := dbtest.Open(t, url)
		id := newSessions(t, d, 1)[0]
		read(t, d, func(r chat.Reader) error {
			for range 2 {
				s, err := r.Session(id)
				list, err2 := r.Messages(chat.MessageQuery{SessionID: id})
				if s.Rev != 0 || len(list) != 0 || errors.Join(err, err2) != nil {
					t.Errorf("revision %d, %d messages, %v", s.Rev, len(list), errors.Join(err, err2))
				}
				done := make(chan error)
				go func() { done <- sendMessage(t, d, id) }()
				if err := <-done; err != nil {
					return err
				}
			}
			return nil
		})
	})
}

// TestContext: a context ends the wait, never what has begun.
func TestContext(t *testing.T) {
	t.Run("ended before", func(t *testing.T) {
		dbtest.Each(t, func(t *testing.T, d *db.DB) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			ran := false
			want(t, d.Apply(ctx, func(chat.Tx) error { ran = true; return nil }), context.Canceled)
			want(t, d.Read(ctx, func(chat.Reader) error { ran = true; return nil }), context.Canceled)
			if ran {
				t.Error("the operation ran")
			}
		})
	})
	t.Run("ends while waiting", func(t *testing.T) {
		d := dbtest.Memory(t)
		release := hold(t, d)
		ctx, cancel := context.WithCancel(t.Context())
		done := make(chan error)
		go func() { done <- d.Apply(ctx, func(tx chat.Tx) error { return tx.PutMeta("k", "v") }) }()
		cancel()
		want(t, <-done, context.Canceled)
		release()
		read(t, d, func(r chat.Reader) error {
			v, err := r.Meta("k")
			if v != "" {
				t.Error("the operation ran")
			}
			return err
		})
	})
	t.Run("ends while running", func(t *testing.T) {
		dbtest.Each(t, func(t *testing.T, d *db.DB) {
			ctx, cancel := context.WithCancel(t.Context())
			if err := d.Apply(ctx, func(tx chat.Tx) error { cancel(); return tx.PutMeta("k", "v") }); err != nil {
				t.Fatal(err)
			}
			read(t, d, func(r chat.Reader) error {
				v, err := r.Meta("k")
				if v != "v" {
					t.Error("the operation was not carried out")
				}
				return err
			})
		})
	})
}

func TestClose(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		release := hold(t, d)
		var wg sync.WaitGroup
		begun := make(chan struct{}, 10)
		for i := range 10 {
			wg.Go(func() {
				begun <- struct{}{}
				err := d.Apply(t.Context(), func(tx chat.Tx) error { return tx.PutMeta(fmt.Sprint(i), "v") })
				if err != nil && !errors.Is(err, db.ErrClosed) {
					t.Error(err)
				}
			})
		}
		for range 10 {
			<-begun
		}
		wg.Go(func() {
			if err := d.Close(); err != nil {
				t.Error(err)
			}
		})
		release()
		wg.Wait()
		want(t, d.Apply(t.Context(), func(chat.Tx) error { return nil }), db.ErrClosed)
		want(t, d.Read(t.Context(), func(chat.Reader) error { return nil }), db.ErrClosed)
		want(t, d.Ping(t.Context()), db.ErrClosed)
		want(t, d.Close(), nil)
	})
}

// TestLockedSessionIsCurrent: the writer's memory of sessions follows every way in
// which a session can change.
func TestLockedSessionIsCurrent(t *testing.T) {
	url := dbtest.FileURL(t)
	d := dbtest.Open(t, url)
	id := newSessions(t, d, 1)[0]
	locked := func() (s chat.Session) {
		t.Helper()
		apply(t, d, func(tx chat.Tx) (err error) { s, err = tx.Lock(id); return err })
		return s
	}
	save := func(d *db.DB, change func(s *chat.Session), result error) {
		t.Helper()
		want(t, d.Apply(t.Context(), func(tx chat.Tx) error {
			s, err := tx.Lock(id)
			if err != nil {
				return err
			}
			change(&s)
			return errors.Join(tx.SaveSession(&s), result)
		}), result)
	}
	save(d, func(s *chat.Session) { s.Rev = 1 }, nil)
	save(d, func(s *chat.Session) { s.Rev, s.Unread = 2, 9 }, errOp)
	if s := locked(); s.Rev != 1 || s.Unread != 0 {
		t.Errorf("after a failed operation: %+v", s)
	}
	s := locked()
	before := string(s.Identity)
	s.Identity[0] = 'X'
	if got := string(locked().Identity); got != before {
		t.Errorf("a caller changed the writer's memory: %s", got)
	}
	other, err := db.Open(t.Context(), url, db.Options{Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	save(other, func(s *chat.Session) { s.Rev, s.Identity = 5, chat.Raw(`{"id":"other"}`) }, nil)
	if s := locked(); s.Rev != 5 || string(s.Identity) != `{"id":"other"}` {
		t.Errorf("after another process wrote: %+v", s)
	}
	apply(t, d, func(tx chat.Tx) error { return tx.EraseSession(id) })
	want(t, d.Apply(t.Context(), func(tx chat.Tx) error { _, err := tx.Lock(id); return err }), chat.ErrSessionNotFound)
}

// TestManySessions writes to more sessions than the writer remembers.
func TestManySessions(t *testing.T) {
	d := dbtest.Memory(t)
	ids := newSessions(t, d, 1500)
	for range 2 {
		apply(t, d, func(tx chat.Tx) error {
			for _, id := range ids {
				if err := visitorMessage(id, chat.NewID())(tx); err != nil {
					return err
				}
			}
			return nil
		})
	}
	read(t, d, func(r chat.Reader) error {
		for _, id := range ids {
			if s, err := r.Session(id); s.Rev != 2 || err != nil {
				t.Fatalf("revision %d, %v", s.Rev, err)
			}
		}
		return nil
	})
}

// TestRelaxed: a commit waits for the disk unless all that is in it can be made again.
func TestRelaxed(t *testing.T) {
	for _, c := range []struct {
		name, url, query, waits, relaxed string
		opts                             db.Options
	}{
		{"sqlite", dbtest.FileURL(t), "PRAGMA synchronous", "2", "1", db.Options{}},
		{"sqlite, relaxed anyway", dbtest.FileURL(t), "PRAGMA synchronous", "1", "1", db.Options{Relaxed: true}},
		{"postgres", dbtest.PostgresURL(t), "SHOW synchronous_commit", "on", "off", db.Options{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			d, err := db.Open(t.Context(), c.url, c.opts)
			want(t, err, nil)
			defer d.Close()
			ask := func(how string, read func(context.Context, string) (string, error), wanted string) {
				t.Helper()
				if got, err := read(t.Context(), c.query); err != nil || got != wanted {
					t.Errorf("%s: %q, %v instead of %q", how, got, err, wanted)
				}
			}
			ask("before", d.Writer, c.waits)
			ask("relaxed", d.WriterRelaxed, c.relaxed)
			ask("behind it", d.Writer, c.waits)
			ask("relaxed again", d.WriterRelaxed, c.relaxed)

			if c.name == "postgres" {
				return // each operation has a transaction of its own
			}
			release := hold(t, d)
			var wg sync.WaitGroup
			wg.Go(func() { ask("relaxed together", d.WriterRelaxed, c.waits) })
			wg.Go(func() { ask("together", d.Writer, c.waits) })
			for d.Queued() < 2 {
				runtime.Gosched()
			}
			release()
			wg.Wait()
		})
	}
}
