package db_test

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

// TestBackup copies a database that is being written to, from beside, and puts
// the copy back.
func TestBackup(t *testing.T) {
	url := dbtest.FileURL(t)
	d := dbtest.Open(t, url)
	ids := newSessions(t, d, 4)
	apply(t, d, func(tx chat.Tx) error { return tx.PutMeta("mark", "copied") })
	stop := make(chan struct{})
	var wg sync.WaitGroup
	for _, id := range ids {
		wg.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				if err := sendMessage(t, d, id); err != nil {
					t.Error(err)
					return
				}
			}
		})
	}
	copied := filepath.Join(t.TempDir(), "copy.db")
	beside, err := db.Open(t.Context(), url, db.Options{Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	for stored := 0; stored < 50; { // it is well under way
		read(t, beside, func(r chat.Reader) error {
			list, err := r.Messages(chat.MessageQuery{SessionID: ids[0]})
			stored = len(list)
			return err
		})
	}
	if err := beside.Backup(t.Context(), copied); err != nil {
		t.Fatal(err)
	}
	cutOff := copied + "-cut-off"
	if err := os.WriteFile(cutOff+".unfinished", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, there := range []string{copied, cutOff} {
		if err := beside.Backup(t.Context(), there); !errors.Is(err, os.ErrExist) {
			t.Errorf("a backup was replaced: %v", err)
		}
	}
	stopped, cancel := context.WithCancel(t.Context())
	cancel()
	if err := beside.Backup(stopped, copied+"-stopped"); err == nil {
		t.Error("a backup that nobody waited for was finished")
	}
	if left, err := filepath.Glob(copied + "-stopped*"); len(left) > 0 || err != nil {
		t.Error("it left", left, err)
	}
	apply(t, d, func(tx chat.Tx) error { return tx.PutMeta("mark", "later") })
	close(stop)
	wg.Wait()
	if _, err := db.Restore(t.Context(), copied, url); err == nil || !strings.Contains(err.Error(), "already running") {
		t.Errorf("restored under a running relay: %v", err)
	}
	if err := errors.Join(beside.Close(), d.Close()); err != nil {
		t.Fatal(err)
	}
	// Leftovers of a crash must not be mixed with the restored file.
	for _, stale := range []string{"-wal", "-shm"} {
		if err := os.WriteFile(pathOf(url)+stale, []byte("stale"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := db.Restore(t.Context(), copied, url); err != nil {
		t.Fatal(err)
	}
	restored := dbtest.Open(t, url)
	checkDense(t, restored, ids)
	for query, wanted := range map[string]string{"PRAGMA integrity_check": "ok", "PRAGMA auto_vacuum": "2", "PRAGMA journal_mode": "wal",
		"SELECT value FROM meta WHERE name = 'mark'": "copied"} {
		if got, err := restored.Writer(t.Context(), query); got != wanted || err != nil {
			t.Errorf("%s: %s, %v", query, got, err)
		}
	}
	kept, err := filepath.Glob(pathOf(url) + ".before-restore-*")
	if err != nil || len(kept) != 2 { // with its log
		t.Errorf("kept %v, %v", kept, err)
	}
	if info, err := os.Stat(pathOf(url)); err != nil || info.Mode().Perm() != 0o600 {
		t.Error(info, err)
	}
}

// checkDense checks that sessions, messages and events agree.
func checkDense(t *testing.T, d *db.DB, ids []string) {
	t.Helper()
	read(t, d, func(r chat.Reader) error {
		for _, id := range ids {
			s, err := r.Session(id)
			events, err2 := r.Events(id, 0, 0)
			list, err3 := r.Messages(chat.MessageQuery{SessionID: id})
			if err := errors.Join(err, err2, err3); err != nil {
				return err
			}
			if int(s.Rev) != len(events) || len(list) != len(events) || len(events) > 0 && events[len(events)-1].Rev != s.Rev {
				t.Errorf("revision %d, %d events, %d messages", s.Rev, len(events), len(list))
			}
		}
		return nil
	})
}

// TestRestoreCut: a restore that was cut off while files changed their names is
// finished by the relay that starts next, and what was there is kept whole.
func TestRestoreCut(t *testing.T) {
	mark := func(d *db.DB, text string) { apply(t, d, func(tx chat.Tx) error { return tx.PutMeta("mark", text) }) }
	marked := func(path, text string) {
		t.Helper()
		read(t, dbtest.Open(t, "sqlite://"+path), func(r chat.Reader) error {
			got, err := r.Meta("mark")
			if got != text {
				t.Errorf("%s has %q, want %q", filepath.Base(path), got, text)
			}
			return err
		})
	}
	for moved, name := range []string{"before any", "behind the log", "behind the file"} {
		t.Run(name, func(t *testing.T) {
			living := strings.TrimPrefix(dbtest.FileURL(t), "sqlite://")
			d := dbtest.Open(t, "sqlite://"+living)
			path := filepath.Join(t.TempDir(), "relay.db")
			whole := path + db.Restored
			mark(d, "backup")
			want(t, d.Backup(t.Context(), whole), nil)
			mark(d, "before") // in the log only
			info, err := os.Stat(whole)
			want(t, err, nil)
			kept := path + ".before-restore-" + info.ModTime().UTC().Format("20060102-150405.000")
			for i, part := range []string{"-wal", ""} {
				to := path
				if i < moved {
					to = kept
				}
				content, err := os.ReadFile(living + part) // SQLite's locks in this process go; nobody else is there
				want(t, err, nil)
				want(t, os.WriteFile(to+part, content, 0o600), nil)
			}
			if _, err := db.Open(t.Context(), "sqlite://"+path, db.Options{Shared: true}); err == nil || !strings.Contains(err.Error(), "start relay") {
				t.Errorf("a command in between: %v", err)
			}
			marked(path, "backup")
			marked(kept, "before")
			if _, err := os.Stat(whole); !errors.Is(err, fs.ErrNotExist) {
				t.Errorf("the backup is still waiting: %v", err)
			}
		})
	}
}

func TestRestoreRefuses(t *testing.T) {
	dir := t.TempDir()
	source := func(name string, spoil func(path string)) string {
		url := "sqlite://" + filepath.Join(dir, name)
		d, err := db.Open(t.Context(), url, db.Options{})
		if err != nil {
			t.Fatal(err)
		}
		for range 50 {
			newSessions(t, d, 10)
		}
		if err := d.Close(); err != nil {
			t.Fatal(err)
		}
		spoil(pathOf(url))
		return pathOf(url)
	}
	newer := source("newer.db", func(path string) { raw(t, "sqlite://"+path, "UPDATE schema_migrations SET version = 9999") })
	foreign := source("foreign.db", func(path string) { raw(t, "sqlite://"+path, "PRAGMA application_id = 5") })
	damaged := source("damaged.db", func(path string) { damage(t, path, 60_000) })
	trigger := source("trigger.db", func(path string) {
		raw(t, "sqlite://"+path, "CREATE TRIGGER spy AFTER INSERT ON messages BEGIN UPDATE meta SET value = 'taken'; END")
	})
	table := source("table.db", func(path string) { raw(t, "sqlite://"+path, "CREATE TABLE mine (a TEXT)") })
	view := source("view.db", func(path string) { raw(t, "sqlite://"+path, "CREATE VIEW mine AS SELECT * FROM meta") })
	index := source("index.db", func(path string) { raw(t, "sqlite://"+path, "CREATE INDEX mine ON meta (value)") })
	changed := source("changed.db", func(path string) { raw(t, "sqlite://"+path, "ALTER TABLE meta ADD COLUMN mine TEXT") })
	lacking := source("lacking.db", func(path string) { raw(t, "sqlite://"+path, "DROP TABLE chunks") })
	pipe := filepath.Join(dir, "pipe")
	want(t, syscall.Mkfifo(pipe, 0o600), nil)
	text := filepath.Join(dir, "text.db")
	empty := filepath.Join(dir, "empty.db")
	if err := errors.Join(os.WriteFile(text, []byte(strings.Repeat("text", 1000)), 0o600), os.WriteFile(empty, nil, 0o600)); err != nil {
		t.Fatal(err)
	}
	target := dbtest.FileURL(t)
	if err := reopen(t, target); err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(pathOf(target))
	if err != nil {
		t.Fatal(err)
	}
	for from, wanted := range map[string]string{newer: "schema version 9999", foreign: "not relay's", damaged: "damaged",
		text: "not a SQLite database", empty: "empty", trigger: `trigger "spy"`, table: `table "mine"`, view: `view "mine"`,
		index: `index "mine"`, changed: `table "meta"`, lacking: `lacks`, pipe: "not a file", filepath.Join(dir, "none.db"): "no such file"} {
		if _, err := db.Restore(t.Context(), from, target); err == nil || !strings.Contains(err.Error(), wanted) {
			t.Errorf("%s: got %v, want ... %s ...", filepath.Base(from), err, wanted)
		}
	}
	after, err := os.ReadFile(pathOf(target))
	if err != nil || string(after) != string(before) {
		t.Errorf("the database was changed, %v", err)
	}
}

// TestRestoreOlder: backups of every version of the schema are taken, also those of which a
// step was cut off.
func TestRestoreOlder(t *testing.T) {
	steps := db.Steps()
	for _, version := range steps {
		from, target := dbtest.FileURL(t), dbtest.FileURL(t)
		populate(t, from, version)
		if _, err := db.Restore(t.Context(), pathOf(from), target); err != nil {
			t.Errorf("version %d: %v", version, err)
		}
		if version < steps[len(steps)-1] && db.NextStep(from, true) == nil {
			t.Fatal("the step was not cut off")
		}
		if _, err := db.Restore(t.Context(), pathOf(from), target); err != nil {
			t.Errorf("version %d with a step cut off: %v", version, err)
		}
		want(t, reopen(t, target), nil)
	}
}

// TestBackupOntoLink: a link is neither followed nor replaced, and the error says what it is.
func TestBackupOntoLink(t *testing.T) {
	d, dir := dbtest.Open(t, dbtest.FileURL(t)), t.TempDir()
	for name, to := range map[string]string{"there.db": filepath.Join(dir, "file"), "nowhere.db": filepath.Join(dir, "none")} {
		link := filepath.Join(dir, name)
		want(t, errors.Join(os.WriteFile(filepath.Join(dir, "file"), []byte("mine"), 0o600), os.Symlink(to, link)), nil)
		if err := d.Backup(t.Context(), link); err == nil || !strings.Contains(err.Error(), "is a link to "+to) {
			t.Errorf("%s: %v", name, err)
		}
		if left, err := os.Readlink(link); left != to || err != nil {
			t.Errorf("the link is %q, %v", left, err)
		}
	}
	if text, err := os.ReadFile(filepath.Join(dir, "file")); string(text) != "mine" || err != nil {
		t.Errorf("the file behind the link is %q, %v", text, err)
	}
}

// damage spoils the file from an offset on.
func damage(t *testing.T, path string, offset int64) {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	_, err = f.WriteAt([]byte(strings.Repeat("damage", 20_000)), offset)
	if err := errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
}

// TestDamaged: damage where nothing is read as a rule is found by who looks,
// and not copied.
func TestDamaged(t *testing.T) {
	url := dbtest.FileURL(t)
	d, err := db.Open(t.Context(), url, db.Options{})
	if err != nil {
		t.Fatal(err)
	}
	for range 20 {
		newSessions(t, d, 100)
	}
	want(t, d.Check(t.Context()), nil)
	if err := d.Close(); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(pathOf(url))
	if err != nil {
		t.Fatal(err)
	}
	damage(t, pathOf(url), info.Size()-120_000)
	beside, err := db.Open(t.Context(), url, db.Options{Shared: true})
	if err != nil {
		t.Fatal(err)
	}
	defer beside.Close()
	want(t, beside.Check(t.Context()), db.ErrDamaged)
	want(t, beside.Backup(t.Context(), filepath.Join(t.TempDir(), "copy.db")), db.ErrDamaged)
}

// TestRestoreByRoot: relay still may use its database after root has restored it.
func TestRestoreByRoot(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root gives files away")
	}
	const user = 65532
	source, target := dbtest.FileURL(t), dbtest.FileURL(t)
	if err := errors.Join(reopen(t, source), os.Chown(filepath.Dir(pathOf(target)), user, user)); err != nil {
		t.Fatal(err)
	}
	for _, what := range []string{"none there", "one there"} {
		if _, err := db.Restore(t.Context(), pathOf(source), target); err != nil {
			t.Fatal(err)
		}
		ownedBy(t, what, user, pathOf(target), pathOf(target)+".lock")
	}
}

// TestMadeByRoot: relay may use, and copy before an upgrade, what relay migrate
// has made as root.
func TestMadeByRoot(t *testing.T) {
	if os.Getuid() != 0 {
		t.Skip("only root gives files away")
	}
	const user = 65532
	path := pathOf(dbtest.FileURL(t))
	backups := filepath.Join(filepath.Dir(path), "backups")
	if err := errors.Join(os.Chown(filepath.Dir(path), user, user), reopen(t, "sqlite://"+path), db.CopyBefore(t.Context(), path, 1)); err != nil {
		t.Fatal(err)
	}
	ownedBy(t, "made", user, path, path+".lock", backups, filepath.Join(backups, "pre-1.db"))
}

// ownedBy checks whose the files are.
func ownedBy(t *testing.T, what string, user uint32, names ...string) {
	t.Helper()
	for _, name := range names {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if owner := info.Sys().(*syscall.Stat_t).Uid; owner != user {
			t.Errorf("%s: %s belongs to %d", what, filepath.Base(name), owner)
		}
	}
}

func TestBackupNeedsFile(t *testing.T) {
	for name, d := range map[string]*db.DB{"memory": dbtest.Memory(t), "postgres": dbtest.Open(t, dbtest.MigratedURL(t))} {
		if err := d.Backup(t.Context(), filepath.Join(t.TempDir(), "copy.db")); err == nil || !strings.Contains(err.Error(), "pg_dump") {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := db.Restore(t.Context(), "copy.db", "postgres://localhost/relay"); err == nil || !strings.Contains(err.Error(), "pg_restore") {
		t.Error(err)
	}
}
