//go:build unix

package db

import (
	"path/filepath"
	"syscall"
)

// Room implements [chat.Store].
func (d *DB) Room() (free, total int64) {
	var fs syscall.Statfs_t
	if d.path == "" || syscall.Statfs(filepath.Dir(d.path), &fs) != nil {
		return 0, 0
	}
	return int64(fs.Bavail) * int64(fs.Bsize), int64(fs.Blocks) * int64(fs.Bsize)
}
