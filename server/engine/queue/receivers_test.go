package queue

import (
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

func twoReceivers() *receivers {
	return newReceivers(&chat.Policy{Parallel: 2, Receiver: func(d *chat.Delivery) string { return d.Site }, Receivers: func() int { return 2 }})
}

// TestReceiversApart: lanes that one receiver keeps waiting take no place of another's, and
// none of them is forgotten.
func TestReceiversApart(t *testing.T) {
	r := twoReceivers()
	slow, quick := &chat.Delivery{Site: "slow"}, &chat.Delivery{Site: "quick"}
	if r.parallel() != 4 {
		t.Errorf("%d lanes at once, want 4", r.parallel())
	}
	for i, want := range []bool{true, true, false, false} {
		if got := r.enter(fmt.Sprint("slow", i), slow); got != want {
			t.Errorf("lane %d of the slow one is served: %t", i, got)
		}
	}
	if !r.enter("quick0", quick) || !r.enter("slow0", slow) {
		t.Error("a lane with a place, or of another receiver, is not served")
	}
	if next := r.leave("quick0"); len(next) != 0 {
		t.Errorf("%q get the place of another receiver's lane", next)
	}
	served := map[string]bool{}
	for _, left := range []string{"slow0", "slow1"} {
		for _, id := range r.leave(left) {
			served[id] = r.enter(id, slow)
		}
	}
	if !served["slow2"] || !served["slow3"] {
		t.Errorf("of the lanes that waited, these are served: %v", served)
	}
}

// TestReceiversPause: a pause concerns the receiver that asked for it.
func TestReceiversPause(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := twoReceivers()
		r.pause("slow", time.Minute)
		rest := func(site string) time.Duration {
			return max(r.pausedFor(&chat.Delivery{Site: site}).Sub(chat.Now()), 0)
		}
		if r.paused() != 0 || rest("quick") != 0 || rest("slow") != time.Minute {
			t.Errorf("the sink rests until %d, the receivers for %s and %s", r.paused(), rest("quick"), rest("slow"))
		}
		r.resume("quick")
		if rest("slow") != time.Minute {
			t.Error("another receiver's pause ended")
		}
		r.resume("slow")
		if rest("slow") != 0 {
			t.Error("its pause does not end")
		}
		one := newReceivers(&chat.Policy{Parallel: 2})
		one.pause("", time.Minute)
		if one.paused().Sub(chat.Now()) != time.Minute {
			t.Error("a sink with one receiver does not rest as a whole")
		}
	})
}
