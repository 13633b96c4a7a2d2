package db_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

// together applies operations on sessions so that they share one transaction, as far as
// they can, and returns their errors.
func together(t *testing.T, d *db.DB, sessions []string, op func(i int) func(chat.Tx) error) []error {
	t.Helper()
	d.Share(1)
	errs := make([]error, len(sessions))
	busy, free := make(chan struct{}), make(chan struct{})
	var once, all sync.WaitGroup
	gate := newSessions(t, d, 1)[0]
	once.Go(func() {
		first := true
		_ = d.ApplyTo(context.Background(), gate, func(chat.Tx) error {
			if first { // the worker waits until all others are queued
				first = false
				close(busy)
				<-free
			}
			return nil
		})
	})
	<-busy
	for i, id := range sessions {
		before := d.Sharing()
		all.Go(func() { errs[i] = d.ApplyTo(t.Context(), id, op(i)) })
		for d.Sharing() == before {
			time.Sleep(50 * time.Microsecond)
		}
	}
	close(free)
	once.Wait()
	all.Wait()
	return errs
}

// TestSharedFailsAlone: of the operations that share a transaction, each fails alone, and those that
// cannot share it run alone.
func TestSharedFailsAlone(t *testing.T) {
	d := dbtest.Open(t, dbtest.MigratedURL(t))
	ids := newSessions(t, d, 12)
	errs := together(t, d, ids, func(i int) func(chat.Tx) error {
		return func(tx chat.Tx) error {
			if i%6 == 5 {
				return errOp // before it wrote
			}
			if err := visitorMessage(ids[i], "m")(tx); err != nil {
				return err
			}
			switch i % 6 {
			case 1:
				return errOp
			case 2:
				panic("oops")
			case 3: // it reads what it wrote
				_, err := tx.Message(ids[i], "m")
				return err
			case 4: // and reads what is not there
				_, err := tx.Message(ids[i], "other")
				if errors.Is(err, chat.ErrMessageNotFound) {
					return nil
				}
				return nil // an ignored error makes it run alone, too
			}
			return nil
		}
	})
	for i, id := range ids {
		wanted := 1
		switch i % 6 {
		case 1, 5:
			want(t, errs[i], errOp)
			wanted = 0
		case 2:
			if errs[i] == nil || !strings.Contains(errs[i].Error(), "oops") {
				t.Errorf("panic: %v", errs[i])
			}
			wanted = 0
		default:
			want(t, errs[i], nil)
		}
		wantMessages(t, d, id, wanted)
	}
}

// wantMessages checks that a session has so many messages, with dense revisions.
func wantMessages(t *testing.T, d *db.DB, id string, n int) {
	t.Helper()
	read(t, d, func(r chat.Reader) error {
		s, err := r.Session(id)
		list, err2 := r.Messages(chat.MessageQuery{SessionID: id})
		events, err3 := r.Events(id, 0, 0)
		if int(s.Rev) != n || s.Unread != n || len(list) != n || len(events) != n {
			t.Errorf("session %s: revision %d, %d unread, %d messages, %d events, want %d", id, s.Rev, s.Unread, len(list), len(events), n)
		}
		for i, e := range events {
			if e.Rev != int64(i+1) {
				t.Errorf("session %s: event %d has revision %d", id, i+1, e.Rev)
			}
		}
		return errors.Join(err, err2, err3)
	})
}

// TestSharedCommit: operations that only write are committed at once, those on one session
// in their order, however the driver sends statements: behind PgBouncer none are prepared.
func TestSharedCommit(t *testing.T) {
	for _, mode := range []string{"cache_statement", "cache_describe", "describe_exec", "exec", "simple_protocol"} {
		t.Run(mode, func(t *testing.T) {
			var commits []int
			var mu sync.Mutex
			d, err := db.Open(t.Context(), dbtest.MigratedURL(t)+"&default_query_exec_mode="+mode, db.Options{Committed: func(n int, _ time.Duration) {
				mu.Lock()
				defer mu.Unlock()
				commits = append(commits, n)
			}})
			want(t, err, nil)
			defer d.Close()
			d.Share(1)
			ids := newSessions(t, d, 4)
			for _, id := range ids { // starts it, which is another statement
				want(t, d.ApplyTo(t.Context(), id, visitorMessage(id, "first")), nil)
			}
			var sessions []string
			for i := range 20 {
				sessions = append(sessions, ids[i*i%4]) // two of them, often
			}
			for _, err := range together(t, d, sessions, func(i int) func(chat.Tx) error { return visitorMessage(sessions[i], chat.NewID()) }) {
				want(t, err, nil)
			}
			mu.Lock()
			defer mu.Unlock()
			if last := commits[len(commits)-1]; last != len(sessions) {
				t.Errorf("commits of %v operations, want the last with %d", commits, len(sessions))
			}
			wantMessages(t, d, ids[0], 11)
			wantMessages(t, d, ids[1], 11)
		})
	}
}

// TestSharedDuplicate: two messages with one client id in one batch are one message.
func TestSharedDuplicate(t *testing.T) {
	d := dbtest.Open(t, dbtest.MigratedURL(t))
	ids := newSessions(t, d, 2)
	sessions := []string{ids[0], ids[0], ids[1]}
	errs := together(t, d, sessions, func(i int) func(chat.Tx) error {
		return func(tx chat.Tx) error {
			s, err := tx.Lock(sessions[i])
			if err != nil {
				return err
			}
			s.Rev++
			m := newMessage(s.ID, chat.MessageID(chat.NewID(), s.Rev), s.Rev)
			m.ClientID = "same"
			if err := tx.InsertMessage(m); err != nil {
				return err
			}
			return tx.SaveSession(&s)
		}
	})
	want(t, errs[2], nil)
	if (errs[0] == nil) == (errs[1] == nil) || !errors.Is(errors.Join(errs[0], errs[1]), chat.ErrMessageExists) {
		t.Errorf("two messages with one client id: %v, %v", errs[0], errs[1])
	}
	for _, id := range ids {
		read(t, d, func(r chat.Reader) error {
			list, err := r.Messages(chat.MessageQuery{SessionID: id})
			if len(list) != 1 {
				t.Errorf("%d messages, want 1", len(list))
			}
			return err
		})
	}
}

// TestSharedBadText: a text that the server rejects fails alone.
func TestSharedBadText(t *testing.T) {
	d := dbtest.Open(t, dbtest.MigratedURL(t))
	ids := newSessions(t, d, 3)
	errs := together(t, d, ids, func(i int) func(chat.Tx) error {
		if i == 1 {
			return visitorMessage(ids[i], "a\x00b")
		}
		return visitorMessage(ids[i], "m")
	})
	if errs[1] == nil {
		t.Error("a text with a zero byte was stored")
	}
	want(t, errors.Join(errs[0], errs[2]), nil)
	for i, n := range []int{1, 0, 1} {
		wantMessages(t, d, ids[i], n)
	}
}

// TestSharedUnknown: a session that does not exist is reported to those that want it.
func TestSharedUnknown(t *testing.T) {
	d := dbtest.Open(t, dbtest.MigratedURL(t))
	ids := append(newSessions(t, d, 1), "nobody")
	errs := together(t, d, ids, func(i int) func(chat.Tx) error { return visitorMessage(ids[i], "m") })
	want(t, errs[0], nil)
	want(t, errs[1], chat.ErrSessionNotFound)
}

// TestSharedBesideLocked: a session that another node has locked keeps nobody else waiting.
func TestSharedBesideLocked(t *testing.T) {
	url := dbtest.MigratedURL(t)
	one, two := dbtest.Open(t, url), dbtest.Open(t, url)
	one.Share(3)
	ids := newSessions(t, one, 2)
	locked, free, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- two.Apply(context.Background(), func(tx chat.Tx) error {
			_, err := tx.Lock(ids[0])
			close(locked)
			<-free
			return err
		})
	}()
	<-locked
	waits := make(chan error, 1)
	go func() { waits <- one.ApplyTo(context.Background(), ids[0], visitorMessage(ids[0], "m")) }()
	for range 20 {
		want(t, one.ApplyTo(t.Context(), ids[1], visitorMessage(ids[1], chat.NewID())), nil)
	}
	select {
	case err := <-waits:
		t.Errorf("it did not wait for the lock: %v", err)
	default:
	}
	close(free)
	want(t, <-ended, nil)
	want(t, <-waits, nil)
	wantMessages(t, one, ids[0], 1)
	wantMessages(t, one, ids[1], 20)
}

// TestSharedByNodes: two nodes write to the same sessions, alone and together, in any
// order. Nothing fails, and revisions are dense.
func TestSharedByNodes(t *testing.T) {
	const writers, each = 12, 10
	url := dbtest.MigratedURL(t)
	nodes := []*db.DB{dbtest.Open(t, url), dbtest.Open(t, url)}
	for _, d := range nodes {
		d.Share(3)
	}
	ids := newSessions(t, nodes[0], 6)
	var all sync.WaitGroup
	for w := range writers {
		all.Go(func() {
			d := nodes[w%2]
			for i := range each {
				id := ids[(w+i*(1+w%3))%len(ids)]
				var err error
				if w == 0 {
					err = d.Apply(t.Context(), visitorMessage(id, chat.NewID()))
				} else {
					err = d.ApplyTo(t.Context(), id, visitorMessage(id, chat.NewID()))
				}
				if err != nil {
					t.Error(err)
				}
			}
		})
	}
	all.Wait()
	total := 0
	for _, id := range ids {
		read(t, nodes[1], func(r chat.Reader) error {
			s, err := r.Session(id)
			total += int(s.Rev)
			return err
		})
		wantMessages(t, nodes[0], id, int(rev(t, nodes[0], id)))
	}
	if total != writers*each {
		t.Errorf("%d messages, want %d", total, writers*each)
	}
}

func rev(t *testing.T, d *db.DB, id string) (n int64) {
	t.Helper()
	read(t, d, func(r chat.Reader) error {
		s, err := r.Session(id)
		n = s.Rev
		return err
	})
	return n
}

// TestSharedCut ends the connection of a shared transaction while its operations run: all
// get ErrAway, as alone, and nothing is stored.
func TestSharedCut(t *testing.T) {
	url := dbtest.MigratedURL(t)
	d := dbtest.Open(t, url)
	ids := newSessions(t, d, 3)
	var once sync.Once
	errs := together(t, d, ids, func(i int) func(chat.Tx) error {
		return func(tx chat.Tx) error {
			once.Do(func() {
				rawNumber(t, url, `WITH k AS (SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()
					AND state = 'idle in transaction') SELECT COUNT(*) FROM k`)
			})
			return visitorMessage(ids[i], "m")(tx)
		}
	})
	for i, id := range ids {
		want(t, errs[i], chat.ErrAway)
		want(t, d.ApplyTo(t.Context(), id, visitorMessage(id, "again")), nil) // on a new connection
		wantMessages(t, d, id, 1)
	}
}

// TestSharedReadOnly meets a server that became read-only, and the next connection after it.
func TestSharedReadOnly(t *testing.T) {
	t.Parallel()
	server := dbtest.NewServer(t, 50)
	first := dbtest.Open(t, server.URL)
	id := newSessions(t, first, 1)[0]
	server.Command(t, `ALTER DATABASE relay SET default_transaction_read_only = on`)
	d := dbtest.Open(t, server.URL)
	d.Share(1)
	want(t, d.ApplyTo(t.Context(), id, visitorMessage(id, "m")), chat.ErrAway)
	server.Command(t, `ALTER DATABASE relay RESET default_transaction_read_only`)
	want(t, d.ApplyTo(t.Context(), id, visitorMessage(id, "again")), nil)
	wantMessages(t, d, id, 1)
}

// TestSharedLostLease ends the wait of one who lost his lease, while the server is silent.
func TestSharedLostLease(t *testing.T) {
	url := dbtest.MigratedURL(t)
	d := dbtest.Open(t, url+"&idle_in_transaction_session_timeout=0")
	d.Share(1)
	id := newSessions(t, d, 1)[0]
	locks := dbtest.Open(t, url+"&idle_in_transaction_session_timeout=0")
	locked, free, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- locks.Write(context.Background(), `LOCK TABLE messages IN ACCESS EXCLUSIVE MODE`, func() { close(locked); <-free })
	}()
	<-locked
	ctx, lose := context.WithCancelCause(t.Context())
	begun, result := make(chan struct{}, 10), make(chan error, 1)
	go func() {
		result <- d.ApplyTo(ctx, id, func(tx chat.Tx) error {
			begun <- struct{}{}
			return visitorMessage(id, "m")(tx)
		})
	}()
	<-begun
	lose(chat.ErrLeaseLost)
	select {
	case err := <-result:
		want(t, err, chat.ErrAway)
	case <-time.After(20 * time.Second):
		t.Error("it still waits after the lease was lost")
	}
	close(free)
	want(t, <-ended, nil)
	wantMessages(t, d, id, 0)
}

// TestSharedClosed: a closed database takes nothing, and finishes what it took.
func TestSharedClosed(t *testing.T) {
	d := dbtest.Open(t, dbtest.MigratedURL(t))
	d.Share(1)
	id := newSessions(t, d, 1)[0]
	begun, result := make(chan struct{}, 2), make(chan error, 1)
	go func() {
		result <- d.ApplyTo(context.Background(), id, func(tx chat.Tx) error { begun <- struct{}{}; return visitorMessage(id, "m")(tx) })
	}()
	<-begun
	want(t, d.Close(), nil)
	want(t, <-result, nil)
	want(t, d.ApplyTo(t.Context(), id, visitorMessage(id, "late")), db.ErrClosed)
}
