package chat

import (
	"context"
	"time"
)

// Policy decides how the outbox serves a sink.
type Policy struct {
	Parallel int           // lanes served at once
	Batch    int           // deliveries of a lane handed over at once
	Timeout  time.Duration // of one call of Deliver
	Hold     int           // failed attempts after which later deliveries of the lane pass; 0 = never
	Overtake bool          // what is due passes what is not yet
	Attempts int           // failed attempts until a delivery is given up
	// MaxAge is how long a delivery may fail in one run of relay, if it is tried
	// often, until it is given up.
	MaxAge time.Duration
	// RetryOnRecovery makes failed deliveries due as soon as the sink works again.
	RetryOnRecovery bool
	// Backoff is the pause after the n-th failed attempt, counted from 1.
	Backoff func(n int) time.Duration
	// Receiver is whom a delivery is for, where a sink has several receivers. None holds up
	// another's deliveries: Parallel and a pause of the sink are each receiver's own.
	Receiver func(d *Delivery) string
	// Receivers counts them; nil is one.
	Receivers func() int
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
