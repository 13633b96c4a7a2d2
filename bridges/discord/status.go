package discord

import "sync"

// The ways in which updates come.
const (
	wayGateway = "gateway"
	wayWebhook = "webhook" // slash commands only
	wayNone    = "none"
)

// status is how reception goes.
type status struct {
	mu      sync.Mutex
	way     string // "" before Run decided
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

// Receiving tells how updates come in and what keeps them away, "" for nothing.
// Before Run decided, way is "". A bridge whose gateway is off only sends: that
// was wanted, and is no problem.
func (b *Bridge) Receiving() (way, problem string) { return b.status.get() }

// complain logs a failure of reception once, however often it is met. Discord
// ends every connection now and then: that is none until another fails.
func (b *Bridge) complain(err error) {
	if err == errEnded {
		b.log.Info("the gateway ended the connection; connecting again")
		return
	}
	if b.status.fail(err) {
		b.log.Warn("updates cannot be received; trying on", "err", err)
	}
}

// recovered logs that reception works.
func (b *Bridge) recovered() {
	if b.status.heal() {
		b.log.Info("updates are received again")
	}
}
