package db

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// Care shows and backs up a database for the page of the system.
type Care struct {
	DB     *DB
	Backup DailyBackups
	making sync.Mutex // one backup at a time
}

// Storage returns where the state is and how large it is.
func (c *Care) Storage(ctx context.Context) (s chat.Storage, err error) {
	s.Kind = "memory"
	if _, ok := c.DB.backend.(*postgres); ok {
		s.Kind = "postgres"
	} else if c.DB.path != "" {
		s.Kind = "sqlite"
	}
	s.Check = c.Check()
	s.Size, s.Log, err = c.DB.Size(ctx)
	return s, err
}

// Check returns the state of the check after an unclean stop, "" for none.
func (c *Care) Check() string {
	state, _ := c.DB.check.Load().(string)
	return state
}

// Backups lists the backups in BACKUP_DIR, the newest first.
func (c *Care) Backups() ([]chat.BackupFile, error) {
	files := []chat.BackupFile{}
	if c.Backup.Dir == "" {
		return files, nil
	}
	names, err := dailyBackups(c.Backup.Dir)
	if errors.Is(err, fs.ErrNotExist) {
		return files, nil
	}
	for _, name := range names {
		info, err := os.Stat(filepath.Join(c.Backup.Dir, name))
		if err == nil {
			files = append(files, chat.BackupFile{Name: name, Size: info.Size(), At: chat.TimeOf(info.ModTime())})
		}
	}
	return files, err
}

// Finding says whether there is a recent backup, and what to do if not.
func (c *Care) Finding() chat.Finding {
	if _, ok := c.DB.backend.(*postgres); ok {
		return chat.Fine("backups", "PostgreSQL is backed up by its own tools, such as pg_dump")
	}
	return BackupFinding(c.Backup.Dir, time.Now())
}

// BackUpNow makes a backup beside the daily ones, which are rotated apart from it.
func (c *Care) BackUpNow(ctx context.Context) (name string, err error) {
	switch {
	case c.DB.path == "":
		return "", chat.Errorf(chat.Conflict, "relay backs up SQLite files only; back up PostgreSQL with pg_dump")
	case c.Backup.Dir == "":
		return "", chat.Errorf(chat.Conflict, "BACKUP_DIR is not set: set it to a folder and restart relay")
	}
	c.making.Lock()
	defer c.making.Unlock()
	path, err := c.DB.backUp(ctx, c.Backup, "relay-"+time.Now().UTC().Format("2006-01-02-150405")+".db")
	if path == "" && err == nil {
		err = chat.Errorf(chat.Conflict, "A backup was made in this second")
	}
	return filepath.Base(path), err
}

// freshBackup is what a backup that is sent is called, beside the database.
const freshBackup = ".download-"

// BackUpToSend makes a backup beside the database and opens it. Where the system allows it,
// the file has no name any more: nothing of it stays, also not after a crash.
func (c *Care) BackUpToSend(ctx context.Context) (*chat.FreshBackup, error) {
	if c.DB.path == "" {
		return nil, chat.Errorf(chat.Conflict, "relay backs up SQLite files only; back up PostgreSQL with pg_dump")
	}
	if !c.making.TryLock() {
		return nil, chat.Errorf(chat.Conflict, "Another backup is being made; try again when it is done")
	}
	defer c.making.Unlock()
	c.removeFresh()
	if err := c.DB.roomForBackup(filepath.Dir(c.DB.path)); err != nil {
		return nil, err
	}
	stamp := time.Now().UTC()
	path := c.DB.path + freshBackup + stamp.Format("20060102150405.000000000")
	err := c.DB.Backup(ctx, path)
	if err == nil {
		err = checkSource(ctx, path)
	}
	if err != nil {
		return nil, errors.Join(plain(err), removed(path))
	}
	f, err := os.Open(path)
	if err != nil {
		return nil, errors.Join(err, removed(path))
	}
	_ = os.Remove(path) // Windows keeps it until it is closed
	return &chat.FreshBackup{File: f, Name: "relay-" + stamp.Format("2006-01-02-150405") + ".db"}, nil
}

// removeFresh removes what a crash left of backups that were sent. One that is being sent
// cannot be removed, or has no name.
func (c *Care) removeFresh() {
	left, _ := filepath.Glob(globSafe(c.DB.path) + freshBackup + "*")
	for _, path := range left {
		_ = os.Remove(path)
	}
}

// globSafe quotes what has a meaning in a pattern.
func globSafe(path string) string {
	return strings.NewReplacer(`[`, `[[]`, `*`, `[*]`, `?`, `[?]`).Replace(path)
}

func removed(path string) error {
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// OpenBackup opens a backup that Backups lists.
func (c *Care) OpenBackup(name string) (*os.File, error) {
	if c.Backup.Dir == "" || !isDailyBackup(name) {
		return nil, chat.ErrBackupNotFound
	}
	f, err := os.Open(filepath.Join(c.Backup.Dir, name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, chat.ErrBackupNotFound
	}
	return f, err
}
