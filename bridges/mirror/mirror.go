// Package mirror keeps a session and its thread on a platform the same, both
// ways, once for all bridges. It imports server/chat only.
package mirror

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math"
	"sync"
	"sync/atomic"
	"time"

	"relay/server/chat"
)

// Mirror is what operators at a bridge see and do: it takes events to the
// session's thread (as a [Sink]) and what operators do there to the door (as a
// [Handler]). It decides what is shown and keeps the links; the bridge shows it.
type Mirror struct {
	bridge  chat.Bridge
	engine  *chat.Engine
	store   chat.Store
	relay   *chat.Relay
	log     *slog.Logger
	opts    Options
	strange strangers

	ambiguous atomic.Int64
	worked    atomic.Int64 // how many ops were carried out
	refusals  refusals
	opening   sync.Map // by session: an attempt to open its thread was perhaps carried out
	refused   sync.Map // by session: the [refused] step, while what stands for it waits
	channel   channel
	mu        sync.Mutex
	trouble   error     // what went wrong last, nil since something worked
	failures  int       // how often something went wrong
	rests     bool      // the bridge was found misconfigured
	silent    time.Time // until when the platform wants to hear nothing
	unstored  chat.Reports
	unfound   chat.Reports // of threads that could not be looked for
}

// Options are what a Mirror is made of.
type Options struct {
	Log *slog.Logger
	// Links makes links to files for platforms that take none; nil when relay
	// has no public address.
	Links *chat.FileLinks
	// Stateless is bridge mode: the store forgets, threads lead back to their
	// session, operators' files stay on the platform.
	Stateless bool
	// OpenFile opens an attachment of a message; nil opens those that relay
	// keeps.
	OpenFile func(ctx context.Context, sessionID string, a chat.Attachment) (io.ReadCloser, error)
	// Seal makes the tokens under which operators' files are read in bridge
	// mode.
	Seal *chat.FileSeal
	// Moved is told that the bridge's channel has another id now.
	Moved func(ctx context.Context, to string) error
}

// New makes the desk of a bridge.
func New(engine *chat.Engine, b chat.Bridge, o Options) *Mirror {
	d := &Mirror{bridge: b, engine: engine, store: engine.Store, relay: engine.Relay, log: o.Log.With("bridge", b.Name()), opts: o}
	d.channel.id = b.Channel()
	if d.opts.OpenFile == nil {
		d.opts.OpenFile = func(ctx context.Context, _ string, a chat.Attachment) (io.ReadCloser, error) {
			file, err := engine.Relay.Open(ctx, a.ID)
			return io.NopCloser(file), err
		}
	}
	return d
}

var _ chat.Sink = (*Mirror)(nil)

// Name implements [Sink].
func (d *Mirror) Name() string { return d.bridge.Name() }

// How a desk is served. Nothing passes a failing delivery: order is kept for as
// long as it is tried, and it is tried for days.
const (
	deskBatch    = 30
	deskPatience = 10 * time.Second // then the outbox may store what is done
	deskTimeout  = 15 * time.Minute // of everything; each op has its own
	deskMaxAge   = 72 * time.Hour
	opTimeout    = time.Minute // unless the bridge says otherwise
	// humanRest is how long a misconfigured bridge is left alone, and what waits
	// takes to arrive once a human has mended it.
	humanRest = time.Minute
)

// Policy implements [Sink].
func (d *Mirror) Policy() chat.Policy {
	return chat.Policy{Parallel: max(d.bridge.Limits().Parallel, 1), Batch: deskBatch, Timeout: deskTimeout, MaxAge: deskMaxAge,
		Revive: true, Attempts: math.MaxInt32, Backoff: chat.Backoff(time.Second, 5*time.Minute)}
}

// Ambiguous counts the ops of which nobody knew whether they had been carried
// out.
func (d *Mirror) Ambiguous() int64 { return d.ambiguous.Load() }

// Trouble returns what went wrong last, nil once something worked again. It is
// a *Misconfigured when a human has to do something.
func (d *Mirror) Trouble() error {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.trouble
}

// Deliver implements [Sink]. Each delivery is carried out in small steps, and
// what came of a step is stored before the next one: a later attempt goes on
// where this one stopped.
func (d *Mirror) Deliver(ctx context.Context, lane []chat.Delivery) (done int, err error) {
	if err := d.follow(ctx, d.bridge.Channel()); err != nil {
		return 0, err
	}
	r := &round{desk: d, ctx: ctx, sessionID: lane[0].SessionID}
	began := time.Now()
	for done < len(lane) && (done == 0 || time.Since(began) < deskPatience) {
		n, err := r.safely(lane[done:])
		if err != nil && r.stuck(&lane[done], err) {
			n, err = r.passOn(lane[done:], err)
		}
		if err != nil {
			return done, d.judge(err)
		}
		d.refusals.end(lane[done : done+n])
		for _, delivered := range lane[done : done+n] {
			d.relay.EventsArrived(chat.SenderOperator, []chat.Event{delivered.Event})
		}
		done += n
	}
	return done, nil
}

// judge makes a misconfigured bridge rest, with everything that waits for it.
func (d *Mirror) judge(err error) error {
	if isAmbiguous(err) {
		d.ambiguous.Add(1)
	}
	if errors.Is(err, context.Canceled) || errors.Is(err, chat.ErrPermanent) || errors.Is(err, chat.ErrPassed) {
		return err // it is not the bridge that fails
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	if limited := (*chat.RetryAfter)(nil); errors.As(err, &limited) {
		return err
	}
	var before, wrong *chat.Misconfigured
	known := errors.As(d.trouble, &before)
	d.trouble = err
	d.failures++
	if !errors.As(err, &wrong) {
		return err
	}
	if !known || *before != *wrong {
		d.log.Error("the bridge is misconfigured", "problem", wrong.Problem, "fix", wrong.Fix)
	}
	d.rests = true
	return &chat.RetryAfter{After: humanRest, Scope: chat.ScopeSink, Refused: true, Cause: err}
}

// failed returns how often something went wrong so far.
func (d *Mirror) failed() int {
	d.mu.Lock()
	defer d.mu.Unlock()
	return d.failures
}

// works notes that the bridge carried something out. What failed while it did so
// is still the last that is known: failures is how often before.
func (d *Mirror) works(failures int) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.failures != failures {
		return
	}
	if d.rests {
		d.log.Info("the bridge works again")
	}
	d.trouble, d.rests = nil, false
}

// isAmbiguous reports whether a failed op may have been carried out.
func isAmbiguous(err error) bool {
	return errors.Is(err, chat.ErrAmbiguous) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled)
}

// try carries out one op once, unless the platform asked for patience while
// something else was being carried out.
func (d *Mirror) try(ctx context.Context, th chat.Thread, op chat.Op) (remote string, err error) {
	if wait := d.patience(); wait > 0 {
		return "", &chat.RetryAfter{After: wait, Scope: chat.ScopeSink, Cause: errors.New("the platform asked for patience")}
	}
	limit := d.bridge.Limits().Timeout
	if limit <= 0 {
		limit = opTimeout
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	failures := d.failed()
	remote, err = d.bridge.Do(ctx, th, op)
	var limited *chat.RetryAfter
	switch {
	case err == nil:
		d.works(failures)
		d.worked.Add(1)
		d.engine.Outbox.Lives(d.Name())
	case errors.As(err, &limited) && limited.Scope == chat.ScopeSink:
		d.hush(limited.Pause())
	}
	return remote, err
}

// patience returns how long the platform wants to hear nothing.
func (d *Mirror) patience() time.Duration {
	d.mu.Lock()
	defer d.mu.Unlock()
	return time.Until(d.silent)
}

func (d *Mirror) hush(rest time.Duration) {
	d.mu.Lock()
	defer d.mu.Unlock()
	if until := time.Now().Add(rest); until.After(d.silent) {
		d.silent = until
	}
}

// do carries out one op; a closed thread is reopened for it, and if the op is
// nothing that anybody said, closed again. One that cannot be reopened is as
// good as gone.
func (d *Mirror) do(ctx context.Context, th chat.Thread, op chat.Op) (remote string, err error) {
	remote, err = d.try(ctx, th, op)
	if !errors.Is(err, chat.ErrThreadClosed) || op.Kind == chat.OpClose {
		return remote, err
	}
	if _, err := d.try(ctx, th, chat.Op{Kind: chat.OpReopen}); err != nil {
		return "", cannotReopen(err)
	}
	stays := op.Kind == chat.OpPost || th.State != chat.ThreadClosed
	if stays {
		if err := d.setThread(ctx, th, chat.ThreadLive); err != nil {
			return "", err
		}
	}
	if remote, err = d.try(ctx, th, op); errors.Is(err, chat.ErrThreadClosed) {
		return "", cannotReopen(err)
	} else if err != nil {
		return "", err
	}
	if !stays {
		if _, err := d.try(ctx, th, chat.Op{Kind: chat.OpClose}); err != nil {
			d.log.Warn("a thread stays open that was closed", "ref", th.Ref, "err", err)
		}
	}
	return remote, nil
}

func cannotReopen(err error) error {
	if errors.Is(err, chat.ErrThreadClosed) || errors.Is(err, chat.ErrPermanent) {
		return fmt.Errorf("%w: it cannot be reopened: %s", chat.ErrThreadGone, err)
	}
	return err
}

// setThread stores what became of a thread.
func (d *Mirror) setThread(ctx context.Context, th chat.Thread, state chat.ThreadState) error {
	if th.SessionID == "" {
		return nil // it belongs to no session
	}
	th.State = state
	return d.keep(ctx, func(tx chat.Tx) error { return tx.SaveThread(&th) })
}

// keep stores what the platform has done already: it does not let go while the
// database is away, because nobody else knows. What belongs to a session that
// was erased meanwhile is not kept.
func (d *Mirror) keep(ctx context.Context, op func(chat.Tx) error) error {
	for {
		err := d.store.Apply(ctx, op)
		if err == nil || errors.Is(err, chat.ErrSessionNotFound) {
			return err
		}
		if ctx.Err() != nil {
			return fmt.Errorf("%w: it was carried out but not stored: %w", chat.ErrAmbiguous, err)
		}
		if n := d.unstored.Count(); n > 0 {
			d.log.Error("a desk cannot use the database", "err", err, "count", n)
		}
		chat.Rest(ctx, chat.StorePause)
	}
}
