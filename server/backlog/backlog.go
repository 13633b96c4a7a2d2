// Package backlog holds the latest events of operators for the streams of bridge mode, in
// memory or in the database, which all nodes read. It imports chat only.
package backlog

import (
	"context"
	"errors"
	"math/rand/v2"
	"regexp"
	"sort"
	"strconv"
	"sync"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// Bounds of a backlog.
const (
	Events    = 10_000 // that are held at most
	bytesMost = 64 << 20
	life      = 10 * time.Minute
)

// ErrBehind ends a stream whose reader is so slow that its next event was dropped.
// It can resume with the oldest one that is left.
var ErrBehind = errors.New("the reader is too slow")

// Backlog holds the latest events of operators, rendered for the streams of bridge
// mode. Every stream reads it at its own pace, so none waits for another. Events are
// numbered from 1 at each start of relay, or by the database (see [Open]).
type Backlog struct {
	name  string // of these numbers: of this start of relay, or of the database
	files *chat.FileLinks
	now   func() time.Time
	saved *saved // nil where the events are in memory alone

	mu      sync.Mutex
	entries []entry
	ever    int64 // entries that there were, those that were dropped included
	last    int64 // number of the newest event
	bytes   int
	readers map[*Reader]struct{}
	closed  bool
}

// entry is one event, rendered once for all streams. A state of a saved backlog is not
// stored: it has the number of the event before it.
type entry struct {
	number    int64
	sessionID string
	common    bool // a message, an edit or a deletion: the types that every stream shows
	at        time.Time
	frame     []byte
}

// New makes an empty backlog. files makes the links to operators' files.
func New(files *chat.FileLinks) *Backlog {
	return &Backlog{name: newName(), files: files, now: time.Now, readers: map[*Reader]struct{}{}}
}

// newName returns a name that no other backlog has.
func newName() string { return strconv.FormatUint(rand.Uint64(), 36) }

// Publish stores an event that operators made on a platform, and wakes the streams.
// It is a tap of the hub.
func (b *Backlog) Publish(e *chat.Event) {
	if b.saved != nil && e.Rev != 0 {
		ring(b.saved.bell) // it is in the database, at its place among those of other nodes
		return
	}
	data, common := operatorEvent(e, b.files)
	if data == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	number := b.last
	if b.saved == nil {
		number++
	}
	b.add(number, e.SessionID, data, common)
	b.expire()
	b.wakeAll()
}

// add adds a rendered event. The caller holds the lock.
func (b *Backlog) add(number int64, sessionID string, data []byte, common bool) {
	frame := make([]byte, 0, len(data)+48)
	frame = append(frame, "id: "...)
	frame = append(frame, b.id(number)...)
	frame = append(append(append(frame, "\ndata: "...), data...), "\n\n"...)
	b.entries = append(b.entries, entry{number, sessionID, common, b.now(), frame})
	b.last, b.ever, b.bytes = number, b.ever+1, b.bytes+len(frame)
}

func (b *Backlog) wakeAll() {
	for r := range b.readers {
		ring(r.Bell)
	}
}

// expire drops the oldest entries beyond the bounds.
func (b *Backlog) expire() {
	old := b.now().Add(-life)
	n := 0
	for n < len(b.entries) && (len(b.entries)-n > Events || b.bytes > bytesMost || b.entries[n].at.Before(old)) {
		b.bytes -= len(b.entries[n].frame)
		b.entries[n] = entry{}
		n++
	}
	b.entries = b.entries[n:]
}

func (b *Backlog) id(n int64) string { return b.name + "-" + strconv.FormatInt(n, 10) }

// oldest is the place of the oldest entry that is held, among all that there were.
func (b *Backlog) oldest() int64 { return b.ever - int64(len(b.entries)) }

// Read starts a reader after an event's id, or with "" at the next event. After an
// id of other numbers it gets everything that is held. An id of another form is
// rejected: it says nothing about what was read.
func (b *Backlog) Read(ctx context.Context, after, sessionID string, all bool) (*Reader, error) {
	if err := b.reach(ctx, after); err != nil {
		return nil, err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.expire()
	r := &Reader{backlog: b, sessionID: sessionID, all: all, next: b.ever, last: b.last, Bell: make(chan struct{}, 1)}
	if after != "" {
		n, current, err := b.number(after)
		if err != nil {
			return nil, err
		}
		r.next, r.last = b.behind(n, current)
		ring(r.Bell)
	}
	if b.closed {
		close(r.Bell)
	} else {
		b.readers[r] = struct{}{}
	}
	return r, nil
}

// behind returns the place of the first entry to read after a number, and the number of
// the last event before it.
func (b *Backlog) behind(n int64, current bool) (place, last int64) {
	if !current {
		n = 0
	}
	i := sort.Search(len(b.entries), func(i int) bool { return b.entries[i].number > n })
	switch {
	case i > 0:
		n = b.entries[i-1].number
	case i < len(b.entries):
		n = max(n, b.entries[0].number-1)
	default:
		n = b.last
	}
	return b.oldest() + int64(i), n
}

// streamID matches ids: a name and a number.
var streamID = regexp.MustCompile(`^([0-9a-z]{1,13})-(0|[1-9][0-9]{0,17})$`)

// number reads an id and reports whether it is of these numbers. A database that was
// restored, or failed over, may not know it any more.
func (b *Backlog) number(id string) (n int64, current bool, err error) {
	parts := streamID.FindStringSubmatch(id)
	if parts == nil {
		return 0, false, chat.Errorf(chat.Invalid, "Last-Event-ID must be an id of this stream, or left out")
	}
	n, _ = strconv.ParseInt(parts[2], 10, 64) // 18 digits always fit
	current = parts[1] == b.name
	if current && n > b.last && b.saved != nil {
		return n, false, nil
	}
	if current && n > b.last {
		return 0, false, chat.Errorf(chat.Invalid, "Last-Event-ID must be an id of this stream, or left out: there was no such event yet")
	}
	return n, current, nil
}

// Close ends all streams, each after its remaining events.
func (b *Backlog) Close() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.closed {
		return
	}
	b.closed = true
	for r := range b.readers {
		close(r.Bell)
	}
	clear(b.readers)
}

// Reader is one stream's place in the backlog.
type Reader struct {
	backlog   *Backlog
	sessionID string        // "" for all
	all       bool          // all types
	next      int64         // the place of the next entry
	last      int64         // the number of the last event that was read
	Bell      chan struct{} // rung when there is something to read, closed in the end
}

// Readers counts the readers.
func (b *Backlog) Readers() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.readers)
}

// Place is the id of the last event that the reader has read.
func (r *Reader) Place() string { return r.backlog.id(r.last) }

// ring rings a bell that holds one ring.
func ring(bell chan struct{}) {
	select {
	case bell <- struct{}{}:
	default:
	}
}

// Frames appends the next frames to write, about most bytes of them, and
// reports whether there is more.
func (r *Reader) Frames(buf []byte, most int) (_ []byte, more bool, err error) {
	b := r.backlog
	b.mu.Lock()
	defer b.mu.Unlock()
	oldest := b.oldest()
	if r.next < oldest {
		return buf, false, ErrBehind
	}
	for ; r.next < b.ever; r.next++ {
		if len(buf) >= most {
			return buf, true, nil
		}
		e := &b.entries[r.next-oldest]
		r.last = e.number
		if (e.common || r.all) && (r.sessionID == "" || r.sessionID == e.sessionID) {
			buf = append(buf, e.frame...)
		}
	}
	return buf, false, nil
}

// Close ends the reader.
func (r *Reader) Close() {
	r.backlog.mu.Lock()
	defer r.backlog.mu.Unlock()
	delete(r.backlog.readers, r)
}
