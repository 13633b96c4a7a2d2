package discord

import (
	"cmp"
	"errors"
)

// The ways in which updates come.
const (
	wayGateway = "gateway"
	wayWebhook = "webhook" // slash commands only
	wayNone    = "none"
)

// Receiving tells how updates come in and what keeps them away or is wrong with
// the channel, nil for nothing. Before Run decided, way is "". A bridge whose
// gateway is off only sends: that was wanted, and is no problem.
func (b *Bridge) Receiving() (way string, problem error) {
	way, problem = b.status.Get()
	_, standing := b.standing.Get()
	return way, cmp.Or(problem, standing, b.lags.trouble())
}

// complain logs a failure of reception once, however often it is met. Discord
// ends every connection now and then: that is none until another fails.
func (b *Bridge) complain(err error) {
	if errors.Is(err, errEnded) {
		b.log.Info("the gateway ended the connection; connecting again")
		return
	}
	if b.status.Fail(err) {
		b.log.Warn("updates cannot be received; retrying", "err", err)
	}
}

// recovered logs that reception works.
func (b *Bridge) recovered() {
	if b.status.Heal() {
		b.log.Info("updates are received again")
	}
}
