// Package reception holds how a bridge receives updates, for status pages and a
// log that reports each failure once, and checks regularly what people have set
// up. It imports server/chat only.
package reception

import (
	"fmt"
	"log/slog"
	"sync"
)

// Status is how a bridge receives updates and its last failure.
type Status struct {
	mu      sync.Mutex
	way     string // polling, webhook, gateway or socket; "" before Run chose
	problem error  // the last failure, nil when there is none
}

// Set stores how updates are received and clears the failure.
func (s *Status) Set(way string) { s.Report(way, nil) }

// Report stores how updates are received and the failure, nil for none, and reports
// whether they changed.
func (s *Status) Report(way string, problem error) (changed bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	changed = s.way != way || fmt.Sprint(s.problem) != fmt.Sprint(problem)
	s.way, s.problem = way, problem
	return changed
}

// Fail stores a failure and reports whether it is a new one.
func (s *Status) Fail(err error) (fresh bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fresh = s.problem == nil || s.problem.Error() != err.Error()
	s.problem = err
	return fresh
}

// Heal clears the failure and reports whether there was one.
func (s *Status) Heal() (ended bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ended = s.problem != nil
	s.problem = nil
	return ended
}

// ReportFailure stores a failure and logs it once, however often it occurs.
func (s *Status) ReportFailure(log *slog.Logger, err error) {
	if s.Fail(err) {
		log.Warn("updates cannot be received; retrying", "err", err)
	}
}

// ReportRecovery clears the failure, if any, and logs that.
func (s *Status) ReportRecovery(log *slog.Logger) {
	if s.Heal() {
		log.Info("updates are received again")
	}
}

// Failing reports whether there is a failure.
func (s *Status) Failing() bool {
	_, problem := s.Get()
	return problem != nil
}

// Get returns how updates are received and the last failure, nil for none.
func (s *Status) Get() (way string, problem error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.way, s.problem
}
