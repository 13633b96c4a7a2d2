package queue

import (
	"math"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// maxPassed bounds how many failing deliveries of a lane are passed, maxOvertaken how many that
// are not due.
const (
	maxPassed    = 10
	maxOvertaken = 1000
)

// looksAt is how many deliveries of a lane are looked at.
func looksAt(p *chat.Policy) int {
	if p.Overtake {
		return p.Batch + maxOvertaken
	}
	return p.Batch + p.Hold*maxPassed
}

// selectDue returns the deliveries of a lane to send now, and when to check
// again if there are none. The head decides, unless a sink lets others
// overtake it; one that has failed often enough is passed.
func selectDue(p *chat.Policy, lane []chat.Delivery, now, pausedUntil chat.Time) ([]chat.Delivery, chat.Time) {
	if len(lane) == 0 {
		return nil, 0
	}
	if pausedUntil > now {
		return nil, pausedUntil
	}
	next := lane[0].NextAt
	for i := range lane {
		d := &lane[i]
		if d.NextAt <= now {
			return firstDue(lane[i:min(i+p.Batch, len(lane))], now), 0
		}
		next = min(next, d.NextAt)
		if !d.Passed && !p.Overtake && (p.Hold == 0 || d.Attempts < p.Hold) {
			break
		}
	}
	return nil, next
}

// firstDue cuts a lane off before the first delivery that is not due: one that
// failed and was passed. What may have left before leaves without what has not,
// or a crash would make that ambiguous too: a sink that joins deliveries looks
// for the ones that it joined.
func firstDue(lane []chat.Delivery, now chat.Time) []chat.Delivery {
	for i := range lane {
		if lane[i].NextAt > now || lane[i].Ambiguous() != lane[0].Ambiguous() {
			return lane[:i]
		}
	}
	return lane
}

// longestPause is longer than any delivery's pause.
func longestPause(p *chat.Policy) time.Duration {
	return max(chat.LongestWait+2*time.Minute, p.Backoff(math.MaxInt16)*2)
}
