package engine

import (
	"cmp"
	"context"
	"errors"
	"strings"
	"unicode/utf8"

	"github.com/relay-chat/relay/server/chat"
)

// The longest contents, in characters.
const (
	MaxVisitorContent  = 4000
	MaxOperatorContent = 40000
)

// maxClientID bounds the id that a client gives a message.
const maxClientID = 128

// maxForeignID bounds the id that a backend or a platform gives a message.
const maxForeignID = 200

// Post is a message to store.
type Post struct {
	SessionID string
	// ID is an id given by others: a backend its own, a
	// bridge the platform's (bridge mode). The same id again answers the same
	// message. Empty: relay makes one.
	ID            string
	Content       string
	ReplyTo       string
	ClientID      string
	AttachmentIDs []string
	Internal      bool // an operator's note, which no visitor reads
	Buttons       chat.Buttons
	// WithoutAI: the AI does not answer it, and ends where it does so far.
	WithoutAI bool
	// Files are attachments that stay where they are (bridge mode).
	Files chat.Attachments
	// Errands are follow-up work once the message is stored.
	Errands []chat.Update
	// Origins are the platform messages that the message came from. They are linked
	// with it, and a repeated one returns the same message.
	Origins []chat.Link
}

// Send stores a message and returns it as stored. The same client id again
// returns the same message and changes nothing. A message starts the session
// and reopens a closed one; an internal note does neither.
func (r *Relay) Send(ctx context.Context, by chat.Author, p Post) (chat.Message, error) {
	if err := p.check(by); err != nil {
		return chat.Message{}, err
	}
	random := chat.NewID()
	var m chat.Message
	err := r.add(ctx, by, p.SessionID, func(c *change) error {
		sent, err := c.sent(&p)
		if !errors.Is(err, chat.ErrMessageNotFound) {
			m = sent
			return err
		}
		if err := c.checkFormDue(); err != nil {
			return err
		}
		content, err := c.takeCode(&p)
		if err != nil {
			return err
		}
		m = chat.Message{ID: p.ID, SessionID: p.SessionID, Content: content, Sender: by.Sender, Timestamp: c.at,
			ReplyTo: p.ReplyTo, ClientID: p.ClientID, OperatorName: c.signature(p.Internal), OperatorID: by.Person, Internal: p.Internal, Buttons: p.Buttons, Attachments: chat.Of(append(chat.Attachments{}, p.Files...))}
		switch {
		case by.Sender != chat.SenderVisitor:
			m.SourceBridge, m.KeyID = by.Source, by.OwnKey()
		case by.Agent:
			m.SourceBridge = chat.SourceAgent
		}
		answering := p.WithoutAI && c.leaveOutAI()
		err = c.add(&m, random, p.AttachmentIDs)
		if errors.Is(err, chat.ErrMessageExists) {
			m, err = c.MessageByClientID(p.SessionID, by.Sender, p.ClientID)
			return err
		}
		if err != nil {
			return err
		}
		for i := range p.Errands {
			if _, err := c.PutUpdate(&p.Errands[i]); err != nil {
				return err
			}
		}
		if err := c.link(&m, p.Origins); err != nil || !answering {
			return err
		}
		return r.endAnswering(c, m.Content, chat.AIEndBudget)
	})
	return m, err
}

// signature is the name of the author as visitors read it: above an assistant's words what the
// site says of assistants.
func (c *change) signature(internal bool) string {
	told := c.settings.Text("assistantName")
	if c.by.Source != chat.SourceAssistant || internal || told == "" {
		return c.by.Name
	}
	return strings.Replace(told, "{name}", cmp.Or(c.by.Name, c.settings.Text("operatorName")), 1)
}

// sent finds the message that an earlier attempt of this post stored. It looks up a
// client id only if add could write or reject anything before it inserts
// the message; else the insert itself detects the duplicate.
func (c *change) sent(p *Post) (chat.Message, error) {
	plain := c.session.Started() && c.session.Status == chat.StatusOpen && len(p.AttachmentIDs) == 0 && p.ReplyTo == ""
	switch {
	case len(p.Origins) > 0 && p.ClientID != "": // a file that follows its message
		return c.MessageByClientID(p.SessionID, c.by.Sender, p.ClientID)
	case len(p.Origins) > 0:
		return c.messageFrom(&p.Origins[0], p.SessionID)
	case p.ID != "":
		return c.Message(p.SessionID, p.ID)
	case p.ClientID != "" && !plain:
		return c.MessageByClientID(p.SessionID, c.by.Sender, p.ClientID)
	}
	return chat.Message{}, chat.ErrMessageNotFound
}

// check rejects what is invalid for any session.
func (p *Post) check(by chat.Author) error {
	if utf8.RuneCountInString(p.ClientID) > maxClientID {
		return chat.Errorf(chat.Invalid, "clientId must be at most %d characters", maxClientID)
	}
	if utf8.RuneCountInString(p.ID) > maxForeignID {
		return chat.Errorf(chat.Invalid, "message.id must be at most %d characters", maxForeignID)
	}
	if p.Internal && by.Sender != chat.SenderOperator {
		return chat.Errorf(chat.Forbidden, "Only operators write internal notes")
	}
	if err := p.Buttons.Check(); err != nil {
		return err
	}
	if len(p.Buttons) > 0 && (p.Internal || by.Sender == chat.SenderVisitor) {
		return chat.Errorf(chat.Invalid, "buttons are for visitors: neither their own messages nor internal notes have any")
	}
	if err := checkFiles(by.Sender, p.AttachmentIDs); err != nil {
		return err
	}
	if len(p.AttachmentIDs)+len(p.Files) > 0 && strings.TrimSpace(p.Content) == "" {
		return nil
	}
	return CheckContent(by.Sender, p.Content)
}

// CheckContent rejects a text that is too long for its sender.
func CheckContent(sender chat.Sender, content string) error {
	limit := MaxOperatorContent
	if sender == chat.SenderVisitor {
		limit = MaxVisitorContent
	}
	if strings.TrimSpace(content) == "" {
		return chat.Errorf(chat.Invalid, "content is required")
	}
	if utf8.RuneCountInString(content) > limit {
		return chat.Errorf(chat.Invalid, "content must be at most %d characters", limit)
	}
	return nil
}

// add stores a new message with its effects on the session. random is the
// unguessable part of its id, unless it has an id.
func (c *change) add(m *chat.Message, random string, attachmentIDs []string) error {
	if m.Sender != chat.SenderVisitor && !m.ByRelay() {
		if err := c.stillHere(); err != nil {
			return err
		}
	}
	if m.ReplyTo != "" {
		answered, err := c.Message(m.SessionID, m.ReplyTo)
		if err != nil {
			return err
		}
		if answered.Internal && !m.Internal {
			return chat.ErrMessageNotFound // the visitor has no such message
		}
	}
	err := c.hold(func() error { return c.touchBy(m) }, func() error {
		m.Seq = c.session.Rev + 1
		if m.ID == "" {
			m.ID = chat.MessageID(random, m.Seq)
		}
		if err := c.attach(m, attachmentIDs); err != nil {
			return err
		}
		return c.InsertMessage(m)
	})
	if err != nil {
		return err
	}
	return c.emit(c.newMessageEvent(m))
}

// touchBy is touch by a message. An internal note, and what relay itself says, is activity, no
// more.
func (c *change) touchBy(m *chat.Message) error {
	if m.Internal || m.ByRelay() {
		c.session.LastActivity = c.at
		return nil
	}
	return c.touch(m.Sender)
}

// newMessageEvent returns the event of a new message.
func (c *change) newMessageEvent(m *chat.Message) chat.Event {
	e := chat.EventOf(*m)
	e.Sender = m.Sender
	e.OfMessage = e.Source == c.by.Source && e.At == c.at
	if !e.OfMessage {
		e.Source, e.At = c.by.Source, c.at
	}
	return e
}

// touch updates the session after a message: it reopens a closed one, the first message
// starts the session, and an operator's answers what was unread.
func (c *change) touch(sender chat.Sender) error {
	s := c.session
	s.LastActivity, s.MovedOn = c.at, chat.NotMoved
	reopened := s.Status == chat.StatusClosed
	if reopened {
		s.Status = chat.StatusOpen
		if err := c.emitFact(chat.EventSessionReopened, momentOf(c.at)); err != nil {
			return err
		}
	}
	if err := c.touchAI(sender); err != nil {
		return err
	}
	c.noteWaiting(sender, reopened)
	if sender == chat.SenderVisitor {
		s.Unread++
	} else {
		s.Unread = 0
		if s.AnsweredAt == 0 && sender == chat.SenderOperator {
			s.AnsweredAt = c.at
		}
	}
	if s.Started() || c.backend {
		return nil
	}
	s.StartedAt = c.at
	if err := c.learnHost(); err != nil {
		return err
	}
	return c.emitFact(chat.EventNewSession, map[string]any{"session": c.sites.Public(s)})
}

// moment is the payload of facts that have only a time.
type moment struct {
	At chat.Time `json:"at"`
}

func momentOf(at chat.Time) moment { return moment{at} }
