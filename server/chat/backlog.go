package chat

// BacklogEvent is an operator's event with its number in the backlog, the stream of
// bridge mode.
type BacklogEvent struct {
	Number int64 `db:"number"`
	Event
}

// ForBackend reports whether a backend's stream carries the event: what operators do on
// platforms, and the AI's answers.
func (e *Event) ForBackend() bool {
	if e.Source == "" || e.Source == SourceWidget || e.Source == SourceAPI {
		return false
	}
	switch e.Type {
	case EventMessage:
		return !e.byVisitor()
	case EventMessageEdited, EventMessageDeleted, EventSessionClosed, EventSessionReopened, EventMessageRead, EventCSATRequest, EventAITakeover, StateTyping:
		return true
	}
	return false
}

// storeBacklog stores what backends read of a change.
func (r *Relay) storeBacklog(c *change) error {
	if !r.backlog || c.session.ID == SystemSession {
		return nil
	}
	var list []Event
	for i := range c.events {
		if c.events[i].ForBackend() {
			list = append(list, c.events[i])
		}
	}
	if len(list) == 0 {
		return nil
	}
	return c.AppendBacklog(list)
}
