// Package reception notes how a bridge receives updates, for whoever asks and for
// a log that tells each failure once, and looks after what people have set up. It
// imports server/chat only.
package reception

import "sync"

// Status is how reception goes.
type Status struct {
	mu      sync.Mutex
	way     string // "" before Run decided
	problem error  // the last failure, nil when all is well
}

// Set notes how updates come in, without a failure.
func (s *Status) Set(way string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.way, s.problem = way, nil
}

// Fail notes a failure and reports whether it is a new one.
func (s *Status) Fail(err error) (fresh bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fresh = s.problem == nil || s.problem.Error() != err.Error()
	s.problem = err
	return fresh
}

// Heal ends a failure and reports whether there was one.
func (s *Status) Heal() (ended bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ended = s.problem != nil
	s.problem = nil
	return ended
}

// Failing reports whether there is a failure.
func (s *Status) Failing() bool {
	_, problem := s.Get()
	return problem != nil
}

// Get returns how updates come in and the last failure, nil when all is well.
func (s *Status) Get() (way string, problem error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.way, s.problem
}
