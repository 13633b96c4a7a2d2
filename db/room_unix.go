//go:build unix

package db

import "syscall"

// diskRoom returns how much is free on the disk of a folder, and its size; 0 if that is
// unknown.
func diskRoom(dir string) (free, total int64) {
	var fs syscall.Statfs_t
	if syscall.Statfs(dir, &fs) != nil {
		return 0, 0
	}
	return int64(fs.Bavail) * int64(fs.Bsize), int64(fs.Blocks) * int64(fs.Bsize)
}
