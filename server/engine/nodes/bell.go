package nodes

import (
	"context"
	"encoding/json"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// The kinds of notes between nodes. Each is short: they go through one queue of the
// database.
const (
	noteHello  = "h" // this node listens: what is there?
	noteBye    = "b"
	noteFreed  = "l" // a lease is free
	NoteStored = "s" // session, first and last revision, "sink sink:delay …"; see RingEvents
	noteMissed = "r" // some notes could not be sent
)

// Bounds of the doorbell.
const (
	ringEvery   = 5 * time.Millisecond
	ringAgain   = 250 * time.Millisecond // after a failure
	ringLimit   = 5 * time.Second
	maxRinging  = 20_000 // notes that wait while the database is away
	maxDests    = 40     // bytes of a note's sinks
	listenAgain = time.Second
)

// Note is a message of one node to the others.
type Note struct {
	From, Kind string
	Args       []json.RawMessage
}

// bell holds the notes that are to be sent, and those that were received.
type bell struct {
	mu      sync.Mutex
	events  map[string]*ringing // by session
	order   []string            // of events
	notes   []string
	dropped bool
	out     chan struct{} // there is something to send

	receivedMu sync.Mutex
	received   []Note
	in         chan struct{} // there is something received
}

// Wake is a lane to which a transaction added work.
type Wake struct {
	Dest, SessionID string
	Due             chat.Time
}

// ringing are the events of one session that the others do not know yet.
type ringing struct {
	first, last int64
	dests       map[string]time.Duration
}

func newBell() bell {
	return bell{events: map[string]*ringing{}, out: make(chan struct{}, 1), in: make(chan struct{}, 1)}
}

// Ring sends the other nodes a note, soon. It does not wait.
func (n *Nodes) Ring(kind string, args ...any) {
	if n.many.Load() {
		n.put(kind, args...)
	}
}

func (n *Nodes) put(kind string, args ...any) {
	text := n.encode(kind, args...)
	b := &n.bell
	b.mu.Lock()
	defer b.mu.Unlock()
	b.notes = append(b.notes, text)
	b.bound()
	signal(b.out)
}

func (n *Nodes) encode(kind string, args ...any) string {
	return string(chat.MustJSON(append([]any{n.Name(), kind}, args...)))
}

// RingEvents notifies the other nodes which events of a session are stored, and where
// they go. Those of one session that come together are one note.
func (n *Nodes) RingEvents(sessionID string, first, last int64, wakes []Wake, now chat.Time) {
	if !n.many.Load() {
		return
	}
	b := &n.bell
	b.mu.Lock()
	defer b.mu.Unlock()
	r := b.events[sessionID]
	if r == nil {
		r = &ringing{first: first, last: last, dests: map[string]time.Duration{}}
		b.events[sessionID], b.order = r, append(b.order, sessionID)
	}
	if first != 0 && (r.first == 0 || first < r.first) {
		r.first = first
	}
	r.last = max(r.last, last)
	for _, w := range wakes {
		delay := max(w.Due.Sub(now), 0)
		if before, known := r.dests[w.Dest]; !known || delay < before {
			r.dests[w.Dest] = delay
		}
	}
	b.bound()
	signal(b.out)
}

// bound drops everything when too much waits: the others then read what they need.
func (b *bell) bound() {
	if len(b.notes)+len(b.order) > maxRinging {
		b.notes, b.order, b.dropped = nil, nil, true
		clear(b.events)
	}
}

func signal(c chan struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// take returns the notes that wait, and whether some were dropped.
func (n *Nodes) take() (texts []string, dropped bool) {
	b := &n.bell
	b.mu.Lock()
	defer b.mu.Unlock()
	texts = b.notes
	for _, id := range b.order {
		r := b.events[id]
		for i, dests := range joined(r.dests) {
			if i > 0 {
				r.first, r.last = 0, 0
			}
			texts = append(texts, n.encode(NoteStored, id, r.first, r.last, dests))
		}
	}
	if b.dropped {
		texts = append(texts, n.encode(noteMissed))
	}
	dropped = b.dropped
	b.notes, b.order, b.dropped = nil, nil, false
	clear(b.events)
	return texts, dropped
}

// joined lists sinks with their delays, in portions that fit into a note.
func joined(dests map[string]time.Duration) (portions []string) {
	text := ""
	for name, delay := range dests {
		if delay > 0 {
			name += ":" + strconv.FormatInt(delay.Milliseconds(), 10)
		}
		name = strings.ReplaceAll(name, " ", "_")
		if text != "" && len(text)+len(name) > maxDests {
			portions, text = append(portions, text), ""
		}
		if text != "" {
			text += " "
		}
		text += name
	}
	return append(portions, text)
}

// SplitDests calls wake with each sink of a text by joined.
func SplitDests(text string, wake func(dest string, delay time.Duration)) {
	for _, name := range strings.Fields(text) {
		name, delay, _ := strings.Cut(name, ":")
		ms, _ := strconv.ParseInt(delay, 10, 64)
		wake(strings.ReplaceAll(name, "_", " "), time.Duration(ms)*time.Millisecond)
	}
}

// keepRinging sends notes until ctx ends: one goroutine, after the commits that they
// are about.
func (n *Nodes) keepRinging(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-n.bell.out:
		}
		pause := ringEvery
		if !n.flush(ctx) {
			pause = ringAgain
		}
		_ = chat.Rest(ctx, pause) // the loop ends with ctx
	}
}

// flush sends what waits and reports whether that worked.
func (n *Nodes) flush(ctx context.Context) bool {
	texts, dropped := n.take()
	if dropped {
		n.on.Met() // what was dropped may have been about who is here
	}
	if len(texts) == 0 {
		return true
	}
	limited, cancel := context.WithTimeout(ctx, ringLimit)
	defer cancel()
	err := n.cluster.Ring(limited, texts)
	if err == nil {
		return true
	}
	n.ReportFailure("other nodes cannot be notified", err)
	b := &n.bell
	b.mu.Lock()
	defer b.mu.Unlock()
	b.notes = append(texts, b.notes...)
	b.bound()
	signal(b.out)
	return false
}

// keepListening receives notes of the other nodes until ctx ends.
func (n *Nodes) keepListening(ctx context.Context) {
	for ctx.Err() == nil {
		err := n.cluster.Listen(ctx, n.listening, n.receive)
		if ctx.Err() == nil {
			n.ReportFailure("this node cannot receive from the others", err)
			_ = chat.Rest(ctx, listenAgain) // the loop ends with ctx
		}
	}
}

// listening is called when this node misses no note any more.
func (n *Nodes) listening(polls bool) {
	if polls && n.polling.Allow() > 0 {
		n.log.Warn("PostgreSQL's notifications do not arrive, as behind a pooler in transaction mode: this node polls for changes of the others each second; " +
			"let DATABASE_DIRECT_URL lead to PostgreSQL itself")
	}
	n.put(noteHello)
	n.on.Met() // the others may have begun to listen before this node heard their hello
	n.missed()
}

// receive takes a text of a node. It does not wait.
func (n *Nodes) receive(text string) {
	var fields []json.RawMessage
	var got Note
	if json.Unmarshal([]byte(text), &fields) != nil || len(fields) < 2 ||
		json.Unmarshal(fields[0], &got.From) != nil || json.Unmarshal(fields[1], &got.Kind) != nil {
		return // of a later version
	}
	if got.From == n.Name() {
		return
	}
	got.Args = fields[2:]
	b := &n.bell
	b.receivedMu.Lock()
	defer b.receivedMu.Unlock()
	b.received = append(b.received, got)
	signal(b.in)
}

// keepReceiving handles notes until ctx ends, those that came together at once.
func (n *Nodes) keepReceiving(ctx context.Context) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-n.bell.in:
		}
		n.bell.receivedMu.Lock()
		notes := n.bell.received
		n.bell.received = nil
		n.bell.receivedMu.Unlock()
		if others := n.own(notes); len(others) > 0 {
			n.on.Receive(others)
		}
	}
}

// own handles the notes about nodes, and those that others subscribed to, and returns the
// rest.
func (n *Nodes) own(notes []Note) (others []Note) {
	for _, got := range notes {
		if got.Kind == noteBye {
			n.part(got.From)
			continue
		}
		n.greet(got.From)
		switch got.Kind {
		case noteHello:
			n.on.Met()
		case noteFreed:
			n.leases.nudge()
		case noteMissed:
			n.missed()
		default:
			if !n.dispatch(&got) {
				others = append(others, got)
			}
		}
	}
	return others
}

// Arg decodes an argument of a note; a missing one stays as it is.
func (g *Note) Arg(i int, into any) bool {
	return i < len(g.Args) && json.Unmarshal(g.Args[i], into) == nil
}
