package slack

import (
	"cmp"
	"time"
)

// Ways to receive events.
const (
	waySocket  = "socket"
	wayWebhook = "webhook"
)

// unsignedAge is how long a push without Slack's signature is reported: anybody can
// send one, and Slack repeats its own.
const unsignedAge = time.Hour

// receiving returns how events are received and the last failure.
func (b *Bridge) receiving() (way string, problem error) {
	way, problem = b.status.Get()
	if problem == error(errUnsigned) && time.Since(time.Unix(0, b.unsignedAt.Load())) > unsignedAge {
		return way, nil
	}
	return way, problem
}

// Receiving returns how events are received, socket or webhook, and the problem with
// that or the channel, nil for none. The way is "" before Run chose.
func (b *Bridge) Receiving() (way string, problem error) {
	way, problem = b.receiving()
	_, watched := b.watched.Get()
	return way, cmp.Or(problem, watched, b.gaps.trouble())
}

// reportReceiving stores that events are received, and logs a change.
func (b *Bridge) reportReceiving(way string) {
	if b.status.Report(way, nil) {
		b.log.Info("receiving events", "way", way)
	}
}

// reportFailure logs a failure of reception once, however often it occurs.
func (b *Bridge) reportFailure(way string, err error) {
	if b.status.Report(way, err) {
		b.log.Warn("events cannot be received; retrying", "err", err)
	}
}
