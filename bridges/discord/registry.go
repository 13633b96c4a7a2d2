package discord

import (
	"cmp"
	"strconv"
	"sync"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/relay-chat/relay/bridges/naming"
)

// maxThreads bounds the remembered threads and other channels. When it is reached,
// all are dropped and learnt again from events.
const maxThreads = 50000

// registry holds what is known of the threads of the bridge's channel.
type registry struct {
	sessions naming.Threads

	mu     sync.Mutex
	known  map[string]*thread
	others map[string]bool          // channels that are not threads of the bridge
	turns  map[string]turn          // what the bridge did to threads that are not known yet
	calls  map[string]chan struct{} // of threads that the bridge is closing or opening; closed behind it
	epoch  int                      // number of new connections
}

// turn is the closing or opening of a thread by the bridge, by Discord's clock.
type turn struct {
	closed bool
	at     time.Time
}

// thread is the state of one thread.
type thread struct {
	session string    // bridge mode; "" when its name has no token
	closed  bool      // archived, or about to be by the bridge itself
	pending bool      // whether a person turned it before it was known is still to be stored
	newest  string    // the newest message that was received or read
	epoch   int       // of registry, when its messages were read last
	turned  time.Time // when it was last archived or reopened, by Discord's clock
}

func newRegistry() *registry {
	return &registry{known: map[string]*thread{}, others: map[string]bool{}, turns: map[string]turn{}, calls: map[string]chan struct{}{}}
}

// learn stores a thread's state and reports whether it was known.
func (t *registry) learn(c *channel, session string) (known bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	one, known := t.known[c.ID]
	if !known {
		t.bound()
		one = &thread{closed: c.archived()}
		if own, did := t.turns[c.ID]; did { // what the gateway lists may be older
			if one.turned = own.at; own.at.After(c.Thread.ArchivedAt) {
				one.closed = own.closed
			}
			delete(t.turns, c.ID)
		}
		t.known[c.ID] = one
	}
	if session != "" {
		one.session = session
		t.sessions.Learn(c.ID, session)
	}
	return known
}

// bound drops everything when the limit is reached. The caller holds the lock.
func (t *registry) bound() {
	if len(t.known) >= maxThreads || len(t.others) >= maxThreads || len(t.turns) >= maxThreads {
		clear(t.known)
		clear(t.others)
		clear(t.turns)
	}
}

// foreign stores that a channel is not a thread of the bridge.
func (t *registry) foreign(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.bound()
	t.others[id] = true
}

// forget drops a deleted thread.
func (t *registry) forget(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.sessions.Forget(id)
	delete(t.known, id)
}

// get returns a thread's state; other means that the channel is known not to be a
// thread of the bridge.
func (t *registry) get(id string) (one thread, known, other bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if one := t.known[id]; one != nil {
		return *one, true, false
	}
	return thread{}, false, t.others[id]
}

// setClosed stores that a thread is closed or open and reports whether that changed.
// The bridge calls it before its own changes, so that their events are ignored.
func (t *registry) setClosed(id string, closed bool) (changed bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	one := t.known[id]
	if one == nil || one.closed == closed {
		return false
	}
	one.closed, one.pending = closed, false
	return true
}

// change changes what is known of a thread, if it is known.
func (t *registry) change(id string, how func(one *thread)) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if one := t.known[id]; one != nil {
		how(one)
	}
}

// setPending stores whether a thread's state is still to be stored.
func (t *registry) setPending(id string, pending bool) {
	t.change(id, func(one *thread) { one.pending = pending })
}

// setTurned stores when a thread was closed or opened: earlier changes arrive late, also
// one that was stored while the bridge's own was under way.
func (t *registry) setTurned(id string, closed bool, at time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	one := t.known[id]
	if one == nil {
		t.bound()
		t.turns[id] = turn{closed, at}
		return
	}
	if one.pending = false; at.After(one.turned) {
		one.turned, one.closed = at, closed
	}
}

// beginTurn stores that the bridge closes or opens a thread, until end.
func (t *registry) beginTurn(id string) (end func()) {
	done := make(chan struct{})
	t.mu.Lock()
	defer t.mu.Unlock()
	t.calls[id] = done
	return func() {
		t.mu.Lock()
		defer t.mu.Unlock()
		if close(done); t.calls[id] == done {
			delete(t.calls, id)
		}
	}
}

// turning returns what is closed when the bridge has closed or opened a thread, nil when it is
// not about to.
func (t *registry) turning(id string) <-chan struct{} {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.calls[id]
}

// setNewest stores the newest message of a thread that was received or read.
func (t *registry) setNewest(id, message string) {
	t.change(id, func(one *thread) {
		if naming.Older(one.newest, message) {
			one.newest = message
		}
	})
}

// beginConnection stores that a new connection began: every thread may have missed
// something.
func (t *registry) beginConnection() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.epoch++
}

// behind reports whether a thread's messages have to be read before its next event,
// and for which connection.
func (t *registry) behind(id string) (one thread, behind bool, epoch int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if one := t.known[id]; one != nil {
		return *one, one.epoch < t.epoch, t.epoch
	}
	return thread{}, false, t.epoch
}

// read stores that a thread's messages were read for a connection, unless it fell
// behind again meanwhile.
func (t *registry) read(id string, before, epoch int) {
	t.change(id, func(one *thread) {
		if one.epoch == before {
			one.epoch = epoch
		}
	})
}

// created stores that a thread is new: nothing in it was missed.
func (t *registry) created(id string) {
	t.change(id, func(one *thread) {
		if one.newest == "" {
			one.epoch, one.newest, one.pending = t.epoch, id, false
		}
	})
}

// fallBehind makes a thread's messages be read again.
func (t *registry) fallBehind(id string) {
	t.change(id, func(one *thread) { one.epoch = min(one.epoch, 0) - 1 })
}

// open lists the threads that are not closed.
func (t *registry) open() (ids []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, one := range t.known {
		if !one.closed {
			ids = append(ids, id)
		}
	}
	return ids
}

// compareIDs orders snowflakes by age.
func compareIDs(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }

// epoch is the time of Discord's first snowflake, in ms (Discord, "Snowflakes").
const epoch = 1420070400000

// snowflakeAt returns the last snowflake before a moment.
func snowflakeAt(t time.Time) string {
	return strconv.FormatInt(max(t.UnixMilli()-epoch, 1)<<22-1, 10)
}

// madeAt returns the time of a snowflake.
func madeAt(id string) time.Time {
	at, _ := discordgo.SnowflakeTimestamp(id) // zero for what is no snowflake
	return at
}
