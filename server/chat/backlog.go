package chat

// BacklogEvent is an operator's event with its number in the backlog, the stream of
// bridge mode.
type BacklogEvent struct {
	Number int64 `db:"number"`
	Event
}

// storeBacklog stores what backends read of a change.
func (r *Relay) storeBacklog(c *change) error {
	if !r.backlog || c.session.ID == SystemSession {
		return nil
	}
	var list []Event
	for i := range c.events {
		if c.events[i].For(StreamBackend) {
			list = append(list, c.events[i])
		}
	}
	if len(list) == 0 {
		return nil
	}
	return c.AppendBacklog(list)
}
