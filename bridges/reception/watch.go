package reception

import (
	"context"
	"log/slog"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// WatchPause is how often Watch checks, failingPause while something is wrong.
const (
	WatchPause   = 5 * time.Minute
	failingPause = time.Minute
)

// Watch calls check at the start, at regular intervals and whenever now receives, until
// ctx ends. Platforms do not report a wrong set-up, and the message that would fail may
// be hours away.
func Watch(ctx context.Context, now <-chan struct{}, check func(context.Context) (failing bool)) {
	for {
		pause := WatchPause
		if check(ctx) {
			pause = failingPause
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
		case <-now:
		case <-timer.C:
		}
		timer.Stop()
		if ctx.Err() != nil {
			return
		}
	}
}

// Note stores the result of a check, nil for no problem, and logs a new problem, or
// healthy when the last one is over. It reports whether that is so.
func (s *Status) Note(log *slog.Logger, problem *chat.Misconfigured, healthy string) (healed bool) {
	if problem == nil {
		if healed = s.Heal(); healed {
			log.Info(healthy)
		}
		return healed
	}
	if s.Fail(problem) {
		log.Error("the bridge is misconfigured", "problem", problem.Problem, "fix", problem.Fix)
	}
	return false
}
