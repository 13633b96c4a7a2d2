// Package dbtest opens databases for tests: every dialect that relay speaks,
// each empty, and gone with the test. It imports package db and the Postgres
// driver.
package dbtest

import (
	"context"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/relay-chat/relay/db"
)

// patient lets a busy machine stop a test for a while in the middle of a transaction, which relay
// allows for two seconds.
const patient = "&idle_in_transaction_session_timeout=60000"

// Each runs a test on every dialect: a SQLite file, SQLite in memory, and
// Postgres. Postgres is started from the programs that are installed, or taken
// from RELAY_TEST_POSTGRES_URL; RELAY_TEST_POSTGRES=off leaves it out.
func Each(t *testing.T, test func(t *testing.T, d *db.DB)) {
	t.Helper()
	EachLasting(t, test)
	t.Run("memory", func(t *testing.T) { test(t, Memory(t)) })
}

// EachLasting is Each without the memory, which speaks SQLite too, and has nothing of a relay with
// a console: for what differs only between the dialects.
func EachLasting(t *testing.T, test func(t *testing.T, d *db.DB)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { test(t, Open(t, MigratedFile(t))) })
	t.Run("postgres", func(t *testing.T) { test(t, Open(t, MigratedURL(t)+patient)) })
}

// EachURL runs a test on every dialect that outlives its process. There is no
// database at the URL yet.
func EachURL(t *testing.T, test func(t *testing.T, url string)) {
	t.Helper()
	t.Run("sqlite", func(t *testing.T) { test(t, FileURL(t)) })
	t.Run("postgres", func(t *testing.T) { test(t, PostgresURL(t)) })
}

// FileURL returns the URL of a SQLite file that does not exist yet.
func FileURL(t testing.TB) string {
	t.Helper()
	// Not t.TempDir: the names of tests can have characters that URLs cannot.
	dir, err := os.MkdirTemp("", "relay-db-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return "sqlite://" + filepath.Join(dir, "relay.db")
}

// migratedFile is a SQLite file with the tables of relay, made once for all tests of a process.
var migratedFile = sync.OnceValues(func() ([]byte, error) {
	dir, err := os.MkdirTemp("", "relay-db-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	file := filepath.Join(dir, "relay.db")
	d, err := db.Open(context.Background(), "sqlite://"+file, db.Options{})
	if err != nil {
		return nil, err
	}
	if err := d.Close(); err != nil {
		return nil, err
	}
	return os.ReadFile(file)
})

// MigratedFile makes a SQLite file with the tables of relay and returns its URL: a copy of one
// that [db.Open] migrated.
func MigratedFile(t testing.TB) string {
	t.Helper()
	data, err := migratedFile()
	if err != nil {
		t.Fatal(err)
	}
	url := FileURL(t)
	if err := os.WriteFile(strings.TrimPrefix(url, "sqlite://"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	return url
}

// CopyOf copies a database that nobody has open and returns the copy's URL.
func CopyOf(t testing.TB, of string) string {
	t.Helper()
	file, isFile := strings.CutPrefix(of, "sqlite://")
	if !isFile {
		u, err := url.Parse(of)
		if err != nil {
			t.Fatal(err)
		}
		return makeDatabase(t, clusterOf(t), "TEMPLATE "+strings.TrimPrefix(u.Path, "/"))
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	copied := FileURL(t)
	if err := os.WriteFile(strings.TrimPrefix(copied, "sqlite://"), data, 0o600); err != nil {
		t.Fatal(err)
	}
	return copied
}

// Open opens a database until the end of the test.
func Open(t testing.TB, url string) *db.DB {
	t.Helper()
	d, err := db.Open(t.Context(), url, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	return closing(t, d)
}

// Memory opens a database in memory until the end of the test.
func Memory(t testing.TB) *db.DB {
	t.Helper()
	d, err := db.Memory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return closing(t, d)
}

func closing(t testing.TB, d *db.DB) *db.DB {
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
	})
	return d
}
