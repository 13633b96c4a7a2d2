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

// stream works on what the gateway tells: each channel's events in order, and
// none behind those of another channel.
type stream struct {
	bridge *Bridge
	in     chat.Receiver

	mu      sync.Mutex
	lanes   map[string][]task // by channel; the first of each is being worked on
	room    chan struct{}     // one for each task that waits
	working sync.WaitGroup    // a goroutine for each lane
	ending  chan struct{}     // closed when relay ends

	last time.Time // when something was told last
	owed time.Time // since when threads may have been closed unnoticed; zero is since the begin
}

// task is one thing to do in a lane, tried until it is done.
type task struct {
	what string // for the log
	do   func(context.Context) error
	// again marks what the next start of relay does as well.
	again bool
}

// How many tasks may wait in all lanes before reading stops, and in one: then
// the thread is read anew.
const (
	mostTasks  = 10000
	mostInLane = 1000
)

func newStream(b *Bridge, in chat.Receiver) *stream {
	return &stream{bridge: b, in: in, lanes: map[string][]task{}, room: make(chan struct{}, mostTasks), ending: make(chan struct{})}
}

// told takes an event in the order of the connection: it only finds out where it
// belongs.
func (s *stream) told(ctx context.Context, kind string, data json.RawMessage) {
	s.heard(kind)
	switch kind {
	case "READY":
		s.bridge.ready(data)
		s.put(ctx, "commands", task{what: kind, again: true, do: func(ctx context.Context) error {
			s.bridge.offerCommands(ctx)
			return nil
		}})
	case "GUILD_CREATE", "THREAD_LIST_SYNC":
		s.guild(ctx, kind, data)
	default:
		if lane, wanted := s.bridge.laneOf(kind, data); wanted {
			s.put(ctx, lane, task{what: kind, do: func(ctx context.Context) error { return s.bridge.take(ctx, s.in, kind, data) }})
		}
	}
}

// heard notes that something was told. What happens until a connection begins
// anew is owed until it was looked for.
func (s *stream) heard(kind string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if kind == "READY" && s.owed.IsZero() {
		s.owed = s.last
	}
	s.last = time.Now()
}

// since is from when on threads have to be looked for that are closed now.
func (s *stream) since() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	begin := s.bridge.begun.Add(-s.bridge.cfg.CatchUp)
	if owed := s.owed.Add(-clockMargin); owed.After(begin) {
		return owed
	}
	return begin
}

// paid notes that they were found.
func (s *stream) paid() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.owed = time.Time{}
}

// put adds a task to a lane. It waits while there are too many.
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
		waiting = s.shed(lane, waiting)
	}
	s.lanes[lane] = append(waiting, t)
	if len(waiting) == 0 {
		s.working.Go(func() { s.work(ctx, lane) })
	}
}

// shed drops what waits in a lane but the task that is being worked on: the
// thread's messages are asked for instead. The caller holds the lock.
func (s *stream) shed(lane string, waiting []task) []task {
	s.bridge.log.Error("too much waits of a thread; its messages are asked for instead", "ref", lane, "count", len(waiting)-1)
	s.bridge.threads.fallBehind(lane)
	for range waiting[1:] {
		<-s.room
	}
	return waiting[:1:1]
}

// work does what waits in a lane.
func (s *stream) work(ctx context.Context, lane string) {
	for {
		s.mu.Lock()
		t := s.lanes[lane][0]
		s.mu.Unlock()
		s.carryOut(ctx, lane, t)
		<-s.room
		s.mu.Lock()
		rest := s.lanes[lane][1:]
		if s.lanes[lane] = rest; len(rest) == 0 {
			delete(s.lanes, lane)
		}
		s.mu.Unlock()
		if len(rest) == 0 {
			return
		}
	}
}

// carryOut tries a task until it is done, or relay ends. What cannot be done is
// logged without what it says.
func (s *stream) carryOut(ctx context.Context, lane string, t task) {
	b := s.bridge
	defer b.lags.end(b.log, lane)
	for n := 1; ctx.Err() == nil && !(t.again && s.ended()); n++ {
		err := t.do(ctx)
		if err == nil || ctx.Err() != nil {
			return
		}
		var human *chat.Misconfigured
		if errors.Is(err, chat.ErrPermanent) || errors.As(err, &human) {
			b.log.Warn("an event of Discord's is passed over", "event", t.what, "err", err)
			return
		}
		b.lags.note(b.log, lane, t.what, err)
		if !s.rest(ctx, storePause(n)) {
			return
		}
	}
}

// rest waits, and reports whether relay goes on.
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

// lags are the lanes in which something could not be done at once.
type lags struct {
	mu   sync.Mutex
	errs map[string]error
}

// note notes why a lane waits, and tells the log when it begins to.
func (l *lags) note(log *slog.Logger, lane, what string, err error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.errs == nil {
		l.errs = map[string]error{}
	}
	if l.errs[lane] == nil {
		log.Error("something that Discord told waits; retrying", "ref", lane, "event", what, "err", err)
	}
	l.errs[lane] = err
}

// end notes that a lane goes on.
func (l *lags) end(log *slog.Logger, lane string) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.errs[lane] != nil {
		delete(l.errs, lane)
		log.Info("what Discord told waits no longer", "ref", lane)
	}
}

// trouble says what waits, nil for nothing.
func (l *lags) trouble() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, err := range l.errs {
		return fmt.Errorf("what was written in %d of Discord's threads is not taken yet: %w", len(l.errs), err)
	}
	return nil
}
