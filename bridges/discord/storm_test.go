package discord_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges/bridgetest"
)

// complete checks that every visitor's lines are there once and in order, in
// one thread each, and that no first message has no thread.
func (h *harness) complete(t *testing.T, visitors, messages int) {
	t.Helper()
	var want []string
	for m := range messages {
		want = append(want, fmt.Sprint(m))
	}
	lines := bridgetest.Numbers(h.Platform)
	for n := range visitors {
		if got := lines[fmt.Sprint(n)]; !slices.Equal(got, want) {
			t.Errorf("visitor %d: %v", n, got)
		}
	}
	if len(h.Threads()) != visitors || h.Strays() != 0 {
		t.Errorf("%d threads of %d visitors, %d first messages without one", len(h.Threads()), visitors, h.Strays())
	}
}

func storms(seed int64) bridgetest.Storm {
	return bridgetest.Storm{Seed: seed, RateLimited: 0.05, Server: 0.05, AnswerLost: 0.05, RetryAfter: 3 * time.Second}
}

// Sessions write while Discord fails in every way and is away for ten minutes,
// longer than it remembers nonces: nothing is lost, order is kept, and nothing
// is there twice.
func TestStorm(t *testing.T) {
	if testing.Short() {
		t.Skip("a thousand messages take a while under the race detector")
	}
	const visitors, messages = 40, 25
	withHarness(t, func(t *testing.T, h *harness) {
		h.InStorm(h.Platform, storms(7), visitors, messages, 3*time.Second, func(session string, n, m int) {
			h.Say(session, fmt.Sprintf("%d.%d", n, m))
		})
		t.Logf("%d requests, %d ambiguous", len(h.Requests("")), h.Mirror.Ambiguous())
		if h.Mirror.Ambiguous() == 0 {
			t.Error("nothing was ambiguous: the storm proves nothing")
		}
		h.complete(t, visitors, messages)
	})
}

// An answer that is lost just before Discord is away for long: what was written
// is found, not written again. Twice the same words are no double.
func TestForgottenNonce(t *testing.T) {
	withHarness(t, func(t *testing.T, h *harness) {
		session := h.Visit("ann")
		h.Say(session, "0.0")
		h.Settle()
		for range 2 {
			h.Fail(1, bridgetest.FaultAnswerLost)
			h.Say(session, "ok")
			time.Sleep(50 * time.Millisecond)
			h.Storm(bridgetest.Storm{Seed: 1, All: 1})
			time.Sleep(20 * time.Minute)
			h.Storm(bridgetest.Storm{})
			h.Settle()
		}
		n := 0
		for _, m := range h.Threads()[0].Messages {
			if strings.HasPrefix(m.Text, "ok") {
				n++
			}
		}
		if n != 2 || h.Mirror.Ambiguous() < 2 {
			t.Errorf("it is shown %d times; %d ambiguous", n, h.Mirror.Ambiguous())
		}
	})
}

// The opening of a thread whose answer is lost, also for longer than nonces
// live.
func TestAmbiguousOpening(t *testing.T) {
	for name, away := range map[string]time.Duration{"short": time.Second, "long": 20 * time.Minute} {
		t.Run(name, func(t *testing.T) {
			withHarness(t, func(t *testing.T, h *harness) {
				h.Fail(1, bridgetest.FaultAnswerLost)
				h.Say(h.Visit("ann"), "0.0")
				time.Sleep(50 * time.Millisecond)
				h.Storm(bridgetest.Storm{Seed: 1, All: 1})
				time.Sleep(away)
				h.Storm(bridgetest.Storm{})
				h.Say(h.Visit("ben"), "1.0")
				h.Settle()
				h.complete(t, 2, 1)
			})
		})
	}
}

// relay is killed and started again, twenty times in a storm: nothing is lost
// and nothing is there twice.
func TestKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes a while under the race detector")
	}
	const visitors, messages = 10, 40
	withHarness(t, func(t *testing.T, h *harness) {
		h.Storm(storms(3))
		sessions := make([]string, visitors)
		for n := range sessions {
			sessions[n] = h.Visit(fmt.Sprint("visitor", n))
		}
		for m := range messages {
			for n, session := range sessions {
				h.Say(session, fmt.Sprintf("%d.%d", n, m))
			}
			time.Sleep(700 * time.Millisecond)
			if m%2 == 1 {
				h.Stop()
				h.start(t)
			}
		}
		h.Settle()
		h.complete(t, visitors, messages)
	})
}
