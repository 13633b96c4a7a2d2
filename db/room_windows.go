package db

import "golang.org/x/sys/windows"

// diskRoom returns how much is free on the disk of a folder, and its size; 0 if that is
// unknown.
func diskRoom(dir string) (free, total int64) {
	var usable, size uint64
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil || windows.GetDiskFreeSpaceEx(name, &usable, &size, nil) != nil {
		return 0, 0
	}
	return int64(usable), int64(size)
}
