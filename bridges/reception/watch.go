package reception

import (
	"context"
	"time"
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
