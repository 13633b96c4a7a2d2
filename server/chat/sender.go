package chat

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
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
	lease  *Lease // nil where there is only one node

	attempted func(dest string, came Outcome)

	mu          sync.Mutex
	pausedUntil time.Time // by the monotonic clock
	trials      trials
	givenUp     LogThrottle
	unstored    LogThrottle
	kept        map[string][]Delivery // outcomes that could not be stored, by session
}

// serve delivers a lane's due deliveries until the lane pauses, is
// empty or ctx ends. A started delivery is finished even then. Its outcome
// is kept until it is stored: the database may be away for a while.
func (s *sender) serve(ctx context.Context, sessionID string) Time {
	if until := s.paused(); until > Now() {
		return until // a paused sink needs no look into its lanes
	}
	settled := s.takeKept(sessionID)
	storing, cancel := UntilLost(ctx)
	defer cancel()
	for {
		claimed, next, err := s.advance(storing, sessionID, settled, ctx.Err() == nil)
		switch {
		case errors.Is(err, ErrLeaseLost):
			s.lease.Lose() // the outcome is not this node's any more
			return Now().Add(StorePause)
		case err != nil && settled != nil && ctx.Err() != nil:
			s.keepOutcomes(sessionID, settled)
			return Now().Add(StorePause)
		case err != nil:
			s.reportStore(sessionID, err)
			if settled == nil {
				return Now().Add(StorePause)
			}
			Rest(ctx, StorePause)
		case len(claimed) == 0:
			return next
		case ctx.Err() != nil: // while it was claimed; by now another node may deliver it
			claimed[0].Attempts--
			settled = claimed
		default:
			settled = s.deliver(ctx, claimed)
		}
	}
}

// deliver passes claimed deliveries to the sink and returns them with their
// outcomes.
func (s *sender) deliver(ctx context.Context, claimed []Delivery) []Delivery {
	done, err := s.attempt(ctx, claimed)
	return s.settle(claimed, done, err)
}

// attempt passes deliveries to the sink within the policy's timeout. A stopping
// relay waits for a sent request, but not for long.
func (s *sender) attempt(ctx context.Context, lane []Delivery) (done int, err error) {
	ctx, cancel := finishing(ctx, s.policy.Timeout)
	defer cancel()
	CrashPoint("delivery claimed")
	done, err = s.safely(ctx, lane)
	CrashPoint("delivery answered")
	switch {
	case err == nil && done == 0:
		err = errors.New("the sink delivered nothing and gave no reason")
	case err != nil && errors.Is(context.Cause(ctx), ErrStopped):
		err = fmt.Errorf("%w: %w", ErrStopped, err)
	}
	if done > 0 && !s.policy.RetryOnRecovery {
		s.markReachable()
	}
	for range done {
		s.attempted(s.sink.Name(), Delivered)
	}
	return done, err
}

// finishing returns a context for running deliveries: it outlives ctx by finishRest.
// Its cause is errStopped and that of ctx.
func finishing(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	out, cut := context.WithCancelCause(limited)
	stop := context.AfterFunc(ctx, func() {
		if Rest(out, FinishRest) == nil {
			cut(fmt.Errorf("%w: %w", ErrStopped, context.Cause(ctx)))
		}
	})
	return out, func() {
		stop()
		cut(nil)
		cancel()
	}
}

// safely passes deliveries to the sink. A panic fails the first of
// them, not the process.
func (s *sender) safely(ctx context.Context, lane []Delivery) (done int, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			done, err = 0, ReportFault(s.log, fault)
		}
	}()
	return s.sink.Deliver(ctx, lane)
}

// advance is one transaction: it stores settled deliveries and claims those
// due next. Claimed deliveries are marked as sending before they are sent, so a
// crash in between makes them ambiguous. Without anything to claim it returns
// when the lane is due again, 0 when it is empty.
func (s *sender) advance(ctx context.Context, sessionID string, settled []Delivery, claim bool) (claimed []Delivery, next Time, err error) {
	err = s.store.Apply(ctx, func(tx Tx) error {
		claimed, next = nil, 0
		if err := s.lease.Fence(tx); err != nil {
			return err
		}
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
		if due, next = s.due(lane); len(due) == 0 || !claim {
			return nil
		}
		claimed = due
		return markSending(tx, due)
	})
	if err != nil {
		return nil, 0, err
	}
	for i := range settled {
		s.announce(&settled[i])
	}
	return claimed, next, nil
}

// due returns the deliveries of a lane to send now, and when to check
// again if there are none.
func (s *sender) due(lane []Delivery) (due []Delivery, next Time) {
	now := Now()
	for i := range lane {
		if d := &lane[i]; d.NextAt > now {
			d.NextAt = s.trials.due(d, now, longestPause(&s.policy))
		}
	}
	return selectDue(&s.policy, lane, now, s.paused())
}

// markSending stores that deliveries are about to be sent. The copies in lane
// keep their earlier state, from which the sink learns what is ambiguous.
func markSending(tx DeliveryTx, lane []Delivery) error {
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

// settle returns claimed deliveries with their new states: done, failed, or as
// they were before they were claimed.
func (s *sender) settle(claimed []Delivery, done int, err error) []Delivery {
	settled, now := slices.Clone(claimed), Now()
	for i := range settled {
		d := &settled[i]
		if i > done || i == done && err == nil {
			break // it was not sent, nor were those after it
		}
		if i > 0 { // the head's attempt was counted when it was claimed
			d.Attempts++
		}
		if i < done {
			d.State, d.LastError = DeliveryDone, ""
		} else {
			s.fail(d, err, now)
		}
	}
	return settled
}

// fail applies a failed attempt to a delivery.
func (s *sender) fail(d *Delivery, err error, now Time) {
	s.attempted(s.sink.Name(), s.judge(d, err, now))
}

// judge decides the outcome of a failed attempt.
func (s *sender) judge(d *Delivery, err error, now Time) Outcome {
	came := Retried
	wait, pace := IsPace(err)
	if !pace || d.Attempts <= 1 || d.LastError == "" { // a pause does not replace the last error
		d.LastError = err.Error()
	}
	d.Passed = d.Passed || errors.Is(err, ErrPassed)
	switch {
	case errors.Is(err, ErrStopped): // its outcome is unknown
		d.Attempts--
		d.State, d.NextAt = DeliverySending, now
		return Ambiguous
	case errors.Is(err, ErrPermanent) && wait == nil:
		return giveUp(d, err)
	case !pace && s.trials.count(d, s.policy.MaxAge), wait == nil && d.Attempts >= s.policy.Attempts:
		return giveUp(d, err)
	case wait != nil:
		d.Attempts--
		s.rest(d, wait.Pause(), now, false)
		if wait.Scope == ScopeSink {
			s.pause(wait.Pause())
		}
		return Paced
	case errors.Is(err, ErrAmbiguous), errors.Is(err, context.DeadlineExceeded):
		d.State, came = DeliverySending, Ambiguous
	}
	pause := s.policy.Backoff(d.Attempts)
	s.rest(d, pause+time.Duration(rand.Int64N(int64(pause)/5+1)), now, !d.Passed)
	if !d.Passed && s.trials.fails() {
		s.log.Warn("deliveries fail; relay keeps retrying", "err", err)
	}
	return came
}

// giveUp ends the attempts. That one of them may have arrived stays in the last error, so
// that the sink looks for it if somebody retries.
func giveUp(d *Delivery, err error) Outcome {
	if (d.Ambiguous() || errors.Is(err, context.DeadlineExceeded)) && !mayHaveArrived(d) {
		d.LastError = ErrAmbiguous.Error() + ": " + d.LastError
	}
	d.State = DeliveryFailed
	return GivenUp
}

// mayHaveArrived reports whether the last error says that an attempt may have arrived.
func mayHaveArrived(d *Delivery) bool { return strings.Contains(d.LastError, ErrAmbiguous.Error()) }

// rest makes a delivery wait for its next attempt.
func (s *sender) rest(d *Delivery, pause time.Duration, now Time, failing bool) {
	d.NextAt = now.Add(pause)
	s.trials.rest(d, pause, failing)
}

// markReachable notes that the sink works. After an outage failed deliveries are due
// at once.
func (s *sender) markReachable() {
	down, reported, sessions := s.trials.recovered()
	if reported {
		s.log.Info("deliveries work again", "after", down.Round(time.Second))
	}
	if s.policy.RetryOnRecovery {
		for _, id := range sessions {
			s.lanes.wake(id, Now())
		}
	}
}

// announce shows operators a delivery's outcome, once it is stored.
func (s *sender) announce(d *Delivery) {
	switch {
	case d.State == DeliveryDone:
		if s.trials.end(d) {
			s.publish(StateDeliveryDone, d, nil)
		}
	case d.State == DeliveryFailed:
		s.trials.end(d)
		s.report(d)
	case s.policy.RetryOnRecovery && d.Troubled() && s.trials.show(d.SessionID, d.Rev): // the webhook's log shows its own
		s.publish(StateDeliveryFailed, d, map[string]string{"state": "retrying", "error": d.Reason()})
	}
}

// publish sends a state about a delivery to operators' streams.
func (s *sender) publish(t EventType, d *Delivery, more map[string]string) {
	body := map[string]string{"id": d.ID(), "dest": d.Dest}
	maps.Copy(body, more)
	if d.Event.MessageID != "" {
		body["messageId"] = d.Event.MessageID
	}
	s.hub.PublishState(t, "", d.SessionID, body)
}

// report logs and shows that a delivery was given up.
func (s *sender) report(d *Delivery) {
	if n := s.givenUp.Allow(); n > 0 {
		s.log.Error("delivery given up", "session", SessionRef(d.SessionID), "rev", d.Rev, "type", d.Event.Type,
			"attempts", d.Attempts, "err", d.LastError, "count", n)
	}
	s.publish(StateDeliveryFailed, d, map[string]string{"state": "failed", "error": d.Reason()})
}

// reportStore logs that the database failed.
func (s *sender) reportStore(sessionID string, err error) {
	if n := s.unstored.Allow(); n > 0 {
		s.log.Error("outbox cannot use the database", "session", SessionRef(sessionID), "err", err, "count", n)
	}
}

// pause pauses the whole sink.
func (s *sender) pause(rest time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if until := time.Now().Add(rest); until.After(s.pausedUntil) {
		s.pausedUntil = until
	}
}

func (s *sender) resume() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.pausedUntil = time.Time{}
}

// paused returns the end of the sink's pause, a past time if there is none.
func (s *sender) paused() Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	if rest := time.Until(s.pausedUntil); rest > 0 {
		return Now().Add(rest + time.Millisecond - 1)
	}
	return 0
}
