package db

import "time"

// Bounds limit what a database in memory holds (contract.md 4). Zero fields do
// not limit.
type Bounds struct {
	// Sessions is how many sessions are known, with SessionBytes of what is known
	// of their visitors; Idle is how long one is known in which nothing happens.
	// The longest idle one leaves first, and none of which something waits to be
	// delivered, unless there are SessionMost bytes: then those leave, too, and
	// what waits is given up.
	Sessions                  int
	SessionBytes, SessionMost int64
	Idle                      time.Duration
	// Messages and MessageBytes limit the messages that are remembered, of
	// which the oldest are forgotten first.
	Messages     int
	MessageBytes int64
	// Links is how many copies on platforms are remembered, those of notes among
	// them; the oldest are forgotten first.
	Links int
	// A destination's queue is full with more than QueueBytes of events, though
	// not before it holds QueueEvents, and in any case with QueueMost bytes. It
	// then gives up its oldest.
	QueueEvents           int
	QueueBytes, QueueMost int64
	// Full is told how many events a destination gave up, and whether they are
	// the first since its queue was half empty; Failed that the database could
	// not be kept within its bounds. Either may be nil.
	Full   func(dest string, events int, first bool)
	Failed func(error)
}

// BridgeBounds are the bounds of bridge mode.
var BridgeBounds = Bounds{Sessions: 100_000, SessionBytes: 128 << 20, SessionMost: 256 << 20,
	Idle: 24 * time.Hour, Messages: 100_000, MessageBytes: 64 << 20, Links: 300_000,
	QueueEvents: 50_000, QueueBytes: 64 << 20, QueueMost: 256 << 20}

func (b *Bounds) queueFull(q size) bool {
	return b.QueueBytes > 0 && q.bytes > b.QueueBytes && q.n > b.QueueEvents || b.QueueMost > 0 && q.bytes > b.QueueMost
}

// queueHalfEmpty reports whether twice as much would not fill the queue.
func (b *Bounds) queueHalfEmpty(q size) bool { return !b.queueFull(q.plus(q)) }

func (b *Bounds) manyMessages(m size) bool {
	return b.Messages > 0 && m.n > b.Messages || b.MessageBytes > 0 && m.bytes > b.MessageBytes
}

func (b *Bounds) manyLinks(n int) bool { return b.Links > 0 && n > b.Links }

func (b *Bounds) manySessions(s size) bool {
	return b.Sessions > 0 && s.n > b.Sessions || b.SessionBytes > 0 && s.bytes > b.SessionBytes
}

// queueRoom is how many events of the size of those in a queue it may hold.
func (b *Bounds) queueRoom(q size) int {
	room := q.n
	if b.QueueBytes > 0 {
		room = max(q.within(b.QueueBytes), b.QueueEvents)
	}
	if b.QueueMost > 0 {
		room = min(room, q.within(b.QueueMost))
	}
	return room
}

// messageRoom is how many messages of the size of those there are may be held.
func (b *Bounds) messageRoom(m size) int {
	room := m.n
	if b.Messages > 0 {
		room = b.Messages
	}
	if b.MessageBytes > 0 {
		room = min(room, m.within(b.MessageBytes))
	}
	return room
}

// size is a number of things and of the bytes in them.
type size struct {
	n     int
	bytes int64
}

func (s size) plus(o size) size { return size{s.n + o.n, s.bytes + o.bytes} }

// within is how many things of the size of these go into so many bytes.
func (s size) within(bytes int64) int { return int(bytes * int64(s.n) / max(s.bytes, 1)) }

// beyond is how many things have to go so that they are some way below a number
// of them.
func (s size) beyond(room int) int { return max(s.n-room, 0) + min(s.n, room)/20 + 1 }
