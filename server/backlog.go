package server

import (
	"errors"
	"math/rand/v2"
	"regexp"
	"strconv"
	"sync"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// Bounds of a backlog.
const (
	backlogEvents = 10_000
	backlogBytes  = 64 << 20
	backlogLife   = 10 * time.Minute
)

// errBehind ends a stream whose reader is so slow that its next event was dropped.
// It can resume with the oldest one that is left.
var errBehind = errors.New("the reader is too slow")

// Backlog holds the latest events of operators, rendered for the streams of bridge
// mode. Every stream reads it at its own pace, so none waits for another. Events are
// numbered from 1 at each start of relay.
type Backlog struct {
	boot  string // identifies this start of relay
	files *chat.FileLinks
	now   func() time.Time

	mu      sync.Mutex
	entries []entry
	last    int64 // number of the newest entry
	bytes   int
	readers map[*backlogReader]struct{}
	closed  bool
}

// entry is one event, rendered once for all streams.
type entry struct {
	sessionID string
	common    bool // a message, an edit or a deletion: the types that every stream shows
	at        time.Time
	frame     []byte
}

// NewBacklog makes an empty backlog. files makes the links to operators' files.
func NewBacklog(files *chat.FileLinks) *Backlog {
	return &Backlog{boot: strconv.FormatUint(rand.Uint64(), 36), files: files, now: time.Now, readers: map[*backlogReader]struct{}{}}
}

// Publish stores an event that operators made on a platform, and wakes the streams.
// It is a tap of the hub.
func (b *Backlog) Publish(e *chat.Event) {
	data, common := operatorEvent(e, b.files)
	if data == nil {
		return
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	b.last++
	frame := make([]byte, 0, len(data)+48)
	frame = append(frame, "id: "...)
	frame = append(frame, b.id(b.last)...)
	frame = append(append(append(frame, "\ndata: "...), data...), "\n\n"...)
	b.entries = append(b.entries, entry{e.SessionID, common, b.now(), frame})
	b.bytes += len(frame)
	b.expire()
	for r := range b.readers {
		r.wake()
	}
}

// expire drops the oldest entries beyond the bounds.
func (b *Backlog) expire() {
	old := b.now().Add(-backlogLife)
	n := 0
	for n < len(b.entries) && (len(b.entries)-n > backlogEvents || b.bytes > backlogBytes || b.entries[n].at.Before(old)) {
		b.bytes -= len(b.entries[n].frame)
		b.entries[n] = entry{}
		n++
	}
	b.entries = b.entries[n:]
}

func (b *Backlog) id(n int64) string { return b.boot + "-" + strconv.FormatInt(n, 10) }

// oldest is the number of the oldest entry that is held.
func (b *Backlog) oldest() int64 { return b.last - int64(len(b.entries)) + 1 }

// read starts a reader after an event's id, or with "" at the next event. After an
// id of an earlier start of relay it gets everything that is held. An id of
// another form is rejected: it says nothing about what was read.
func (b *Backlog) read(after, sessionID string, all bool) (*backlogReader, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.expire()
	r := &backlogReader{backlog: b, sessionID: sessionID, all: all, next: b.last + 1, bell: make(chan struct{}, 1)}
	if after != "" {
		n, current, err := b.number(after)
		if err != nil {
			return nil, err
		}
		r.next = b.oldest()
		if current {
			r.next = max(r.next, n+1)
		}
		r.wake()
	}
	if b.closed {
		close(r.bell)
	} else {
		b.readers[r] = struct{}{}
	}
	return r, nil
}

// streamID matches ids: a start of relay and a number.
var streamID = regexp.MustCompile(`^([0-9a-z]{1,13})-(0|[1-9][0-9]{0,17})$`)

// number reads an id and reports whether this start of relay gave it.
func (b *Backlog) number(id string) (n int64, current bool, err error) {
	parts := streamID.FindStringSubmatch(id)
	if parts == nil {
		return 0, false, badRequest("Last-Event-ID must be an id of this stream, or left out")
	}
	n, _ = strconv.ParseInt(parts[2], 10, 64) // 18 digits always fit
	current = parts[1] == b.boot
	if current && n > b.last {
		return 0, false, badRequest("Last-Event-ID must be an id of this stream, or left out: there was no such event yet")
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
		close(r.bell)
	}
	clear(b.readers)
}

// backlogReader is one stream's place in the backlog.
type backlogReader struct {
	backlog   *Backlog
	sessionID string // "" for all
	all       bool   // all types
	next      int64
	bell      chan struct{} // rung when there is something to read, closed in the end
}

// open counts the readers.
func (b *Backlog) open() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.readers)
}

// place is the id of the last event that the reader has read.
func (r *backlogReader) place() string { return r.backlog.id(r.next - 1) }

// wake is called under the backlog's lock.
func (r *backlogReader) wake() {
	select {
	case r.bell <- struct{}{}:
	default:
	}
}

// frames appends the next frames to write, about most bytes of them, and
// reports whether there is more.
func (r *backlogReader) frames(buf []byte, most int) (_ []byte, more bool, err error) {
	b := r.backlog
	b.mu.Lock()
	defer b.mu.Unlock()
	oldest := b.oldest()
	if r.next < oldest {
		return buf, false, errBehind
	}
	for ; r.next <= b.last; r.next++ {
		if len(buf) >= most {
			return buf, true, nil
		}
		if e := &b.entries[r.next-oldest]; (e.common || r.all) && (r.sessionID == "" || r.sessionID == e.sessionID) {
			buf = append(buf, e.frame...)
		}
	}
	return buf, false, nil
}

func (r *backlogReader) close() {
	r.backlog.mu.Lock()
	defer r.backlog.mu.Unlock()
	delete(r.backlog.readers, r)
}
