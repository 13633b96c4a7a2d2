package queue

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

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine/hub"
	"github.com/relay-chat/relay/server/engine/nodes"
)

// sender serves one sink.
type sender struct {
	sink   chat.Sink
	policy chat.Policy
	store  chat.Store
	hub    *hub.Hub
	log    *slog.Logger
	lanes  *lanes
	lease  *nodes.Lease // nil where there is only one node

	attempted func(dest string, came chat.Outcome)

	receivers *receivers
	trials    trials
	givenUp   chat.LogThrottle
	unstored  chat.LogThrottle

	mu   sync.Mutex
	kept map[string][]chat.Delivery // outcomes that could not be stored, by session
}

// serve delivers a lane's due deliveries until the lane pauses, is
// empty or ctx ends. A started delivery is finished even then. Its outcome
// is kept until it is stored: the database may be away for a while.
func (s *sender) serve(ctx context.Context, sessionID string) chat.Time {
	if until := s.receivers.paused(); until > chat.Now() {
		return until // a paused sink needs no look into its lanes
	}
	defer s.leave(sessionID)
	settled := s.takeKept(sessionID)
	storing, cancel := nodes.UntilLost(ctx)
	defer cancel()
	for {
		claimed, next, err := s.advance(storing, sessionID, settled, ctx.Err() == nil)
		switch {
		case errors.Is(err, chat.ErrLeaseLost):
			s.lease.Lose() // the outcome is not this node's any more
			return chat.Now().Add(chat.StorePause)
		case err != nil && settled != nil && ctx.Err() != nil:
			s.keepOutcomes(sessionID, settled)
			return chat.Now().Add(chat.StorePause)
		case err != nil:
			s.reportStore(sessionID, err)
			if settled == nil {
				return chat.Now().Add(chat.StorePause)
			}
			chat.Rest(ctx, chat.StorePause)
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

// leave lets other lanes of a receiver be served.
func (s *sender) leave(sessionID string) {
	for _, id := range s.receivers.leave(sessionID) {
		s.lanes.wake(id, chat.Now())
	}
}

// deliver passes claimed deliveries to the sink and returns them with their
// outcomes. What failed at a receiver that is not theirs any more is due at once.
func (s *sender) deliver(ctx context.Context, claimed []chat.Delivery) []chat.Delivery {
	receiver := s.receivers.of(&claimed[0])
	done, err := s.attempt(ctx, claimed, receiver)
	settled := s.settle(claimed, done, err)
	if failed := min(done, len(settled)-1); err != nil && s.receivers.of(&settled[failed]) != receiver {
		s.receivers.resume(receiver)
		s.rest(&settled[failed], 0, chat.Now(), false)
	}
	return settled
}

// attempt passes deliveries to the sink within the policy's timeout. A stopping
// relay waits for a sent request, but not for long.
func (s *sender) attempt(ctx context.Context, lane []chat.Delivery, receiver string) (done int, err error) {
	ctx, cancel := finishing(ctx, s.policy.Timeout)
	defer cancel()
	chat.CrashPoint("delivery claimed")
	done, err = s.safely(ctx, lane)
	chat.CrashPoint("delivery answered")
	switch {
	case err == nil && done == 0:
		err = errors.New("the sink delivered nothing and gave no reason")
	case err != nil && errors.Is(context.Cause(ctx), chat.ErrStopped):
		err = fmt.Errorf("%w: %w", chat.ErrStopped, err)
	}
	if done > 0 && !s.policy.RetryOnRecovery {
		s.markReachable(receiver)
	}
	for range done {
		s.attempted(s.sink.Name(), chat.Delivered)
	}
	return done, err
}

// finishing returns a context for running deliveries: it outlives ctx by finishRest.
// Its cause is errStopped and that of ctx.
func finishing(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	limited, cancel := context.WithTimeout(context.WithoutCancel(ctx), limit)
	out, cut := context.WithCancelCause(limited)
	stop := context.AfterFunc(ctx, func() {
		if chat.Rest(out, nodes.FinishRest) == nil {
			cut(fmt.Errorf("%w: %w", chat.ErrStopped, context.Cause(ctx)))
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
func (s *sender) safely(ctx context.Context, lane []chat.Delivery) (done int, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			done, err = 0, chat.ReportFault(s.log, fault)
		}
	}()
	return s.sink.Deliver(ctx, lane)
}

// advance is one transaction: it stores settled deliveries and claims those
// due next. Claimed deliveries are marked as sending before they are sent, so a
// crash in between makes them ambiguous. Without anything to claim it returns
// when the lane is due again, 0 when it is empty.
func (s *sender) advance(ctx context.Context, sessionID string, settled []chat.Delivery, claim bool) (claimed []chat.Delivery, next chat.Time, err error) {
	err = s.store.Apply(ctx, func(tx chat.Tx) error {
		claimed, next = nil, 0
		if err := s.lease.Fence(tx); err != nil {
			return err
		}
		for i := range settled {
			if err := tx.SaveDelivery(&settled[i]); err != nil {
				return err
			}
		}
		lane, err := tx.Lane(s.sink.Name(), sessionID, looksAt(&s.policy))
		if err != nil {
			return err
		}
		var due []chat.Delivery
		if due, next = s.due(lane); len(due) == 0 || !claim {
			return nil
		}
		if !s.receivers.enter(sessionID, &due[0]) {
			return nil // until leave wakes it
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
func (s *sender) due(lane []chat.Delivery) (due []chat.Delivery, next chat.Time) {
	now := chat.Now()
	for i := range lane {
		if d := &lane[i]; d.NextAt > now {
			d.NextAt = s.trials.due(d, now, longestPause(&s.policy))
		}
	}
	if len(lane) == 0 {
		return nil, 0
	}
	return selectDue(&s.policy, lane, now, s.receivers.pausedFor(&lane[0]))
}

// markSending stores that deliveries are about to be sent. The copies in lane
// keep their earlier state, from which the sink learns what is ambiguous.
func markSending(tx chat.DeliveryTx, lane []chat.Delivery) error {
	for i := range lane {
		d := lane[i]
		d.State = chat.DeliverySending
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
func (s *sender) settle(claimed []chat.Delivery, done int, err error) []chat.Delivery {
	settled, now := slices.Clone(claimed), chat.Now()
	for i := range settled {
		d := &settled[i]
		if i > done || i == done && err == nil {
			break // it was not sent, nor were those after it
		}
		if i > 0 { // the head's attempt was counted when it was claimed
			d.Attempts++
		}
		if i < done {
			d.State, d.LastError = chat.DeliveryDone, ""
		} else {
			s.fail(d, err, now)
		}
	}
	if wait, pace := chat.IsPace(err); pace && s.policy.Overtake && done < len(settled) {
		for i := done + 1; i < len(settled); i++ {
			if d := &settled[i]; d.Event.Type == settled[done].Event.Type { // or each would be asked about by itself
				s.rest(d, wait.Pause(), now, false)
			}
		}
	}
	return settled
}

// fail applies a failed attempt to a delivery.
func (s *sender) fail(d *chat.Delivery, err error, now chat.Time) {
	s.attempted(s.sink.Name(), s.judge(d, err, now))
}

// judge decides the outcome of a failed attempt.
func (s *sender) judge(d *chat.Delivery, err error, now chat.Time) chat.Outcome {
	came := chat.Retried
	wait, pace := chat.IsPace(err)
	if !pace || d.Attempts <= 1 || d.LastError == "" { // a pause does not replace the last error
		d.LastError = err.Error()
	}
	d.Passed = d.Passed || errors.Is(err, chat.ErrPassed)
	switch {
	case errors.Is(err, chat.ErrStopped): // its outcome is unknown
		d.Attempts--
		d.State, d.NextAt = chat.DeliverySending, now
		return chat.Ambiguous
	case errors.Is(err, chat.ErrPermanent) && wait == nil:
		return giveUp(d, err)
	case !pace && s.trials.count(d, s.policy.MaxAge), wait == nil && d.Attempts >= s.policy.Attempts:
		return giveUp(d, err)
	case wait != nil:
		d.Attempts--
		s.rest(d, wait.Pause(), now, false)
		if wait.Scope == chat.ScopeSink {
			s.receivers.pause(s.receivers.of(d), wait.Pause())
		}
		return chat.Paced
	case errors.Is(err, chat.ErrAmbiguous), errors.Is(err, context.DeadlineExceeded):
		d.State, came = chat.DeliverySending, chat.Ambiguous
	}
	pause := s.policy.Backoff(d.Attempts)
	s.rest(d, pause+time.Duration(rand.Int64N(int64(pause)/5+1)), now, !d.Passed)
	if !d.Passed && s.trials.fails(s.receivers.of(d)) {
		s.log.Warn("deliveries fail; relay keeps retrying", "err", err)
	}
	return came
}

// giveUp ends the attempts. That one of them may have arrived stays in the last error, so
// that the sink looks for it if somebody retries.
func giveUp(d *chat.Delivery, err error) chat.Outcome {
	if (d.Ambiguous() || errors.Is(err, context.DeadlineExceeded)) && !mayHaveArrived(d) {
		d.LastError = chat.ErrAmbiguous.Error() + ": " + d.LastError
	}
	d.State = chat.DeliveryFailed
	return chat.GivenUp
}

// mayHaveArrived reports whether the last error says that an attempt may have arrived.
func mayHaveArrived(d *chat.Delivery) bool {
	return strings.Contains(d.LastError, chat.ErrAmbiguous.Error())
}

// rest makes a delivery wait for its next attempt.
func (s *sender) rest(d *chat.Delivery, pause time.Duration, now chat.Time, failing bool) {
	d.NextAt = now.Add(pause)
	s.trials.rest(d, s.receivers.of(d), pause, failing)
}

// markReachable notes that a receiver works. After an outage its failed deliveries are due
// at once.
func (s *sender) markReachable(receiver string) {
	down, reported, sessions := s.trials.recovered(receiver)
	if reported {
		s.log.Info("deliveries work again", "after", down.Round(time.Second))
	}
	if s.policy.RetryOnRecovery {
		for _, id := range sessions {
			s.lanes.wake(id, chat.Now())
		}
	}
}

// announce shows operators a delivery's outcome, once it is stored.
func (s *sender) announce(d *chat.Delivery) {
	switch {
	case d.State == chat.DeliveryDone:
		if s.trials.end(d) {
			s.publish(chat.StateDeliveryDone, d, nil)
		}
	case d.State == chat.DeliveryFailed:
		s.trials.end(d)
		s.report(d)
	case s.policy.RetryOnRecovery && d.Troubled() && s.trials.show(d.SessionID, d.Rev): // the webhook's log shows its own
		s.publish(chat.StateDeliveryFailed, d, map[string]string{"state": "retrying", "error": d.Reason()})
	}
}

// publish sends a state about a delivery to operators' streams.
func (s *sender) publish(t chat.EventType, d *chat.Delivery, more map[string]string) {
	body := map[string]string{"id": d.ID(), "dest": chat.KindOfSink(d.Dest)}
	maps.Copy(body, more)
	if d.Event.MessageID != "" {
		body["messageId"] = d.Event.MessageID
	}
	s.hub.PublishState(t, "", d.SessionID, body)
}

// report logs and shows that a delivery was given up.
func (s *sender) report(d *chat.Delivery) {
	if n := s.givenUp.Allow(); n > 0 {
		s.log.Error("delivery given up", "session", chat.SessionRef(d.SessionID), "rev", d.Rev, "type", d.Event.Type,
			"attempts", d.Attempts, "err", d.LastError, "count", n)
	}
	s.publish(chat.StateDeliveryFailed, d, map[string]string{"state": "failed", "error": d.Reason()})
}

// reportStore logs that the database failed.
func (s *sender) reportStore(sessionID string, err error) {
	if n := s.unstored.Allow(); n > 0 {
		s.log.Error("outbox cannot use the database", "session", chat.SessionRef(sessionID), "err", err, "count", n)
	}
}
