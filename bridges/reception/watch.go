package reception

import (
	"context"
	"log/slog"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// WatchPause is how often Watch looks; while something is wrong it looks every
// minute.
const (
	WatchPause   = 5 * time.Minute
	troublePause = time.Minute
)

// Watch calls look at the start, at regular intervals and whenever again
// receives, until ctx ends; look reports whether something is wrong. Platforms
// do not report a wrong set-up, and a message that would show it may be hours
// away.
func Watch(ctx context.Context, again <-chan struct{}, look func(context.Context) (trouble bool)) {
	for {
		pause := WatchPause
		if look(ctx) {
			pause = troublePause
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
		case <-again:
		case <-timer.C:
		}
		timer.Stop()
		if ctx.Err() != nil {
			return
		}
	}
}

// Note stores the result of a look, nil for no problem, and logs what changed:
// healthy when the problem is over. It reports whether that is so.
func (s *Status) Note(log *slog.Logger, wrong *chat.Misconfigured, healthy string) (healed bool) {
	if wrong == nil {
		if healed = s.Heal(); healed {
			log.Info(healthy)
		}
		return healed
	}
	if s.Fail(wrong) {
		log.Error("the bridge is misconfigured", "problem", wrong.Problem, "fix", wrong.Fix)
	}
	return false
}
