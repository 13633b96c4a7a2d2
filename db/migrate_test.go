package db_test

import (
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5/pgconn"
	_ "github.com/jackc/pgx/v5/stdlib"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

// raw runs SQL on a database that relay has not opened.
func raw(t *testing.T, url string, queries ...string) {
	t.Helper()
	var pool *sql.DB
	if strings.HasPrefix(url, "sqlite://") {
		opened, err := db.Connect(pathOf(url))
		if err != nil {
			t.Fatal(err)
		}
		pool = opened.DB
	} else {
		opened, err := sql.Open("pgx", url)
		if err != nil {
			t.Fatal(err)
		}
		pool = opened
	}
	defer pool.Close()
	for _, q := range queries {
		if _, err := pool.Exec(q); err != nil {
			t.Fatal(err)
		}
	}
}

// reopen opens and closes a database.
func reopen(t *testing.T, url string) error {
	t.Helper()
	d, err := db.Open(t.Context(), url, db.Options{})
	if err != nil {
		return err
	}
	return d.Close()
}

func TestReopen(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		for range 3 {
			if err := reopen(t, url); err != nil {
				t.Fatal(err)
			}
		}
	})
}

func TestNewerSchema(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		if err := reopen(t, url); err != nil {
			t.Fatal(err)
		}
		raw(t, url, "UPDATE schema_migrations SET version = 99")
		err := reopen(t, url)
		for _, part := range []string{"schema version 99", "only up to", "newer relay", "backup"} {
			if err == nil || !strings.Contains(err.Error(), part) {
				t.Errorf("got %v, want ... %s ...", err, part)
			}
		}
		if _, err := db.Open(t.Context(), url, db.Options{Shared: true}); err == nil {
			t.Error("a newer schema was opened by a command")
		}
	})
}

// TestDirty: an interrupted migration was rolled back and runs again.
func TestDirty(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		raw(t, url, "CREATE TABLE schema_migrations (version BIGINT NOT NULL PRIMARY KEY, dirty BOOLEAN NOT NULL)",
			"INSERT INTO schema_migrations (version, dirty) VALUES (1, TRUE)")
		d := dbtest.Open(t, url)
		newSessions(t, d, 1)
	})
}

// TestCutBehindStep: a step that was done just before relay was cut off is not
// taken again.
func TestCutBehindStep(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		if db.CutBehindStep(url) == nil {
			t.Fatal("nothing was cut off")
		}
		d := dbtest.Open(t, url)
		newSessions(t, d, 1)
	})
}

func TestSharedNeedsSchema(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		raw(t, url, "CREATE TABLE schema_migrations (version BIGINT NOT NULL PRIMARY KEY, dirty BOOLEAN NOT NULL)")
		_, err := db.Open(t.Context(), url, db.Options{Shared: true})
		if err == nil || !strings.Contains(err.Error(), "start relay once") {
			t.Errorf("got %v", err)
		}
	})
}

// TestManyStarts: several relays may start on one Postgres database at once.
func TestManyStarts(t *testing.T) {
	url := dbtest.PostgresURL(t)
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			if err := reopen(t, url); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
}

// TestOthers: relays on one Postgres database know of each other, but not of
// short commands.
func TestOthers(t *testing.T) {
	dbtest.EachURL(t, func(t *testing.T, url string) {
		others := func(d *db.DB) int {
			t.Helper()
			n, err := d.Others(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
		first := dbtest.Open(t, url)
		command, err := db.Open(t.Context(), url, db.Options{Shared: true})
		if err != nil {
			t.Fatal(err)
		}
		defer command.Close()
		if n := others(first); n != 0 {
			t.Errorf("alone, and %d others", n)
		}
		if strings.HasPrefix(url, "sqlite:") {
			return // the lock keeps a second one away
		}
		second := dbtest.Open(t, url)
		if b, a := others(second), others(first); a != 1 || b != 1 {
			t.Errorf("two relays know of %d and %d others", a, b)
		}
	})
}

// TestPostgresAway: a connection that the server ends is reported as such, and the
// next operation finds another.
func TestPostgresAway(t *testing.T) {
	d := dbtest.Open(t, dbtest.MigratedURL(t))
	if err := d.Exec(t.Context(), "SELECT pg_terminate_backend(pg_backend_pid())"); !errors.Is(err, chat.ErrAway) {
		t.Errorf("got %v, want %v", err, chat.ErrAway)
	}
	newSessions(t, d, 1)
}

// TestConnectionGone: a connection that ended just before a statement is no
// fault of relay's either.
func TestConnectionGone(t *testing.T) {
	c, err := pgconn.Connect(t.Context(), dbtest.PostgresURL(t))
	want(t, err, nil)
	want(t, c.Close(t.Context()), nil)
	_, err = c.Exec(t.Context(), "SELECT 1").ReadAll()
	if err := db.Translate(fmt.Errorf("commit: %w", err)); !errors.Is(err, chat.ErrAway) {
		t.Errorf("got %v, want %v", err, chat.ErrAway)
	}
}

// TestPostgresIsAway: temporary errors are distinguished from those people must fix.
func TestPostgresIsAway(t *testing.T) {
	for _, c := range []struct {
		name string
		err  error
		want error
	}{
		{"starting", &pgconn.PgError{Code: "57P03"}, chat.ErrAway},
		{"too many connections", &pgconn.PgError{Code: "53300"}, chat.ErrAway},
		{"a standby", &pgconn.PgError{Code: "25006"}, chat.ErrAway},
		{"a statement that takes too long", &pgconn.PgError{Code: "57014"}, chat.ErrAway},
		{"a connection that the server ended before", pgconn.ErrConnClosed, chat.ErrAway},
		{"a full disk", &pgconn.PgError{Code: "53100"}, chat.ErrStorageFull},
		{"a wrong password", &pgconn.PgError{Code: "28P01"}, nil},
		{"a missing table", &pgconn.PgError{Code: "42P01"}, nil},
	} {
		err := db.Translate(fmt.Errorf("ask: %w", c.err))
		for _, known := range []error{chat.ErrAway, chat.ErrStorageFull} {
			if errors.Is(err, known) != (known == c.want) {
				t.Errorf("%s: got %v, want %v", c.name, err, c.want)
			}
		}
	}
}

// TestPostgresURL: errors do not contain the password.
func TestPostgresURL(t *testing.T) {
	for _, url := range []string{"postgres://relay:hunter2@127.0.0.1:1/relay", "postgres://relay:hunter2@[::1/relay"} {
		_, err := db.Open(t.Context(), url, db.Options{})
		if err == nil || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%s: %v", url, err)
		}
	}
}

// TestCopyBefore: the last copies from before upgrades are kept.
func TestCopyBefore(t *testing.T) {
	url := dbtest.FileURL(t)
	d := dbtest.Open(t, url)
	newSessions(t, d, 1)
	for _, version := range []int{1, 2, 9, 10, 10} {
		if err := db.CopyBefore(t.Context(), pathOf(url), version); err != nil {
			t.Fatal(err)
		}
	}
	dir := filepath.Join(filepath.Dir(pathOf(url)), "backups")
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if !slices.Equal(names, []string{"pre-10.db", "pre-2.db", "pre-9.db"}) {
		t.Errorf("kept %v", names)
	}
	for _, name := range names {
		if err := reopen(t, "sqlite://"+filepath.Join(dir, name)); err != nil {
			t.Error(err)
		}
	}
}

// BenchmarkOpen is what the database takes of relay's start.
func BenchmarkOpen(b *testing.B) {
	url := dbtest.FileURL(b)
	for i := range b.N + 1 {
		if i == 1 {
			b.ResetTimer() // the schema is there now
		}
		d, err := db.Open(b.Context(), url, db.Options{})
		if err != nil {
			b.Fatal(err)
		}
		if err := d.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
