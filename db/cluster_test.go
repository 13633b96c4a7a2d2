package db_test

import (
	"context"
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

// TestLeases gives a lease from one node to another: the first can write no more.
func TestLeases(t *testing.T) {
	url := dbtest.MigratedURL(t)
	one, two := dbtest.Open(t, url), dbtest.Open(t, url)
	a, b := one.Cluster(), two.Cluster()
	acquire := func(c chat.Cluster) (epoch int64, wait time.Duration) {
		t.Helper()
		epoch, wait, err := c.Acquire(t.Context(), "sink", "info")
		if err != nil {
			t.Fatal(err)
		}
		return epoch, wait
	}
	fence := func(d *db.DB, epoch int64) error {
		return d.Apply(t.Context(), func(tx chat.Tx) error { return tx.Fence("sink", epoch) })
	}
	if epoch, _ := acquire(a); epoch != 1 {
		t.Errorf("the first epoch is %d", epoch)
	}
	if epoch, wait := acquire(b); epoch != 0 || wait <= 0 || wait > chat.LeaseLife {
		t.Errorf("two nodes hold it: %d, wait %s", epoch, wait)
	}
	if err := fence(one, 1); err != nil {
		t.Errorf("its holder may not write: %v", err)
	}
	if err := b.Release(t.Context(), "sink", 1); err != nil || fence(one, 1) != nil {
		t.Errorf("another node released it: %v", err)
	}
	if err := a.Release(t.Context(), "sink", 0); err != nil || fence(one, 1) != nil {
		t.Errorf("an earlier release that came late ended it: %v", err)
	}
	if err := a.Release(t.Context(), "sink", 1); err != nil {
		t.Fatal(err)
	}
	if epoch, _ := acquire(b); epoch != 2 {
		t.Errorf("the second epoch is %d", epoch)
	}
	if err := fence(one, 1); !errors.Is(err, chat.ErrLeaseLost) {
		t.Errorf("the earlier holder still writes: %v", err)
	}
	for c, want := range map[chat.Cluster]int64{a: 0, b: 2} {
		held, _, err := c.Renew(t.Context())
		if err != nil || held["sink"] != want {
			t.Errorf("renewed: %v, %v", held, err)
		}
	}
	if dbtest.Memory(t).Cluster() != nil {
		t.Error("SQLite has a cluster")
	}
}

// TestBell sends short and long texts to another node, once each.
func TestBell(t *testing.T) {
	url := dbtest.MigratedURL(t)
	a, b := dbtest.Open(t, url).Cluster(), dbtest.Open(t, url).Cluster()
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	ready, heard, ended := make(chan bool), make(chan string, 10), make(chan error, 1)
	go func() {
		ended <- b.Listen(ctx, func(polls bool) { ready <- polls }, func(text string) { heard <- text })
	}()
	if <-ready {
		t.Error("it polls")
	}
	want := []string{`["a","s"]`, strings.Repeat("long ", 2000), `["a","end"]`}
	if err := a.Ring(ctx, want); err != nil {
		t.Fatal(err)
	}
	var got []string
	for range want {
		select {
		case text := <-heard:
			got = append(got, text)
		case <-time.After(20 * time.Second):
			t.Fatalf("only %d texts", len(got))
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("heard %q", got)
	}
	cancel()
	<-ended
}

// TestOldBells: a text is gone a minute after it was stored, whoever stored it, also while the
// cluster always has something to say.
func TestOldBells(t *testing.T) {
	url := dbtest.MigratedURL(t)
	own, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	defer own.Close(context.WithoutCancel(t.Context()))
	if _, err := own.Exec(t.Context(), `INSERT INTO bells (at, body) VALUES (0, 'of a node that ended')`); err != nil {
		t.Fatal(err)
	}
	a, b := dbtest.Open(t, url).Cluster(), dbtest.Open(t, url).Cluster()
	ctx, cancel := context.WithCancel(t.Context())
	ready, ended := make(chan bool), make(chan error, 1)
	go func() { ended <- b.Listen(ctx, func(polls bool) { ready <- polls }, func(string) {}) }()
	<-ready
	for deadline := time.Now().Add(time.Minute); ; {
		if err := a.Ring(ctx, []string{`["a","s"]`}); err != nil {
			t.Fatal(err)
		}
		var left int
		if err := own.QueryRow(ctx, `SELECT count(*) FROM bells`).Scan(&left); err != nil {
			t.Fatal(err)
		}
		if left == 0 {
			break
		}
		if time.Now().After(deadline) {
			t.Fatalf("%d old texts are left", left)
		}
	}
	cancel()
	<-ended
}
