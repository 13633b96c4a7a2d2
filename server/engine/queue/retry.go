package queue

import (
	"context"
	"encoding/json"
	"errors"
	"slices"

	"github.com/relay-chat/relay/server/chat"
)

// Retry retries a delivery that was given up or waits after a
// failed attempt, even while its sink pauses. Its attempts count from 0 again.
func (o *Outbox) Retry(ctx context.Context, id string) error {
	return o.retryIf(ctx, id, func(d *chat.Delivery) error {
		if rests := d.State == chat.DeliveryPending && (d.Attempts > 0 || d.LastError != ""); d.State != chat.DeliveryFailed && !rests {
			return chat.Errorf(chat.Conflict, "The delivery is %s; only one that failed can be tried again", d.State)
		}
		return nil
	})
}

// Redeliver is Retry that also sends again what was delivered.
func (o *Outbox) Redeliver(ctx context.Context, id string) error {
	return o.retryIf(ctx, id, func(d *chat.Delivery) error {
		if d.State == chat.DeliverySending {
			return chat.Errorf(chat.Conflict, "The delivery is on its way")
		}
		return nil
	})
}

// retryIf makes a delivery due at once, if it may be sent again.
func (o *Outbox) retryIf(ctx context.Context, id string, may func(d *chat.Delivery) error) error {
	dest, sessionID, rev, ok := chat.ParseDeliveryID(id)
	if !ok {
		return chat.ErrDeliveryNotFound
	}
	err := o.store.Apply(ctx, func(tx chat.Tx) error {
		d, err := tx.LockDelivery(dest, sessionID, rev)
		if err != nil {
			return err
		}
		if err := may(&d); err != nil {
			return err
		}
		return reset(&d, tx)
	})
	if err == nil || errors.Is(err, chat.ErrAway) { // then it may be stored all the same
		o.retryAtOnce(dest, sessionID, rev)
	}
	return err
}

// retryAtOnce makes a delivery that a person retries due now, and ends its sink's
// pause: people know better. Another node may serve the sink.
func (o *Outbox) retryAtOnce(dest, sessionID string, rev int64) {
	if !o.retryHere(dest, sessionID, rev) {
		o.nodes.Ring(noteRetry, dest, sessionID, rev)
	}
}

func (o *Outbox) receiveRetry(_ string, args []json.RawMessage) {
	var dest, sessionID string
	var rev int64
	if len(args) == 3 && json.Unmarshal(args[0], &dest) == nil && json.Unmarshal(args[1], &sessionID) == nil && json.Unmarshal(args[2], &rev) == nil {
		o.retryHere(dest, sessionID, rev)
	}
}

func (o *Outbox) retryHere(dest, sessionID string, rev int64) (served bool) {
	o.mu.Lock()
	s, served := o.senders[dest]
	o.mu.Unlock()
	if served {
		s.receivers.resume()
		s.trials.show(sessionID, rev) // so that operators see its outcome
		s.lanes.wake(sessionID, chat.Now())
	}
	return served
}

// One RetryFailed retries at most retryMost deliveries, retryPortion per transaction, so
// that other changes do not wait for long.
const (
	retryMost    = 2000
	retryPortion = 200
)

// RetryFailed retries the oldest failed deliveries after a place in the list,
// to one sink or, with "", to all but those that are off: there an attempt could
// only fail again and overwrite the last error. It returns how many, and
// the place to continue from while there are more, so that new failures are not
// retried twice.
func (o *Outbox) RetryFailed(ctx context.Context, dest string, after chat.Cursor, off ...string) (count int, next *chat.Cursor, err error) {
	for count < retryMost {
		failed, err := o.retryPortion(ctx, dest, after, off)
		if err != nil && !errors.Is(err, chat.ErrAway) {
			return count, nil, err
		}
		for i := range failed {
			if failed[i].State != chat.DeliveryFailed { // or maybe, if the commit was not confirmed
				o.retryAtOnce(failed[i].Dest, failed[i].SessionID, failed[i].Rev)
				count++
			}
		}
		if err != nil {
			return count, nil, err
		}
		if len(failed) < retryPortion {
			return count, nil, nil
		}
		after = failed[len(failed)-1].Cursor()
	}
	return count, &after, nil
}

func (o *Outbox) retryPortion(ctx context.Context, dest string, after chat.Cursor, off []string) (failed []chat.Delivery, err error) {
	err = o.store.Apply(ctx, func(tx chat.Tx) error {
		failed, err = tx.Deliveries(chat.DeliveryQuery{Dest: dest, State: new(chat.DeliveryFailed), After: &after, Limit: retryPortion})
		for i := range failed {
			var still bool
			if err == nil && !slices.Contains(off, failed[i].Dest) {
				still, err = stillFailed(&failed[i], tx)
			}
			if err == nil && still {
				err = reset(&failed[i], tx)
			}
		}
		return err
	})
	return failed, err
}

// stillFailed locks a failed delivery and reports whether it is that still: somebody at
// another node may have retried or discarded it, and it may have been sent since.
func stillFailed(d *chat.Delivery, tx chat.DeliveryTx) (bool, error) {
	now, err := tx.LockDelivery(d.Dest, d.SessionID, d.Rev)
	if errors.Is(err, chat.ErrDeliveryNotFound) {
		return false, nil
	}
	return now.State == chat.DeliveryFailed, err
}

// reset makes a failed delivery due at once, as one that may have arrived if that is so.
func reset(d *chat.Delivery, tx chat.DeliveryTx) error {
	state := chat.DeliveryPending
	if mayHaveArrived(d) {
		state = chat.DeliverySending
	}
	d.State, d.Attempts, d.LastError, d.NextAt = state, 0, "", chat.Now()
	return tx.SaveDelivery(d)
}

// makeDue makes a waiting delivery due at once, unless that changed meanwhile.
func makeDue(d *chat.Delivery, tx chat.DeliveryTx, now chat.Time) error {
	locked, err := tx.LockDelivery(d.Dest, d.SessionID, d.Rev)
	if errors.Is(err, chat.ErrDeliveryNotFound) || err == nil && (locked.State >= chat.DeliveryDone || locked.NextAt <= now) {
		return nil
	}
	if err == nil {
		locked.NextAt = now
		err = tx.SaveDelivery(&locked)
	}
	return err
}

// RetryNow makes a sink's pausing deliveries due at once: they may succeed
// under new settings. It is called before Serve.
func (o *Outbox) RetryNow(ctx context.Context, dest string) error {
	var lanes []chat.Lane
	err := o.store.ReadOne(ctx, func(r chat.Reader) (err error) {
		lanes, err = r.Lanes(dest)
		return err
	})
	now := chat.Now()
	for _, l := range lanes {
		if err != nil || l.NextAt <= now {
			continue
		}
		err = o.store.Apply(ctx, func(tx chat.Tx) error {
			lane, err := tx.Lane(dest, l.Key, 0)
			for i := range lane {
				if err == nil && lane[i].NextAt > now {
					err = makeDue(&lane[i], tx, now)
				}
			}
			return err
		})
	}
	return err
}
