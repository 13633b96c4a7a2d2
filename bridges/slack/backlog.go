package slack

import (
	"context"
	"fmt"
	"sync"
	"time"

	"relay/server/chat"
)

// backlog keeps what operators wrote in order and complete: live events wait
// while a gap is read, and while nothing can be stored.
type backlog struct {
	mu      sync.Mutex
	in      chat.Receiver // nil before Run
	upTo    time.Time     // all until then is stored; zero when nobody can tell
	owed    bool          // there is a gap behind upTo
	holding bool          // live events wait
	held    []waiting
	early   int           // so many of them came before the gap
	lost    bool          // one too many waited since the last attempt began
	due     time.Time     // when what is owed or held is tried next
	problem error         // why that failed last
	bell    chan struct{} // rung when due changes
	settles sync.Mutex    // held by who reads a gap or stores what waited
}

// waiting is a live event that is not stored yet; done is told once it is.
type waiting struct {
	update chat.Update
	done   func()
}

// maxHeld bounds how many live events wait; further ones are owed.
const maxHeld = 5000

// settlePause is the pause after the n-th failure to read a gap or to store what
// waits.
var settlePause = chat.Backoff(10*time.Second, 2*time.Minute)

func newBacklog() *backlog { return &backlog{bell: make(chan struct{}, 1)} }

// start notes who stores events, and from when on a new bridge hears unless it
// knows already: from is zero when nobody can tell.
func (g *backlog) start(in chat.Receiver, from time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.in = in; g.upTo.IsZero() {
		g.upTo = from
	}
}

func (g *backlog) receiver() chat.Receiver {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.in
}

// beat notes that the connection lives.
func (g *backlog) beat(now time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.owed && !g.holding && len(g.held) == 0 {
		g.upTo = now
	}
}

// open notes that events may be missing since the last beat, if there was one:
// what comes in now waits until they are read.
func (g *backlog) open() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.upTo.IsZero() {
		return
	}
	g.owed, g.holding, g.due, g.early = true, true, time.Now(), len(g.held)
	g.ring()
}

func (g *backlog) ring() {
	select {
	case g.bell <- struct{}{}:
	default:
	}
}

// hold keeps an event waiting if others do, or must.
func (g *backlog) hold(w waiting) (held bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.holding && len(g.held) == 0 {
		return false
	}
	g.put(w)
	return true
}

// unstored keeps an event waiting that could not be stored.
func (g *backlog) unstored(w waiting) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if len(g.held) == 0 && !g.holding {
		g.due = time.Now().Add(settlePause(1))
	}
	g.put(w)
	g.ring()
}

func (g *backlog) put(w waiting) {
	if len(g.held) >= maxHeld {
		g.owed, g.lost = !g.upTo.IsZero(), true
		return
	}
	g.held = append(g.held, w)
}

// rest returns for how long nothing has to be tried; idle when nothing has to be
// at all.
func (g *backlog) rest() (wait time.Duration, idle bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	return time.Until(g.due), !g.owed && len(g.held) == 0
}

// begin has live events wait, and returns since when there is a gap.
func (g *backlog) begin() (from time.Time, gap bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.holding, g.lost = true, false
	return g.upTo, g.owed
}

// next returns the first event that waits, or only one that came before the gap.
// When none does any more, live events pass from here on.
func (g *backlog) next(early bool) (w waiting, any bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if early && g.early == 0 {
		return w, false
	}
	if len(g.held) == 0 {
		g.holding = false
		return w, false
	}
	return g.held[0], true
}

func (g *backlog) stored() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.held, g.early = g.held[1:], max(g.early-1, 0)
}

// end notes what came of an attempt; upTo is zero unless a gap was read.
func (g *backlog) end(upTo time.Time, err error, again time.Time) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.holding = false
	g.problem, g.due = err, again
	if !upTo.IsZero() {
		g.owed, g.upTo = g.lost, upTo
	}
}

// trouble tells what was not read or stored yet, nil when nothing is missing.
func (g *backlog) trouble() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.problem == nil {
		return nil
	}
	since := ""
	if !g.upTo.IsZero() {
		since = " since " + g.upTo.UTC().Format("2 January at 15:04 UTC")
	}
	return fmt.Errorf("what operators wrote%s is not complete yet: %w", since, g.problem)
}

// tend reads gaps and stores what waits, until ctx ends.
func (b *Bridge) tend(ctx context.Context) {
	for failures := 0; ctx.Err() == nil; {
		wait, idle := b.backlog.rest()
		if in := b.backlog.receiver(); !idle && wait <= 0 && in != nil {
			if failures++; b.settle(ctx, in, failures) {
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
		case <-b.backlog.bell:
		case <-timer:
		}
	}
}

// settle stores what came before the gap, reads the gap, if there is one, and then
// stores what came in behind it. What cannot be read does not hold up what can be
// stored.
func (b *Bridge) settle(ctx context.Context, in chat.Receiver, attempt int) (well bool) {
	b.backlog.settles.Lock()
	defer b.backlog.settles.Unlock()
	now := time.Now()
	from, gap := b.backlog.begin()
	err := b.flush(ctx, in, true)
	if gap && err == nil {
		err = b.readGap(ctx, in, from.Add(-gapMargin))
	}
	upTo := now
	if !gap || err != nil {
		upTo = time.Time{}
	}
	if failed := b.flush(ctx, in, false); err == nil {
		err = failed
	}
	if ctx.Err() != nil { // who receives next goes on
		b.backlog.end(time.Time{}, nil, now)
		return false
	}
	if err != nil {
		b.log.Warn("what operators wrote is not complete yet; retrying", "since", from, "err", err)
	}
	b.backlog.end(upTo, err, time.Now().Add(settlePause(attempt)))
	return err == nil
}

// flush stores what waits, in order.
func (b *Bridge) flush(ctx context.Context, in chat.Receiver, early bool) error {
	for {
		w, any := b.backlog.next(early)
		if !any {
			return nil
		}
		if err := in.Receive(ctx, w.update); err != nil {
			return err
		}
		b.backlog.stored()
		w.done()
	}
}
