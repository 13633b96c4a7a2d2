package db

import "time"

// Bounds limit what a database in memory holds. Zero fields do not limit.
type Bounds struct {
	// Sessions and SessionBytes limit the sessions and the facts about their
	// visitors. The longest idle session is evicted first, but none with waiting
	// deliveries unless there are more than SessionMost bytes. Sessions that are
	// idle for longer than Idle are evicted by [DB.Forget].
	Sessions                  int
	SessionBytes, SessionMost int64
	Idle                      time.Duration
	// Messages and MessageBytes limit the messages, the oldest of which are
	// evicted first.
	Messages     int
	MessageBytes int64
	// Links limits the copies on platforms, those of notes included.
	Links int
	// A destination's queue is full with more than QueueBytes, though not before
	// it holds QueueEvents, and always with more than QueueMost bytes. Its oldest
	// deliveries are then given up.
	QueueEvents           int
	QueueBytes, QueueMost int64
	// Full reports how many events a destination gave up, and whether they are
	// the first since its queue was half empty; Failed reports that nothing could
	// be evicted. Either may be nil.
	Full   func(dest string, events int, first bool)
	Failed func(error)
}

// BridgeBounds are the bounds of bridge mode.
var BridgeBounds = Bounds{Sessions: 100_000, SessionBytes: 128 << 20, SessionMost: 256 << 20,
	Idle: 24 * time.Hour, Messages: 100_000, MessageBytes: 64 << 20, Links: 300_000,
	QueueEvents: 50_000, QueueBytes: 64 << 20, QueueMost: 256 << 20}

// held counts the entries of a kind in a bounded database, for queues those of one
// destination. Bytes counts the texts of variable length.
type held struct {
	Kind  string `db:"kind"`
	Dest  string `db:"dest"`
	N     int    `db:"n"`
	Bytes int64  `db:"bytes"`
}

// times returns a percentage of the held amounts.
func (h held) times(percent int) held {
	h.N, h.Bytes = h.N*percent/100, h.Bytes*int64(percent)/100
	return h
}

// over reports whether a kind exceeds its bounds.
func (b *Bounds) over(h held) bool {
	switch h.Kind {
	case "sessions":
		return exceeds(h.N, b.Sessions) || exceeds(h.Bytes, b.SessionBytes)
	case "messages":
		return exceeds(h.N, b.Messages) || exceeds(h.Bytes, b.MessageBytes)
	case "links":
		return exceeds(h.N, b.Links)
	default:
		return exceeds(h.Bytes, b.QueueBytes) && h.N > b.QueueEvents || exceeds(h.Bytes, b.QueueMost)
	}
}

// overMost reports whether even sessions with waiting deliveries are evicted.
func (b *Bounds) overMost(h held) bool { return exceeds(h.Bytes, b.SessionMost) }

func exceeds[N int | int64](n, bound N) bool { return bound > 0 && n > bound }
