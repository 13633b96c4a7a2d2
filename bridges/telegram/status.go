package telegram

import "cmp"

// The ways in which updates come.
const (
	wayPolling = "polling"
	wayWebhook = "webhook"
)

// Receiving tells how updates come in, polling or webhook, and what keeps them
// away or is wrong with the group, nil for nothing. Before Run decided, way is
// "".
func (b *Bridge) Receiving() (way string, problem error) {
	way, problem = b.status.Get()
	_, standing := b.standing.Get()
	return way, cmp.Or(problem, standing)
}

// complain logs a failure of reception once, however often it is met.
func (b *Bridge) complain(err error) {
	if b.status.Fail(err) {
		b.log.Warn("updates cannot be received; retrying", "err", err)
	}
}

// recovered logs that reception works again.
func (b *Bridge) recovered() {
	if b.status.Heal() {
		b.log.Info("updates are received again")
	}
}
