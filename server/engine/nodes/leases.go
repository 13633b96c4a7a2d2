package nodes

import (
	"context"
	"errors"
	"log/slog"
	"math/rand/v2"
	"sync"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// The times of a lease. A holder that cannot renew it stops at fenceAfter and has until
// [chat.LeaseLife] for what is under way, but no longer than FinishRest.
const (
	renewEvery = 5 * time.Second
	fenceAfter = 9 * time.Second
	renewAgain = time.Second     // after a failure
	renewLimit = 3 * time.Second // of one attempt
	FinishRest = 5 * time.Second
)

// leases are those that this node holds.
type leases struct {
	mu      sync.Mutex
	held    map[string]*Lease
	wanted  map[string]bool // all that this node ever asked for
	freed   chan struct{}   // closed when a node says that it released one
	leaving chan struct{}   // closed by Leave
	left    bool
}

func newLeases() leases {
	return leases{held: map[string]*Lease{}, wanted: map[string]bool{}, freed: make(chan struct{}), leaving: make(chan struct{})}
}

// Lease is the right of this node to do what only one may do. It is nil where there is
// only one.
type Lease struct {
	name  string
	epoch int64
	timer *time.Timer // fires when it was not renewed for too long
	lose  context.CancelCauseFunc
}

// errLeaving ends the work of a node that stops.
var errLeaving = errors.New("this node stops")

// Leaving reports whether ctx ended because this node stops and another takes over.
func Leaving(ctx context.Context) bool { return errors.Is(context.Cause(ctx), errLeaving) }

// Hold runs work while this node holds a lease, again and again until ctx ends or work
// returns by itself. The context of work ends when the lease is lost: then work must
// return within finishRest.
func (n *Nodes) Hold(ctx context.Context, name string, work func(ctx context.Context, l *Lease) error) error {
	if n.cluster == nil {
		return work(ctx, nil)
	}
	for {
		epoch, renewed, ok := n.acquire(ctx, name)
		if !ok {
			<-ctx.Done() // when this node stops, others go on
			return nil
		}
		lost, err := n.under(ctx, name, epoch, renewed, work)
		if !lost {
			return err
		}
	}
}

// under runs work under a lease and reports whether the lease ended first.
func (n *Nodes) under(ctx context.Context, name string, epoch int64, renewed time.Time, work func(context.Context, *Lease) error) (lost bool, err error) {
	held, lose := context.WithCancelCause(ctx)
	defer lose(nil)
	l := &Lease{name: name, epoch: epoch, lose: lose}
	l.timer = time.AfterFunc(fenceAfter-time.Since(renewed), func() { lose(chat.ErrLeaseLost) }) // renewed moves it
	n.leases.add(l)
	level := slog.LevelInfo
	if !n.many.Load() {
		level = slog.LevelDebug // nobody else could have it
	}
	n.log.Log(ctx, level, "this node takes over", "lease", name, "epoch", epoch)
	err = work(held, l)
	n.leases.remove(l)
	cause := context.Cause(held)
	lost = ctx.Err() == nil && (errors.Is(cause, chat.ErrLeaseLost) || errors.Is(cause, errLeaving))
	if lost && !errors.Is(cause, errLeaving) {
		n.log.Warn("this node no longer holds a lease", "lease", name, "err", cause)
	}
	n.release(ctx, l)
	return lost, err
}

// UntilLost returns a context for storing what was done: it outlives ctx, but a lost lease
// only by finishRest.
func UntilLost(ctx context.Context) (context.Context, context.CancelFunc) {
	out, cut := context.WithCancelCause(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() {
		if errors.Is(context.Cause(ctx), chat.ErrLeaseLost) && chat.Rest(out, FinishRest) == nil {
			cut(chat.ErrLeaseLost)
		}
	})
	return out, func() {
		stop()
		cut(nil)
	}
}

// acquire waits for a lease until ctx ends or this node stops. renewed is a time before
// it was taken.
func (n *Nodes) acquire(ctx context.Context, name string) (epoch int64, renewed time.Time, ok bool) {
	for {
		freed, free := n.leases.watch(name)
		if freed == nil {
			return 0, renewed, false
		}
		wait := renewEvery
		if free {
			renewed = time.Now()
			epoch, wait = n.tryAcquire(ctx, name)
		}
		if epoch != 0 {
			return epoch, renewed, true
		}
		timer := time.NewTimer(wait + rand.N(200*time.Millisecond))
		select {
		case <-ctx.Done():
			timer.Stop()
			return 0, renewed, false
		case <-n.leases.leaving:
		case <-freed:
		case <-timer.C:
		}
		timer.Stop()
	}
}

// tryAcquire takes a lease if it is free, or returns when to try again.
func (n *Nodes) tryAcquire(ctx context.Context, name string) (epoch int64, wait time.Duration) {
	limited, cancel := context.WithTimeout(ctx, renewLimit)
	defer cancel()
	epoch, wait, err := n.cluster.Acquire(limited, name, n.Name())
	if err != nil {
		if ctx.Err() == nil {
			n.ReportFailure("a lease cannot be acquired", err)
		}
		return 0, renewAgain
	}
	return epoch, min(wait, chat.LeaseLife)
}

// release gives a lease back and notifies the others. The lease of a database that is away
// expires.
func (n *Nodes) release(ctx context.Context, l *Lease) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), time.Second)
	defer cancel()
	if err := n.cluster.Release(ctx, l.name, l.epoch); err != nil {
		n.ReportFailure("a lease cannot be released", err)
		return
	}
	n.Ring(noteFreed)
	n.leases.nudge()
}

// Leave ends all work under leases, so that other nodes take over at once. It does not
// wait for what is under way.
func (n *Nodes) Leave() {
	l := &n.leases
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.left {
		return
	}
	l.left = true
	close(l.leaving)
	for _, lease := range l.held {
		lease.lose(errLeaving)
	}
}

func (l *leases) add(lease *Lease) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.held[lease.name] = lease
	if l.left {
		lease.lose(errLeaving)
	}
}

func (l *leases) remove(lease *Lease) {
	l.mu.Lock()
	defer l.mu.Unlock()
	lease.timer.Stop()
	delete(l.held, lease.name)
}

// Held returns the leases that this node asked for, and whether it holds them.
func (n *Nodes) Held() map[string]bool {
	l := &n.leases
	l.mu.Lock()
	defer l.mu.Unlock()
	list := map[string]bool{}
	for name := range l.wanted {
		list[name] = l.held[name] != nil
	}
	return list
}

// watch returns what is closed when a lease may be free, and whether this node does not
// hold it itself; nil when this node stops.
func (l *leases) watch(name string) (freed <-chan struct{}, free bool) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.wanted[name] = true
	if l.left {
		return nil, false
	}
	return l.freed, l.held[name] == nil
}

// nudge makes those who wait for a lease try now.
func (l *leases) nudge() {
	l.mu.Lock()
	defer l.mu.Unlock()
	close(l.freed)
	l.freed = make(chan struct{})
}

// renewed notes which leases are still held, as of a time. The others' timers go on.
func (l *leases) renewed(epochs map[string]int64, at time.Time) {
	l.mu.Lock()
	defer l.mu.Unlock()
	for name, lease := range l.held {
		if epochs[name] == lease.epoch {
			lease.timer.Reset(fenceAfter - time.Since(at))
		}
	}
}

// Fence is part of each transaction of work under a lease.
func (l *Lease) Fence(tx chat.Fencer) error {
	if l == nil {
		return nil
	}
	return tx.Fence(l.name, l.epoch)
}

// Epoch is the lease's epoch, 0 for none.
func (l *Lease) Epoch() int64 {
	if l == nil {
		return 0
	}
	return l.epoch
}

// Lose ends the work under the lease: another node does it now.
func (l *Lease) Lose() { l.lose(chat.ErrLeaseLost) }
