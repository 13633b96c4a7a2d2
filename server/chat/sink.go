package chat

import (
	"context"
	"database/sql/driver"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Sink accepts deliveries: a bridge, the webhook, or relay itself for delayed ones.
type Sink interface {
	// Name is the sink's name in deliveries, logs and settings.
	Name() string
	// Deliver sends the head of a lane, in order. It sees up to Policy.Batch
	// waiting deliveries, so it may put several into one request, and returns
	// how many of them are done. err belongs to the first that is not. A
	// delivery that is Ambiguous may have arrived before. Deliver may note its
	// attempts in the deliveries.
	Deliver(ctx context.Context, lane []Delivery) (done int, err error)
	// Policy decides how the outbox serves the sink.
	Policy() Policy
}

// DeliveryState is the state of a delivery.
type DeliveryState int

// A delivery found as sending was interrupted: it may have arrived.
const (
	DeliveryPending DeliveryState = iota
	DeliverySending
	DeliveryDone
	DeliveryFailed
)

func (s DeliveryState) String() string {
	return [...]string{"pending", "sending", "done", "failed"}[s]
}

// Delivery is one event on its way to one sink.
type Delivery struct {
	Dest      string
	SessionID string
	Site      string // the session's
	VisitorID string // whose session it is
	Rev       int64
	State     DeliveryState
	Attempts  int
	NextAt    Time
	LastError string
	// Passed: later deliveries of the lane need not wait for this one.
	Passed    bool
	Tries     Tries
	CreatedAt Time
	// Event is the event to deliver, read with the delivery as VisitorID is.
	Event Event
}

// Try is one attempt at a delivery, for its log.
type Try struct {
	At     Time   `json:"at"`
	Status int    `json:"status,omitempty"` // what the receiver answered, 0 when it did not
	Took   int64  `json:"durationMs"`
	Error  string `json:"error,omitempty"`
}

// Tries are a delivery's attempts, oldest first.
type Tries []Try

// maxTries bounds how many attempts are kept: those of one schedule.
const maxTries = 10

// Note adds an attempt.
func (d *Delivery) Note(t Try) {
	d.Tries = append(slices.Clip(d.Tries), t)
	d.Tries = d.Tries[max(0, len(d.Tries)-maxTries):]
}

// Value stores attempts as JSON text, none as none. There is one for every
// event that is posted, so the text is short: [[at, status, took, error], …].
func (t Tries) Value() (driver.Value, error) {
	if len(t) == 0 {
		return "", nil
	}
	text := make([]byte, 0, 32)
	for i := range t {
		text = append(text, "[,"[min(i, 1)], '[')
		text = append(strconv.AppendInt(text, int64(t[i].At), 10), ',')
		text = append(strconv.AppendInt(text, int64(t[i].Status), 10), ',')
		text = strconv.AppendInt(text, t[i].Took, 10)
		if t[i].Error != "" {
			text = append(append(text, ','), MustJSON(t[i].Error)...)
		}
		text = append(text, ']')
	}
	return string(append(text, ']')), nil
}

// Scan reads attempts from the store.
func (t *Tries) Scan(src any) error {
	*t = nil
	var text Raw
	if err := text.Scan(src); err != nil || len(text) == 0 {
		return err
	}
	var rows [][]json.RawMessage
	if err := json.Unmarshal(text, &rows); err != nil {
		return err
	}
	for _, row := range rows {
		var try Try
		var at int64
		for i, into := range []any{&at, &try.Status, &try.Took, &try.Error}[:min(len(row), 4)] {
			if err := json.Unmarshal(row[i], into); err != nil {
				return err
			}
		}
		try.At = Time(at)
		*t = append(*t, try)
	}
	return nil
}

// ID identifies the delivery; it never changes.
func (d *Delivery) ID() string { return fmt.Sprintf("%s.%s.%d", d.Dest, d.SessionID, d.Rev) }

// Cursor is the delivery's place in the list of deliveries.
func (d *Delivery) Cursor() Cursor { return Cursor{d.CreatedAt, d.ID()} }

// ParseDeliveryID splits an ID of [Delivery.ID].
func ParseDeliveryID(id string) (dest, sessionID string, rev int64, ok bool) {
	dest, rest, _ := strings.Cut(id, ".")
	sessionID, number, _ := strings.Cut(rest, ".")
	rev, err := strconv.ParseInt(number, 10, 64)
	return dest, sessionID, rev, err == nil
}

// Ambiguous reports whether an earlier attempt may have arrived. That holds
// until the delivery is done: a later rejection says nothing about the attempt
// before.
func (d *Delivery) Ambiguous() bool { return d.State == DeliverySending }

// Destination is a sink that an event goes to, now or after a delay.
type Destination struct {
	Dest  string
	Delay time.Duration
}

// TroubleTries is how many failed attempts make a delivery worth showing.
const TroubleTries = 3

// Reason is the delivery's last error, for people.
func (d *Delivery) Reason() string { return ReasonOf(d.LastError) }

// Troubled reports whether a waiting delivery has failed often enough to be
// shown.
func (d *Delivery) Troubled() bool {
	return d.State < DeliveryDone && d.LastError != "" && (d.Attempts >= TroubleTries || d.Passed)
}
