package chat

import (
	"context"
	"slices"
)

// deliverRepeatable delivers what is due in a lane of a sink that takes repeats. The lane is
// only read before and written after, and while that is stored, which takes
// longer than most deliveries, another lane has its deliverRepeatable.
func (s *sender) deliverRepeatable(ctx context.Context, sessionID string) Time {
	lane, limit, err := s.read(ctx, sessionID)
	if err != nil {
		s.reportStore(sessionID, err)
		return Now().Add(StorePause)
	}
	due, next := s.due(lane)
	if len(due) == 0 || ctx.Err() != nil {
		return next
	}
	done, err := s.attempt(ctx, due)
	s.lanes.release(sessionID)
	s.keep(ctx, due, done, err)
	if len(lane) == limit { // there may be more
		return Now()
	}
	return s.policy.rest(lane, s.paused())
}

// read reads the head of a lane, and further if nothing of it is due: failing
// deliveries are looked past.
func (s *sender) read(ctx context.Context, sessionID string) (lane []Delivery, limit int, err error) {
	for _, limit = range []int{s.policy.Batch, s.policy.Batch + s.policy.Hold*maxPassed} {
		err = s.store.Look(context.WithoutCancel(ctx), func(r Reader) (err error) {
			lane, err = r.Lane(s.sink.Name(), sessionID, limit)
			return err
		})
		if due, _ := s.due(lane); err != nil || len(due) > 0 || len(lane) < limit {
			break
		}
	}
	return lane, limit, err
}

// keep stores what became of deliveries: the first are done, the next one may
// have failed. The database may be away for a while: it is tried until ctx
// ends.
func (s *sender) keep(ctx context.Context, due []Delivery, done int, failure error) {
	for i := range due[:done] {
		due[i].State = DeliveryDone
	}
	var failed *Delivery
	if failure != nil {
		failed = &due[done]
		failed.Attempts++
		s.fail(failed, failure, Now())
	}
	for {
		err := s.store.Apply(context.WithoutCancel(ctx), func(tx Tx) error {
			if err := tx.SaveDone(due[:done]); err != nil || failed == nil {
				return err
			}
			return tx.SaveDelivery(failed)
		})
		if err == nil {
			break
		}
		s.reportStore(due[0].SessionID, err)
		if ctx.Err() != nil {
			return
		}
		Rest(ctx, StorePause)
	}
	for i := range due[:done] {
		s.tell(&due[i])
	}
	if failed != nil {
		s.tell(failed)
	}
}

// rest returns when a lane of which some deliveries were settled is due again,
// 0 when nothing waits in it. What came in meanwhile has woken it.
func (p *Policy) rest(lane []Delivery, pausedUntil Time) Time {
	waiting := slices.DeleteFunc(lane, func(d Delivery) bool { return d.State > DeliverySending })
	due, next := p.due(waiting, Now(), pausedUntil)
	if len(due) > 0 {
		return Now()
	}
	return next
}
