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

// Outbox takes deliveries to their sinks: per session and sink in order, each
// sink on its own, with retries and pauses that are rows and survive restarts.
type Outbox struct {
	store Store
	hub   *Hub
	log   *slog.Logger

	mu      sync.Mutex
	senders map[string]*sender
}

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
	reports     reports
}

// reports keeps the log readable while everything fails: one line a minute, with
// the number of those that had none.
type reports struct {
	mu    sync.Mutex
	told  Time
	since int
}

// count counts a report in and returns, once a minute, how many there were.
func (r *reports) count() (n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.since++
	if now := Now(); now.Sub(r.told) >= time.Minute {
		n, r.told, r.since = r.since, now, 0
	}
	return n
}

// NewOutbox makes an outbox that serves no sink yet.
func NewOutbox(store Store, hub *Hub, log *slog.Logger) *Outbox {
	return &Outbox{store: store, hub: hub, log: log, senders: map[string]*sender{}}
}

// Serve takes up what waits for a sink, then serves it until ctx ends.
// Deliveries in flight are finished first. A sink is served by one call of
// Serve at a time.
func (o *Outbox) Serve(ctx context.Context, sink Sink) error {
	s := &sender{sink: sink, policy: sink.Policy(), store: o.store, hub: o.hub, log: o.log.With("dest", sink.Name())}
	work := s.serve
	if s.policy.Repeatable {
		work = s.turn
	}
	s.lanes = newLanes(s.policy.Parallel, work)
	o.mu.Lock()
	o.senders[sink.Name()] = s // from here on, Wake reaches it
	o.mu.Unlock()
	defer o.forget(s)
	return s.lanes.serve(ctx, o.store, func(r Reader) ([]Lane, error) { return r.Lanes(sink.Name()) })
}

// forget ends what Serve began, unless another Serve took over.
func (o *Outbox) forget(s *sender) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.senders[s.sink.Name()] == s {
		delete(o.senders, s.sink.Name())
	}
}

// Busy reports whether anything is under way or due. What rests, because it
// failed or because a sink asked for patience, does not count.
func (o *Outbox) Busy() bool {
	o.mu.Lock()
	defer o.mu.Unlock()
	for _, s := range o.senders {
		if s.paused() <= Now() && s.lanes.busy() {
			return true
		}
	}
	return false
}

// Wake says that a delivery was stored, due at a time.
func (o *Outbox) Wake(dest, sessionID string, due Time) {
	o.mu.Lock()
	s, served := o.senders[dest]
	o.mu.Unlock()
	if served {
		s.lanes.wake(sessionID, due)
	}
}

// Retry takes up a delivery that was given up, or that rests after an attempt
// that failed, named by its ID, also while its sink is asked for patience. It has
// all its attempts before it again.
func (o *Outbox) Retry(ctx context.Context, id string) error {
	dest, sessionID, rev, ok := ParseDeliveryID(id)
	if !ok {
		return ErrDeliveryNotFound
	}
	err := o.store.Apply(ctx, func(tx Tx) error {
		d, err := tx.Delivery(dest, sessionID, rev)
		if err != nil {
			return err
		}
		if rests := d.State == DeliveryPending && (d.Attempts > 0 || d.LastError != ""); d.State != DeliveryFailed && !rests {
			return Errorf(Conflict, "The delivery is %s; only one that failed can be tried again", d.State)
		}
		return d.again(tx)
	})
	if err == nil {
		o.resume(dest)
		o.Wake(dest, sessionID, Now())
	}
	return err
}

// resume ends the pause of a sink: people know better than what asked for it.
func (o *Outbox) resume(dest string) {
	o.mu.Lock()
	s, served := o.senders[dest]
	o.mu.Unlock()
	if served {
		s.resume()
	}
}

// How many deliveries one RetryFailed takes up, and how many of them in one
// transaction: nobody waits for long behind it.
const (
	retryMost    = 2000
	retryPortion = 200
)

// RetryFailed takes up the oldest failed deliveries behind a place of the list,
// to one sink or, with "", to all but those that are off: there an attempt could
// only fail again, and what was said last would be lost. It returns how many, and the place to go on
// from while there are more: what fails again meanwhile is not met twice.
func (o *Outbox) RetryFailed(ctx context.Context, dest string, after Cursor, off ...string) (count int, next *Cursor, err error) {
	for count < retryMost {
		failed, err := o.retryPortion(ctx, dest, after, off)
		if err != nil {
			return count, nil, err
		}
		for i := range failed {
			if failed[i].State == DeliveryPending {
				o.resume(failed[i].Dest)
				o.Wake(failed[i].Dest, failed[i].SessionID, Now())
				count++
			}
		}
		if len(failed) < retryPortion {
			return count, nil, nil
		}
		after = failed[len(failed)-1].Cursor()
	}
	return count, &after, nil
}

func (o *Outbox) retryPortion(ctx context.Context, dest string, after Cursor, off []string) (failed []Delivery, err error) {
	err = o.store.Apply(ctx, func(tx Tx) error {
		failed, err = tx.Deliveries(DeliveryQuery{Dest: dest, State: new(DeliveryFailed), After: &after, Limit: retryPortion})
		for i := range failed {
			if err == nil && !slices.Contains(off, failed[i].Dest) {
				err = failed[i].again(tx)
			}
		}
		return err
	})
	return failed, err
}

// again makes a delivery that failed a waiting one, due at once.
func (d *Delivery) again(tx Tx) error {
	d.State, d.Attempts, d.LastError, d.NextAt = DeliveryPending, 0, "", Now()
	return tx.SaveDelivery(d)
}

// Hasten makes what rests before a sink due at once: what it failed at may work
// under new settings. It is called before Serve.
func (o *Outbox) Hasten(ctx context.Context, dest string) error {
	var lanes []Lane
	err := o.store.Look(ctx, func(r Reader) (err error) {
		lanes, err = r.Lanes(dest)
		return err
	})
	now := Now()
	for _, l := range lanes {
		if err != nil || l.NextAt <= now {
			continue
		}
		err = o.store.Apply(ctx, func(tx Tx) error {
			lane, err := tx.Lane(dest, l.Key, 0)
			for i := range lane {
				if err == nil && lane[i].NextAt > now {
					lane[i].NextAt = now
					err = tx.SaveDelivery(&lane[i])
				}
			}
			return err
		})
	}
	return err
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
			s.log.Error("outbox cannot use the database", "session", sessionID, "err", err)
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

// Rest waits for a while, or until ctx ends: then it returns why.
func Rest(ctx context.Context, pause time.Duration) error {
	timer := time.NewTimer(pause)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-timer.C:
		return nil
	}
}

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

// maxPassed bounds how many failing deliveries of a lane are looked past.
const maxPassed = 10

// due returns the deliveries of a lane that are to leave now, and when to look
// again if there are none. The head decides; one that has failed often enough
// is looked past.
func (p *Policy) due(lane []Delivery, now, pausedUntil Time) ([]Delivery, Time) {
	if len(lane) == 0 {
		return nil, 0
	}
	if pausedUntil > now {
		return nil, pausedUntil
	}
	next := lane[0].NextAt
	for i := range lane {
		d := &lane[i]
		if d.NextAt <= now {
			return firstDue(lane[i:min(i+p.Batch, len(lane))], now), 0
		}
		next = min(next, d.NextAt)
		if p.Hold == 0 || d.Attempts < p.Hold {
			break
		}
	}
	return nil, next
}

// firstDue cuts a lane off before the first delivery that is not due: one that
// failed and was passed. What may have left before leaves without what has not,
// or a crash would make that ambiguous too: a sink that joins deliveries looks
// for the ones that it joined.
func firstDue(lane []Delivery, now Time) []Delivery {
	for i := range lane {
		if lane[i].NextAt > now || lane[i].Ambiguous() != lane[0].Ambiguous() {
			return lane[:i]
		}
	}
	return lane
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
	case errors.As(err, &wait) && now.Sub(d.CreatedAt) < s.policy.MaxAge:
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
	if n := s.reports.count(); n > 0 {
		s.log.Error("delivery given up", "session", d.SessionID, "rev", d.Rev, "type", d.Event.Type,
			"attempts", d.Attempts, "err", d.LastError, "count", n)
	}
	s.hub.Publish(fact(StateDeliveryFailed, "", Now(), d.SessionID,
		map[string]string{"id": d.ID(), "dest": d.Dest, "error": d.LastError}))
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

// Backoff returns a pause that doubles from first with each attempt, up to
// longest.
func Backoff(first, longest time.Duration) func(n int) time.Duration {
	return func(n int) time.Duration {
		pause := first
		for ; n > 1 && pause < longest; n-- {
			pause *= 2
		}
		return min(pause, longest)
	}
}
