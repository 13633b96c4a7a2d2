package chat

import (
	"sync"
	"time"
)

// LogThrottle keeps the log readable while everything fails: one line a minute, with
// the number of suppressed ones.
type LogThrottle struct {
	mu       sync.Mutex
	lastLine time.Time // by the monotonic clock
	since    int
}

// Allow counts a report and returns, once a minute, how many there were;
// else 0.
func (r *LogThrottle) Allow() (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.since++
	if now := time.Now(); now.Sub(r.lastLine) >= time.Minute {
		n, r.lastLine, r.since = r.since, now, 0
	}
	return n
}
