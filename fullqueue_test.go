package main

import (
	"io"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"
)

// TestFullQueuesAreToldOncePerOutage: operators hear of a destination once as
// long as it is away, and not every few minutes of one that comes and goes.
func TestFullQueuesAreToldOncePerOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := &app{log: slog.New(slog.NewTextHandler(io.Discard, nil))}
		full := make(chan string, fullMost)
		given := a.fullQueues(full)
		for _, step := range []struct {
			after time.Duration
			dest  string
			first bool
			told  int
		}{
			{0, "telegram", true, 1},
			{time.Minute, "telegram", false, 0},
			{time.Minute, "webhook", true, 1},
			{2 * time.Hour, "telegram", false, 0},
			{time.Minute, "telegram", true, 0},
			{2 * time.Hour, "telegram", false, 1},
			{2 * time.Hour, "telegram", false, 0},
		} {
			time.Sleep(step.after)
			given(step.dest, 100, step.first)
			if n := len(full); n != step.told {
				t.Errorf("after %s: %s was told %d times, want %d", step.after, step.dest, n, step.told)
			}
			for len(full) > 0 {
				if dest := <-full; dest != step.dest {
					t.Errorf("told of %s instead of %s", dest, step.dest)
				}
			}
		}
	})
}
