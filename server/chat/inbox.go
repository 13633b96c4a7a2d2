package chat

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"
)

// UpdateState is the state of an update.
type UpdateState int

// A failed update was tried too often; it stays visible.
const (
	UpdatePending UpdateState = iota
	UpdateDone
	UpdateFailed
)

// Update is what a platform sent, stored raw before it is acknowledged and handled
// afterwards, in order per thread.
type Update struct {
	Bridge string `db:"bridge"`
	// Key is the platform's id of the update; the same key again is ignored.
	Key string `db:"key"`
	// Seq orders the updates of a thread; the store assigns it.
	Seq        int64       `db:"seq"`
	Thread     string      `db:"thread"`
	Raw        Raw         `db:"raw"`
	State      UpdateState `db:"state"`
	Attempts   int         `db:"attempts"`
	NextAt     Time        `db:"next_at"`
	LastError  string      `db:"last_error"`
	ReceivedAt Time        `db:"received_at"`
}

// InboxAttempts is how often the inbox tries an update; after that it counts as a
// fault that no retry fixes.
const InboxAttempts = 10

// Inbox keeps what platforms send until it is handled: the receiver
// stores the raw update and acknowledges it at once, names and files are
// looked up afterwards, in order per thread.
type Inbox struct {
	store Store
	nodes *Nodes
	log   *slog.Logger

	mu        sync.Mutex
	receivers map[string]*receiver
	givenUp   map[string]error // by bridge: why the last update was given up
}

// Handler handles an update. After an error it is retried with growing pauses
// while the updates of the same thread wait; ErrPermanent gives up at once, and
// *RetryAfter waits without counting an attempt.
type Handler func(ctx context.Context, u Update) error

// receiver handles one bridge's updates.
type receiver struct {
	bridge string
	handle Handler
	store  Store
	log    *slog.Logger
	lanes  *lanes
	report func(err error) // an update was given up

	unstored LogThrottle
}

// newInbox makes an inbox that serves no bridge yet.
func newInbox(store Store, nodes *Nodes, log *slog.Logger) *Inbox {
	return &Inbox{store: store, nodes: nodes, log: log, receivers: map[string]*receiver{}, givenUp: map[string]error{}}
}

// Receive stores an update. When it returns nil the update may be acknowledged. A
// duplicate only wakes its thread: an earlier commit may have been unconfirmed.
func (in *Inbox) Receive(ctx context.Context, u Update) error {
	u.ReceivedAt, u.NextAt = Now(), Now()
	err := in.store.Apply(ctx, func(tx Tx) error {
		_, err := tx.PutUpdate(&u)
		return err
	})
	CrashPoint("update stored")
	if err == nil || errors.Is(err, ErrAway) {
		in.Wake(u.Bridge, u.Thread)
	}
	return err
}

// Wake makes a thread due, here or at the node that serves its bridge.
func (in *Inbox) Wake(bridge, thread string) {
	if !in.wakeHere(bridge, thread) {
		in.nodes.Ring(noteUpdate, bridge, thread)
	}
}

func (in *Inbox) wakeHere(bridge, thread string) (served bool) {
	in.mu.Lock()
	r, served := in.receivers[bridge]
	in.mu.Unlock()
	if served {
		r.lanes.wake(thread, Now())
	}
	return served
}

// GivenUp returns why the last update of a bridge was given up since relay was
// started, nil when none was.
func (in *Inbox) GivenUp(bridge string) error {
	in.mu.Lock()
	defer in.mu.Unlock()
	return in.givenUp[bridge]
}

// Serve handles a bridge's waiting updates, then new ones until ctx
// ends, up to parallel threads at once. Errands are handled beside them, so
// that no update waits for one.
func (in *Inbox) Serve(ctx context.Context, bridge string, parallel int, handle Handler) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	failed := make(chan error, 1)
	go func() {
		failed <- in.serve(ctx, bridge+Errands, errandsPer*parallel, handle)
		cancel()
	}()
	err := in.serve(ctx, bridge, parallel, handle)
	cancel()
	return cmp.Or(err, <-failed)
}

// Errands is the suffix of a bridge's name under which the inbox keeps follow-up work
// of its updates.
const Errands = " errands"

// errandsPer is how many errands run per parallel update: they wait for
// the platform most of the time.
const errandsPer = 4

func (in *Inbox) serve(ctx context.Context, bridge string, parallel int, handle Handler) error {
	r := &receiver{bridge: bridge, handle: handle, store: in.store, log: in.log.With("bridge", bridge)}
	r.lanes = newLanes(parallel, r.serve)
	r.report = func(err error) {
		in.mu.Lock()
		defer in.mu.Unlock()
		in.givenUp[strings.TrimSuffix(bridge, Errands)] = err
	}
	in.mu.Lock()
	in.receivers[bridge] = r // from here on, Receive wakes it
	in.mu.Unlock()
	defer in.remove(r)
	return r.lanes.serve(ctx, in.store, func(rd Reader) ([]Lane, error) { return rd.InboxLanes(bridge) })
}

// WaitIdle waits, within a limit, until no update is being handled or due.
func (in *Inbox) WaitIdle(limit time.Duration) { waitIdle(limit, in.busy) }

func (in *Inbox) busy() bool {
	in.mu.Lock()
	defer in.mu.Unlock()
	for _, r := range in.receivers {
		if r.lanes.busy() {
			return true
		}
	}
	return false
}

// remove undoes Serve's registration, unless a newer Serve replaced it.
func (in *Inbox) remove(r *receiver) {
	in.mu.Lock()
	defer in.mu.Unlock()
	if in.receivers[r.bridge] == r {
		delete(in.receivers, r.bridge)
	}
}

// due returns when an update is due: at once if it was not tried yet, or if its
// pause is longer than any: the clock was wrong when that was stored.
func (u *Update) due(now Time) Time {
	if u.Attempts == 0 && u.LastError == "" || u.NextAt.Sub(now) > longestWait+2*time.Minute {
		return min(u.NextAt, now)
	}
	return u.NextAt
}

// serve handles a thread's due updates in order.
func (r *receiver) serve(ctx context.Context, thread string) Time {
	storing, cancel := untilLost(ctx)
	defer cancel()
	for ctx.Err() == nil {
		u, err := r.head(storing, thread)
		if err != nil {
			r.reportStore(thread, err)
			return Now().Add(StorePause)
		}
		if u == nil {
			return 0
		}
		if due := u.due(Now()); due > Now() {
			return due
		}
		err = r.attempt(ctx, *u)
		CrashPoint("update handled")
		if err != nil && ctx.Err() != nil {
			break // interrupted, which says nothing about the update
		}
		r.settle(u, err)
		r.save(ctx, storing, u)
	}
	return Now()
}

// errPanic gives an update up: it would make relay panic again.
var errPanic = fmt.Errorf("%w: a fault of relay", ErrPermanent)

// attempt handles an update. A panic only fails this update: the
// others continue.
func (r *receiver) attempt(ctx context.Context, u Update) (err error) {
	defer func() {
		if fault := recover(); fault != nil {
			err = fmt.Errorf("%w (%T)", errPanic, fault)
			r.log.Error("internal fault: an update is given up", "key", u.Key, "fault", faultText(fault), "stack", string(debug.Stack()))
		}
	}()
	return r.handle(ctx, u)
}

// faultText is a panic's text, unless it may quote what people wrote.
func faultText(fault any) string {
	if err, found := fault.(runtime.Error); found {
		return err.Error()
	}
	return fmt.Sprintf("%T", fault)
}

// reportStore logs that the database failed.
func (r *receiver) reportStore(thread string, err error) {
	if n := r.unstored.Allow(); n > 0 {
		r.log.Error("inbox cannot use the database", "thread", thread, "err", err, "count", n)
	}
}

// save stores an update's outcome. While the database is away it tries
// again, until ctx ends: the update has already had its effect.
func (r *receiver) save(ctx, storing context.Context, u *Update) {
	for {
		err := r.store.Apply(storing, func(tx Tx) error { return tx.SaveUpdate(u) })
		if err == nil {
			return
		}
		r.reportStore(u.Thread, err)
		if ctx.Err() != nil {
			return
		}
		Rest(ctx, StorePause)
	}
}

// head returns the thread's first waiting update, nil when there is none.
func (r *receiver) head(ctx context.Context, thread string) (*Update, error) {
	var lane []Update
	err := r.store.Read(ctx, func(rd Reader) (err error) {
		lane, err = rd.InboxLane(r.bridge, thread, 1)
		return err
	})
	if err != nil || len(lane) == 0 {
		return nil, err
	}
	return &lane[0], nil
}

// settle sets an update's outcome.
func (r *receiver) settle(u *Update, err error) {
	if err == nil {
		u.State, u.LastError = UpdateDone, ""
		return
	}
	u.LastError = err.Error()
	if wait := (*RetryAfter)(nil); errors.As(err, &wait) {
		u.NextAt = wait.until(Now())
		return
	}
	u.Attempts++
	if u.Attempts >= InboxAttempts || errors.Is(err, ErrPermanent) {
		u.State = UpdateFailed
		r.log.Error("update given up", "key", u.Key, "attempts", u.Attempts, "err", err)
		r.report(err)
		return
	}
	u.NextAt = Now().Add(Backoff(time.Second, 5*time.Minute)(u.Attempts))
}

// serving lists the receivers of the bridges that are served here.
func (in *Inbox) serving() []*receiver {
	in.mu.Lock()
	defer in.mu.Unlock()
	return slices.Collect(maps.Values(in.receivers))
}
