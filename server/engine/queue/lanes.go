package queue

import (
	"container/heap"
	"context"
	"sync"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// lanes schedules the work on lanes: each as soon as it is due, at
// most parallel of them at once, one lane never twice at the same time. It
// holds only the time at which each waiting lane is due; the
// rows of the store are the truth.
type lanes struct {
	parallel func() int
	// work does a lane's due work and returns when the lane is due again,
	// or 0 when nothing waits in it.
	work func(ctx context.Context, key string) chat.Time

	mu      sync.Mutex
	waiting laneHeap
	known   map[string]*lane
	running int
	bell    chan struct{}
}

// lane is a lane that waits or is being worked on.
type lane struct {
	key     string
	due     time.Time // by the monotonic clock
	index   int       // in the heap, -1 while it is being worked on
	renewed bool
}

func newLanes(parallel func() int, work func(ctx context.Context, key string) chat.Time) *lanes {
	return &lanes{parallel: parallel, work: work, known: map[string]*lane{}, bell: make(chan struct{}, 1)}
}

// wake makes a lane due at a time, or earlier if it already was. A lane that
// is being worked on is checked again afterwards.
func (l *lanes) wake(key string, at chat.Time) {
	due := at.Monotonic()
	l.mu.Lock()
	defer l.mu.Unlock()
	w, ok := l.known[key]
	switch {
	case !ok:
		w = &lane{key: key, due: due}
		l.known[key] = w
		heap.Push(&l.waiting, w)
	case w.index < 0:
		if !w.renewed || due.Before(w.due) {
			w.due = due
		}
		w.renewed = true
	case due.Before(w.due):
		w.due = due
		heap.Fix(&l.waiting, w.index)
	}
	l.ring()
}

// learn makes a lane due at a time unless it is known.
func (l *lanes) learn(key string, at chat.Time) {
	l.mu.Lock()
	_, known := l.known[key]
	l.mu.Unlock()
	if !known {
		l.wake(key, at)
	}
}

// busy reports whether a lane is being worked on or due.
func (l *lanes) busy() bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.running > 0 || len(l.waiting) > 0 && !l.waiting[0].due.After(time.Now())
}

// ring makes run check the lanes again.
func (l *lanes) ring() {
	select {
	case l.bell <- struct{}{}:
	default:
	}
}

// serve starts with the lanes in which an earlier run of relay left work,
// then works until ctx ends.
func (l *lanes) serve(ctx context.Context, store chat.Store, left func(chat.Reader) ([]chat.Lane, error)) error {
	var waiting []chat.Lane
	err := store.Read(ctx, func(r chat.Reader) (err error) {
		waiting, err = left(r)
		return err
	})
	if err != nil {
		return err
	}
	// A lane is checked soon even if it pauses: the clock may have been wrong when
	// that was stored.
	for _, w := range waiting {
		l.wake(w.Key, min(w.NextAt, chat.Now().Add(time.Minute)))
	}
	l.run(ctx)
	return nil
}

// sweep learns of waiting lanes that nobody announced.
func (l *lanes) sweep(ctx context.Context, store chat.Store, left func(chat.Reader) ([]chat.Lane, error)) error {
	var waiting []chat.Lane
	err := store.ReadOne(ctx, func(r chat.Reader) (err error) {
		waiting, err = left(r)
		return err
	})
	for _, w := range waiting {
		l.learn(w.Key, w.NextAt)
	}
	return err
}

// run works until ctx ends, then waits for the lanes being worked on.
func (l *lanes) run(ctx context.Context) {
	var wg sync.WaitGroup
	defer wg.Wait()
	for {
		pause := l.start(ctx, &wg)
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
			return
		case <-l.bell:
			timer.Stop()
		case <-timer.C:
		}
	}
}

// start starts as many due lanes as allowed and returns how long nothing
// is due unless the bell rings.
func (l *lanes) start(ctx context.Context, wg *sync.WaitGroup) time.Duration {
	l.mu.Lock()
	defer l.mu.Unlock()
	now := time.Now()
	for len(l.waiting) > 0 && l.running < l.parallel() && ctx.Err() == nil {
		if due := l.waiting[0].due; due.After(now) {
			return due.Sub(now)
		}
		w := heap.Pop(&l.waiting).(*lane)
		l.running++
		wg.Go(func() { l.workOn(ctx, w) })
	}
	return time.Hour
}

// workOn works on a lane once and puts it back if work is left.
func (l *lanes) workOn(ctx context.Context, w *lane) {
	next := l.work(ctx, w.key)
	due := next.Monotonic()
	l.mu.Lock()
	defer l.mu.Unlock()
	l.running--
	switch {
	case w.renewed && (next == 0 || w.due.Before(due)):
	case next != 0:
		w.due = due
	default:
		delete(l.known, w.key)
		l.ring()
		return
	}
	w.renewed = false
	heap.Push(&l.waiting, w)
	l.ring()
}

// laneHeap orders lanes by the time they are due.
type laneHeap []*lane

func (h laneHeap) Len() int           { return len(h) }
func (h laneHeap) Less(i, j int) bool { return h[i].due.Before(h[j].due) }
func (h laneHeap) Swap(i, j int) {
	h[i], h[j] = h[j], h[i]
	h[i].index, h[j].index = i, j
}

// Push implements [heap.Interface].
func (h *laneHeap) Push(x any) {
	w := x.(*lane)
	w.index = len(*h)
	*h = append(*h, w)
}

// Pop implements [heap.Interface].
func (h *laneHeap) Pop() any {
	old := *h
	w := old[len(old)-1]
	old[len(old)-1] = nil
	*h = old[:len(old)-1]
	w.index = -1
	return w
}
