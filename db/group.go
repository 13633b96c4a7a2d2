package db

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"sync"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// maxBatch is how many operations share one commit at most.
const maxBatch = 256

// patience is how long a request waits for a batch that is being prepared: it may hang on a
// dead connection. Then another is begun.
const patience = 100 * time.Millisecond

// group is the queue of a group commit, for both dialects: operations that wait are
// committed as one batch, because a commit costs nearly the same for many as for one. What
// comes while a batch is prepared, or cannot be committed besides, becomes the next.
type group struct {
	// turn gathers and takes a batch, commits it and answers its callers. It calls prepared
	// when another may prepare the next.
	turn func(prepared func())
	most int // turns at a time

	mu        sync.Mutex
	queue     []*request
	busy      map[string]bool // the sessions that batches change
	last      int             // the length of the last batch
	turns     int             // under way
	preparing bool            // one of them prepares its batch
	ended     *sync.Cond      // when a turn ends
	closed    bool
}

// request is an operation that waits for its result.
type request struct {
	op      func(*tx) error
	session string // the only one that op locks; "" if others may be locked
	relaxed bool   // a power cut may undo it
	err     error
	done    chan struct{}
	cut     func() // ends the transaction that runs op, nil if nothing does
}

func newRequest(op func(*tx) error) *request { return &request{op: op, done: make(chan struct{})} }

func newGroup(most int, turn func(prepared func())) *group {
	g := &group{turn: turn, most: most, busy: map[string]bool{}}
	g.ended = sync.NewCond(&g.mu)
	return g
}

// wait queues a request and waits until it is answered. A caller whose ctx
// ends leaves the queue, unless its op is running already; if a lease was lost, that ends
// the running transaction, where it can be ended.
func (g *group) wait(ctx context.Context, r *request) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if !g.enqueue(r) {
		return ErrClosed
	}
	var late <-chan time.Time
	if g.most > 1 {
		timer := time.NewTimer(patience)
		defer timer.Stop()
		late = timer.C
	}
	for {
		select {
		case <-r.done:
			return r.err
		case <-late:
			g.prepared()
		case <-ctx.Done():
			if g.withdraw(r) {
				return ctx.Err()
			}
			if errors.Is(context.Cause(ctx), chat.ErrLeaseLost) && r.cut != nil {
				r.cut()
			}
			<-r.done
			return r.err
		}
	}
}

func (g *group) enqueue(r *request) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return false
	}
	g.queue = append(g.queue, r)
	g.start()
	return true
}

// start begins a turn if there is one to begin.
func (g *group) start() {
	if g.begin() {
		go g.work()
	}
}

// begin counts a turn if there is something to do and nobody prepares it.
func (g *group) begin() bool {
	free := func(r *request) bool { return !g.busy[r.session] }
	if g.turns == g.most || g.preparing || !slices.ContainsFunc(g.queue, free) {
		return false
	}
	g.turns++
	g.preparing = true
	return true
}

func (g *group) work() {
	for more := true; more; {
		prepared := sync.OnceFunc(g.prepared)
		g.turn(prepared)
		prepared()
		g.gather()
		more = g.end()
	}
}

// end ends a turn, and reports whether another was begun in its place.
func (g *group) end() bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.turns--
	g.ended.Broadcast()
	return g.begin()
}

// prepared lets the next batch be prepared.
func (g *group) prepared() {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.preparing = false
	g.start()
}

// withdraw takes a request out of the queue if it is still there.
func (g *group) withdraw(r *request) bool {
	g.mu.Lock()
	defer g.mu.Unlock()
	i := slices.Index(g.queue, r)
	if i < 0 {
		return false
	}
	g.queue = slices.Delete(g.queue, i, i+1)
	return true
}

// close waits until what is queued is finished. It reports false if it was called before.
func (g *group) close() (first bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	first = !g.closed
	g.closed = true
	for g.turns > 0 {
		g.ended.Wait()
	}
	return first
}

// gather lets callers that were just answered queue their next operation, which
// makes batches several times larger. It yields to the scheduler while the queue
// grows, and stops at half of the last batch: the other half arrives during the
// commit, so that neither the disk nor the processor waits for the other.
func (g *group) gather() {
	g.mu.Lock()
	last := g.last
	g.mu.Unlock()
	for before, now := -1, g.waiting(); before < now && 2*now < last; {
		runtime.Gosched()
		before, now = now, g.waiting()
	}
}

func (g *group) waiting() int {
	g.mu.Lock()
	defer g.mu.Unlock()
	return len(g.queue)
}

// take moves at most a batch out of the queue, without the sessions that another turn is
// changing: their locks would have to be waited for.
func (g *group) take(cut func()) (batch []*request) {
	g.mu.Lock()
	defer g.mu.Unlock()
	left := g.queue[:0]
	var mine []string
	for _, r := range g.queue {
		if len(batch) == maxBatch || g.busy[r.session] {
			left = append(left, r)
			continue
		}
		r.cut = cut
		batch = append(batch, r)
		if r.session != "" {
			mine = append(mine, r.session)
		}
	}
	clear(g.queue[len(left):])
	g.queue = left
	for _, id := range mine {
		g.busy[id] = true
	}
	g.last = max(len(batch), 1)
	return batch
}

// answer gives the callers of a batch their results.
func (g *group) answer(batch []*request) {
	g.mu.Lock()
	for _, r := range batch {
		delete(g.busy, r.session)
	}
	g.mu.Unlock()
	for _, r := range batch {
		close(r.done)
	}
}
