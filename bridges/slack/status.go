package slack

import (
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
func (r *receiver) receiving() (way string, problem error) {
	way, problem = r.status.Get()
	if problem == error(errUnsigned) && time.Since(time.Unix(0, r.unsignedAt.Load())) > unsignedAge {
		return way, nil
	}
	return way, problem
}

// reportReceiving stores that events are received, and logs a change.
func (r *receiver) reportReceiving(way string) {
	if r.status.Report(way, nil) {
		r.log.Info("receiving events", "way", way)
	}
}

// reportFailure logs a failure of reception once, however often it occurs.
func (r *receiver) reportFailure(way string, err error) {
	if r.status.Report(way, err) {
		r.log.Warn("events cannot be received; retrying", "err", err)
	}
}
