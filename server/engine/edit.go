package engine

import (
	"context"
	"fmt"

	"github.com/relay-chat/relay/server/chat"
)

// Edit replaces a message's content and returns the message. Visitors and operators edit
// their own messages, operators also the AI's, administrators those of all operators. A
// change of somebody else's words stands in the audit list with both texts.
func (r *Relay) Edit(ctx context.Context, by chat.Author, sessionID, id, content string) (chat.Message, error) {
	if err := CheckContent(by.Sender, content); err != nil {
		return chat.Message{}, err
	}
	var m chat.Message
	err := r.change(ctx, by, sessionID, func(c *change) (err error) {
		if m, err = c.own(id); err != nil {
			return err
		}
		switch {
		case m.DeletedAt != 0:
			return chat.Errorf(chat.Conflict, "The message is deleted")
		case m.Content == content:
			return nil
		}
		said, err := c.takeCode(&Post{SessionID: sessionID, Content: content})
		if err != nil {
			return err
		}
		if err := c.auditWords(chat.AuditMessageEdited, &m, said); err != nil {
			return err
		}
		m.Content, m.EditedAt = said, c.at
		c.session.LastActivity = c.at
		if err := c.SaveMessage(&m); err != nil {
			return err
		}
		return c.emit(chat.NewMessageEvent(m.EventType(chat.EventMessageEdited), by.Source, c.at, &m))
	})
	return m, err
}

// Delete empties a message: its id and times stay, its content is gone from
// the history and from its events. Deleting twice is no error.
func (r *Relay) Delete(ctx context.Context, by chat.Author, sessionID, id string) error {
	return r.change(ctx, by, sessionID, func(c *change) error {
		m, err := c.own(id)
		if err != nil || m.DeletedAt != 0 {
			return err
		}
		if err := c.auditWords(chat.AuditMessageDeleted, &m, ""); err != nil {
			return err
		}
		c.session.LastActivity = c.at
		return c.remove(&m, c.at)
	})
}

// remove empties a message in the history and in its events.
func (c *change) remove(m *chat.Message, at chat.Time) error {
	m.Content, m.Attachments, m.Sources, m.Buttons, m.DeletedAt = "", chat.Of(chat.Attachments{}), nil, nil, at
	if err := c.SaveMessage(m); err != nil {
		return err
	}
	if err := c.noteRemoved(m); err != nil {
		return err
	}
	if err := c.DeleteFiles(m.SessionID, m.ID); err != nil {
		return err
	}
	if m.Sender == chat.SenderVisitor {
		if err := c.ForgetReceivedMail(m.SessionID, m.ID); err != nil {
			return err
		}
	}
	if err := c.Redact(m.SessionID, m.ID, func(e chat.Event) chat.Raw { return chat.Render(e.Type, "", m) }); err != nil {
		return err
	}
	return c.emit(chat.NewMessageEvent(m.EventType(chat.EventMessageDeleted), c.by.Source, c.at, m))
}

// own returns a message of the session if its author may change it.
func (c *change) own(id string) (chat.Message, error) {
	m, err := c.Message(c.session.ID, id)
	if err == nil && m.Internal && c.by.Sender == chat.SenderVisitor {
		err = chat.ErrMessageNotFound
	}
	if err == nil && m.Internal && !c.by.Holds(chat.ScopeNote) {
		err = chat.LacksScope(chat.ScopeNote)
	}
	if err != nil {
		return m, err
	}
	if (m.Sender == chat.SenderVisitor) != (c.by.Sender == chat.SenderVisitor) {
		return m, chat.Errorf(chat.Forbidden, "Only your own messages can be changed")
	}
	if key := c.by.OwnKey(); key != "" && m.KeyID != "" && m.KeyID != key {
		return m, chat.Errorf(chat.Forbidden, "Another API key wrote this message: a key changes its own only")
	}
	if c.by.Role == chat.RoleOperator && m.Sender == chat.SenderOperator && !wrote(c.by, &m) {
		return m, chat.Errorf(chat.Forbidden, "Only your own messages can be changed. Administrators can change those of others")
	}
	return m, nil
}

// wrote reports whether an operator's words are the author's own. Without an account they
// are those that came the same way, in the console under the same name; an API key's are those
// that it wrote itself.
func wrote(a chat.Author, m *chat.Message) bool {
	if m.Sender != chat.SenderOperator || m.OperatorID != a.Person {
		return false
	}
	if key := a.OwnKey(); key != "" {
		return m.KeyID == key
	}
	from := m.SourceBridge
	if from == chat.SourceAssistant {
		from = chat.SourceAPI
	}
	return a.Person != "" || from == a.Source && (a.Source == chat.SourceAPI || m.OperatorName == a.Name)
}

// auditedWords is how much of a text the audit list keeps, in characters.
const auditedWords = 2000

// auditWords adds to the audit list that somebody in the console, or a program, changes
// words that are not its own. A platform's message is changed by who wrote it there.
func (c *change) auditWords(action string, m *chat.Message, after string) error {
	own := wrote(c.by, m) && c.by.Key == nil // what the API wrote may be another program's
	if c.by.Source != chat.SourceConsole && c.by.Source != chat.SourceAPI || c.by.Sender == chat.SenderVisitor || m.Draft || own {
		return nil
	}
	whose := m.OperatorName
	if m.Sender == chat.SenderAI {
		whose = "AI"
	}
	e := chat.AuditEntry{At: c.at, Person: c.by.Person, Name: chat.AuditName(c.by), Action: action, Target: c.session.ID, Site: c.sites.Shown(c.session.Site), Count: 1}
	e.Detail = fmt.Sprintf("%s: “%s”", whose, chat.Clip(chat.OneLine(m.Content), auditedWords))
	if action == chat.AuditMessageEdited {
		e.Detail += fmt.Sprintf(" → “%s”", chat.Clip(chat.OneLine(after), auditedWords))
	}
	return c.PutAudit(&e)
}
