package bridges

import (
	"io"
	"log/slog"
	"testing"
	"testing/synctest"
	"time"
)

// TestFullQueuesAreReportedOncePerOutage: operators are notified once per outage
// of a destination, and not every few minutes of one that comes and goes.
func TestFullQueuesAreReportedOncePerOutage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		full := NewFullQueues(slog.New(slog.NewTextHandler(io.Discard, nil)))
		for _, step := range []struct {
			after   time.Duration
			dest    string
			first   bool
			notices int
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
			full.Dropped(step.dest, 100, step.first)
			if n := len(full.notices); n != step.notices {
				t.Errorf("after %s: %s got %d notices, want %d", step.after, step.dest, n, step.notices)
			}
			for len(full.notices) > 0 {
				if dest := <-full.notices; dest != step.dest {
					t.Errorf("notice about %s instead of %s", dest, step.dest)
				}
			}
		}
	})
}
