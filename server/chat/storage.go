package chat

import "os"

// Storage is where relay's state is, for the page of the system.
type Storage struct {
	Kind string `json:"kind"` // sqlite, postgres or memory
	Size int64  `json:"size"` // bytes on the disk
	Log  int64  `json:"log"`  // of the write-ahead log
	// Check is of the file after relay was not stopped in order: "", running or damaged.
	Check string `json:"check,omitempty"`
}

// The states of the check after an unclean stop.
const (
	CheckRunning = "running"
	CheckDamaged = "damaged"
)

// BackupFile is a backup on the disk.
type BackupFile struct {
	Name string `json:"name"`
	Size int64  `json:"size"`
	At   Time   `json:"at"`
}

// ErrBackupNotFound means that there is no backup of that name.
var ErrBackupNotFound = &Error{Kind: NotFound, Text: "Backup not found"}

// FreshBackup is a backup that is made to be sent, and removed when it is closed.
type FreshBackup struct {
	*os.File
	Name string // the one to suggest
}

// Close closes the file and removes it where it could not be removed while open.
func (f *FreshBackup) Close() error {
	err := f.File.Close()
	_ = os.Remove(f.File.Name())
	return err
}

// lowRoom is the free space below which even messages are in danger, lowRoomPart that
// part of a small disk.
const (
	lowRoom     = 200 << 20
	lowRoomPart = 20
)

// LowRoom returns the free space below which a disk of this size counts as nearly full.
func LowRoom(total int64) int64 { return min(lowRoom, total/lowRoomPart) }
