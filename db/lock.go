package db

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// ErrRunning: another process holds the lock of the database.
var ErrRunning = errors.New("relay is already running on this database")

// fileLock keeps a second relay off a database: two of them would deliver
// everything twice. The system lets go of it when the process dies.
type fileLock struct{ flock *flock.Flock }

// lockFile takes the lock of the database at path.
func lockFile(path string) (*fileLock, error) {
	l := flock.New(path+".lock", flock.SetPermissions(0o600))
	ok, err := l.TryLock()
	if errors.Is(err, fs.ErrPermission) {
		return nil, fmt.Errorf("relay may not write beside the database: %w; the folder %s and its files must belong to the user that runs relay",
			err, filepath.Dir(path))
	}
	if err != nil {
		return nil, fmt.Errorf("lock the database: %w", err)
	}
	if !ok {
		return nil, fmt.Errorf("%w (%s is locked): stop it first", ErrRunning, l.Path())
	}
	inherit(l.Path(), path)
	return &fileLock{l}, nil
}

// release lets another relay in. The lock's file stays: removing it would race
// with a process that is locking it.
func (l *fileLock) release() error { return l.flock.Close() }

// follow returns the path to which symbolic links at path lead in the end: the
// lock lies beside the file itself, so that one file has one lock.
func follow(path string) (string, error) {
	for range 40 { // as many as Linux follows
		target, err := os.Readlink(path)
		if err != nil {
			return path, nil // what is wrong with it is found later
		}
		if !filepath.IsAbs(target) {
			dir, err := filepath.EvalSymlinks(filepath.Dir(path))
			if err != nil {
				return "", err
			}
			target = filepath.Join(dir, target)
		}
		path = target
	}
	return "", fmt.Errorf("the symbolic links at %s lead nowhere", path)
}

// checkPlace says in plain words when the database cannot be at path.
func checkPlace(path string) error {
	dir := filepath.Dir(path)
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("the folder %s for the database does not exist; create it, or change the database URL", dir)
	case err != nil:
		return err
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder, so it cannot hold the database", dir)
	}
	info, err = os.Stat(path)
	switch {
	case err != nil: // there is none yet
		return nil
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a file, so it cannot be the database", path)
	case names(info) > 1: // each name would get a lock and a write-ahead log of its own
		return fmt.Errorf("%s has another name, a hard link, under which a second relay could damage it: remove that name", path)
	}
	return nil
}

// createFile makes an empty file that only its owner can read, whatever the
// umask; SQLite gives its other files the same rights. It must not be called
// for a file that SQLite has open in this process: closing it again would drop
// SQLite's locks.
func createFile(path string) error {
	f, err := os.OpenFile(path, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return err
	}
	return f.Close()
}

// exists reports whether there is a file at path.
func exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}
