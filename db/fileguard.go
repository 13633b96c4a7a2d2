package db

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/relay-chat/relay/server/chat"
)

// fileGuard knows the files that a SQLite database has open. SQLite works on in
// them after they were removed, moved or replaced, and what it stores then is
// gone when the process ends; so the writer looks before each transaction
// whether they are in their places. It never opens them: see createFile.
type fileGuard struct{ files []located }

// located is a file where it was when the database was opened.
type located struct {
	path string
	file fs.FileInfo
}

// newFileGuard notes the files of the database at path that are there.
func newFileGuard(path string) *fileGuard {
	g := &fileGuard{}
	for _, part := range []string{"", "-wal", "-shm"} {
		if info, err := os.Stat(path + part); err == nil {
			g.files = append(g.files, located{path + part, info})
		}
	}
	return g
}

// check answers [chat.ErrAway] while a file is not in its place. One that
// cannot be looked at for another reason is taken to be there.
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
