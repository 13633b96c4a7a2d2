package chat

import (
	"context"
	"math"
	"time"
)

// Policy decides how the outbox serves a sink.
type Policy struct {
	Parallel int           // lanes served at once
	Batch    int           // deliveries of a lane handed over at once
	Timeout  time.Duration // of one call of Deliver
	Hold     int           // failed attempts after which later deliveries of the lane pass; 0 = never
	Attempts int           // failed attempts until a delivery is given up
	// MaxAge is how long a delivery may fail in one run of relay, if it is tried
	// often, until it is given up.
	MaxAge time.Duration
	// RetryOnRecovery makes failed deliveries due as soon as the sink works again.
	RetryOnRecovery bool
	// Backoff is the pause after the n-th failed attempt, counted from 1.
	Backoff func(n int) time.Duration
}

// maxPassed bounds how many failing deliveries of a lane are passed.
const maxPassed = 10

// due returns the deliveries of a lane to send now, and when to check
// again if there are none. The head decides; one that has failed often enough
// is passed.
func (p *Policy) due(lane []Delivery, now, pausedUntil Time) ([]Delivery, Time) {
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
		if !d.Passed && (p.Hold == 0 || d.Attempts < p.Hold) {
			break
		}
	}
	return nil, next
}

// firstDue cuts a lane off before the first delivery that is not due: one that
// failed and was passed. What may have left before leaves without what has not,
// or a crash would make that ambiguous too: a sink that joins deliveries looks
// for the ones that it joined.
func firstDue(lane []Delivery, now Time) []Delivery {
	for i := range lane {
		if lane[i].NextAt > now || lane[i].Ambiguous() != lane[0].Ambiguous() {
			return lane[:i]
		}
	}
	return lane
}

// longest is longer than any delivery's pause.
func (p *Policy) longest() time.Duration {
	return max(longestWait+2*time.Minute, p.Backoff(math.MaxInt16)*2)
}

// Backoff returns a pause that doubles from first with each attempt, up to
// longest.
func Backoff(first, longest time.Duration) func(n int) time.Duration {
	return func(n int) time.Duration {
		pause := first
		for ; n > 1 && pause < longest; n-- {
			pause *= 2
		}
		return min(pause, longest)
	}
}

// Rest waits for a pause, or until ctx ends, whose error it returns.
func Rest(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}
