package db

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/relay-chat/relay/server/chat"
)

// fileGuard watches the files that a SQLite database has open. SQLite keeps using
// them after they were removed, moved or replaced, and what it writes then is
// lost when the process ends; so the writer checks them before each transaction.
// It never opens them: see createFile.
type fileGuard struct{ files []located }

// located is a file where it was when the database was opened.
type located struct {
	path string
	file fs.FileInfo
}

// newFileGuard records the existing files of the database at path.
func newFileGuard(path string) *fileGuard {
	g := &fileGuard{}
	for _, part := range []string{"", "-wal", "-shm"} {
		if info, err := os.Stat(path + part); err == nil {
			g.files = append(g.files, located{path + part, info})
		}
	}
	return g
}

// check returns [chat.ErrAway] while a file is not in its place. A file that
// cannot be inspected for another reason counts as present.
func (g *fileGuard) check() error {
	if g == nil {
		return nil
	}
	for _, f := range g.files {
		info, err := os.Stat(f.path)
		if errors.Is(err, fs.ErrNotExist) || err == nil && !os.SameFile(info, f.file) {
			return fmt.Errorf("%w: %s was moved, removed or replaced while relay runs: put it back, or stop relay and restore a backup",
				chat.ErrAway, f.path)
		}
	}
	return nil
}
