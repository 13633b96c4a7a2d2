package db_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

// TestOpenRefuses: everything that must not become relay's database is left as
// it is.
func TestOpenRefuses(t *testing.T) {
	dir := t.TempDir()
	foreign := filepath.Join(dir, "foreign.db")
	other, err := db.Connect(foreign)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := other.Exec("CREATE TABLE users (id TEXT)"); err != nil {
		t.Fatal(err)
	}
	if err := other.Close(); err != nil {
		t.Fatal(err)
	}
	text := filepath.Join(dir, "text.db")
	if err := os.WriteFile(text, []byte(strings.Repeat("this is no database\n", 100)), 0o644); err != nil {
		t.Fatal(err)
	}
	running := dbtest.FileURL(t)
	dbtest.Open(t, running)
	link, hard, circle := filepath.Join(dir, "link.db"), filepath.Join(dir, "hard.db"), filepath.Join(dir, "circle.db")
	closed := dbtest.FileURL(t)
	if err := errors.Join(os.Symlink(pathOf(running), link), os.Symlink("circle.db", circle),
		reopen(t, closed), os.Link(pathOf(closed), hard)); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name, url, wanted string
		opts              db.Options
	}{
		{"foreign", "sqlite://" + foreign, "not relay's", db.Options{}},
		{"no database", "sqlite://" + text, "not a SQLite database", db.Options{}},
		{"no folder", "sqlite://" + dir + "/none/relay.db", "does not exist; create it", db.Options{}},
		{"a folder", "sqlite://" + dir, "is not a file", db.Options{}},
		{"a file as folder", "sqlite://" + text + "/relay.db", "is not a folder", db.Options{}},
		{"running", running, "relay is already running on this database", db.Options{}},
		{"running, by a link", "sqlite://" + link, "relay is already running on this database", db.Options{}},
		{"two names", "sqlite://" + hard, "has another name, a hard link", db.Options{}},
		{"a link to itself", "sqlite://" + circle, "lead nowhere", db.Options{}},
		{"shared, none", "sqlite://" + dir + "/none.db", "there is no database", db.Options{Shared: true}},
		{"no name", "sqlite://", "names no file", db.Options{}},
		{"other kind", "mysql://x", "must begin with sqlite:// or postgres://", db.Options{}},
		{"options", "sqlite://x.db?mode=ro", "options", db.Options{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			before, _ := os.ReadFile(pathOf(c.url))
			if d, err := db.Open(t.Context(), c.url, c.opts); err == nil || !strings.Contains(err.Error(), c.wanted) {
				t.Errorf("got %v, want ... %s ...", err, c.wanted)
				if err == nil {
					d.Close()
				}
			}
			if strings.HasPrefix(c.name, "running") {
				return
			}
			if after, _ := os.ReadFile(pathOf(c.url)); string(after) != string(before) {
				t.Error("the file was changed")
			}
		})
	}
}

// TestShared: short commands work beside a running relay.
func TestShared(t *testing.T) {
	url := dbtest.FileURL(t)
	d := dbtest.Open(t, url)
	beside, err := db.Open(t.Context(), url, db.Options{Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	apply(t, beside, func(tx chat.Tx) error { return tx.PutMeta("k", "v") })
	if err := beside.Close(); err != nil {
		t.Fatal(err)
	}
	read(t, d, func(r chat.Reader) error {
		v, err := r.Meta("k")
		if v != "v" {
			t.Errorf("got %q", v)
		}
		return err
	})
	apply(t, d, func(tx chat.Tx) error { return tx.PutMeta("k", "w") })
}

func TestFileNames(t *testing.T) {
	for _, name := range []string{"relay.db", "re lay.db", "100%41.db", "grün.sqlite", "a'b;c&d=e.db"} {
		path := filepath.Join(t.TempDir(), name)
		d := dbtest.Open(t, "sqlite://"+path)
		newSessions(t, d, 1)
		for _, suffix := range []string{"", "-wal", "-shm", ".lock"} {
			info, err := os.Stat(path + suffix)
			if err != nil {
				t.Error(err)
				continue
			}
			if info.Mode().Perm() != 0o600 {
				t.Errorf("%s%s can be read by others: %s", name, suffix, info.Mode())
			}
		}
	}
}

// TestSymbolicLink: a symbolic link stands for its file, which may not be there yet.
func TestSymbolicLink(t *testing.T) {
	far := t.TempDir()
	t.Chdir(t.TempDir())
	if err := errors.Join(os.Symlink(far, "folder"), os.Symlink("real.db", filepath.Join(far, "link.db")),
		os.Symlink("folder/link.db", "relay.db")); err != nil {
		t.Fatal(err)
	}
	dbtest.Open(t, "sqlite://relay.db")
	for _, name := range []string{"real.db", "real.db.lock"} {
		if _, err := os.Stat(filepath.Join(far, name)); err != nil {
			t.Error(err)
		}
	}
}

// TestReadOnly: what relay cannot write to, it refuses at its start.
func TestReadOnly(t *testing.T) {
	dir := ordinaryUser(t)
	url := "sqlite://" + filepath.Join(dir, "relay.db")
	if err := reopen(t, url); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name   string
		spoil  func() error
		wanted string
	}{
		{"file", func() error { return os.Chmod(pathOf(url), 0o400) }, "may not write to the database"},
		{"folder", func() error { return errors.Join(os.Chmod(pathOf(url), 0o600), os.Chmod(dir, 0o500)) }, "may not write to the database"},
		{"lock", func() error { return os.Chmod(pathOf(url)+".lock", 0) }, "must belong to the user that runs relay"},
	} {
		if err := c.spoil(); err != nil {
			t.Fatal(err)
		}
		if err := reopen(t, url); err == nil || !strings.Contains(err.Error(), c.wanted) {
			t.Errorf("%s: got %v, want ... %s ...", c.name, err, c.wanted)
		}
	}
}

// ordinaryUser returns a folder of the user that runs the test. Root, who may
// write everywhere, is somebody else until the end of it.
func ordinaryUser(t *testing.T) (dir string) {
	t.Helper()
	dir, err := os.MkdirTemp("", "relay")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = errors.Join(os.Chmod(dir, 0o700), os.RemoveAll(dir)) })
	if os.Geteuid() != 0 {
		return dir
	}
	const nobody = 65534
	if err := errors.Join(os.Chown(dir, nobody, -1), syscall.Seteuid(nobody)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := syscall.Seteuid(0); err != nil {
			t.Fatal(err)
		}
	})
	return dir
}

func TestRelativePath(t *testing.T) {
	t.Chdir(t.TempDir())
	dbtest.Open(t, "sqlite://relay.db")
	if _, err := os.Stat("relay.db"); err != nil {
		t.Error(err)
	}
}
