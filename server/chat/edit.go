package chat

import "context"

// Edit replaces a message's content and returns the message. Visitors edit
// their own messages, operators those of operators and the AI.
func (r *Relay) Edit(ctx context.Context, by Author, sessionID, id, content string) (Message, error) {
	if err := CheckContent(by.Sender, content); err != nil {
		return Message{}, err
	}
	var m Message
	err := r.change(ctx, by, sessionID, func(c *change) (err error) {
		if m, err = c.own(id); err != nil {
			return err
		}
		switch {
		case m.DeletedAt != 0:
			return Errorf(Conflict, "The message is deleted")
		case m.Content == content:
			return nil
		}
		m.Content, m.EditedAt = content, c.at
		c.session.LastActivity = c.at
		if err := c.SaveMessage(&m); err != nil {
			return err
		}
		return c.emit(messageFact(m.event(EventMessageEdited), by.Source, c.at, &m))
	})
	return m, err
}

// Delete empties a message: its id and times stay, its content is gone from
// the history and from its events. Deleting twice is no error.
func (r *Relay) Delete(ctx context.Context, by Author, sessionID, id string) error {
	return r.change(ctx, by, sessionID, func(c *change) error {
		m, err := c.own(id)
		if err != nil || m.DeletedAt != 0 {
			return err
		}
		c.session.LastActivity = c.at
		return c.remove(&m, c.at)
	})
}

// remove empties a message in the history and in its events.
func (c *change) remove(m *Message, at Time) error {
	m.Content, m.Attachments, m.Sources, m.DeletedAt = "", Of(Attachments{}), nil, at
	if err := c.SaveMessage(m); err != nil {
		return err
	}
	if err := c.noteRemoved(m); err != nil {
		return err
	}
	if err := c.DeleteFiles(m.SessionID, m.ID); err != nil {
		return err
	}
	if err := c.Redact(m.SessionID, m.ID, func(e Event) Raw { return render(e.Type, "", m) }); err != nil {
		return err
	}
	return c.emit(messageFact(m.event(EventMessageDeleted), c.by.Source, c.at, m))
}

// own returns a message of the session if its author may change it.
func (c *change) own(id string) (Message, error) {
	m, err := c.Message(c.session.ID, id)
	if err == nil && m.Internal && c.by.Sender == SenderVisitor {
		err = ErrMessageNotFound
	}
	if err != nil {
		return m, err
	}
	if (m.Sender == SenderVisitor) != (c.by.Sender == SenderVisitor) {
		return m, Errorf(Forbidden, "Only your own messages can be changed")
	}
	return m, nil
}
