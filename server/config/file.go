package config

import (
	"fmt"
	"os"
)

// maxFile is how large a file with settings may be, in bytes.
const maxFile = 1 << 20

// readFile reads a file with settings. Only a regular file, itself or behind a link, is
// opened: a named pipe or a device may never end, and relay would never start.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	switch {
	case err != nil:
		return nil, err
	case info.IsDir():
		return nil, fmt.Errorf("%s is a folder; name a file in it", path)
	case !info.Mode().IsRegular():
		return nil, fmt.Errorf("%s is not a regular file, but a pipe, a socket or a device; write its content to a file and name that", path)
	case info.Size() > maxFile:
		return nil, fmt.Errorf("%s has %d bytes; a file with settings has at most %d", path, info.Size(), maxFile)
	}
	return os.ReadFile(path)
}
