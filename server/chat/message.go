package chat

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"
)

// The longest contents, in characters.
const (
	MaxVisitorContent  = 4000
	MaxOperatorContent = 40000
)

// maxReadIDs is how many messages can be marked as read at once.
const maxReadIDs = 500

// maxClientID bounds the id that a client gives a message.
const maxClientID = 128

// maxForeignID bounds the id that a backend or a platform gives a message.
const maxForeignID = 200

// Post is a message on its way in.
type Post struct {
	SessionID string
	// ID is the message's id when somebody else gives it: a backend its own, a
	// bridge the platform's (bridge mode). The same id again answers the same
	// message. Empty: relay makes one.
	ID            string
	Content       string
	ReplyTo       string
	ClientID      string
	AttachmentIDs []string
	Internal      bool // an operator's note, which no visitor reads
	// Files are attachments that stay where they are (bridge mode).
	Files Attachments
	// Errands are what is left to do once the message is stored.
	Errands []Update
	// Origins are the platform messages that the message is. They are linked
	// with it, and the same one again answers the same message.
	Origins []Link
}

// Send stores a message and answers it as stored. The same client id again
// answers the same message and changes nothing. A message starts the session
// and reopens a closed one; an internal note does neither.
func (r *Relay) Send(ctx context.Context, by Author, p Post) (Message, error) {
	if err := p.check(by); err != nil {
		return Message{}, err
	}
	random := NewID()
	var m Message
	err := r.change(ctx, by, p.SessionID, func(c *change) error {
		sent, err := c.sent(&p)
		if !errors.Is(err, ErrMessageNotFound) {
			m = sent
			return err
		}
		if err := c.checkFormDue(r.Settings()); err != nil {
			return err
		}
		before := *c.session
		m = Message{ID: p.ID, SessionID: p.SessionID, Content: p.Content, Sender: by.Sender, Timestamp: c.at,
			ReplyTo: p.ReplyTo, ClientID: p.ClientID, OperatorName: by.Name, Internal: p.Internal, Attachments: Of(append(Attachments{}, p.Files...))}
		if by.Sender != SenderVisitor {
			m.SourceBridge = by.Source
		}
		err = c.add(&m, random, p.AttachmentIDs)
		if errors.Is(err, ErrMessageExists) {
			*c.session = before
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
		return c.link(&m, p.Origins)
	})
	return m, err
}

// sent finds the message that an earlier attempt of this post stored. By a
// client id it looks only if add could write or refuse anything before it inserts
// the message; else the insert itself finds out, which costs nothing.
func (c *change) sent(p *Post) (Message, error) {
	plain := c.session.Started() && c.session.Status == StatusOpen && len(p.AttachmentIDs) == 0 && p.ReplyTo == ""
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
	return Message{}, ErrMessageNotFound
}

// check refuses what can be refused without looking at the session.
func (p *Post) check(by Author) error {
	if utf8.RuneCountInString(p.ClientID) > maxClientID {
		return Errorf(Invalid, "clientId must be at most %d characters", maxClientID)
	}
	if utf8.RuneCountInString(p.ID) > maxForeignID {
		return Errorf(Invalid, "message.id must be at most %d characters", maxForeignID)
	}
	if p.Internal && by.Sender != SenderOperator {
		return Errorf(Forbidden, "Only operators write internal notes")
	}
	if err := checkFiles(by.Sender, p.AttachmentIDs); err != nil {
		return err
	}
	if len(p.AttachmentIDs)+len(p.Files) > 0 && strings.TrimSpace(p.Content) == "" {
		return nil
	}
	return CheckContent(by.Sender, p.Content)
}

// CheckContent refuses a text that is too long for its sender.
func CheckContent(sender Sender, content string) error {
	limit := MaxOperatorContent
	if sender == SenderVisitor {
		limit = MaxVisitorContent
	}
	if strings.TrimSpace(content) == "" {
		return Errorf(Invalid, "content is required")
	}
	if utf8.RuneCountInString(content) > limit {
		return Errorf(Invalid, "content must be at most %d characters", limit)
	}
	return nil
}

// add stores a new message with what it does to its session. random is the
// part of its id that nobody can guess, unless it has one.
func (c *change) add(m *Message, random string, attachmentIDs []string) error {
	if m.ReplyTo != "" {
		answered, err := c.Message(m.SessionID, m.ReplyTo)
		if err != nil {
			return err
		}
		if answered.Internal && !m.Internal {
			return ErrMessageNotFound // the visitor has no such message
		}
	}
	if m.Internal {
		c.session.LastActivity = c.at
	} else if err := c.touch(m.Sender); err != nil {
		return err
	}
	m.Seq = c.session.Rev + 1
	if m.ID == "" {
		m.ID = messageID(random, m.Seq)
	}
	if err := c.attach(m, attachmentIDs); err != nil {
		return err
	}
	if err := c.InsertMessage(m); err != nil {
		return err
	}
	return c.emit(c.brought(m))
}

// brought is the event of a new message.
func (c *change) brought(m *Message) Event {
	e := EventOf(*m)
	e.OfMessage = e.Source == c.by.Source && e.At == c.at
	if !e.OfMessage {
		e.Source, e.At = c.by.Source, c.at
	}
	return e
}

// touch notes that somebody wrote: it reopens a closed session, the first message
// starts the session, and an operator's answers what was unread.
func (c *change) touch(sender Sender) error {
	s := c.session
	s.LastActivity = c.at
	if s.Status == StatusClosed {
		s.Status = StatusOpen
		if err := c.emitFact(EventSessionReopened, momentOf(c.at)); err != nil {
			return err
		}
	}
	if sender == SenderVisitor {
		s.Unread++
	} else {
		s.Unread = 0
		if s.AnsweredAt == 0 && sender == SenderOperator {
			s.AnsweredAt = c.at
		}
	}
	if s.Started() || c.backend {
		return nil
	}
	s.StartedAt = c.at
	return c.emitFact(EventNewSession, map[string]any{"session": s.Public()})
}

// moment is the payload of the facts that only say when.
type moment struct {
	At Time `json:"at"`
}

func momentOf(at Time) moment { return moment{at} }

// Edit replaces a message's content and answers the message. Visitors edit
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
// the history and from the events that carried it. Deleting twice is fine.
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

// remove empties a message, in the history and in the events that carried it.
func (c *change) remove(m *Message, at Time) error {
	m.Content, m.Attachments, m.Sources, m.DeletedAt = "", Of(Attachments{}), nil, at
	if err := c.SaveMessage(m); err != nil {
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

// MarkRead marks the other side's messages as read and tells that side. Ids
// that are unknown, one's own or read before are passed over; an operator who
// names none means all.
func (r *Relay) MarkRead(ctx context.Context, by Author, sessionID string, ids []string) error {
	switch {
	case len(ids) > maxReadIDs:
		return Errorf(Invalid, "messageIds must be at most %d", maxReadIDs)
	case slices.Contains(ids, ""):
		return Errorf(Invalid, "messageIds must not have an empty id")
	}
	if len(ids) == 0 && by.Sender != SenderVisitor {
		return r.markAllRead(ctx, by, sessionID)
	}
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	return r.change(ctx, by, sessionID, func(c *change) error {
		unread, err := c.unread(ids)
		if err != nil {
			return err
		}
		return c.markRead(unread)
	})
}

// markAllRead marks what a visitor has written so far, in portions: nobody waits
// for long behind it.
func (r *Relay) markAllRead(ctx context.Context, by Author, sessionID string) error {
	after, upTo := int64(0), int64(-1)
	for more := true; more; {
		var last int64
		err := r.change(ctx, by, sessionID, func(c *change) error {
			if last = c.session.Rev; upTo < 0 {
				upTo = c.session.Rev
			}
			unread, err := c.UnreadMessages(sessionID, SenderVisitor, after, upTo, maxReadIDs)
			if err != nil {
				return err
			}
			if more = len(unread) == maxReadIDs; more {
				last = unread[len(unread)-1].Seq
			}
			return c.markRead(unread)
		})
		if err != nil {
			return err
		}
		after = last
	}
	return nil
}

// markRead marks messages and tells their side.
func (c *change) markRead(unread []Message) error {
	c.readOnly = true
	if c.by.Sender != SenderVisitor {
		c.session.Unread = 0
	}
	receipt := Receipt{Status: "read", At: c.at}
	for _, m := range unread {
		m.ReadAt, m.DeliveredAt = c.at, cmp.Or(m.DeliveredAt, c.at)
		if err := c.SaveMessage(&m); err != nil {
			return err
		}
		receipt.MessageIDs = append(receipt.MessageIDs, m.ID)
	}
	if len(receipt.MessageIDs) == 0 {
		return nil
	}
	return c.emitFact(EventMessageRead, receipt)
}

// unread lists those of the other side's messages that are to be marked.
func (c *change) unread(ids []string) ([]Message, error) {
	var list []Message
	for _, id := range ids {
		m, err := c.Message(c.session.ID, id)
		if errors.Is(err, ErrMessageNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		own := (m.Sender == SenderVisitor) == (c.by.Sender == SenderVisitor)
		if !own && m.ReadAt == 0 && m.DeletedAt == 0 {
			list = append(list, m)
		}
	}
	return list, nil
}

// History is a part of a session's messages, oldest first, with the cursor of
// the same snapshot.
type History struct {
	Messages []Message
	Timeline []TimelineEntry
	HasMore  bool
	Rev      int64
}

// HistoryQuery selects a part of the history: the newest, or those before or
// after a message.
type HistoryQuery struct {
	SessionID     string
	Before, After string // message ids
	Limit         int
	public        bool // without internal notes
}

// History reads messages of a session.
func (r *Relay) History(ctx context.Context, by Author, q HistoryQuery) (History, error) {
	var h History
	err := r.store.Read(ctx, func(rd Reader) error {
		s, err := rd.SessionHeader(q.SessionID)
		if err != nil {
			return err
		}
		if err := by.authorise(&s); err != nil {
			return err
		}
		q.public = by.Sender == SenderVisitor
		h, err = history(rd, &s, q)
		return err
	})
	return h, err
}

func history(rd Reader, s *Session, q HistoryQuery) (History, error) {
	mq := MessageQuery{SessionID: s.ID, Limit: q.Limit + 1, Public: q.public}
	for _, edge := range []struct {
		id  string
		seq *int64
	}{{q.Before, &mq.Before}, {q.After, &mq.After}} {
		if edge.id == "" {
			continue
		}
		m, err := rd.Message(s.ID, edge.id)
		if err == nil && m.Internal && q.public {
			err = ErrMessageNotFound
		}
		if err != nil {
			return History{}, err
		}
		*edge.seq = m.Seq
	}
	list, err := rd.Messages(mq)
	if err != nil {
		return History{}, err
	}
	for i := range list {
		list[i].hideClientID(!q.public)
	}
	h := History{Messages: list, HasMore: len(list) > q.Limit, Rev: s.Rev}
	switch {
	case !h.HasMore:
	case q.After != "":
		h.Messages = list[:q.Limit]
	default:
		h.Messages = list[1:]
	}
	return h, h.addTimeline(rd, q, mq)
}
