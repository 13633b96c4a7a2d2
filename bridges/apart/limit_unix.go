//go:build !windows

package apart

import (
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
)

// Limit has the system end this process when it takes too much memory or time,
// and lets it open nothing any more: no file and no connection. The three files that it
// has stay open.
func Limit() error {
	// Go's runtime opens files of its own with the first timer, and never again.
	<-time.After(time.Nanosecond)
	// Where memory is short, this process is what has to go. Only Linux knows that.
	_ = os.WriteFile("/proc/self/oom_score_adj", []byte("1000"), 0)
	for _, limit := range []struct {
		name string
		kind int
		most uint64
	}{
		{"processor time", unix.RLIMIT_CPU, uint64(processorTime / time.Second)},
		{"memory", unix.RLIMIT_DATA, memory},
		{"the size of files", unix.RLIMIT_FSIZE, 0},
		{"core dumps", unix.RLIMIT_CORE, 0},
		{"open files", unix.RLIMIT_NOFILE, 0},
	} {
		if err := unix.Setrlimit(limit.kind, &unix.Rlimit{Cur: limit.most, Max: limit.most}); err != nil {
			return fmt.Errorf("it could not limit %s: %w", limit.name, err)
		}
	}
	return nil
}
