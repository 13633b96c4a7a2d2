package db_test

import (
	"errors"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

// TestDailyBackups: one backup a day, each of them whole; old ones go, and nothing
// else of the folder does.
func TestDailyBackups(t *testing.T) {
	d := dbtest.Open(t, dbtest.FileURL(t))
	dir := filepath.Join(t.TempDir(), "backups")
	b := db.DailyBackups{Dir: dir, Keep: 2, Log: slog.New(slog.DiscardHandler)}
	want(t, errors.Join(os.Mkdir(dir, 0o700), os.WriteFile(filepath.Join(dir, "relay-notes.db"), nil, 0o600),
		os.WriteFile(filepath.Join(dir, "relay-2026-01-03.db.unproven.unfinished"), nil, 0o600)), nil) // cut off
	for day := 1; day <= 3; day++ {
		at := time.Date(2026, 1, day, 3, 0, 0, 0, time.UTC)
		newSessions(t, d, day)
		path, err := d.BackUpDay(t.Context(), b, at)
		if err != nil || filepath.Base(path) != "relay-"+at.Format(time.DateOnly)+".db" {
			t.Fatalf("%q, %v", path, err)
		}
		if path, err := d.BackUpDay(t.Context(), b, at.Add(20*time.Hour)); path != "" || err != nil {
			t.Errorf("a second one of the day: %q, %v", path, err)
		}
		if count, err := dbtest.Open(t, "sqlite://"+path).Writer(t.Context(), "SELECT COUNT(*) FROM sessions"); err != nil || count != string(rune('0'+day*(day+1)/2)) {
			t.Errorf("the backup of day %d has %s sessions, %v", day, count, err)
		}
	}
	entries, err := os.ReadDir(dir)
	want(t, err, nil)
	var names []string
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".db") {
			names = append(names, e.Name())
		}
	}
	if !slices.Equal(names, []string{"relay-2026-01-02.db", "relay-2026-01-03.db", "relay-notes.db"}) {
		t.Errorf("the folder has %v", names)
	}
	for age, level := range map[time.Duration]chat.FindingLevel{0: chat.FindingOK, 3 * 24 * time.Hour: chat.FindingFail} {
		if f := db.BackupFinding(dir, time.Date(2026, 1, 3, 12, 0, 0, 0, time.UTC).Add(age)); f.Level != level {
			t.Errorf("after %s: %+v", age, f)
		}
	}
	if _, err := d.BackUpDay(t.Context(), db.DailyBackups{Dir: filepath.Join(dir, "none", "none"), Keep: 1}, time.Now()); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a folder that cannot be: %v", err)
	}
}

// TestUncleanStop: a database that relay did not close in order is read before it is
// used, at each start until it is whole; one that was closed is not.
func TestUncleanStop(t *testing.T) {
	url := dbtest.FileURL(t)
	path := pathOf(url)
	copied := filepath.Join(t.TempDir(), "copy.db")
	d, err := db.Open(t.Context(), url, db.Options{})
	want(t, err, nil)
	for range 20 {
		newSessions(t, d, 100)
	}
	if _, err := os.Stat(path + ".running"); err != nil {
		t.Errorf("no mark: %v", err)
	}
	want(t, errors.Join(d.Backup(t.Context(), copied), d.Close()), nil)
	if _, err := os.Stat(path + ".running"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a mark stays: %v", err)
	}
	info, err := os.Stat(path)
	want(t, err, nil)
	damage(t, path, info.Size()-120_000)
	want(t, reopen(t, url), nil) // closed in order
	want(t, os.WriteFile(path+".running", nil, 0o600), nil)
	for range 2 {
		want(t, reopen(t, url), db.ErrDamaged)
	}
	_, err = db.Restore(t.Context(), copied, url)
	want(t, errors.Join(err, reopen(t, url)), nil)
}
