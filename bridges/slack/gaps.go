package slack

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// gapTracker keeps operators' messages in order and complete: live events wait
// while a gap is read, and while nothing can be stored.
type gapTracker struct {
	mu      sync.Mutex
	in      chat.Receiver // nil before Run
	upTo    time.Time     // everything before is stored; zero when unknown
	pending bool          // there is a gap after upTo
	again   bool          // another gap was opened during the current attempt
	quiet   bool          // the gap is only supposed: live events do not wait for it
	holding bool          // live events wait
	held    []waiting
	early   int           // so many of held came before the gap
	lost    bool          // since the last attempt began, something was missed that it may not read
	due     time.Time     // of the next attempt
	problem error         // of the last attempt
	bell    chan struct{} // rung when due changes
	filling sync.Mutex    // held while a gap is read or waiting events are stored
}

// waiting is a live event that is not stored yet; done is called once it is.
type waiting struct {
	update chat.Update
	done   func()
}

// maxHeld bounds how many live events wait; further ones become part of the gap.
const maxHeld = 5000

// fillPause is the pause after the n-th failure to read a gap or to store waiting
// events.
var fillPause = chat.Backoff(10*time.Second, 2*time.Minute)

func newGapTracker() *gapTracker { return &gapTracker{bell: make(chan struct{}, 1)} }

// start sets the receiver, and the beginning of the first gap unless it is known:
// from is zero without one.
func (g *gapTracker) start(in chat.Receiver, from time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.in = in; g.upTo.IsZero() {
		g.upTo = from
	}
}

func (g *gapTracker) receiver() chat.Receiver {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.in
}

// touch stores that the connection works.
func (g *gapTracker) touch(now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.pending && !g.holding && len(g.held) == 0 {
		g.upTo = now
	}
}

// open begins a gap since the last touch, if there was one: new events wait until
// it is read.
func (g *gapTracker) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.upTo.IsZero() {
		return
	}
	g.pending, g.again, g.quiet, g.holding, g.due, g.early = true, true, false, true, time.Now(), len(g.held)
	g.ring()
}

// suppose begins a gap at since, or before if more is not known to be stored: something
// may be missing. It is read at due; live events do not wait.
func (g *gapTracker) suppose(since, due time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.upTo.IsZero() {
		return
	}
	if g.pending {
		g.lost = true // in case it is being read
		return
	}
	if since.Before(g.upTo) {
		g.upTo = since
	}
	g.pending, g.quiet, g.due = true, true, due
	g.ring()
}

// lookBack supposes a gap since the last one that was read, unless that was less than so
// long ago.
func (g *gapTracker) lookBack(now time.Time, least time.Duration) {
	g.mu.Lock()
	read := g.upTo
	g.mu.Unlock()
	if now.Sub(read) >= least {
		g.suppose(now, now)
	}
}

func (g *gapTracker) ring() {
	select {
	case g.bell <- struct{}{}:
	default:
	}
}

// hold makes an event wait if others do, or a gap is being read.
func (g *gapTracker) hold(w waiting) (held bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.holding && len(g.held) == 0 {
		return false
	}
	g.put(w)
	return true
}

// unstored makes an event wait that could not be stored.
func (g *gapTracker) unstored(w waiting) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.held) == 0 && !g.holding {
		g.due = time.Now().Add(fillPause(1))
	}
	g.put(w)
	g.ring()
}

func (g *gapTracker) put(w waiting) {
	if len(g.held) >= maxHeld {
		g.pending, g.lost = !g.upTo.IsZero(), true
		return
	}
	g.held = append(g.held, w)
}

// rest returns how long until the next attempt; idle when there is nothing to do.
func (g *gapTracker) rest() (wait time.Duration, idle bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return time.Until(g.due), !g.pending && len(g.held) == 0
}

// begin makes live events wait, and returns the beginning of the gap.
func (g *gapTracker) begin() (from time.Time, gap bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.holding, g.lost, g.again = g.holding || !g.quiet, false, false
	return g.upTo, g.pending
}

// next returns the first waiting event, with early only one from before the gap, as when
// another gap was opened meanwhile. Without any, live events pass again.
func (g *gapTracker) next(early bool) (w waiting, any bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if (early || g.again) && g.early == 0 {
		return w, false
	}
	if len(g.held) == 0 {
		g.holding = false
		return w, false
	}
	return g.held[0], true
}

func (g *gapTracker) stored() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.held, g.early = g.held[1:], max(g.early-1, 0)
}

// end stores the result of an attempt; upTo is zero unless a gap was read.
func (g *gapTracker) end(upTo time.Time, err error, again time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.holding, g.quiet = g.again, false
	g.problem, g.due = err, again
	if g.again {
		g.due = time.Now()
	}
	if !upTo.IsZero() {
		g.pending, g.upTo = g.lost || g.again, upTo
	}
}

// trouble reports an incomplete gap, nil when nothing is missing.
func (g *gapTracker) trouble() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.problem == nil {
		return nil
	}
	since := ""
	if !g.upTo.IsZero() {
		since = " since " + g.upTo.UTC().Format("2 January at 15:04 UTC")
	}
	return fmt.Errorf("operators' messages%s are not complete yet: %w", since, g.problem)
}

// fillGaps reads gaps and stores waiting events, until ctx ends.
func (r *receiver) fillGaps(ctx context.Context) {
	for failures := 0; ctx.Err() == nil; {
		wait, idle := r.gaps.rest()
		if in := r.gaps.receiver(); !idle && wait <= 0 && in != nil {
			if failures++; r.fill(ctx, in, failures) {
				failures = 0
			}
			continue
		}
		var timer <-chan time.Time
		if !idle {
			timer = time.After(max(wait, time.Second))
		}
		select {
		case <-ctx.Done():
		case <-r.gaps.bell:
		case <-timer:
		}
	}
}

// fill stores what came before the gap, reads the gap, if any, and stores what came
// after it. A gap that cannot be read does not hold up the waiting events.
func (r *receiver) fill(ctx context.Context, in chat.Receiver, attempt int) (ok bool) {
	r.gaps.filling.Lock()
	defer r.gaps.filling.Unlock()
	now := time.Now()
	from, gap := r.gaps.begin()
	err := r.flush(ctx, in, true)
	if gap && err == nil {
		err = r.readGap(ctx, in, from.Add(-gapMargin))
	}
	upTo := now
	if !gap || err != nil {
		upTo = time.Time{}
	}
	if failed := r.flush(ctx, in, false); err == nil {
		err = failed
	}
	if ctx.Err() != nil { // the next Run continues
		r.gaps.end(time.Time{}, nil, now)
		return false
	}
	if err != nil {
		r.log.Warn("operators' messages are not complete yet; retrying", "since", from, "err", err)
	}
	r.gaps.end(upTo, err, time.Now().Add(fillPause(attempt)))
	return err == nil
}

// flush stores waiting events, in order.
func (r *receiver) flush(ctx context.Context, in chat.Receiver, early bool) error {
	for {
		w, any := r.gaps.next(early)
		if !any {
			return nil
		}
		if err := in.Receive(ctx, w.update); err != nil {
			return err
		}
		r.gaps.stored()
		w.done()
	}
}
