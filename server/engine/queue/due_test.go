package queue

import (
	"testing"

	"github.com/relay-chat/relay/server/chat"
)

// TestPolicyDue is the table of what leaves a lane when: the head decides, and
// where the policy holds for three failures only, later ones pass after them.
func TestPolicyDue(t *testing.T) {
	const now = chat.Time(1000)
	rest := func(rev int64, attempts int, at chat.Time) chat.Delivery {
		return chat.Delivery{Rev: rev, Attempts: attempts, NextAt: at}
	}
	left := func(rev int64) chat.Delivery {
		return chat.Delivery{Rev: rev, State: chat.DeliverySending, NextAt: 900}
	}
	for _, tt := range []struct {
		name   string
		policy chat.Policy
		lane   []chat.Delivery
		paused chat.Time
		first  int64 // revision that leaves, 0 for none
		count  int
		next   chat.Time
	}{
		{"one that is due", chat.Policy{Batch: 1}, []chat.Delivery{rest(1, 0, 900), rest(2, 0, 900)}, 0, 1, 1, 0},
		{"a batch", chat.Policy{Batch: 10}, []chat.Delivery{rest(1, 0, 900), rest(2, 0, 900)}, 0, 1, 2, 0},
		{"a resting head holds the lane", chat.Policy{Batch: 1}, []chat.Delivery{rest(1, 9, 2000), rest(2, 0, 900)}, 0, 0, 0, 2000},
		{"a head that failed twice holds it", chat.Policy{Batch: 1, Hold: 3}, []chat.Delivery{rest(1, 2, 2000), rest(2, 0, 900)}, 0, 0, 0, 2000},
		{"one that failed three times is passed", chat.Policy{Batch: 1, Hold: 3}, []chat.Delivery{rest(1, 3, 2000), rest(2, 0, 900)}, 0, 2, 1, 0},
		{"and comes first when it is due", chat.Policy{Batch: 1, Hold: 3}, []chat.Delivery{rest(1, 3, 1000), rest(2, 0, 900)}, 0, 1, 1, 0},
		{"the second holds after the first was passed", chat.Policy{Batch: 1, Hold: 3}, []chat.Delivery{rest(1, 3, 2000), rest(2, 1, 1500), rest(3, 0, 900)}, 0, 0, 0, 1500},
		{"a batch ends before one that rests", chat.Policy{Batch: 10, Hold: 3}, []chat.Delivery{rest(1, 0, 900), rest(2, 3, 2000), rest(3, 0, 900)}, 0, 1, 1, 0},
		{"what may have left leaves alone", chat.Policy{Batch: 10}, []chat.Delivery{left(1), left(2), rest(3, 0, 900)}, 0, 1, 2, 0},
		{"one that waits is overtaken", chat.Policy{Batch: 10, Overtake: true}, []chat.Delivery{rest(1, 0, 2000), rest(2, 0, 900), rest(3, 0, 1500)}, 0, 2, 1, 0},
		{"all of them wait", chat.Policy{Batch: 10, Overtake: true}, []chat.Delivery{rest(1, 0, 2000), rest(2, 0, 1500)}, 0, 0, 0, 1500},
		{"a paused sink", chat.Policy{Batch: 1, Hold: 3}, []chat.Delivery{rest(1, 0, 900)}, 5000, 0, 0, 5000},
	} {
		t.Run(tt.name, func(t *testing.T) {
			due, next := selectDue(&tt.policy, tt.lane, now, tt.paused)
			var first int64
			if len(due) > 0 {
				first = due[0].Rev
			}
			if first != tt.first || len(due) != tt.count || next != tt.next {
				t.Errorf("%d from revision %d, next %d; want %d from %d, next %d", len(due), first, next, tt.count, tt.first, tt.next)
			}
		})
	}
}
