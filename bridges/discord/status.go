package discord

import (
	"cmp"
	"errors"
)

// Ways to receive updates.
const (
	wayGateway = "gateway"
	wayWebhook = "webhook" // slash commands only
	wayNone    = "none"
)

// Receiving returns how updates are received and the problem with that or the
// channel, nil for none. The way is "" before Run chose. A gateway that is switched
// off is no problem.
func (b *Bridge) Receiving() (way string, problem error) {
	way, problem = b.status.Get()
	_, watched := b.watched.Get()
	return way, cmp.Or(problem, watched, b.delays.trouble())
}

// reportFailure logs a failure of reception once, however often it occurs. Discord
// ends every connection now and then: that alone is none.
func (b *Bridge) reportFailure(err error) {
	if errors.Is(err, errEnded) {
		b.log.Info("the gateway ended the connection; reconnecting")
		return
	}
	b.status.ReportFailure(b.log, err)
}
