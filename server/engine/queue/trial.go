package queue

import (
	"sync"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// leastTries is how often a delivery must have failed in this run of relay before its
// age counts: an old backlog must survive a network that is still starting.
const leastTries = 20

// outageLeast is how long everything must fail to count as an outage.
const outageLeast = 10 * time.Second

// trial is this run's record of a failing delivery.
// Its times are by the monotonic clock.
type trial struct {
	first    time.Time // the first failed attempt
	count    int       // failed attempts
	until    time.Time // when the next one is due
	receiver string    // that it waits for
	failing  bool      // it pauses because it failed, not because it was asked to wait
	shown    bool      // operators saw that it is in trouble
}

// trials are a sink's failing deliveries, and the receivers that fail.
type trials struct {
	mu   sync.Mutex
	of   map[trialKey]*trial
	down map[string]*outage
}

// outage is the time since a receiver's first failure after something worked.
type outage struct {
	since    time.Time
	reported bool
}

type trialKey struct {
	sessionID string
	rev       int64
}

// get returns a delivery's trial, new if it has none. The caller holds the lock.
func (t *trials) get(sessionID string, rev int64) *trial {
	k := trialKey{sessionID, rev}
	if t.of == nil {
		t.of = map[trialKey]*trial{}
	}
	if t.of[k] == nil {
		t.of[k] = &trial{}
	}
	return t.of[k]
}

// rest notes that a delivery waits for its next attempt at a receiver.
func (t *trials) rest(d *chat.Delivery, receiver string, pause time.Duration, failing bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	one := t.get(d.SessionID, d.Rev)
	one.until, one.receiver, one.failing = time.Now().Add(pause), receiver, failing
}

// count counts a failed attempt and reports whether a delivery was tried for
// long enough, and often enough, to be given up.
func (t *trials) count(d *chat.Delivery, longest time.Duration) (enough bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	one := t.get(d.SessionID, d.Rev)
	if one.count++; one.count == 1 {
		one.first = time.Now()
	}
	return one.count >= leastTries && time.Since(one.first) >= longest
}

// due returns when a pausing delivery is due. A stored time that is further
// away than any pause was stored by a wrong clock.
func (t *trials) due(d *chat.Delivery, now chat.Time, longest time.Duration) chat.Time {
	t.mu.Lock()
	one := t.of[trialKey{d.SessionID, d.Rev}]
	t.mu.Unlock()
	switch {
	case one != nil && !one.until.IsZero():
		return min(d.NextAt, now.Add(time.Until(one.until)+time.Millisecond-1))
	case d.CreatedAt > now && d.LastError == "": // it never paused
		return now
	case d.NextAt.Sub(now) > longest:
		return now
	}
	return d.NextAt
}

// show notes that operators see a delivery's trouble, and reports whether it is the
// first time.
func (t *trials) show(sessionID string, rev int64) (first bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	one := t.get(sessionID, rev)
	first, one.shown = !one.shown, true
	return first
}

// end drops a settled delivery and reports whether operators saw it in
// trouble.
func (t *trials) end(d *chat.Delivery) (shown bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	k := trialKey{d.SessionID, d.Rev}
	one := t.of[k]
	delete(t.of, k)
	return one != nil && one.shown
}

// fails notes that a receiver failed and reports, once, that it is an outage.
func (t *trials) fails(receiver string) (is bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	down := t.down[receiver]
	if down == nil {
		if t.down == nil {
			t.down = map[string]*outage{}
		}
		down = &outage{since: time.Now()}
		t.down[receiver] = down
	}
	is = !down.reported && time.Since(down.since) >= outageLeast
	down.reported = down.reported || is
	return is
}

// recovered notes that a receiver works. It returns how long it failed, whether that
// was logged, and after an outage the sessions with failed deliveries, now due.
func (t *trials) recovered(receiver string) (after time.Duration, reported bool, sessions []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	down := t.down[receiver]
	if down == nil {
		return 0, false, nil
	}
	delete(t.down, receiver)
	if after = time.Since(down.since); after < outageLeast {
		return after, down.reported, nil
	}
	now := time.Now()
	for k, one := range t.of {
		if one.failing && one.receiver == receiver && one.until.After(now) {
			one.until = now
			sessions = append(sessions, k.sessionID)
		}
	}
	return after, down.reported, sessions
}
