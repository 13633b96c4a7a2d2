package chat

import (
	"errors"
	"fmt"
	"log/slog"
	"runtime/debug"
	"strings"
	"time"
)

// Kind classifies an [Error], for example to choose an HTTP status.
type Kind int

// The kinds of errors that a caller can cause or get.
const (
	Invalid     Kind = iota + 1 // the request is malformed or breaks a rule
	Forbidden                   // the caller may not do this
	NotFound                    // no such thing, or not the caller's
	Conflict                    // the thing is in a state that does not allow it
	TooLarge                    // over a limit of size
	Unsupported                 // a type that is not accepted
	StorageFull                 // the disk is full; nothing was stored
)

// Error is an error whose text is meant for the caller.
type Error struct {
	Kind Kind
	Text string
	// Fields are what is wrong with each field of the request, where the text does not
	// begin with the name of one: the end of a sentence, or a whole one.
	Fields map[string]string
	// Confirm is what an administrator can allow with the password or the secret key: a
	// host and port.
	Confirm string
}

func (e *Error) Error() string { return e.Text }

// ErrorAt makes an [Error] that is about one field, whose name its text does not have.
func ErrorAt(kind Kind, field, text string) *Error {
	return &Error{Kind: kind, Text: text, Fields: map[string]string{field: text}}
}

// Errorf makes an [Error] of a kind.
func Errorf(kind Kind, format string, args ...any) error {
	return &Error{Kind: kind, Text: fmt.Sprintf(format, args...)}
}

// Errors returned in several places.
var (
	ErrSessionNotFound  = &Error{Kind: NotFound, Text: "Session not found"}
	ErrMessageNotFound  = &Error{Kind: NotFound, Text: "Message not found"}
	ErrDeliveryNotFound = &Error{Kind: NotFound, Text: "Delivery not found"}
	ErrThreadNotFound   = &Error{Kind: NotFound, Text: "Thread not found"}
	ErrBlocked          = &Error{Kind: Forbidden, Text: "Blocked"}
	ErrStorageFull      = &Error{Kind: StorageFull, Text: "storage full"}
	// ErrNoRoom rejects files while messages are still stored.
	ErrNoRoom = &Error{Kind: StorageFull, Text: "There is no room for files at the moment"}
	// ErrMessageExists means that a session has a message with the same client
	// id. Nothing was written.
	ErrMessageExists = &Error{Kind: Conflict, Text: "The message exists already"}
	// ErrUploadCut means that an upload was interrupted.
	ErrUploadCut = &Error{Kind: Invalid, Text: "The upload was cut off"}
)

// ErrAway: the database cannot be reached. Whether a running commit
// was stored is unknown.
var ErrAway = errors.New("the database cannot be reached")

// ErrNoTrial means that a bridge posts nothing for a trial: it could not remove it again.
var ErrNoTrial = errors.New("what is posted there cannot be removed")

// ErrLeaseLost: another node does now what this one wanted to do, or soon may.
var ErrLeaseLost = errors.New("another node has taken over")

// The kinds of a sink's failures. A failure of any other kind is retried with
// growing pauses.
var (
	// ErrPermanent marks a failure that no retry can fix.
	ErrPermanent = errors.New("permanent failure")
	// ErrAmbiguous marks a delivery that may have arrived:
	// the request was sent, its answer was lost. The next attempt sees it.
	ErrAmbiguous = errors.New("ambiguous outcome")
	// ErrPassed marks a delivery that fails while others succeed: the later
	// ones of its lane need not wait, and it is retried alone.
	ErrPassed = errors.New("later ones pass it")
	// ErrStopped marks an attempt interrupted by the end of relay.
	ErrStopped = errors.New("relay stopped meanwhile")
)

// ReportFault logs a panic and turns it into a permanent error.
func ReportFault(log *slog.Logger, fault any) error {
	log.Error("internal fault; the work that caused it is given up", "panic", fault, "stack", string(debug.Stack()))
	return fmt.Errorf("%w: relay has a fault; its log has more", ErrPermanent)
}

// shownReason bounds the text of a failure that people see.
const shownReason = 300

// ReasonOf is a failure's text for people, without relay's own kinds of
// failures.
func ReasonOf(text string) string { return Clip(OneLine(withoutKinds(text)), shownReason) }

// withoutKinds removes the kinds of failures from an error's text: they may stand before
// any part of it, in any order.
func withoutKinds(text string) string {
	text = ": " + text
	for begun := ""; begun != text; {
		begun = text
		for _, kind := range []error{ErrPassed, ErrStopped, ErrAmbiguous, ErrPermanent} {
			text = strings.ReplaceAll(text, ": "+kind.Error()+": ", ": ")
		}
	}
	return text[len(": "):]
}

// Scope is what pauses while a sink asks to wait.
type Scope int

// A lane is one session at one sink.
const (
	ScopeLane Scope = iota
	ScopeSink
)

// RetryAfter is a sink's request to wait before the next attempt. It is a rate limit,
// not a failed attempt; a delivery may wait like that forever.
type RetryAfter struct {
	After time.Duration
	Scope Scope
	// Refused marks a failure that says when to retry: a delivery that gets
	// it for too long is given up.
	Refused bool
	Cause   error
}

// LongestWait bounds the wait of one RetryAfter; after that the sink is
// asked again.
const LongestWait = time.Hour

// Pause returns how long to wait: always more than zero.
func (e *RetryAfter) Pause() time.Duration {
	return min(max(e.After.Round(time.Millisecond), time.Millisecond), LongestWait+time.Minute)
}

// Until returns when the next attempt is due.
func (e *RetryAfter) Until(now Time) Time { return now.Add(e.Pause()) }

func (e *RetryAfter) Error() string { return fmt.Sprintf("retry after %s: %v", e.After, e.Cause) }

func (e *RetryAfter) Unwrap() error { return e.Cause }

// IsPace reports whether an error is only a rate limit, the platform's or relay's own.
func IsPace(err error) (wait *RetryAfter, pace bool) {
	if !errors.As(err, &wait) {
		return nil, false
	}
	return wait, !wait.Refused
}
