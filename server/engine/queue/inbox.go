package queue

import (
	"cmp"
	"context"
	"encoding/json"
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

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine/nodes"
)

// Inbox keeps what platforms send until it is handled: the receiver
// stores the raw update and acknowledges it at once, names and files are
// looked up afterwards, in order per thread.
type Inbox struct {
	store chat.Store
	nodes *nodes.Nodes
	log   *slog.Logger

	mu        sync.Mutex
	receivers map[string]*receiver
	givenUp   map[string]error // by bridge: why the last update was given up
}

// Handler handles an update. After an error it is retried with growing pauses
// while the updates of the same thread wait; ErrPermanent gives up at once, and
// *RetryAfter waits without counting an attempt.
type Handler func(ctx context.Context, u chat.Update) error

// receiver handles one bridge's updates.
type receiver struct {
	bridge string
	handle Handler
	store  chat.Store
	log    *slog.Logger
	lanes  *lanes
	report func(err error) // an update was given up

	unstored chat.LogThrottle
}

// noteUpdate is the note about a stored update: bridge, thread.
const noteUpdate = "i"

// NewInbox makes an inbox that serves no bridge yet.
func NewInbox(store chat.Store, others *nodes.Nodes, log *slog.Logger) *Inbox {
	in := &Inbox{store: store, nodes: others, log: log, receivers: map[string]*receiver{}, givenUp: map[string]error{}}
	others.Subscribe(noteUpdate, nodes.Topic{Receive: in.receiveWake})
	return in
}

// Receive stores an update. When it returns nil the update may be acknowledged. A
// duplicate only wakes its thread: an earlier commit may have been unconfirmed.
func (in *Inbox) Receive(ctx context.Context, u chat.Update) error {
	u.ReceivedAt, u.NextAt = chat.Now(), chat.Now()
	err := in.store.Apply(ctx, func(tx chat.Tx) error {
		_, err := tx.PutUpdate(&u)
		return err
	})
	chat.CrashPoint("update stored")
	if err == nil || errors.Is(err, chat.ErrAway) {
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

func (in *Inbox) receiveWake(_ string, args []json.RawMessage) {
	var bridge, thread string
	if len(args) == 2 && json.Unmarshal(args[0], &bridge) == nil && json.Unmarshal(args[1], &thread) == nil {
		in.wakeHere(bridge, thread)
	}
}

func (in *Inbox) wakeHere(bridge, thread string) (served bool) {
	in.mu.Lock()
	r, served := in.receivers[bridge]
	in.mu.Unlock()
	if served {
		r.lanes.wake(thread, chat.Now())
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
		failed <- in.serve(ctx, bridge+chat.Errands, errandsPer*parallel, handle)
		cancel()
	}()
	err := in.serve(ctx, bridge, parallel, handle)
	cancel()
	return cmp.Or(err, <-failed)
}

// errandsPer is how many errands run per parallel update: they wait for
// the platform most of the time.
const errandsPer = 4

func (in *Inbox) serve(ctx context.Context, bridge string, parallel int, handle Handler) error {
	r := &receiver{bridge: bridge, handle: handle, store: in.store, log: in.log.With("bridge", bridge)}
	r.lanes = newLanes(func() int { return parallel }, r.serve)
	r.report = func(err error) {
		in.mu.Lock()
		defer in.mu.Unlock()
		in.givenUp[strings.TrimSuffix(bridge, chat.Errands)] = err
	}
	in.mu.Lock()
	in.receivers[bridge] = r // from here on, Receive wakes it
	in.mu.Unlock()
	defer in.remove(r)
	return r.lanes.serve(ctx, in.store, func(rd chat.Reader) ([]chat.Lane, error) { return rd.InboxLanes(bridge) })
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

// dueAt returns when an update is due: at once if it was not tried yet, or if its
// pause is longer than any: the clock was wrong when that was stored.
func dueAt(u *chat.Update, now chat.Time) chat.Time {
	if u.Attempts == 0 && u.LastError == "" || u.NextAt.Sub(now) > chat.LongestWait+2*time.Minute {
		return min(u.NextAt, now)
	}
	return u.NextAt
}

// serve handles a thread's due updates in order.
func (r *receiver) serve(ctx context.Context, thread string) chat.Time {
	storing, cancel := nodes.UntilLost(ctx)
	defer cancel()
	for ctx.Err() == nil {
		u, err := r.head(storing, thread)
		if err != nil {
			r.reportStore(thread, err)
			return chat.Now().Add(chat.StorePause)
		}
		if u == nil {
			return 0
		}
		if due := dueAt(u, chat.Now()); due > chat.Now() {
			return due
		}
		err = r.attempt(ctx, *u)
		chat.CrashPoint("update handled")
		if err != nil && ctx.Err() != nil {
			break // interrupted, which says nothing about the update
		}
		r.settle(u, err)
		r.save(ctx, storing, u)
	}
	return chat.Now()
}

// errPanic gives an update up: it would make relay panic again.
var errPanic = fmt.Errorf("%w: a fault of relay", chat.ErrPermanent)

// attempt handles an update. A panic only fails this update: the
// others continue.
func (r *receiver) attempt(ctx context.Context, u chat.Update) (err error) {
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
func (r *receiver) save(ctx, storing context.Context, u *chat.Update) {
	for {
		err := r.store.Apply(storing, func(tx chat.Tx) error { return tx.SaveUpdate(u) })
		if err == nil {
			return
		}
		r.reportStore(u.Thread, err)
		if ctx.Err() != nil {
			return
		}
		chat.Rest(ctx, chat.StorePause)
	}
}

// head returns the thread's first waiting update, nil when there is none.
func (r *receiver) head(ctx context.Context, thread string) (*chat.Update, error) {
	var lane []chat.Update
	err := r.store.Read(ctx, func(rd chat.Reader) (err error) {
		lane, err = rd.InboxLane(r.bridge, thread, 1)
		return err
	})
	if err != nil || len(lane) == 0 {
		return nil, err
	}
	return &lane[0], nil
}

// settle sets an update's outcome.
func (r *receiver) settle(u *chat.Update, err error) {
	if err == nil {
		u.State, u.LastError = chat.UpdateDone, ""
		return
	}
	u.LastError = err.Error()
	if wait := (*chat.RetryAfter)(nil); errors.As(err, &wait) {
		u.NextAt = wait.Until(chat.Now())
		return
	}
	u.Attempts++
	if u.Attempts >= chat.InboxAttempts || errors.Is(err, chat.ErrPermanent) {
		u.State = chat.UpdateFailed
		r.log.Error("update given up", "key", u.Key, "attempts", u.Attempts, "err", err)
		r.report(err)
		return
	}
	u.NextAt = chat.Now().Add(chat.Backoff(time.Second, 5*time.Minute)(u.Attempts))
}

// Sweep finds work in lanes that are served here and that no note announced.
func (in *Inbox) Sweep(ctx context.Context) error {
	in.mu.Lock()
	serving := slices.Collect(maps.Values(in.receivers))
	in.mu.Unlock()
	for _, r := range serving {
		err := r.lanes.sweep(ctx, in.store, func(rd chat.Reader) ([]chat.Lane, error) { return rd.InboxLanes(r.bridge) })
		if err != nil {
			return err
		}
	}
	return nil
}
