package db_test

import (
	"errors"
	"os"
	"strings"
	"testing"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

// TestFilesAway: nothing is acknowledged while one of the database's files is
// not in its place, for SQLite would write to a file that nobody finds again.
func TestFilesAway(t *testing.T) {
	for _, part := range []string{"", "-wal", "-shm"} {
		t.Run("relay.db"+part, func(t *testing.T) {
			url := dbtest.FileURL(t)
			d := dbtest.Open(t, url)
			file := strings.TrimPrefix(url, "sqlite://") + part
			put := func(value string) error {
				return d.Apply(t.Context(), func(tx chat.Tx) error { return tx.PutMeta("k", value) })
			}
			steps := []struct {
				name string
				do   func() error
				want error
			}{
				{"as it was opened", func() error { return nil }, nil},
				{"moved away", func() error { return os.Rename(file, file+".away") }, chat.ErrAway},
				{"replaced", func() error { return os.WriteFile(file, nil, 0o600) }, chat.ErrAway},
				{"put back", func() error { return os.Rename(file+".away", file) }, nil},
			}
			for _, s := range steps {
				if err := s.do(); err != nil {
					t.Fatal(err)
				}
				if err := put(s.name); !errors.Is(err, s.want) {
					t.Errorf("%s: got %v, want %v", s.name, err, s.want)
				}
			}
			want(t, d.Close(), nil)
			read(t, dbtest.Open(t, url), func(r chat.Reader) error {
				v, err := r.Meta("k")
				if v != "put back" {
					t.Errorf("after a restart: %q", v)
				}
				return err
			})
		})
	}
}

// TestLocked: what another program does to the file passes, and is no fault of
// relay's.
func TestLocked(t *testing.T) {
	url := dbtest.FileURL(t)
	d := dbtest.Open(t, url)
	if _, err := d.Writer(t.Context(), "PRAGMA busy_timeout = 1"); err != nil {
		t.Fatal(err)
	}
	other, err := db.Connect(strings.TrimPrefix(url, "sqlite://"))
	want(t, err, nil)
	defer other.Close()
	taken, err := other.Beginx() // the right to write
	want(t, err, nil)
	put := func() error {
		return d.Apply(t.Context(), func(tx chat.Tx) error { return tx.PutMeta("k", "v") })
	}
	if err := put(); !errors.Is(err, chat.ErrAway) {
		t.Errorf("while it is locked: %v", err)
	}
	want(t, taken.Rollback(), nil)
	want(t, put(), nil)
}

// TestCommandsBeside: a command that opens the database beside a relay and
// closes it leaves the files in their places.
func TestCommandsBeside(t *testing.T) {
	url := dbtest.FileURL(t)
	d := dbtest.Open(t, url)
	for range 3 {
		beside, err := db.Open(t.Context(), url, db.Options{Shared: true})
		want(t, err, nil)
		want(t, beside.Close(), nil)
		apply(t, d, func(tx chat.Tx) error { return tx.PutMeta("k", "v") })
	}
}
