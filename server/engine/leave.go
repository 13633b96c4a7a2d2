package engine

import (
	"context"
	"encoding/json"
	"slices"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// Leave is a visitor's leave.
type Leave struct {
	Duration float64 `json:"duration"` // seconds on the page
	Reason   string  `json:"reason"`
}

// LeaveReasons are the allowed reasons.
var LeaveReasons = []string{"page_unload", "inactivity", "manual"}

func (l *Leave) check() error {
	if !slices.Contains(LeaveReasons, l.Reason) {
		return chat.Errorf(chat.Invalid, "reason must be one of page_unload, inactivity, manual")
	}
	if l.Duration < 0 {
		return chat.Errorf(chat.Invalid, "duration must not be negative")
	}
	return nil
}

// Disconnect announces a visitor's leave. It becomes a fact unless the visitor is back
// within leaveGrace, as after a change of page.
func (r *Relay) Disconnect(ctx context.Context, by chat.Author, sessionID string, l Leave) error {
	if err := l.check(); err != nil {
		return err
	}
	return r.change(ctx, by, sessionID, func(c *change) error {
		if !c.session.Started() || c.session.LeavingRev != 0 {
			return nil
		}
		c.session.LeavingRev = c.session.Rev + 1
		return c.emitFact(chat.EventLeaving, l)
	})
}

// stay cancels an announced leave.
func (r *Relay) stay(ctx context.Context, by chat.Author, sessionID string) error {
	return r.change(ctx, by, sessionID, func(c *change) error {
		c.session.LeavingRev = 0
		return nil
	})
}

// leaver is the sink of announced leaves, delivered after leaveGrace.
type leaver struct{ relay *Relay }

// Leaver returns the sink of announced leaves.
func (r *Relay) Leaver() chat.Sink { return leaver{r} }

func (leaver) Name() string { return chat.LeaveSink }

func (leaver) Policy() chat.Policy {
	return chat.Policy{Parallel: 4, Batch: 1, Timeout: time.Minute, Attempts: 10, MaxAge: 24 * time.Hour,
		Backoff: chat.Backoff(time.Second, time.Minute)}
}

// Deliver makes the leave a fact, unless the visitor came back or is still on
// another page.
func (l leaver) Deliver(ctx context.Context, lane []chat.Delivery) (int, error) {
	e := lane[0].Event
	var leave Leave
	if err := json.Unmarshal(e.Payload, &leave); err != nil {
		return 0, err
	}
	err := l.relay.change(ctx, chat.Author{Source: chat.SourceWidget}, e.SessionID, func(c *change) error {
		if c.session.LeavingRev != e.Rev {
			return nil
		}
		c.session.LeavingRev = 0
		if l.relay.VisitorReads(e.SessionID) {
			return nil
		}
		if err := c.emitFact(chat.EventDisconnect, leave); err != nil {
			return err
		}
		return c.askAt(csatOnDisconnect)
	})
	if err != nil {
		return 0, err
	}
	return 1, nil
}
