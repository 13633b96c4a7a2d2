package mirror

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"relay/server/chat"
)

// When a delivery is stuck: the platform has refused it so often although it took
// other things in between, or so often while there was nothing else to take.
const (
	stuckAmong = 5
	stuckAlone = 10
	stuckLeast = 30 * time.Second
)

// refusals are the deliveries that a desk's platform keeps failing at, by id.
type refusals struct {
	mu sync.Mutex
	of map[string]*refusal
}

// refusal is one of them.
type refusal struct {
	since  time.Time
	among  int   // failures between which something else was carried out
	alone  int   // failures since something else was
	worked int64 // how many ops had been carried out at the last one
	told   bool
}

// meet counts a failure and reports whether the delivery is stuck, and whether
// that is news.
func (r *refusals) meet(d *chat.Delivery, worked int64) (stuck, news bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.of == nil {
		r.of = map[string]*refusal{}
	}
	one := r.of[d.ID()]
	if one == nil {
		one = &refusal{since: time.Now(), worked: worked}
		r.of[d.ID()] = one
	}
	if one.worked != worked {
		one.among++
		one.alone, one.worked = 0, worked
	}
	one.alone++
	if one.among < stuckAmong && one.alone < stuckAlone && !d.Passed || time.Since(one.since) < stuckLeast {
		return false, false
	}
	news, one.told = !one.told, true
	return true, news
}

// end forgets deliveries that were carried out.
func (r *refusals) end(lane []chat.Delivery) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range lane {
		if len(r.of) > 0 {
			delete(r.of, lane[i].ID())
		}
	}
}

// stuck reports whether a delivery failed once too often to be waited for.
func (r *round) stuck(d *chat.Delivery, err error) bool {
	var wrong *chat.Misconfigured
	if _, pace := chat.IsPace(err); pace || errors.As(err, &wrong) || errors.Is(err, context.Canceled) {
		return false
	}
	if errors.Is(err, chat.ErrPermanent) {
		r.desk.refusals.end([]chat.Delivery{*d})
		return false
	}
	stuck, news := r.desk.refusals.meet(d, r.desk.worked.Load())
	if news {
		ref := ""
		if r.place != nil {
			ref = r.place.Ref
		}
		r.desk.log.Warn("the platform keeps failing at one delivery while it may take others", "session", chat.SessionRef(d.SessionID),
			"thread", ref, "type", d.Event.Type, "attempts", d.Attempts, "err", err)
	}
	return stuck && !d.Passed
}

// passOn lets the later deliveries of a lane pass the first one, if the thread
// takes the note that stands for it: else it is not this delivery that the
// platform fails at. What was sent together stays together while it is in doubt.
func (r *round) passOn(lane []chat.Delivery, failure error) (int, error) {
	if r.place == nil || len(r.unit) > 1 && isAmbiguous(failure) {
		return 0, failure
	}
	aside := &round{desk: r.desk, ctx: r.ctx, sessionID: r.sessionID, place: r.place, unit: []chat.Delivery{lane[0]}}
	if err := aside.writeAs(*r.place, chat.Placeholder("waits "+lane[0].Event.Name()), r.waitingText(&lane[0], failure)); err != nil {
		return 0, failure
	}
	n, err := r.safely(lane) // it may have been the platform after all, which takes things again
	if err == nil {
		return n, nil
	}
	if _, pace := chat.IsPace(err); pace || errors.Is(err, chat.ErrPermanent) {
		return 0, err
	}
	return 0, fmt.Errorf("%w: %w", chat.ErrPassed, err)
}

// waitingText stands for what could not be shown yet.
func (r *round) waitingText(d *chat.Delivery, err error) string {
	return r.what(&d.Event) + " could not be shown here yet: " + chat.ReasonOf(err.Error()) + r.whereElse("relay keeps retrying")
}

// refusedText stands for what the platform refused.
func (r *round) refusedText(e *chat.Event, err error) string {
	return r.what(e) + " could not be shown here: " + chat.ReasonOf(err.Error()) + r.whereElse("Retry there sends it again")
}

// what names an event in a note.
func (r *round) what(e *chat.Event) string {
	what := "Something that happened"
	switch e.Type {
	case chat.EventMessage:
		what = "A message"
	case chat.EventMessageEdited:
		what = "The edit of a message"
	case chat.EventMessageDeleted:
		what = "The deletion of a message"
	}
	return what + " on " + e.At.Std().Format("2 January at 15:04 UTC")
}

// whereElse says where the text can be read, and what comes of it.
func (r *round) whereElse(more string) string {
	if r.desk.opts.Stateless {
		return ""
	}
	return "\nIt is in the console; " + more + "."
}

// lose writes a note for a step that the platform refused for good, and returns
// the refusal: the delivery is given up. While the note has to wait for its turn,
// the step is not tried again.
func (r *round) lose(th chat.Thread, s step, refusal error) error {
	e := &r.head().Event
	r.desk.refused.Store(r.sessionID, refused{s.id(e), refusal})
	note := step{op: chat.Op{Kind: chat.OpNote, Text: r.refusedText(e, refusal)}, carries: []string{chat.Placeholder("refused " + e.Name())}, part: s.part, rev: s.rev}
	if err := r.perform(th, note); err != nil && !errors.Is(err, chat.ErrPermanent) {
		return err
	}
	r.desk.refused.Delete(r.sessionID)
	return refusal
}

// refused is a step that was refused, err if it was for good and nothing is shown
// in its place.
type refused struct {
	id  string
	err error
}

// safely carries out the first deliveries of a lane. A fault of relay's own fails
// them, not the process.
func (r *round) safely(lane []chat.Delivery) (n int, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			n, err = 0, chat.ReportFault(r.desk.log, fault)
		}
	}()
	return r.next(lane)
}
