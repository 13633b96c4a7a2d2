package discord

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"log/slog"
	"sync"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// stream handles the gateway's events: those of one channel in order, channels
// independently.
type stream struct {
	receiver *receiver
	in       chat.Receiver

	mu      sync.Mutex
	lanes   map[string][]task // by channel; the first of each is running
	room    chan struct{}     // one for each pending task
	working sync.WaitGroup    // a goroutine for each lane
	ending  chan struct{}     // closed when relay ends

	lastEvent   time.Time
	missedSince time.Time // since when closed threads were missed; zero is since the start
}

// task is one piece of work in a lane, retried until it is done.
type task struct {
	what string // for the log
	do   func(context.Context) error
	// again marks work that the next start of relay repeats.
	again bool
}

// Limits of pending tasks: reading stops at mostTasks; a lane with mostInLane drops
// them and reads its thread's messages instead.
const (
	mostTasks  = 10000
	mostInLane = 1000
)

func newStream(r *receiver, in chat.Receiver) *stream {
	return &stream{receiver: r, in: in, lanes: map[string][]task{}, room: make(chan struct{}, mostTasks), ending: make(chan struct{})}
}

// dispatch passes an event to its lane. It is called in the connection's order and
// must not block on a call.
func (s *stream) dispatch(ctx context.Context, kind string, data json.RawMessage) {
	s.noteEvent(kind)
	switch kind {
	case "READY":
		s.put(ctx, "commands", task{what: kind, again: true, do: func(ctx context.Context) error {
			s.receiver.client.offerCommands(ctx)
			return nil
		}})
	case "GUILD_CREATE", "THREAD_LIST_SYNC":
		s.handleGuild(ctx, kind, data)
	default:
		if lane, wanted := s.receiver.laneOf(kind, data); wanted {
			s.put(ctx, lane, task{what: kind, do: func(ctx context.Context) error { return s.receiver.handleEvent(ctx, s.in, kind, data) }})
		}
	}
}

// noteEvent stores the time of an event. At a new connection, everything since the
// last event may have been missed.
func (s *stream) noteEvent(kind string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if kind == "READY" && s.missedSince.IsZero() {
		s.missedSince = s.lastEvent
	}
	s.lastEvent = time.Now()
}

// since returns from when on closed threads have to be read.
func (s *stream) since() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	begin := s.receiver.reader.begun.Add(-s.receiver.cfg.CatchUp)
	if missed := s.missedSince.Add(-clockMargin); missed.After(begin) {
		return missed
	}
	return begin
}

// caughtUp stores that closed threads were read.
func (s *stream) caughtUp() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.missedSince = time.Time{}
}

// put adds a task to a lane. It blocks while too many are pending.
func (s *stream) put(ctx context.Context, lane string, t task) {
	select {
	case s.room <- struct{}{}:
	case <-ctx.Done():
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	waiting := s.lanes[lane]
	if len(waiting) >= mostInLane {
		waiting = s.dropWaiting(lane, waiting)
	}
	s.lanes[lane] = append(waiting, t)
	if len(waiting) == 0 {
		s.working.Go(func() { s.work(ctx, lane) })
	}
}

// dropWaiting drops a lane's tasks but the running one: the thread's messages are
// read instead. The caller holds the lock.
func (s *stream) dropWaiting(lane string, waiting []task) []task {
	s.receiver.log.Error("too many events of a thread wait; reading its messages instead", "ref", lane, "count", len(waiting)-1)
	s.receiver.threads.known.fallBehind(lane)
	for range waiting[1:] {
		<-s.room
	}
	return waiting[:1:1]
}

// work runs the tasks of a lane. Those behind one that was not done at the end are left,
// too: the next connection reads them in their order.
func (s *stream) work(ctx context.Context, lane string) {
	for {
		s.mu.Lock()
		t := s.lanes[lane][0]
		s.mu.Unlock()
		done := s.runWithRetry(ctx, lane, t)
		<-s.room
		s.mu.Lock()
		rest := s.lanes[lane][1:]
		for ; !done && len(rest) > 0; rest = rest[1:] {
			<-s.room
		}
		if s.lanes[lane] = rest; len(rest) == 0 {
			delete(s.lanes, lane)
		}
		s.mu.Unlock()
		if len(rest) == 0 {
			return
		}
	}
}

// runWithRetry retries a task until it is done, or false when relay ends. A permanent
// failure is logged without the event's content.
func (s *stream) runWithRetry(ctx context.Context, lane string, t task) (done bool) {
	r := s.receiver
	defer r.delays.end(r.log, lane)
	for n := 1; ctx.Err() == nil && !(t.again && s.ended()); n++ {
		err := t.do(ctx)
		if err == nil || ctx.Err() != nil {
			return err == nil
		}
		var misconfigured *chat.Misconfigured
		if errors.Is(err, chat.ErrPermanent) || errors.As(err, &misconfigured) {
			r.log.Warn("skipping a Discord event", "event", t.what, "err", err)
			return true
		}
		r.delays.note(r.log, lane, t.what, err)
		if !s.rest(ctx, storePause(n)) {
			return false
		}
	}
	return false
}

// rest pauses, and reports false when relay ends.
func (s *stream) rest(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-s.ending:
	case <-ctx.Done():
	}
	return false
}

func (s *stream) ended() bool {
	select {
	case <-s.ending:
		return true
	default:
		return false
	}
}

// delays are the lanes whose task is being retried.
type delays struct {
	mu   sync.Mutex
	errs map[string]error
}

// note stores why a lane is delayed, and logs the beginning.
func (l *delays) note(log *slog.Logger, lane, what string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.errs == nil {
		l.errs = map[string]error{}
	}
	if l.errs[lane] == nil {
		log.Error("an event from Discord is delayed; retrying", "ref", lane, "event", what, "err", err)
	}
	l.errs[lane] = err
}

// end stores that a lane is no longer delayed.
func (l *delays) end(log *slog.Logger, lane string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.errs[lane] != nil {
		delete(l.errs, lane)
		log.Info("events from Discord are no longer delayed", "ref", lane)
	}
}

// trouble reports delayed lanes, nil for none.
func (l *delays) trouble() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, err := range l.errs {
		return fmt.Errorf("messages in %d of Discord's threads are not received yet: %w", len(l.errs), err)
	}
	return nil
}
