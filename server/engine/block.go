package engine

import (
	"context"

	"github.com/relay-chat/relay/server/chat"
)

// blockPortion is how many sessions of a visitor are changed in one transaction.
const blockPortion = 100

// Block blocks a session's visitor in all sessions of its browser, which ends their
// streams, or unblocks it. Sessions without a token are those of their visitor's id.
func (r *Relay) Block(ctx context.Context, by chat.Author, sessionID string, blocked bool) error {
	var of chat.Session
	err := r.change(ctx, by, sessionID, func(c *change) error {
		c.session.Blocked, of = blocked, *c.session
		return nil
	})
	if err != nil {
		return err
	}
	r.announceBlock([]string{sessionID}, blocked)
	for {
		others, err := r.blockOthers(ctx, &of, blocked)
		if err != nil || len(others) == 0 {
			return err
		}
		r.announceBlock(others, blocked)
	}
}

// blockOthers blocks or unblocks some more sessions of a session's visitor, in the order
// of their ids, so that parallel calls do not deadlock.
func (r *Relay) blockOthers(ctx context.Context, of *chat.Session, blocked bool) (ids []string, err error) {
	if of.VisitorID == "" {
		return nil, nil
	}
	err = r.store.Apply(ctx, func(tx chat.Tx) (err error) {
		if ids, err = of.Siblings(tx, !blocked, blockPortion); err != nil {
			return err
		}
		for _, id := range ids {
			s, err := tx.Lock(id)
			if err != nil {
				return err
			}
			s.Blocked = blocked
			if err := tx.SaveSession(&s); err != nil {
				return err
			}
		}
		return nil
	})
	return ids, err
}

// announceBlock publishes the block, and ends the streams of the blocked visitor.
func (r *Relay) announceBlock(ids []string, blocked bool) {
	for _, id := range ids {
		r.hub.PublishState(chat.StateSessionBlocked, "", id, struct {
			Blocked bool `json:"blocked"`
		}{blocked})
		if blocked {
			r.hub.Drop(id)
		}
	}
}
