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
	d := dbtest.Open(t, dbtest.PostgresURL(t))
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
	url := dbtest.PostgresURL(t)
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
