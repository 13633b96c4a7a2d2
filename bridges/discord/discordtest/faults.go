package discordtest

import (
	"strings"
	"time"

	"github.com/relay-chat/relay/bridges/bridgetest"
)

// Storm implements [bridgetest.Platform]. While nothing can be reached, the gateway cannot
// either.
func (f *Platform) Storm(s bridgetest.Storm) {
	f.Faults.Storm(s)
	f.mu.Lock()
	f.gateway.down = s.All == 1
	f.mu.Unlock()
	if s.All == 1 {
		f.Cut()
	}
}

// writes reports whether a request changes what operators see.
func writes(method, op string) bool {
	return method != "GET" && !strings.HasSuffix(op, "/typing") && !strings.HasSuffix(op, "/commands")
}

// refusalOf is the answer that a fault gives instead of the result.
func (f *Platform) refusalOf(fault bridgetest.Fault) *apiError {
	switch fault {
	case bridgetest.FaultRateLimited:
		f.mu.Lock()
		defer f.mu.Unlock()
		scopes := []string{"user", "shared", "global"}
		scope := scopes[len(f.Requests(""))%len(scopes)]
		return limitedFor(max(f.RetryAfter(), 300*time.Millisecond), scope)
	case bridgetest.FaultServer:
		return refusedBy(500, 0, "500: Internal Server Error")
	case bridgetest.FaultUnauthorized:
		return refusedBy(401, 0, "401: Unauthorized")
	}
	return nil
}
