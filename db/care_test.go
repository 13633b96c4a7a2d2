package db

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// TestFinishCheck: a check that takes too long for a start goes on while relay runs, and
// both are said.
func TestFinishCheck(t *testing.T) {
	path := filepath.Join(t.TempDir(), "relay.db")
	d, err := Open(t.Context(), "sqlite://"+path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	var said bytes.Buffer
	log := slog.New(slog.NewTextHandler(&said, nil))
	if err := d.FinishCheck(t.Context(), log); err != nil || said.Len() > 0 {
		t.Errorf("without need: %v, %s", err, said.String())
	}
	if err := checkUnclean(t.Context(), path, time.Nanosecond); !errors.Is(err, errCheckLong) {
		t.Errorf("a check without time: %v", err)
	}
	d.check.Store(chat.CheckRunning)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := d.FinishCheck(ctx, log); err != nil || (&Care{DB: d}).Check() != chat.CheckRunning {
		t.Errorf("cut off: %v, %q", err, (&Care{DB: d}).Check())
	}
	if err := d.FinishCheck(t.Context(), log); err != nil || (&Care{DB: d}).Check() != "" || !strings.Contains(said.String(), "the database is whole") {
		t.Errorf("%v, %q, %s", err, (&Care{DB: d}).Check(), said.String())
	}
}

// TestBackupsByHand are rotated apart from the daily ones.
func TestBackupsByHand(t *testing.T) {
	dir := t.TempDir()
	names := []string{"relay-2026-01-01.db", "relay-2026-01-02.db", "relay-2026-01-03.db", "relay-2026-01-03-080000.db", "relay-2026-01-03-090000.db", "relay-2026-01-03-100000.db", "other.db"}
	for _, name := range names {
		if err := os.WriteFile(filepath.Join(dir, name), nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	b := DailyBackups{Dir: dir, Keep: 2, Log: slog.New(slog.DiscardHandler)}
	if err := dropOldBackups(b); err != nil {
		t.Fatal(err)
	}
	files, err := (&Care{Backup: b}).Backups()
	var left []string
	for _, f := range files {
		left = append(left, f.Name)
	}
	if want := "relay-2026-01-03-100000.db relay-2026-01-03-090000.db relay-2026-01-03.db relay-2026-01-02.db"; err != nil || strings.Join(left, " ") != want {
		t.Errorf("left are %v, %v", left, err)
	}
}

// TestBackUpToSend: the backup has what is stored, and nothing of it stays beside the
// database, nor of one that a crash cut off.
func TestBackUpToSend(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "da[t]a")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	d, err := Open(t.Context(), "sqlite://"+filepath.Join(dir, "relay.db"), Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	cut := filepath.Join(dir, "relay.db"+freshBackup+"1.unfinished")
	if err := os.WriteFile(cut, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	care := &Care{DB: d}
	f, err := care.BackUpToSend(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(f)
	if err = errors.Join(err, f.Close()); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), f.Name)
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := checkSource(t.Context(), path); err != nil {
		t.Errorf("the backup: %v", err)
	}
	if left, _ := filepath.Glob(globSafe(dir) + "/*" + freshBackup + "*"); len(left) > 0 {
		t.Errorf("left: %q", left)
	}
	care.making.Lock()
	if _, err := care.BackUpToSend(t.Context()); err == nil || !strings.Contains(err.Error(), "Another backup") {
		t.Errorf("a second one at a time: %v", err)
	}
}
