package discord

import (
	"cmp"
	"strconv"
	"sync"
	"time"
)

// maxThreads bounds what is remembered of threads and of channels that are none
// of ours; all are forgotten then, and learnt again from what comes.
const maxThreads = 50000

// threads remembers the threads of the bridge's channel.
type threads struct {
	mu     sync.Mutex
	known  map[string]*thread
	refs   map[string]string // by session: its newest thread
	others map[string]bool   // channels that are no threads of ours
	epoch  int               // how often a connection began anew
}

// thread is what is known of one.
type thread struct {
	session string // bridge mode; "" when its name does not tell
	closed  bool   // archived, or about to be by the bridge itself
	locked  bool
	heard   string    // the newest message that was told or read
	epoch   int       // the threads' when its messages were read last
	turned  time.Time // when it was last archived or opened again, by Discord's clock
}

func newThreads() *threads {
	return &threads{known: map[string]*thread{}, refs: map[string]string{}, others: map[string]bool{}}
}

// learn keeps what a thread's channel object tells and reports whether it was
// known.
func (t *threads) learn(c *channel, session string) (known bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	one, known := t.known[c.ID]
	if !known {
		t.bound()
		one = &thread{closed: c.archived()}
		t.known[c.ID] = one
	}
	one.locked = c.locked()
	if session != "" {
		one.session = session
		if old := t.refs[session]; older(old, c.ID) {
			t.refs[session] = c.ID
		}
	}
	return known
}

// bound forgets all when it is too much. The caller holds the lock.
func (t *threads) bound() {
	if len(t.known) >= maxThreads || len(t.others) >= maxThreads {
		clear(t.known)
		clear(t.refs)
		clear(t.others)
	}
}

// foreign notes that a channel is no thread of ours.
func (t *threads) foreign(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.bound()
	t.others[id] = true
}

// forget drops a thread that is gone and reports whether it was known.
func (t *threads) forget(id string) (known bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	one, known := t.known[id]
	if known && t.refs[one.session] == id {
		delete(t.refs, one.session)
	}
	delete(t.known, id)
	return known
}

// get returns what is known of a thread; other tells that it is known to be
// none of ours.
func (t *threads) get(id string) (one thread, known, other bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if one := t.known[id]; one != nil {
		return *one, true, false
	}
	return thread{}, false, t.others[id]
}

// turn notes that a thread is closed or open and reports whether it was known
// to be otherwise. Whoever turns it notes it before, so that what Discord then
// tells of it is no news.
func (t *threads) turn(id string, closed bool) (news bool) {
	t.mu.Lock()
	defer t.mu.Unlock()
	one := t.known[id]
	if one == nil || one.closed == closed {
		return false
	}
	one.closed = closed
	return true
}

// stamp notes when a thread was turned: what is told of earlier turns is late.
func (t *threads) stamp(id string, at time.Time) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if one := t.known[id]; one != nil && at.After(one.turned) {
		one.turned = at
	}
}

// saw notes the newest message of a thread that was told or read.
func (t *threads) saw(id, message string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if one := t.known[id]; one != nil && older(one.heard, message) {
		one.heard = message
	}
}

// begin notes that a connection began anew: in every thread something may have
// been missed.
func (t *threads) begin() {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.epoch++
}

// behind reports whether the messages of a thread have to be read before
// anything that is told of it, and for which connection.
func (t *threads) behind(id string) (one thread, behind bool, epoch int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if one := t.known[id]; one != nil {
		return *one, one.epoch < t.epoch, t.epoch
	}
	return thread{}, false, t.epoch
}

// read notes that the messages of a thread were read for a connection, unless it
// fell behind again meanwhile.
func (t *threads) read(id string, before, epoch int) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if one := t.known[id]; one != nil && one.epoch == before {
		one.epoch = epoch
	}
}

// born notes that a thread was made just now: nothing of it was missed.
func (t *threads) born(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if one := t.known[id]; one != nil && one.heard == "" {
		one.epoch, one.heard = t.epoch, id
	}
}

// fallBehind has the messages of a thread read again.
func (t *threads) fallBehind(id string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if one := t.known[id]; one != nil {
		one.epoch = min(one.epoch, 0) - 1
	}
}

func (t *threads) ref(session string) string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.refs[session]
}

// open lists the threads that are not closed.
func (t *threads) open() (ids []string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	for id, one := range t.known {
		if !one.closed {
			ids = append(ids, id)
		}
	}
	return ids
}

// older reports whether a snowflake was made before another. They are numbers
// without leading zeros; "" is before all.
func older(a, b string) bool { return len(a) < len(b) || len(a) == len(b) && a < b }

// compareIDs orders snowflakes by when they were made.
func compareIDs(a, b string) int { return cmp.Or(cmp.Compare(len(a), len(b)), cmp.Compare(a, b)) }

// epoch is where Discord's snowflakes begin, in ms (Discord, "Snowflakes").
const epoch = 1420070400000

// snowflakeAt is the snowflake before all of a moment.
func snowflakeAt(t time.Time) string {
	return strconv.FormatInt(max(t.UnixMilli()-epoch, 1)<<22-1, 10)
}

// madeAt is the moment at which a snowflake was made.
func madeAt(id string) time.Time {
	n, err := strconv.ParseInt(id, 10, 64)
	if err != nil {
		return time.Time{}
	}
	return time.UnixMilli(n>>22 + epoch)
}
