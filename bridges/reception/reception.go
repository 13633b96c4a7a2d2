// Package reception notes how a bridge receives updates, for whoever asks and for
// a log that tells each failure once. It imports the standard library only.
package reception

import "sync"

// Status is how reception goes.
type Status struct {
	mu      sync.Mutex
	way     string // "" before Run decided
	problem string // the last failure, "" when all is well
}

// Set notes how updates come in, without a failure.
func (s *Status) Set(way string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.way, s.problem = way, ""
}

// Fail notes a failure and reports whether it is a new one.
func (s *Status) Fail(err error) (fresh bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fresh = s.problem != err.Error()
	s.problem = err.Error()
	return fresh
}

// Heal ends a failure and reports whether there was one.
func (s *Status) Heal() (ended bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ended = s.problem != ""
	s.problem = ""
	return ended
}

// Get returns how updates come in and the last failure, "" when all is well.
func (s *Status) Get() (way, problem string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.way, s.problem
}
