package queue

import (
	"context"

	"github.com/relay-chat/relay/server/chat"
)

// Discard removes a delivery that was given up.
func (o *Outbox) Discard(ctx context.Context, id string) error {
	dest, sessionID, rev, ok := chat.ParseDeliveryID(id)
	if !ok {
		return chat.ErrDeliveryNotFound
	}
	return o.store.Apply(ctx, func(tx chat.Tx) error {
		d, err := tx.LockDelivery(dest, sessionID, rev)
		if err != nil {
			return err
		}
		if d.State != chat.DeliveryFailed {
			return chat.Errorf(chat.Conflict, "The delivery is %s; only one that failed can be discarded", d.State)
		}
		return tx.DropDelivery(&d)
	})
}

// DiscardFailed removes the failed deliveries of a sink, some thousands at most, and
// returns how many, and whether there are more.
func (o *Outbox) DiscardFailed(ctx context.Context, dest string) (count int, more bool, err error) {
	for count < retryMost {
		n := 0
		err := o.store.Apply(ctx, func(tx chat.Tx) error {
			failed, err := tx.Deliveries(chat.DeliveryQuery{Dest: dest, State: new(chat.DeliveryFailed), Limit: retryPortion})
			for i := range failed {
				var still bool
				if err == nil {
					still, err = stillFailed(&failed[i], tx)
				}
				if err == nil && still {
					err = tx.DropDelivery(&failed[i])
				}
			}
			n = len(failed)
			return err
		})
		if err != nil {
			return count, false, err
		}
		if count += n; n < retryPortion {
			return count, false, nil
		}
	}
	return count, true, nil
}
