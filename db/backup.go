package db

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/jmoiron/sqlx"

	"github.com/relay-chat/relay/schema"
	"github.com/relay-chat/relay/server/chat"
)

var errNotAFile = errors.New("only a SQLite file can be backed up and restored by relay; for Postgres use pg_dump and pg_restore")

// Backup writes a complete copy of the database, as it is at this moment, to a
// new file. Reading and writing go on meanwhile, in this process and in others.
func (d *DB) Backup(ctx context.Context, path string) error {
	if d.path == "" {
		return errNotAFile
	}
	unfinished := path + ".unfinished" // what was cut off must not look like a backup
	if err := mustBeFree(path); err != nil {
		return err
	}
	err := copyInto(ctx, d.path, unfinished)
	if err == nil {
		err = os.Rename(unfinished, path)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("back up to %s: there is no folder %s", path, filepath.Dir(path))
	case errors.Is(err, fs.ErrExist):
		return alreadyThere(unfinished)
	case err != nil:
		return fmt.Errorf("back up to %s: %w", path, plain(err))
	}
	return syncFolder(filepath.Dir(path))
}

// mustBeFree refuses a name that is taken, also by a link that leads nowhere: the copy
// would replace the link, not what it names.
func mustBeFree(path string) error {
	info, err := os.Lstat(path)
	switch {
	case err != nil: // there is none yet, or creating it says why it cannot be
		return nil
	case info.Mode()&fs.ModeSymlink == 0:
		return alreadyThere(path)
	}
	to, err := os.Readlink(path)
	if err != nil {
		return err
	}
	return fmt.Errorf("back up to %s: it is a link to %s and was left as it is; name %[2]s itself, or choose another name", path, to)
}

func alreadyThere(path string) error {
	return fmt.Errorf("back up to %s: %w and was left as it is; choose another name", path, fs.ErrExist)
}

// copyInto copies the SQLite database at from to a new file, through SQLite,
// which also reads what is still in the write-ahead log.
func copyInto(ctx context.Context, from, to string) error {
	if err := createFile(to); err != nil {
		return err
	}
	chat.CrashPoint("backup begun")
	err := vacuumInto(ctx, from, to)
	chat.CrashPoint("backup copied")
	if err == nil {
		err = syncFile(to)
	}
	if err != nil {
		return errors.Join(err, os.Remove(to))
	}
	return nil
}

func vacuumInto(ctx context.Context, from, to string) error {
	pool, err := sqlx.Open("sqlite", dsn(from, forCommands, false))
	if err != nil {
		return err
	}
	_, err = pool.ExecContext(ctx, "VACUUM INTO ?", to)
	return errors.Join(err, pool.Close())
}

// Restore replaces the SQLite database at a URL with a backup, unless relay is running or
// the backup is damaged, not relay's or newer than this relay. kept is the name under which
// the old database is kept, if there was one.
func Restore(ctx context.Context, from, url string) (kept string, err error) {
	if isPostgres(url) {
		return "", errNotAFile
	}
	path, err := sqlitePath(url)
	if err != nil {
		return "", err
	}
	if err := checkPlace(path); err != nil {
		return "", err
	}
	lock, err := lockFile(path)
	if err != nil {
		return "", err
	}
	defer func() { err = errors.Join(err, lock.release()) }()
	if _, err := finishRestore(path); err != nil {
		return "", err
	}
	if err := checkSource(ctx, from); err != nil {
		return "", fmt.Errorf("restore %s: %w", from, plain(err))
	}
	fresh := path + ".restoring"
	if err := os.Remove(fresh); err != nil && !errors.Is(err, os.ErrNotExist) {
		return "", err
	}
	if err := copyInto(ctx, from, fresh); err != nil {
		return "", fmt.Errorf("restore %s: %w", from, plain(err))
	}
	inherit(fresh, path)
	if err := os.Rename(fresh, path+restored); err != nil {
		return "", err
	}
	if err = syncFolder(filepath.Dir(path)); err == nil {
		kept, err = finishRestore(path)
	}
	if err != nil {
		return "", fmt.Errorf("%w; the backup is put in place when relay starts", err)
	}
	return kept, nil
}

// restored is the suffix of a complete backup that will replace the database.
const restored = ".restoring.whole"

// finishRestore replaces the database at path with a complete backup, if there is one.
// The next process with the lock calls it too, because a restore takes several renames and
// an interrupted one leaves no usable database.
func finishRestore(path string) (kept string, err error) {
	fresh, err := os.Stat(path + restored)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	return replace(path, path+restored, fresh.ModTime())
}

// checkSource reports why a file cannot be restored.
func checkSource(ctx context.Context, from string) error {
	switch info, err := os.Stat(from); {
	case err != nil:
		return errors.New("there is no such file")
	case !info.Mode().IsRegular():
		return errors.New("it is not a file")
	}
	pool, err := sqlx.Open("sqlite", dsn(from, forCommands+"&_query_only=1", false))
	if err != nil {
		return err
	}
	defer pool.Close()
	have, err := inspect(ctx, pool)
	if err != nil {
		return err
	}
	if have.version == 0 {
		return errors.New("the file is empty")
	}
	if want := newest(schema.SQLite, "sqlite"); have.version > want {
		return newerSchema(have.version, want)
	}
	if err := quickCheck(ctx, pool); err != nil {
		return err
	}
	return checkObjects(ctx, pool, have)
}

// quickCheck returns ErrDamaged with SQLite's finding, or SQLite's own error.
func quickCheck(ctx context.Context, pool *sqlx.DB) error {
	var verdict string
	if err := pool.GetContext(ctx, &verdict, "PRAGMA quick_check(1)"); err != nil {
		return err
	}
	if verdict != "ok" {
		return fmt.Errorf("%w: %s", ErrDamaged, verdict)
	}
	return nil
}

// Check reads a SQLite file from end to end: ErrDamaged if it is not whole.
// Postgres is not checked.
func (d *DB) Check(ctx context.Context) error {
	if d.path == "" {
		return nil
	}
	pool, err := sqlx.Open("sqlite", dsn(d.path, forCommands+"&_query_only=1", false))
	if err != nil {
		return err
	}
	return plain(errors.Join(quickCheck(ctx, pool), pool.Close()))
}

// replace replaces the database at path by fresh, which was made at a time. It
// keeps the old database, if there is one, together with its write-ahead log.
func replace(path, fresh string, made time.Time) (kept string, err error) {
	if exists(path) {
		kept = path + ".before-restore-" + made.UTC().Format("20060102-150405.000")
		for _, part := range []string{"-wal", ""} {
			if err := os.Rename(path+part, kept+part); err != nil && !errors.Is(err, os.ErrNotExist) {
				return "", err
			}
		}
	}
	for _, stale := range []string{"-wal", "-shm"} {
		if err := os.Remove(path + stale); err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
	}
	if err := errors.Join(markStopped(path), os.Rename(fresh, path)); err != nil {
		return "", err
	}
	return kept, syncFolder(filepath.Dir(path))
}

// syncFile makes a file's content durable. SQLite must not have it open.
func syncFile(path string) error {
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
