package bridgetest

import (
	"context"
	"testing"
)

// Watching has a bridge look after its channel until the test ends.
func Watching(t *testing.T, watch func(context.Context)) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() { defer close(done); watch(ctx) }()
	t.Cleanup(func() { cancel(); <-done })
}
