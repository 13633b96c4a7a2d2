// Package bridgetest holds what every bridge has to prove: one conformance
// suite, run against a fake of each platform.
package bridgetest

import "time"

// Platform is a fake of a chat platform: a server that takes the bridge's
// requests as the real one does, validates them against the platform's official
// schema, and lets a test see what operators see and do what operators do.
type Platform interface {
	// Threads are the threads that exist, in the order in which they were made.
	Threads() []Thread

	// Write lets an operator write in a thread, Attach sends a file there; both
	// return the platform's id of the message. replyTo may be "".
	Write(thread, operator, text, replyTo string) (remote string)
	Attach(thread, operator, filename, mimeType string, data []byte, caption string) (remote string)
	// Edit and Delete are an operator's on its own message. A platform that
	// reports no deletes answers false.
	Edit(thread, remote, text string)
	Delete(thread, operator, remote string) bool
	// CloseThread and DeleteThread are an operator's, by hand.
	CloseThread(thread string)
	DeleteThread(thread string)
	// WriteElsewhere writes outside of the bridge's channel.
	WriteElsewhere(text string)
	// AddChannel makes another channel where the bot may do what it may in the first.
	AddChannel() (id string)
	// Redeliver sends every update since the start again.
	Redeliver()

	// Fail answers the next n requests that write with a fault.
	Fail(n int, fault Fault)
	// Storm answers requests that write with faults at random: each share is a
	// probability from 0 to 1, the same seed gives the same storm. The zero
	// Storm ends it.
	Storm(s Storm)
	// Violations are the requests that the official schema forbids.
	Violations() []string
}

// Thread is a thread as operators see it.
type Thread struct {
	Ref      string
	Title    string
	Closed   bool
	Channel  string
	Messages []Message // in order, without deleted ones
}

// Message is a platform message as operators see it.
type Message struct {
	Remote   string
	FromBot  bool
	Text     string // as shown: markup taken out, entities resolved
	ReplyTo  string
	Filename string
	Data     []byte
	Receipt  string // the bot's reaction
}

// Fault is how a request fails.
type Fault int

// The faults of a platform.
const (
	FaultRateLimited  Fault = iota + 1 // 429, try again after a moment
	FaultServer                        // 500, nothing happened
	FaultAnswerLost                    // it happened, and the answer was cut off
	FaultOutage                        // the connection is refused or cut, nothing happened
	FaultUnauthorized                  // the token is not valid any more
)

// Storm is a share of each fault.
type Storm struct {
	Seed                                 int64
	RateLimited, Server, AnswerLost, All float64 // All is a total outage when 1
	RetryAfter                           time.Duration
}
