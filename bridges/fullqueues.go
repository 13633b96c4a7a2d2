package bridges

import (
	"context"
	"log/slog"
	"sync"
	"time"

	"github.com/relay-chat/relay/server/engine"
)

// mostFullQueues bounds the notices that wait: there are fewer destinations.
const mostFullQueues = 16

// FullQueues reports the events that full queues drop: in the log at once, then
// once an hour, and to operators once per outage.
type FullQueues struct {
	log     *slog.Logger
	notices chan string

	mu            sync.Mutex
	dropped       map[string]int
	lastLogged    map[string]time.Time
	pendingNotice map[string]bool
}

func NewFullQueues(log *slog.Logger) *FullQueues {
	return &FullQueues{log: log, notices: make(chan string, mostFullQueues),
		dropped: map[string]int{}, lastLogged: map[string]time.Time{}, pendingNotice: map[string]bool{}}
}

// Dropped counts events of a destination that were dropped. first marks those
// that begin an outage.
func (q *FullQueues) Dropped(dest string, events int, first bool) {
	q.mu.Lock()
	defer q.mu.Unlock()
	q.dropped[dest] += events
	q.pendingNotice[dest] = q.pendingNotice[dest] || first
	if time.Since(q.lastLogged[dest]) < time.Hour {
		return
	}
	q.lastLogged[dest] = time.Now()
	q.log.Error("queue full: dropping its oldest events", "destination", dest, "dropped", q.dropped[dest])
	if q.pendingNotice[dest] {
		select {
		case q.notices <- dest:
			q.pendingNotice[dest] = false
		default: // retried in an hour
		}
	}
}

// Notify posts the notices to the other destinations until ctx ends.
func (q *FullQueues) Notify(ctx context.Context, relay *engine.Relay) error {
	for {
		select {
		case <-ctx.Done():
			return nil
		case dest := <-q.notices:
			text := "The queue of " + dest + " is full because it was unreachable for too long or is too slow. Its oldest events are dropped and will not be delivered."
			if err := relay.Notice(ctx, dest, text); err != nil {
				q.log.Error("cannot notify operators of a full queue", "destination", dest, "err", err)
			}
		}
	}
}
