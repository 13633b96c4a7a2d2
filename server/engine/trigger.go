package engine

import (
	"context"

	"github.com/relay-chat/relay/server/chat"
)

// Trigger relays a custom event: from the page to the team, or from an
// operator's program to the page.
func (r *Relay) Trigger(ctx context.Context, by chat.Author, sessionID string, e chat.CustomEvent) error {
	if err := e.Check(""); err != nil {
		return err
	}
	return r.change(ctx, by, sessionID, func(c *change) error {
		e.Timestamp = c.at
		return c.emitFact(chat.EventCustom, e)
	})
}
