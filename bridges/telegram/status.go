package telegram

import "cmp"

// Ways to receive updates.
const (
	wayPolling = "polling"
	wayWebhook = "webhook"
)

// Receiving returns how updates are received, polling or webhook, and the problem
// with that or the group, nil for none. The way is "" before Run chose.
func (b *Bridge) Receiving() (way string, problem error) {
	way, problem = b.status.Get()
	_, watched := b.watched.Get()
	return way, cmp.Or(problem, watched)
}

// reportFailure logs a failure of reception once, however often it occurs.
func (b *Bridge) reportFailure(err error) {
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
