package reception

import (
	"context"
	"strings"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// Check is one of a bridge's checks. Its finding has no subject where the check does
// not apply; goOn is false where the next checks depend on it.
type Check = func(ctx context.Context) (f chat.Finding, goOn bool)

// RunChecks runs the checks in order and stops at the first failure that the others
// depend on.
func RunChecks(ctx context.Context, checks ...Check) (found []chat.Finding) {
	for _, check := range checks {
		begun := time.Now()
		f, goOn := check(ctx)
		if f.Subject == "" {
			continue
		}
		f.Took = time.Since(begun)
		found = append(found, f)
		if !goOn {
			break
		}
	}
	return found
}

// Beside makes a check that concerns the connection: where another bridge serves that, it
// passes without a finding and without a call.
func Beside(is bool, check Check) Check {
	if !is {
		return check
	}
	return func(context.Context) (chat.Finding, bool) { return chat.Finding{}, true }
}

// Fault runs the checks in order and returns the first failure, nil when there
// is none. Only the first line of its fix is kept; the rest is for doctor.
func Fault(ctx context.Context, checks ...Check) *chat.Misconfigured {
	for _, check := range checks {
		if f, _ := check(ctx); f.Level == chat.FindingFail {
			fix, _, _ := strings.Cut(f.Fix, ".\n")
			return &chat.Misconfigured{Problem: f.Text, Fix: fix}
		}
	}
	return nil
}
