package bridgetest

import (
	"math/rand"
	"strings"
	"time"
)

// Fail implements [Platform].
func (f *Discord) Fail(n int, fault Fault) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.faults.left, f.faults.fault = n, fault
}

// Storm implements [Platform]. While nothing can be reached, the gateway cannot
// either.
func (f *Discord) Storm(s Storm) {
	f.mu.Lock()
	f.faults.storm, f.faults.dice = s, rand.New(rand.NewSource(s.Seed))
	f.gateway.down = s.All == 1
	f.mu.Unlock()
	if s.All == 1 {
		f.Cut()
	}
}

// draw decides how a request fails; 0 is not at all.
func (f *Discord) draw(method, op string) Fault {
	f.mu.Lock()
	defer f.mu.Unlock()
	storm := f.faults.storm
	if storm.All > 0 && f.faults.dice.Float64() < storm.All {
		return FaultOutage
	}
	if method == "GET" || strings.HasSuffix(op, "/typing") || strings.HasSuffix(op, "/commands") {
		return 0
	}
	if f.faults.left > 0 {
		f.faults.left--
		return f.faults.fault
	}
	if storm == (Storm{}) {
		return 0
	}
	chance := f.faults.dice.Float64()
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
func (f *Discord) refusalOf(fault Fault) *discordError {
	switch fault {
	case FaultRateLimited:
		f.mu.Lock()
		defer f.mu.Unlock()
		scopes := []string{"user", "shared", "global"}
		scope := scopes[len(f.requests)%len(scopes)]
		return limitedFor(max(f.faults.storm.RetryAfter, 300*time.Millisecond), scope)
	case FaultServer:
		return refusedBy(500, 0, "500: Internal Server Error")
	case FaultUnauthorized:
		return refusedBy(401, 0, "401: Unauthorized")
	}
	return nil
}
