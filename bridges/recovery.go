package bridges

import (
	"context"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// Deliveries that wait after a failure are due at once when the platform proves
// to work again: it sends an update, or the bridge's problem is over.

// recoveryInbox reports each update before it receives it.
type recoveryInbox struct {
	chat.Receiver
	recovered func()
}

// Receive implements [chat.Receiver].
func (a recoveryInbox) Receive(ctx context.Context, u chat.Update) error {
	a.recovered()
	return a.Receiver.Receive(ctx, u)
}

func (r *runner) inbox() chat.Receiver { return recoveryInbox{r.set.engine.Inbox, r.recovered} }

func (r *runner) recovered() { r.set.engine.Outbox.MarkReachable(r.kind.Name) }

// recoveryPause is how often a bridge is asked for its problem.
const recoveryPause = 5 * time.Second

// watchRecovery reports, until ctx ends, that the bridge's problem is over.
func (r *runner) watchRecovery(ctx context.Context, receiving Receiving) {
	for failing := false; chat.Rest(ctx, recoveryPause) == nil; {
		_, problem := receiving.Receiving()
		if failing && problem == nil {
			r.recovered()
		}
		failing = problem != nil
	}
}
