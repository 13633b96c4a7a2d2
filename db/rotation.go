package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// DailyBackups says where a backup a day goes, and how many are kept.
type DailyBackups struct {
	Dir  string
	Keep int
	Log  *slog.Logger
}

// backupCheck is how often relay looks whether the day's backup is there: after a
// failure, and after a time when relay was off.
const backupCheck = time.Hour

// KeepBackups makes a backup each day, and removes old ones, until ctx ends.
func (d *DB) KeepBackups(ctx context.Context, b DailyBackups) error {
	tick := time.NewTicker(backupCheck)
	defer tick.Stop()
	for {
		switch path, err := d.BackUpDay(ctx, b, time.Now()); {
		case ctx.Err() != nil:
			return nil
		case err != nil:
			b.Log.Error("the daily backup failed and is tried again in an hour", "err", err)
		case path != "":
			b.Log.Info("backed up", "file", path)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

// BackUpDay makes the backup of a day unless it is there, opens it to see that it is
// whole, and removes the oldest beyond those to keep. It returns the new file's path,
// if any.
func (d *DB) BackUpDay(ctx context.Context, b DailyBackups, day time.Time) (path string, err error) {
	return d.backUp(ctx, b, "relay-"+day.UTC().Format(time.DateOnly)+".db")
}

// backUp makes a backup of a name, as BackUpDay does.
func (d *DB) backUp(ctx context.Context, b DailyBackups, name string) (path string, err error) {
	if err := os.Mkdir(b.Dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("BACKUP_DIR: %w%s", err, writable(err))
	}
	path = filepath.Join(b.Dir, name)
	if exists(path) {
		return "", nil
	}
	if err := d.roomForBackup(b.Dir); err != nil {
		return "", err
	}
	unproven := path + ".unproven" // until it was opened
	for _, left := range []string{unproven, unproven + ".unfinished"} {
		if err := os.Remove(left); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	if err := d.Backup(ctx, unproven); err != nil {
		return "", err
	}
	if err := checkSource(ctx, unproven); err != nil {
		return "", errors.Join(fmt.Errorf("the backup cannot be used: %w", plain(err)), os.Remove(unproven))
	}
	if err := os.Rename(unproven, path); err != nil {
		return "", err
	}
	return path, errors.Join(syncFolder(b.Dir), dropOldBackups(b))
}

// roomForBackup refuses a backup that would fill the disk.
func (d *DB) roomForBackup(dir string) error {
	info, err := os.Stat(d.path)
	if err != nil {
		return err
	}
	if free, total := diskRoom(dir); total > 0 && free < info.Size()+chat.LowRoom(total) {
		return fmt.Errorf("%s has %d MB free, too little for a backup of %d MB: make room, or set a lower BACKUP_KEEP", dir, free>>20, info.Size()>>20)
	}
	return nil
}

// writable says what to do when systemd keeps relay from writing to a folder.
func writable(err error) string {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return "; as a systemd service relay writes to /var/lib/relay only; the guide Operations says how to allow another folder"
	}
	return ""
}

// isDailyBackup also takes those that were made by hand, which have a time.
var isDailyBackup = chat.Pattern(`relay-\d{4}-\d\d-\d\d(-\d{6})?\.db`)

// byHand reports whether a backup was made by hand.
func byHand(name string) bool { return len(name) > len("relay-2006-01-02.db") }

// dailyBackups lists the names of the backups in a folder, the newest first.
func dailyBackups(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		if isDailyBackup(e.Name()) {
			names = append(names, e.Name())
		}
	}
	slices.SortFunc(names, func(a, b string) int {
		return strings.Compare(strings.TrimSuffix(b, ".db"), strings.TrimSuffix(a, ".db"))
	})
	return names, err
}

func dropOldBackups(b DailyBackups) error {
	names, err := dailyBackups(b.Dir)
	kept := map[bool]int{}
	for _, name := range names {
		if kept[byHand(name)]++; kept[byHand(name)] > b.Keep {
			err = errors.Join(err, os.Remove(filepath.Join(b.Dir, name)))
		}
	}
	return err
}

// BackupFinding reports for relay doctor whether there is a recent backup.
func BackupFinding(dir string, now time.Time) chat.Finding {
	f := chat.Finding{Subject: "BACKUP_DIR", Level: chat.FindingOK}
	if dir == "" {
		f.Level, f.Text, f.Fix = chat.FindingWarn, "not set: relay makes no backups by itself", "set BACKUP_DIR=backups, or make backups with: relay backup FILE"
		return f
	}
	names, err := dailyBackups(dir)
	switch {
	case err != nil:
		f.Level, f.Text, f.Fix = chat.FindingWarn, err.Error(), "start relay: it makes the folder and the first backup"
	case len(names) == 0 || names[0] < "relay-"+now.Add(-48*time.Hour).UTC().Format(time.DateOnly):
		f.Level, f.Text, f.Fix = chat.FindingFail, "there is no backup of the last two days in "+dir, "look for \"the daily backup failed\" in relay's log"
	default:
		f.Text = fmt.Sprintf("%d backups in %s, the newest is %s", len(names), dir, names[0])
	}
	return f
}
