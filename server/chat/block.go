package chat

import "context"

// blockPortion is how many sessions of a visitor are changed in one transaction.
const blockPortion = 100

// Block blocks a session's visitor in all its sessions, which ends their
// streams, or unblocks it.
func (r *Relay) Block(ctx context.Context, by Author, sessionID string, blocked bool) error {
	var visitorID string
	err := r.change(ctx, by, sessionID, func(c *change) error {
		c.session.Blocked, visitorID = blocked, c.session.VisitorID
		return nil
	})
	if err != nil {
		return err
	}
	r.announceBlock([]string{sessionID}, blocked)
	for {
		others, err := r.blockOthers(ctx, visitorID, blocked)
		if err != nil || len(others) == 0 {
			return err
		}
		r.announceBlock(others, blocked)
	}
}

// blockOthers blocks or unblocks some more of the visitor's sessions, in the order of
// their ids, so that parallel calls do not deadlock.
func (r *Relay) blockOthers(ctx context.Context, visitorID string, blocked bool) (ids []string, err error) {
	if visitorID == "" {
		return nil, nil
	}
	err = r.store.Apply(ctx, func(tx Tx) (err error) {
		if ids, err = tx.SessionsOfVisitor(visitorID, !blocked, blockPortion); err != nil {
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
		r.hub.PublishState(StateSessionBlocked, "", id, struct {
			Blocked bool `json:"blocked"`
		}{blocked})
		if blocked {
			r.hub.Drop(id)
		}
	}
}
