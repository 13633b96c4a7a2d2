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

// inherit makes what root has put beside the database at path belong to its
// owner, or to the folder's if there is none: relay runs as that user. Where
// the system does not let it, it stays root's.
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
