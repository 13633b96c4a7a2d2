// Package outbound shows a session's events in its thread on a platform. It imports
// server/chat and bridges/mirror/platform only.
package outbound

import (
	"context"
	"errors"
	"io"
	"math"
	"sync"
	"time"

	"github.com/relay-chat/relay/bridges/mirror/platform"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/engine/hub"
)

// Sink delivers a session's events to its thread. It decides what is shown and keeps
// the links; the bridge shows it.
type Sink struct {
	platform *platform.Client
	store    chat.Store
	relay    *engine.Engine
	hub      *hub.Hub
	links    *chat.FileLinks
	open     Opener
	refusals refusals

	uncertainOpenings sync.Map         // by session: its thread may have been opened
	refusedSteps      sync.Map         // by session: the [refusedStep], while its fallback waits
	unfound           chat.LogThrottle // of threads that could not be looked for
}

// Opener opens an attachment of a message.
type Opener func(ctx context.Context, sessionID string, a chat.Attachment) (io.ReadCloser, error)

// New makes the sink of a platform. links makes links to files for platforms that take
// none; nil when relay has no public address.
func New(engine *engine.Engine, p *platform.Client, links *chat.FileLinks, open Opener) *Sink {
	return &Sink{platform: p, store: engine.Store, relay: engine, hub: engine.Hub, links: links, open: open}
}

var _ chat.Sink = (*Sink)(nil)

// Name implements [chat.Sink].
func (s *Sink) Name() string { return s.platform.Name() }

// Deliveries are retried in order, for days.
const (
	maxBatch       = 30
	deliverFor     = 10 * time.Second // then the outbox may store what is done
	deliverTimeout = 15 * time.Minute // of everything; each op has its own
	deliverMaxAge  = 72 * time.Hour
)

// Policy implements [chat.Sink].
func (s *Sink) Policy() chat.Policy {
	return chat.Policy{Parallel: max(s.platform.Limits().Parallel, 1), Batch: maxBatch, Timeout: deliverTimeout, MaxAge: deliverMaxAge,
		RetryOnRecovery: true, Attempts: math.MaxInt32, Backoff: chat.Backoff(time.Second, 5*time.Minute)}
}

// Deliver implements [chat.Sink]. Each delivery is carried out in small steps whose
// results are stored one by one: a later attempt continues where this one stopped.
func (s *Sink) Deliver(ctx context.Context, lane []chat.Delivery) (done int, err error) {
	if err := s.platform.Follow(ctx, s.platform.Channel()); err != nil {
		return 0, err
	}
	run := &deliveryRun{sink: s, sessionID: lane[0].SessionID}
	began := time.Now()
	for done < len(lane) && (done == 0 || time.Since(began) < deliverFor) {
		n, err := run.deliverSafely(ctx, lane[done:])
		if err != nil && run.isStuck(&lane[done], err) {
			n, err = run.letOthersPass(ctx, lane[done:], err)
		}
		if err != nil {
			return done, s.platform.Failed(err)
		}
		s.refusals.forget(lane[done : done+n])
		for _, delivered := range lane[done : done+n] {
			s.relay.EventsArrived(chat.SenderOperator, []chat.Event{delivered.Event})
		}
		done += n
	}
	return done, nil
}

// deliveryRun is one call of [Mirror.Deliver]: a session's deliveries in order.
type deliveryRun struct {
	sink      *Sink
	sessionID string
	current   *chat.Thread // once it is known
	// batch are the deliveries that are being carried out together.
	batch []chat.Delivery
	// uncertain: an earlier attempt may have carried out the first op of the batch.
	// Only one op is ever under way.
	uncertain   bool
	sent        bool // an op of this run created something
	threadsLost int  // threads that were lost in this run
	// unreadable: the file under way could not be opened, so it is not the
	// platform that fails.
	unreadable bool
}

// maxThreadsLost bounds how often a run opens a new thread: a platform that
// loses each of them is left alone for a while.
const maxThreadsLost = 2

// head is the delivery that the run is at.
func (run *deliveryRun) head() *chat.Delivery { return &run.batch[0] }

// deliverNext carries out the first deliveries of a lane and returns how many. If
// the thread is gone, a new one continues it.
func (run *deliveryRun) deliverNext(ctx context.Context, lane []chat.Delivery) (int, error) {
	for {
		run.batch = lane[:1]
		run.uncertain = lane[0].Ambiguous() && !run.sent
		err := run.apply(ctx, lane)
		switch {
		case err == nil || errors.Is(err, errNoThread):
			return len(run.batch), nil
		case errors.Is(err, chat.ErrThreadGone) && run.current != nil && run.threadsLost < maxThreadsLost:
			if err := run.threadLost(ctx, *run.current); err != nil {
				return 0, err
			}
		default:
			run.markUncertain(err)
			return 0, err
		}
	}
}

// markUncertain marks a whole batch as ambiguous: the next attempt must ask for the
// same one.
func (run *deliveryRun) markUncertain(err error) {
	if !platform.IsAmbiguous(err) {
		return
	}
	for i := range run.batch {
		run.batch[i].State = chat.DeliverySending
	}
}

// markConfirmed notes that the op under way created something: the rest of the
// batch has never left relay. An edit or a delete confirms nothing, because it may
// concern a message that an earlier attempt had sent.
func (run *deliveryRun) markConfirmed() {
	run.sent = true
	if !run.uncertain {
		return
	}
	run.uncertain = false
	for i := range run.batch {
		run.batch[i].State = chat.DeliveryPending
	}
}

// apply delivers the head, with those behind it that can go with it.
func (run *deliveryRun) apply(ctx context.Context, lane []chat.Delivery) error {
	e := &run.head().Event
	switch e.Type {
	case chat.EventNewSession:
		_, err := run.thread(ctx, true)
		return err
	case chat.EventMessage, chat.EventMessageEdited, chat.EventMessageDeleted, chat.EventNote, chat.EventNoteEdited, chat.EventNoteDeleted:
		return run.applyMessage(ctx, lane)
	case chat.EventMessageRead:
		return run.applyReceipt(ctx, e)
	case chat.EventSessionClosed, chat.EventSessionReopened:
		return run.applyStatus(ctx, e)
	}
	return run.applyNote(ctx, lane)
}

// deliverSafely is deliverNext, where a panic fails the deliveries and not the
// process.
func (run *deliveryRun) deliverSafely(ctx context.Context, lane []chat.Delivery) (n int, err error) {
	defer func() {
		if fault := recover(); fault != nil {
			n, err = 0, chat.ReportFault(run.sink.platform.Log, fault)
		}
	}()
	return run.deliverNext(ctx, lane)
}
