package outbound

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/relay-chat/relay/bridges/mirror/access"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// maxThreadsLost bounds how often a call opens a new thread: a platform that
// loses each of them is left alone for a while.
const maxThreadsLost = 2

// Deliver implements [chat.Sink]. Each delivery is carried out in small steps whose
// results are stored one by one: a later attempt continues where this one stopped.
func (s *Sink) Deliver(ctx context.Context, lane []chat.Delivery) (done int, err error) {
	if err := s.platform.FollowAll(ctx); err != nil {
		return 0, err
	}
	began, lost, came := time.Now(), 0, unknown
	for done < len(lane) && (done == 0 || time.Since(began) < deliverFor) {
		out := s.attempt(ctx, lane[done:], came)
		if out.came == sent {
			came = sent
		}
		if errors.Is(out.err, chat.ErrThreadGone) && out.thread.Ref != "" && lost < maxThreadsLost {
			lost++
			if out.err = s.bury(ctx, out.thread, lane[done:done+out.batch]); out.err == nil {
				continue
			}
		}
		if s.isStuck(&lane[done], out) {
			out = s.letOthersPass(ctx, lane[done:], out, came)
		}
		if out.err != nil {
			return done, s.platform.Failed(out.thread.Channel, out.err)
		}
		for _, delivered := range lane[done : done+out.batch] {
			s.failing.Remove(delivered.ID())
			s.relay.EventsArrived(chat.SenderOperator, []chat.Event{delivered.Event})
		}
		done += out.batch
	}
	return done, nil
}

// attempt delivers the head of a lane, with those behind it that can go with it. A panic
// fails the deliveries and not the process.
func (s *Sink) attempt(ctx context.Context, lane []chat.Delivery, came certainty) (out outcome) {
	if !lane[0].Ambiguous() || came == sent {
		came = refused
	}
	defer func() {
		if fault := recover(); fault != nil {
			out.err = chat.ReportFault(s.platform.Log, fault)
		}
		out.mark(lane, came)
	}()
	out = outcome{batch: 1, came: came}
	v, err := s.look(ctx, lane, came)
	if out.thread, out.err = v.thread, err; err != nil {
		return out
	}
	pl, err := s.plan(v)
	out.batch, out.came = out.batch+pl.more, v.came
	if err == nil && (pl.opens || len(pl.steps) > 0) && !v.whole() {
		pl.steps, err = s.begin(ctx, &v, pl)
		out.thread = v.thread
	}
	if err == nil {
		out.thread, out.came, err = s.execute(ctx, &lane[0], out.thread, pl.steps, v.came)
	}
	out.err = err
	return out
}

// mark notes in the deliveries what is certain of them: all of a batch that may have
// arrived must be asked for again, and what is not under way has never left relay.
func (out *outcome) mark(lane []chat.Delivery, before certainty) {
	state := chat.DeliveryPending
	switch {
	case access.IsAmbiguous(out.err):
		state = chat.DeliverySending
	case before != unknown || out.came == unknown:
		return
	}
	for i := range lane[:out.batch] {
		lane[i].State = state
	}
}

// look reads what the head of a lane needs. An outcome that is unknown is looked up on
// the platform first, and so is the thread whose state decides the plan.
func (s *Sink) look(ctx context.Context, lane []chat.Delivery, came certainty) (view, error) {
	v, err := s.read(ctx, lane, came)
	if err == nil && v.turns() {
		err = s.find(ctx, &v)
	}
	if err != nil || came != unknown && !v.forgotten(s.stateless) {
		return v, err
	}
	found, err := s.lookUp(ctx, &v)
	if err != nil || found == came {
		return v, err
	}
	return s.read(ctx, lane, found)
}

// isStuck reports whether a delivery failed once too often to be waited for.
func (s *Sink) isStuck(d *chat.Delivery, out outcome) bool {
	var wrong *chat.Misconfigured
	if _, pace := chat.IsPace(out.err); out.err == nil || pace || errors.As(out.err, &wrong) || errors.Is(out.err, context.Canceled) {
		return false
	}
	if errors.Is(out.err, chat.ErrPermanent) {
		s.failing.Remove(d.ID())
		return false
	}
	f, _ := s.failing.Get(d.ID())
	stuck := f.again(s.platform.OpsDone(), d.Passed)
	if stuck && !f.logged {
		f.logged = true
		s.platform.Log.Warn("the platform keeps failing at one delivery; it may accept others", "session", access.Session(d.SessionID),
			"thread", out.thread.Ref, "type", d.Event.Type, "attempts", d.Attempts, "err", out.err)
	}
	s.failing.Put(d.ID(), f)
	return stuck && !d.Passed
}

// letOthersPass lets the later deliveries of a lane pass the first one, if the thread
// takes the note that stands for it: else it is not this delivery that the
// platform fails at. What was sent together stays together while it is uncertain.
func (s *Sink) letOthersPass(ctx context.Context, lane []chat.Delivery, out outcome, came certainty) outcome {
	if out.thread.Ref == "" || out.batch > 1 && access.IsAmbiguous(out.err) {
		return out
	}
	d, name := &lane[0], "waits "+lane[0].Event.Name()
	noted, err := access.ReadOne(ctx, s.store, func(rd chat.Reader) ([]chat.Link, error) {
		return reading{rd, d.SessionID, s.platform.Name(), out.thread.Channel}.links(engine.Placeholder(name))
	})
	if err == nil {
		_, _, err = s.execute(ctx, d, out.thread, s.notes(d, name, waitingText(&d.Event, out.err, s.stateless), noted), refused)
	}
	if err != nil {
		return out
	}
	again := s.attempt(ctx, lane, came) // perhaps the platform accepts it by now
	if _, pace := chat.IsPace(again.err); again.err == nil || pace || errors.Is(again.err, chat.ErrPermanent) {
		return again
	}
	again.err = fmt.Errorf("%w: %w", chat.ErrPassed, again.err)
	return again
}
