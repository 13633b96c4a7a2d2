package slack

import (
	"cmp"
	"fmt"
	"sync"
	"time"
)

// Ways to receive events.
const (
	waySocket  = "socket"
	wayWebhook = "webhook"
)

// status is how the bridge receives events and its last failure.
type status struct {
	mu      sync.Mutex
	way     string // "" before Run chose
	problem error  // the last failure, nil when there is none
	at      time.Time
}

// unsignedAge is how long a push without Slack's signature is reported: anybody can
// send one, and Slack repeats its own.
const unsignedAge = time.Hour

// set stores the way and the failure, nil for none, and reports whether they
// changed.
func (s *status) set(way string, problem error) (changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	changed = s.way != way || fmt.Sprint(s.problem) != fmt.Sprint(problem)
	s.way, s.problem, s.at = way, problem, time.Now()
	return changed
}

// get returns the way and the failure.
func (s *status) get() (way string, problem error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.problem == error(errUnsigned) && time.Since(s.at) > unsignedAge {
		return s.way, nil
	}
	return s.way, s.problem
}

// Receiving returns how events are received, socket or webhook, and the problem with
// that or the channel, nil for none. The way is "" before Run chose.
func (b *Bridge) Receiving() (way string, problem error) {
	way, problem = b.status.get()
	_, watched := b.watched.Get()
	return way, cmp.Or(problem, watched, b.gaps.trouble())
}

// reportReceiving stores that events are received, and logs a change.
func (b *Bridge) reportReceiving(way string) {
	if b.status.set(way, nil) {
		b.log.Info("receiving events", "way", way)
	}
}

// reportFailure logs a failure of reception once, however often it occurs.
func (b *Bridge) reportFailure(way string, err error) {
	if b.status.set(way, err) {
		b.log.Warn("events cannot be received; retrying", "err", err)
	}
}
