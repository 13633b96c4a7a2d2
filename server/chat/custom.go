package chat

import (
	"context"
	"unicode/utf8"
)

// MaxName is the longest name of a custom event or a pre-chat field.
const MaxName = 100

// CustomEvent is an event whose meaning only the website and its backend
// know. Data is a JSON object or nil.
type CustomEvent struct {
	Name      string `json:"name"`
	Data      Raw    `json:"data,omitempty"`
	Timestamp Time   `json:"timestamp"`
}

// check rejects an invalid event; parent is its path in the request body.
func (e *CustomEvent) check(parent string) error {
	switch {
	case e.Name == "":
		return Errorf(Invalid, "%sname is required", parent)
	case utf8.RuneCountInString(e.Name) > MaxName:
		return Errorf(Invalid, "%sname must be at most %d characters", parent, MaxName)
	case len(e.Data) > 0 && e.Data[0] != '{':
		return Errorf(Invalid, "%sdata must be an object", parent)
	}
	return nil
}

// Trigger relays a custom event: from the page to the team, or from an
// operator's program to the page.
func (r *Relay) Trigger(ctx context.Context, by Author, sessionID string, e CustomEvent) error {
	if err := e.check(""); err != nil {
		return err
	}
	return r.change(ctx, by, sessionID, func(c *change) error {
		e.Timestamp = c.at
		return c.emitFact(EventCustom, e)
	})
}
