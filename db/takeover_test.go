package db_test

import (
	"context"
	"database/sql"
	"errors"
	"sync"
	"testing"
	"time"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

// lockFact starts a transaction that locks a fact until it is let go.
func lockFact(t *testing.T, d *db.DB) (release func()) {
	t.Helper()
	want(t, d.Apply(t.Context(), func(tx chat.Tx) error { return tx.PutMeta("fact", "1") }), nil)
	locked, free, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		ended <- d.Apply(context.Background(), func(tx chat.Tx) error {
			_, err := tx.LockMeta("fact")
			close(locked)
			<-free
			return err
		})
	}()
	<-locked
	return func() {
		close(free)
		want(t, <-ended, nil)
	}
}

// TestLostLeaseEndsATransaction does not wait for a database that does not answer once
// the lease is lost, but for any other reason.
func TestLostLeaseEndsATransaction(t *testing.T) {
	d := dbtest.Open(t, dbtest.MigratedURL(t)+"&idle_in_transaction_session_timeout=0")
	release := lockFact(t, d)
	wait := func() (end context.CancelCauseFunc, ended chan error) {
		ctx, end := context.WithCancelCause(t.Context())
		begun, ended := make(chan struct{}, 10), make(chan error, 1)
		go func() {
			ended <- d.Apply(ctx, func(tx chat.Tx) error {
				begun <- struct{}{}
				_, err := tx.LockMeta("fact")
				return err
			})
		}()
		<-begun
		return end, ended
	}
	stop, stopped := wait()
	lose, lost := wait()
	stop(context.Canceled)
	lose(chat.ErrLeaseLost)
	select {
	case err := <-lost:
		if err == nil {
			t.Error("it was stored")
		}
	case <-time.After(20 * time.Second):
		t.Error("it still waits after the lease was lost")
	}
	release()
	want(t, <-stopped, nil)
}

// TestSilentHolderIsReplaced takes a lease whose holder went silent in a transaction.
func TestSilentHolderIsReplaced(t *testing.T) {
	t.Parallel()
	url := dbtest.MigratedURL(t)
	one, two := dbtest.Open(t, url), dbtest.Open(t, url)
	epoch, _, err := one.Cluster().Acquire(t.Context(), "sink", "info")
	want(t, err, nil)
	admin, err := sql.Open("pgx", url)
	want(t, err, nil)
	defer admin.Close()

	locked, heard, free := make(chan struct{}), make(chan error, 1), make(chan struct{})
	release := sync.OnceFunc(func() { close(free) })
	defer release() // one is closed after what it does
	go func() {
		heard <- one.Apply(context.Background(), func(tx chat.Tx) error {
			if _, err := admin.Exec(`UPDATE leases SET expires_at = expires_at - 14000`); err != nil {
				return err
			}
			if err := tx.Fence("sink", epoch); err != nil {
				return err
			}
			close(locked)
			<-free
			return nil
		})
	}()
	<-locked
	await(t, "another node takes the lease", func() bool {
		ctx, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		next, _, err := two.Cluster().Acquire(ctx, "sink", "info")
		return err == nil && next > epoch // more than one if an answer came too late
	})
	release()
	if err := <-heard; !errors.Is(err, chat.ErrAway) {
		t.Errorf("what the former holder did is stored: %v", err)
	}
}

// TestSilentTransactionIsEnded writes to a session that another node locked before it
// went silent. The silent node cannot store what it wanted.
func TestSilentTransactionIsEnded(t *testing.T) {
	t.Parallel()
	url := dbtest.MigratedURL(t)
	one, two := dbtest.Open(t, url), dbtest.Open(t, url)
	id := newSessions(t, two, 1)[0]
	rename := func(name string, locked func()) func(chat.Tx) error {
		return func(tx chat.Tx) error {
			s, err := tx.Lock(id)
			if err != nil {
				return err
			}
			locked()
			s.VisitorID = name
			return tx.SaveSession(&s)
		}
	}
	locked, heard, free := make(chan struct{}), make(chan error, 1), make(chan struct{})
	release := sync.OnceFunc(func() { close(free) })
	defer release() // one is closed after what it does
	go func() {
		heard <- one.Apply(context.Background(), rename("one", func() { close(locked); <-free }))
	}()
	<-locked
	stored := make(chan error, 1)
	go func() { stored <- two.Apply(context.Background(), rename("two", func() {})) }()
	select {
	case err := <-stored:
		want(t, err, nil)
	case <-time.After(20 * time.Second):
		t.Fatal("the session is still locked")
	}
	release()
	want(t, <-heard, chat.ErrAway)
	read(t, two, func(r chat.Reader) error {
		s, err := r.Session(id)
		if s.VisitorID != "two" {
			t.Errorf("the session is of %s", s.VisitorID)
		}
		return err
	})
}

// TestSilenceIsBounded ends silent transactions that write, unless the URL says when;
// those that read hold no locks.
func TestSilenceIsBounded(t *testing.T) {
	t.Parallel()
	const name = "idle_in_transaction_session_timeout"
	base := dbtest.MigratedURL(t)
	for with, bound := range map[string]string{"": "2s", "&" + name + "=60000": "1min", "&options=-c%20" + name + "%3D0": "0",
		"&options=--idle-in-transaction-session-timeout%3D5s": "5s"} {
		d := dbtest.Open(t, base+with)
		got, err := d.Writer(t.Context(), "SHOW "+name)
		if err != nil || got != bound {
			t.Errorf("%q: a transaction that writes may be silent for %s, want %s (%v)", with, got, bound, err)
		}
		if got, err = d.Reader(t.Context(), "SHOW "+name); with == "" && (err != nil || got != "0") {
			t.Errorf("a transaction that reads may be silent for %s (%v)", got, err)
		}
	}
}
