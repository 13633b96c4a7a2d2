package db

import (
	"path/filepath"

	"golang.org/x/sys/windows"
)

// Room implements [chat.Store].
func (d *DB) Room() (free, total int64) {
	var usable, size uint64
	dir, err := windows.UTF16PtrFromString(filepath.Dir(d.path))
	if d.path == "" || err != nil || windows.GetDiskFreeSpaceEx(dir, &usable, &size, nil) != nil {
		return 0, 0
	}
	return int64(usable), int64(size)
}
