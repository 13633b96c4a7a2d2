package bridgetest

import (
	"math/rand"
	"sync"
	"time"
)

// Faults decides which requests of a fake platform fail. A fake embeds it and
// has [Platform]'s Fail and Storm by that.
type Faults struct {
	mu    sync.Mutex
	left  int // requests that still get fault
	fault Fault
	storm Storm
	dice  *rand.Rand
}

// Fail implements [Platform].
func (f *Faults) Fail(n int, fault Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.left, f.fault = n, fault
}

// Storm implements [Platform].
func (f *Faults) Storm(s Storm) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.storm, f.dice = s, rand.New(rand.NewSource(s.Seed))
}

// RetryAfter is the pause that a rate limited request of the storm asks for.
func (f *Faults) RetryAfter() time.Duration {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.storm.RetryAfter
}

// Unreachable reports a total outage.
func (f *Faults) Unreachable() bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.storm.All >= 1
}

// Draw decides how a request fails that writes or reads; 0 is not at all.
func (f *Faults) Draw(writes bool) Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	storm := f.storm
	if storm.All > 0 && f.dice.Float64() < storm.All {
		return FaultOutage
	}
	if !writes {
		return 0
	}
	if f.left > 0 {
		f.left--
		return f.fault
	}
	if storm == (Storm{}) {
		return 0
	}
	chance := f.dice.Float64()
	for _, share := range []struct {
		of    float64
		fault Fault
	}{{storm.RateLimited, FaultRateLimited}, {storm.Server, FaultServer}, {storm.AnswerLost, FaultAnswerLost}} {
		if chance -= share.of; chance < 0 {
			return share.fault
		}
	}
	return 0
}
