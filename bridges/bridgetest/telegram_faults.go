package bridgetest

import (
	"math"
	"math/rand"
	"strings"
	"time"
)

// faults are what goes wrong on purpose.
type faults struct {
	left  int // requests that still get fault
	fault Fault
	storm Storm
	dice  *rand.Rand
}

// Fail implements [Platform].
func (f *Telegram) Fail(n int, fault Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults.left, f.faults.fault = n, fault
}

// Storm implements [Platform].
func (f *Telegram) Storm(s Storm) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults.brew(s)
}

// brew begins a storm.
func (f *faults) brew(s Storm) { f.storm, f.dice = s, rand.New(rand.NewSource(s.Seed)) }

// writes reports whether a method changes what operators see.
func writes(method string) bool {
	for _, prefix := range []string{"get", "set", "deleteWebhook", "sendChatAction"} {
		if strings.HasPrefix(method, prefix) && method != "setMessageReaction" {
			return false
		}
	}
	return true
}

// draw decides how a call fails; 0 is not at all.
func (f *Telegram) draw(method string) Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.faults.draw(writes(method))
}

// draw decides how a call fails that writes or reads; 0 is not at all.
func (f *faults) draw(writes bool) Fault {
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

// refusalOf is the answer that a fault gives instead of the result.
func (f *Telegram) refusalOf(fault Fault) *apiError {
	switch fault {
	case FaultRateLimited:
		f.mu.Lock()
		defer f.mu.Unlock()
		return tooMany(f.faults.storm.RetryAfter)
	case FaultServer:
		return &apiError{Code: 500, Description: "Internal Server Error: restart"}
	case FaultUnauthorized:
		return &apiError{Code: 401, Description: "Unauthorized"}
	}
	return nil
}

// tooMany is a 429; the Bot API knows whole seconds.
func tooMany(wait time.Duration) *apiError {
	seconds := max(1, int(math.Ceil(wait.Seconds())))
	return &apiError{429, "Too Many Requests: retry after " + itoa(int64(seconds)), map[string]any{"retry_after": seconds}}
}

// spend takes a message out of the group's budget. The caller holds the lock.
func (f *Telegram) spend() *apiError {
	f.sends++
	if f.Budget == 0 {
		return nil
	}
	now, minute := time.Now().UnixMilli(), time.Minute.Milliseconds()
	for len(f.spent) > 0 && now-f.spent[0] >= minute {
		f.spent = f.spent[1:]
	}
	if len(f.spent) >= f.Budget {
		f.limited++
		return tooMany(time.Duration(f.spent[0]+minute-now) * time.Millisecond)
	}
	f.spent = append(f.spent, now)
	return nil
}
