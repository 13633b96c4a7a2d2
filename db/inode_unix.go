//go:build unix

package db

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
)

// names returns how many hard links lead to a file.
func names(info fs.FileInfo) int { return int(info.Sys().(*syscall.Stat_t).Nlink) }

// inherit gives a file that root created to the owner of the database at path, or
// of its folder, because relay runs as that user. On failure it stays root's.
func inherit(file, path string) {
	if os.Geteuid() != 0 {
		return
	}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		info, err = os.Stat(filepath.Dir(path))
	}
	if err == nil {
		owner := info.Sys().(*syscall.Stat_t)
		_ = os.Lchown(file, int(owner.Uid), int(owner.Gid))
	}
}

// syncFolder makes the names in a folder durable.
func syncFolder(dir string) error {
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(f.Sync(), f.Close())
}
