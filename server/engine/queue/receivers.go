package queue

import (
	"sync"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// maxReceivers bounds for how many receivers of one sink lanes are served at once.
const maxReceivers = 32

// receivers keep apart what concerns the receivers of one sink: their pauses, and how many of
// their lanes are served at once. A sink without [chat.Policy.Receivers] has one receiver, "".
type receivers struct {
	policy *chat.Policy

	mu     sync.Mutex
	pauses map[string]time.Time       // their ends, by the monotonic clock
	served map[string]map[string]bool // the lanes of a receiver
	parked map[string]map[string]bool // the lanes for which too many others are served
}

func newReceivers(p *chat.Policy) *receivers {
	return &receivers{policy: p, pauses: map[string]time.Time{}, served: map[string]map[string]bool{}, parked: map[string]map[string]bool{}}
}

// count is how many there are now.
func (r *receivers) count() int {
	if r.policy.Receivers == nil {
		return 1
	}
	return min(max(r.policy.Receivers(), 1), maxReceivers)
}

// parallel is how many lanes are served at once.
func (r *receivers) parallel() int { return r.policy.Parallel * r.count() }

// of is a delivery's receiver.
func (r *receivers) of(d *chat.Delivery) string {
	if r.policy.Receiver == nil {
		return ""
	}
	return r.policy.Receiver(d)
}

// enter reports whether a lane may be served, and holds its place until leave. A lane that
// must wait is returned by leave.
func (r *receivers) enter(lane string, d *chat.Delivery) bool {
	if r.count() == 1 {
		return true
	}
	receiver := r.of(d)
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.served[receiver][lane] {
		return true
	}
	r.drop(lane)
	if len(r.served[receiver]) >= r.policy.Parallel {
		put(r.parked, receiver, lane)
		return false
	}
	put(r.served, receiver, lane)
	return true
}

func put(lanes map[string]map[string]bool, receiver, lane string) {
	if lanes[receiver] == nil {
		lanes[receiver] = map[string]bool{}
	}
	lanes[receiver][lane] = true
}

// drop frees a lane's place. The caller holds the lock.
func (r *receivers) drop(lane string) {
	for receiver, lanes := range r.served {
		if delete(lanes, lane); len(lanes) == 0 {
			delete(r.served, receiver)
		}
	}
}

// leave frees a lane's place and returns the lanes for which there is one now.
func (r *receivers) leave(lane string) (next []string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.drop(lane)
	for receiver, waiting := range r.parked {
		free := r.policy.Parallel - len(r.served[receiver])
		for other := range waiting {
			if free--; free < 0 {
				break
			}
			delete(waiting, other)
			next = append(next, other)
		}
		if len(waiting) == 0 {
			delete(r.parked, receiver)
		}
	}
	return next
}

// pause pauses a receiver.
func (r *receivers) pause(receiver string, rest time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if until := time.Now().Add(rest); until.After(r.pauses[receiver]) {
		r.pauses[receiver] = until
	}
}

// resume ends the pauses of all receivers, or of one.
func (r *receivers) resume(only ...string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if len(only) == 0 {
		clear(r.pauses)
	}
	for _, receiver := range only {
		delete(r.pauses, receiver)
	}
}

// paused returns the end of the pause of the whole sink, a past time if there is none: with
// several receivers each has its own.
func (r *receivers) paused() chat.Time {
	if r.count() > 1 {
		return 0
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	var last time.Time
	for _, until := range r.pauses {
		if until.After(last) {
			last = until
		}
	}
	return pauseEnd(last)
}

// pausedFor returns the end of the pause that concerns a delivery.
func (r *receivers) pausedFor(d *chat.Delivery) chat.Time {
	if r.count() == 1 {
		return r.paused()
	}
	receiver := r.of(d)
	r.mu.Lock()
	defer r.mu.Unlock()
	return pauseEnd(r.pauses[receiver])
}

func pauseEnd(until time.Time) chat.Time {
	if rest := time.Until(until); rest > 0 {
		return chat.Now().Add(rest + time.Millisecond - 1)
	}
	return 0
}
