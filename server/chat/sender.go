package chat

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"slices"
	"sync"
	"time"
)

// sender serves one sink.
type sender struct {
	sink   Sink
	policy Policy
	store  Store
	hub    *Hub
	log    *slog.Logger
	lanes  *lanes

	mu          sync.Mutex
	pausedUntil Time
	givenUp     Reports
	unstored    Reports
}

// serve delivers what is due in a session's lane, until the lane rests, is
// empty or ctx ends. A delivery that has begun is finished even then. What came
// of it is kept until it is stored: the database may be away for a while.
func (s *sender) serve(ctx context.Context, sessionID string) Time {
	if until := s.paused(); until > Now() {
		return until // every lane comes by; none has to look what waits in it
	}
	var settled []Delivery
	for {
		claimed, next, err := s.advance(sessionID, settled, ctx.Err() == nil)
		switch {
		case err != nil:
			s.reportStore(sessionID, err)
			if settled == nil || ctx.Err() != nil {
				return Now().Add(storePause)
			}
			Rest(ctx, storePause)
		case len(claimed) == 0:
			return next
		default:
			settled = s.deliver(ctx, claimed)
		}
	}
}

// storePause is how long a database that fails is left alone.
const storePause = time.Second

// deliver hands claimed deliveries to the sink and returns what became of
// them.
func (s *sender) deliver(ctx context.Context, claimed []Delivery) []Delivery {
	done, err := s.attempt(ctx, claimed)
	return s.settle(claimed, done, err)
}

// attempt hands deliveries to the sink. Its time-out is the policy's, not the
// end of relay: a request that left is waited for.
func (s *sender) attempt(ctx context.Context, lane []Delivery) (done int, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), s.policy.Timeout)
	defer cancel()
	done, err = s.sink.Deliver(ctx, lane)
	if err == nil && done == 0 {
		err = errors.New("the sink delivered nothing and said no reason")
	}
	return done, err
}

// advance is one transaction: it stores what was settled and claims what is
// due next. Claimed deliveries are marked as sending before they leave, so a
// crash in between is seen as ambiguous. Without anything to claim it returns
// when the lane is due again, 0 when it is empty.
func (s *sender) advance(sessionID string, settled []Delivery, claim bool) (claimed []Delivery, next Time, err error) {
	err = s.store.Apply(context.Background(), func(tx Tx) error {
		claimed, next = nil, 0
		for i := range settled {
			if err := tx.SaveDelivery(&settled[i]); err != nil {
				return err
			}
		}
		lane, err := tx.Lane(s.sink.Name(), sessionID, s.policy.Batch+s.policy.Hold*maxPassed)
		if err != nil {
			return err
		}
		var due []Delivery
		if due, next = s.policy.due(lane, Now(), s.paused()); len(due) == 0 || !claim {
			return nil
		}
		claimed = due
		return markSending(tx, due)
	})
	if err != nil {
		return nil, 0, err
	}
	for i := range settled {
		if settled[i].State == DeliveryFailed {
			s.report(&settled[i])
		}
	}
	return claimed, next, nil
}

// markSending stores that deliveries are about to leave. The copies in lane
// keep their earlier state, from which the sink learns what is ambiguous.
func markSending(tx Tx, lane []Delivery) error {
	for i := range lane {
		d := lane[i]
		d.State = DeliverySending
		if i == 0 {
			d.Attempts++
			lane[i].Attempts++
		}
		if err := tx.SaveDelivery(&d); err != nil {
			return err
		}
	}
	return nil
}

// settle returns claimed deliveries as the sink left them: done, failed, or as
// they were before they were claimed.
func (s *sender) settle(claimed []Delivery, done int, err error) []Delivery {
	settled, now := slices.Clone(claimed), Now()
	for i := range settled {
		switch d := &settled[i]; {
		case i < done:
			d.State, d.LastError = DeliveryDone, ""
		case i == done && err != nil:
			s.fail(d, err, now)
		default:
			continue // it did not leave
		}
		if i > 0 { // the head's attempt was counted when it left
			settled[i].Attempts++
		}
	}
	return settled
}

// fail decides what a failed attempt means for a delivery.
func (s *sender) fail(d *Delivery, err error, now Time) {
	d.LastError = err.Error()
	var wait *RetryAfter
	switch {
	case errors.As(err, &wait) && (wait.Paced || now.Sub(d.CreatedAt) < s.policy.MaxAge):
		d.Attempts--
		d.NextAt = wait.until(now)
		if wait.Scope == ScopeSink {
			s.pause(d.NextAt)
		}
		return
	case errors.Is(err, ErrPermanent):
		d.State = DeliveryFailed
		return
	case errors.Is(err, ErrAmbiguous), errors.Is(err, context.DeadlineExceeded):
		d.State = DeliverySending
	}
	// One that was taken up again by hand has its attempts, whatever its age.
	tooOld := now.Sub(d.CreatedAt) >= s.policy.MaxAge && d.Attempts > 1
	if d.Attempts >= s.policy.Attempts || tooOld {
		d.State = DeliveryFailed
		return
	}
	pause := s.policy.Backoff(d.Attempts)
	d.NextAt = now.Add(pause + time.Duration(rand.Int64N(int64(pause)/5+1)))
}

// report tells people that a delivery was given up.
func (s *sender) report(d *Delivery) {
	if n := s.givenUp.Count(); n > 0 {
		s.log.Error("delivery given up", "session", d.SessionID, "rev", d.Rev, "type", d.Event.Type,
			"attempts", d.Attempts, "err", d.LastError, "count", n)
	}
	s.hub.Publish(fact(StateDeliveryFailed, "", Now(), d.SessionID,
		map[string]string{"id": d.ID(), "dest": d.Dest, "error": d.LastError}))
}

// reportStore tells people that the database failed.
func (s *sender) reportStore(sessionID string, err error) {
	if n := s.unstored.Count(); n > 0 {
		s.log.Error("outbox cannot use the database", "session", sessionID, "err", err, "count", n)
	}
}

// pause keeps the whole sink quiet until a time.
func (s *sender) pause(until Time) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pausedUntil = max(s.pausedUntil, until)
}

func (s *sender) resume() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pausedUntil = 0
}

func (s *sender) paused() Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.pausedUntil
}
