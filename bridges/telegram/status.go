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
