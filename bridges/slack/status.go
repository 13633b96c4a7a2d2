package slack

import (
	"cmp"
	"fmt"
	"sync"
	"time"
)

// The ways in which events come.
const (
	waySocket  = "socket"
	wayWebhook = "webhook"
)

// status is how reception goes.
type status struct {
	mu      sync.Mutex
	way     string // "" before Run decided
	problem error  // the last failure, nil when all is well
	at      time.Time
}

// doubtAge is how long a push that was not Slack's is told of: anybody can send
// one, and Slack pushes again.
const doubtAge = time.Hour

// turn notes the way and the failure, nil for none, and reports whether that is
// news.
func (s *status) turn(way string, problem error) (news bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	news = s.way != way || fmt.Sprint(s.problem) != fmt.Sprint(problem)
	s.way, s.problem, s.at = way, problem, time.Now()
	return news
}

// get returns what was noted.
func (s *status) get() (way string, problem error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.problem == error(errUnsigned) && time.Since(s.at) > doubtAge {
		return s.way, nil
	}
	return s.way, s.problem
}

// Receiving tells how events come in, socket or webhook, and what keeps them
// away or is wrong with the channel, nil for nothing. Before Run decided, way is
// "".
func (b *Bridge) Receiving() (way string, problem error) {
	way, problem = b.status.get()
	_, standing := b.standing.Get()
	return way, cmp.Or(problem, standing, b.backlog.trouble())
}

// hears notes that events come in.
func (b *Bridge) hears(way string) {
	if b.status.turn(way, nil) {
		b.log.Info("receiving events", "way", way)
	}
}

// complain logs a failure of reception once, however often it is met.
func (b *Bridge) complain(way string, err error) {
	if b.status.turn(way, err) {
		b.log.Warn("events cannot be received; retrying", "err", err)
	}
}
