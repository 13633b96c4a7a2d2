package mirror

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// When a delivery is stuck: the platform has refused it so often although it took
// other things in between, or so often while there was nothing else to take.
const (
	stuckWithProgress = 5
	stuckInARow       = 10
	stuckLeast        = 30 * time.Second
)

// refusals are the deliveries that the platform keeps failing at, by id.
type refusals struct {
	mu   sync.Mutex
	byID map[string]*refusal
}

// refusal is one of them.
type refusal struct {
	since        time.Time
	withProgress int   // failures between which something else was carried out
	inARow       int   // failures since something else was
	opsDone      int64 // how many ops had been carried out at the last one
	logged       bool
}

// count counts a failure and reports whether the delivery is stuck, and whether
// that is news.
func (r *refusals) count(d *chat.Delivery, worked int64) (stuck, news bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.byID == nil {
		r.byID = map[string]*refusal{}
	}
	one := r.byID[d.ID()]
	if one == nil {
		one = &refusal{since: time.Now(), opsDone: worked}
		r.byID[d.ID()] = one
	}
	if one.opsDone != worked {
		one.withProgress++
		one.inARow, one.opsDone = 0, worked
	}
	one.inARow++
	if one.withProgress < stuckWithProgress && one.inARow < stuckInARow && !d.Passed || time.Since(one.since) < stuckLeast {
		return false, false
	}
	news, one.logged = !one.logged, true
	return true, news
}

// forget forgets deliveries that were carried out.
func (r *refusals) forget(lane []chat.Delivery) {
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range lane {
		if len(r.byID) > 0 {
			delete(r.byID, lane[i].ID())
		}
	}
}

// isStuck reports whether a delivery failed once too often to be waited for.
func (run *deliveryRun) isStuck(d *chat.Delivery, err error) bool {
	var wrong *chat.Misconfigured
	if _, pace := chat.IsPace(err); pace || errors.As(err, &wrong) || errors.Is(err, context.Canceled) {
		return false
	}
	if errors.Is(err, chat.ErrPermanent) {
		run.mirror.refusals.forget([]chat.Delivery{*d})
		return false
	}
	stuck, news := run.mirror.refusals.count(d, run.mirror.opsDone.Load())
	if news {
		ref := ""
		if run.current != nil {
			ref = run.current.Ref
		}
		run.mirror.log.Warn("the platform keeps failing at one delivery; it may accept others", "session", chat.SessionRef(d.SessionID),
			"thread", ref, "type", d.Event.Type, "attempts", d.Attempts, "err", err)
	}
	return stuck && !d.Passed
}

// letOthersPass lets the later deliveries of a lane pass the first one, if the thread
// takes the note that stands for it: else it is not this delivery that the
// platform fails at. What was sent together stays together while it is uncertain.
func (run *deliveryRun) letOthersPass(ctx context.Context, lane []chat.Delivery, failure error) (int, error) {
	if run.current == nil || len(run.batch) > 1 && isAmbiguous(failure) {
		return 0, failure
	}
	aside := &deliveryRun{mirror: run.mirror, sessionID: run.sessionID, current: run.current, batch: []chat.Delivery{lane[0]}}
	if err := aside.writeNoteAs(ctx, *run.current, engine.Placeholder("waits "+lane[0].Event.Name()), run.waitingText(&lane[0], failure)); err != nil {
		return 0, failure
	}
	n, err := run.deliverSafely(ctx, lane) // perhaps the platform accepts it by now
	if err == nil {
		return n, nil
	}
	if _, pace := chat.IsPace(err); pace || errors.Is(err, chat.ErrPermanent) {
		return 0, err
	}
	return 0, fmt.Errorf("%w: %w", chat.ErrPassed, err)
}

// waitingText stands for a delivery that could not be shown yet.
func (run *deliveryRun) waitingText(d *chat.Delivery, err error) string {
	return run.nameEvent(&d.Event) + " could not be shown here yet: " + chat.ReasonOf(err.Error()) + run.whereElse("relay keeps retrying")
}

// refusedText stands for a delivery that the platform rejected.
func (run *deliveryRun) refusedText(e *chat.Event, err error) string {
	return run.nameEvent(e) + " could not be shown here: " + chat.ReasonOf(err.Error()) + run.whereElse("Retry there sends it again")
}

// nameEvent names an event in a note.
func (run *deliveryRun) nameEvent(e *chat.Event) string {
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

// whereElse returns where the text can be read, and what happens next.
func (run *deliveryRun) whereElse(more string) string {
	if run.mirror.opts.Stateless {
		return ""
	}
	return "\nIt is in the console; " + more + "."
}

// giveUpStep writes a note for a step that the platform refused for good, and returns
// the refusal: the delivery is given up. While the note has to wait for its turn,
// the step is not tried again.
func (run *deliveryRun) giveUpStep(ctx context.Context, th chat.Thread, s step, refusal error) error {
	e := &run.head().Event
	run.mirror.refusedSteps.Store(run.sessionID, refusedStep{s.name(e), refusal})
	note := step{op: chat.Op{Kind: chat.OpNote, Text: run.refusedText(e, refusal)}, shows: []string{engine.Placeholder("refused " + e.Name())}, part: s.part, rev: s.rev}
	if err := run.applyStep(ctx, th, note); err != nil && !errors.Is(err, chat.ErrPermanent) {
		return err
	}
	run.mirror.refusedSteps.Delete(run.sessionID)
	return refusal
}

// refusedStep is a step that was refused, err if it was for good and nothing is shown
// in its place.
type refusedStep struct {
	id  string
	err error
}
