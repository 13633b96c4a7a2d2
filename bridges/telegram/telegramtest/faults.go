package telegramtest

import (
	"math"
	"strings"
	"time"

	"github.com/relay-chat/relay/bridges/bridgetest"
)

// writes reports whether a method changes what operators see.
func writes(method string) bool {
	for _, prefix := range []string{"get", "set", "deleteWebhook", "sendChatAction"} {
		if strings.HasPrefix(method, prefix) && method != "setMessageReaction" {
			return false
		}
	}
	return true
}

// refusalOf is the answer that a fault gives instead of the result.
func (f *Platform) refusalOf(fault bridgetest.Fault) *apiError {
	switch fault {
	case bridgetest.FaultRateLimited:
		return tooMany(f.RetryAfter())
	case bridgetest.FaultServer:
		return &apiError{Code: 500, Description: "Internal Server Error: restart"}
	case bridgetest.FaultUnauthorized:
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
func (f *Platform) spend() *apiError {
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
