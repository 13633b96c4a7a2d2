package db

import (
	"os"
	"runtime"
)

// SpareProcessors lets three goroutines run where there is one processor: Go's
// scheduler notices late that the committer waits for the disk, and everything
// else would wait with it. An explicit GOMAXPROCS wins, and on more processors
// the default stays, because it follows the limits of containers.
func SpareProcessors() {
	if os.Getenv("GOMAXPROCS") == "" && runtime.NumCPU() == 1 {
		runtime.GOMAXPROCS(3)
	}
}
