package main

import (
	"context"
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
