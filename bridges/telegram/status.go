package telegram

import "sync"

// The ways in which updates come.
const (
	wayPolling = "polling"
	wayWebhook = "webhook"
)

// status is how reception goes.
type status struct {
	mu      sync.Mutex
	way     string // wayPolling or wayWebhook, "" before Run decided
	problem string // the last failure, "" when all is well
}

func (s *status) set(way string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.way, s.problem = way, ""
}

// fail notes a failure and reports whether it is a new one.
func (s *status) fail(err error) (fresh bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	fresh = s.problem != err.Error()
	s.problem = err.Error()
	return fresh
}

// heal ends a failure and reports whether there was one.
func (s *status) heal() (ended bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ended = s.problem != ""
	s.problem = ""
	return ended
}

func (s *status) get() (way, problem string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.way, s.problem
}

// Receiving tells how updates come in, polling or webhook, and what keeps them
// away, "" for nothing. Before Run decided, way is "".
func (b *Bridge) Receiving() (way, problem string) { return b.status.get() }

// complain logs a failure of reception once, however often it is met.
func (b *Bridge) complain(err error) {
	if b.status.fail(err) {
		b.log.Warn("updates cannot be received; trying on", "err", err)
	}
}

// recovered logs that reception works again.
func (b *Bridge) recovered() {
	if b.status.heal() {
		b.log.Info("updates are received again")
	}
}
