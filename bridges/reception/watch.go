package reception

import (
	"context"
	"log/slog"
	"strings"
	"time"

	"relay/server/chat"
)

// WatchPause is how often Watch looks; while something is wrong it is every
// minute.
const (
	WatchPause   = 5 * time.Minute
	troublePause = time.Minute
)

// Watch looks at the start, now and then, and when again says so, until ctx
// ends; look reports whether something is wrong. Platforms tell nobody that
// something has been set up wrongly, and a message that shows it may be long in
// coming.
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

// Note notes what a look found, nil for nothing wrong, and tells the log what is
// new: well, when all is well again. It reports whether that is so.
func (s *Status) Note(log *slog.Logger, wrong *chat.Misconfigured, well string) (healed bool) {
	if wrong == nil {
		if healed = s.Heal(); healed {
			log.Info(well)
		}
		return healed
	}
	if s.Fail(wrong) {
		log.Error("the bridge needs a human", "problem", wrong.Problem, "fix", wrong.Fix)
	}
	return false
}

// Fault has one look after the other until one finds a fault, and returns it; nil
// when there is none. What is below the first line of a fix is for doctor's page.
func Fault(ctx context.Context, looks ...func(context.Context) (f chat.Finding, goOn bool)) *chat.Misconfigured {
	for _, look := range looks {
		if f, _ := look(ctx); f.Level == chat.FindingFail {
			fix, _, _ := strings.Cut(f.Fix, ".\n")
			return &chat.Misconfigured{Problem: f.Text, Fix: fix}
		}
	}
	return nil
}
