package main

import (
	"context"
	"os"
	"runtime"
)

// roomyHeap keeps the garbage collector from working for little: what a relay
// holds is a few megabytes, and under load they would be gone through dozens of
// times a second. What is reserved here counts as held but is never touched, so
// it takes no memory; garbage may grow by as much.
func roomyHeap(ctx context.Context) error {
	reserve := make([]byte, 8<<20)
	<-ctx.Done()
	runtime.KeepAlive(reserve)
	return nil
}

// spareProcessors lets three goroutines run where there is one processor: the
// committer waits for the disk in calls of which Go's scheduler learns late, and
// everything else would wait with it. Elsewhere GOMAXPROCS is left to Go, which
// follows the limits of containers only while nobody sets it.
func spareProcessors() {
	if os.Getenv("GOMAXPROCS") == "" && runtime.NumCPU() == 1 {
		runtime.GOMAXPROCS(3)
	}
}
