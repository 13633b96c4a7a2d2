package engine

import (
	"context"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/relay-chat/relay/server/chat"
)

// Backend is the API for a website's own backend, which keeps the sessions and
// assigns the ids of sessions and messages. It is trusted: a session or message
// that relay does not know is created when the backend mentions it. The same
// session, message, edit, delete, rating or receipt twice has one effect; events
// without an id are relayed each time. What a bot does without a word is not relayed.
type Backend struct{ relay *Relay }

// Backend returns the API for a backend.
func (r *Relay) Backend() Backend { return Backend{r} }

// change is [Relay.change] on a session that is created if it is unknown.
func (b Backend) change(ctx context.Context, by chat.Author, in SessionInfo, op func(c *change) error) error {
	if err := in.check(); err != nil {
		return err
	}
	site, err := in.siteOf(b.relay.Sites())
	if err != nil {
		return err
	}
	now := chat.Now()
	return b.relay.transact(ctx, by, func(tx chat.Tx) (chat.Session, error) {
		s, err := tx.Lock(in.ID)
		if errors.Is(err, chat.ErrSessionNotFound) {
			s = chat.Session{ID: in.ID, Site: site, VisitorID: in.VisitorID, Status: chat.StatusOpen, CreatedAt: orNow(in.CreatedAt, now), LastActivity: now}
			err = tx.CreateSession(&s)
		}
		return s, err
	}, func(c *change) error {
		active := c.session.AIActive
		if err := in.updateSession(c.session); err != nil {
			return err
		}
		if c.ai() != nil { // then relay's own AI answers
			c.session.AIActive = active
		}
		c.session.LastActivity = c.at
		return op(c)
	})
}

// report is change for what happens without a message: of a bot that has written nothing,
// it stores the description alone, so that no thread is opened for it.
func (b Backend) report(ctx context.Context, by chat.Author, in SessionInfo, op func(c *change) error) error {
	return b.change(ctx, by, in, func(c *change) error {
		if is := b.relay.isBot; is != nil && c.session.Rev == 0 && is(c.session.Metadata.V.UserAgent) {
			return nil
		}
		return op(c)
	})
}

// NewSession reports a session to the platforms.
func (b Backend) NewSession(ctx context.Context, by chat.Author, in SessionInfo) error {
	return b.report(ctx, by, in, func(c *change) error {
		if c.session.Started() {
			return nil
		}
		c.session.StartedAt = c.at
		if err := c.learnHost(); err != nil {
			return err
		}
		return c.emitFact(chat.EventNewSession, map[string]any{"session": c.sites.Public(c.session)})
	})
}

// BackendMessage is a message as a backend gives it. Its files stay where they are.
type BackendMessage struct {
	ID        string
	Content   string
	Sender    chat.Sender
	Timestamp chat.Time
	ReplyTo   string
	Name      string // of the operator who wrote it, if one did
	Files     chat.Attachments
	Buttons   chat.Buttons // of an operator's or the AI's message
}

// Send forwards a message to the platforms.
func (b Backend) Send(ctx context.Context, by chat.Author, in SessionInfo, n BackendMessage) error {
	if err := checkForeignID("message.id", n.ID); err != nil {
		return err
	}
	if err := checkBackendContent(n.Content, len(n.Files) > 0); err != nil {
		return err
	}
	if err := n.check(); err != nil {
		return err
	}
	return b.change(ctx, by, in, func(c *change) error {
		if c.session.Status != chat.StatusOpen { // only a new message reopens it
			if _, err := c.Message(in.ID, n.ID); !errors.Is(err, chat.ErrMessageNotFound) {
				return err
			}
		}
		var m chat.Message
		err := c.hold(func() error { return c.touch(n.Sender) }, func() error {
			m = c.noticed(n.ID)
			m.Content, m.Sender, m.ReplyTo, m.OperatorName, m.Attachments, m.Buttons = n.Content, n.Sender, n.ReplyTo, n.Name, chat.Of(n.Files), n.Buttons
			m.Timestamp = orNow(n.Timestamp, c.at)
			if n.Sender != chat.SenderVisitor {
				m.SourceBridge = by.Source
			}
			return c.InsertMessage(&m)
		})
		switch {
		case errors.Is(err, chat.ErrMessageExists):
			return nil
		case err != nil:
			return err
		}
		return c.emit(chat.NewMessageEvent(chat.EventMessage, by.Source, c.at, &m))
	})
}

// Limits of a file that a backend names.
const (
	maxFileURL  = 2048
	maxFileName = 255
)

// check bounds the fields beside the content, and refuses buttons that nobody can be offered.
func (n *BackendMessage) check() error {
	if len(n.Buttons) > 0 && n.Sender == chat.SenderVisitor {
		return chat.Errorf(chat.Invalid, "message.buttons: visitors offer none. Leave them out, or set message.sender to operator or ai")
	}
	if err := n.Buttons.Check(); err != nil {
		return err
	}
	type limited struct {
		name, text string
		most       int
	}
	texts := []limited{{"replyTo", n.ReplyTo, maxForeignID}, {"operatorName", n.Name, chat.MaxName}}
	for _, f := range n.Files {
		texts = append(texts, limited{"attachments[].id", f.ID, maxForeignID}, limited{"attachments[].url", f.URL, maxFileURL},
			limited{"attachments[].filename", f.Filename, maxFileName}, limited{"attachments[].mimeType", f.MimeType, chat.MaxName})
	}
	for _, t := range texts {
		if utf8.RuneCountInString(t.text) > t.most {
			return chat.Errorf(chat.Invalid, "message.%s must be at most %d characters", t.name, t.most)
		}
	}
	return nil
}

// noticed is a message that a backend refers to, at the place of the next event.
// Its id is also its client id, so that inserting a known message
// has no effect.
func (c *change) noticed(id string) chat.Message {
	return chat.Message{ID: id, ClientID: id, SessionID: c.session.ID, Seq: c.session.Rev + 1, Sender: chat.SenderVisitor, Timestamp: c.at,
		Attachments: chat.Of(chat.Attachments{})}
}

// recall finds a visitor's message, or creates it: the backend knows it. A created
// one counts as edited: no event has its earlier text.
func (c *change) recall(id string, edited chat.Time) (chat.Message, error) {
	m, err := c.Message(c.session.ID, id)
	if errors.Is(err, chat.ErrMessageNotFound) {
		m = c.noticed(id)
		m.EditedAt = edited
		err = c.InsertMessage(&m)
	}
	if err == nil && m.Sender != chat.SenderVisitor {
		err = chat.Errorf(chat.Invalid, "message %.50q is not a visitor's", id)
	}
	return m, err
}

// Edit replaces a visitor's message. A deleted one stays deleted.
func (b Backend) Edit(ctx context.Context, by chat.Author, in SessionInfo, id, content string, at chat.Time) error {
	if err := checkForeignID("messageId", id); err != nil {
		return err
	}
	if err := checkBackendContent(content, false); err != nil {
		return err
	}
	return b.change(ctx, by, in, func(c *change) error {
		edited := orNow(at, c.at)
		m, err := c.recall(id, edited)
		if err != nil || m.DeletedAt != 0 || m.Content == content {
			return err
		}
		m.Content, m.EditedAt = content, edited
		if err := c.SaveMessage(&m); err != nil {
			return err
		}
		return c.emit(chat.NewMessageEvent(chat.EventMessageEdited, by.Source, c.at, &m))
	})
}

// Delete empties a visitor's message.
func (b Backend) Delete(ctx context.Context, by chat.Author, in SessionInfo, id string, at chat.Time) error {
	if err := checkForeignID("messageId", id); err != nil {
		return err
	}
	return b.change(ctx, by, in, func(c *change) error {
		m, err := c.recall(id, 0)
		if err != nil || m.DeletedAt != 0 {
			return err
		}
		return c.remove(&m, orNow(at, c.at))
	})
}

// MarkRead relays a receipt, delivered or read, for the messages that
// do not have it yet.
func (b Backend) MarkRead(ctx context.Context, by chat.Author, in SessionInfo, ids []string, status string) error {
	switch {
	case len(ids) == 0:
		return chat.Errorf(chat.Invalid, "messageIds is required")
	case len(ids) > maxReadIDs:
		return chat.Errorf(chat.Invalid, "messageIds must be at most %d", maxReadIDs)
	case status != "read" && status != "delivered":
		return chat.Errorf(chat.Invalid, "status must be delivered or read")
	}
	for _, id := range ids {
		if err := checkForeignID("messageIds", id); err != nil {
			return err
		}
	}
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	return b.change(ctx, by, in, func(c *change) error {
		receipt := chat.Receipt{Status: status, At: c.at}
		for _, id := range ids {
			news, err := c.mark(id, status)
			if err != nil {
				return err
			}
			if news {
				receipt.MessageIDs = append(receipt.MessageIDs, id)
			}
		}
		if len(receipt.MessageIDs) == 0 {
			return nil
		}
		return c.emitFact(chat.EventMessageRead, receipt)
	})
}

// mark stores a receipt of a message and reports whether it is new. It always
// is for unknown messages.
func (c *change) mark(id, status string) (news bool, err error) {
	m, err := c.Message(c.session.ID, id)
	if errors.Is(err, chat.ErrMessageNotFound) {
		return true, nil
	}
	if err != nil || m.Internal || m.ReadAt != 0 || status == "delivered" && m.DeliveredAt != 0 {
		return false, err
	}
	if status == "read" {
		m.ReadAt = c.at
	} else {
		m.DeliveredAt = c.at
	}
	return true, c.SaveMessage(&m)
}

// Identify stores and relays the visitor's identity.
func (b Backend) Identify(ctx context.Context, by chat.Author, in SessionInfo) error {
	identity := known(in.Identity)
	in.Identity = nil
	if len(identity) == 0 {
		return chat.Errorf(chat.Invalid, "session.identity is required")
	}
	if err := checkIdentity("session.identity", identity); err != nil {
		return err
	}
	return b.report(ctx, by, in, func(c *change) error { return c.addIdentity(identity) })
}

// Trigger relays a custom event.
func (b Backend) Trigger(ctx context.Context, by chat.Author, in SessionInfo, e chat.CustomEvent) error {
	if err := e.Check("event."); err != nil {
		return err
	}
	return b.report(ctx, by, in, func(c *change) error {
		e.Timestamp = orNow(e.Timestamp, c.at)
		return c.emitFact(chat.EventCustom, e)
	})
}

// maxReason is the longest reason of an AI's takeover, in characters.
const maxReason = 500

// TakeOver reports that the backend's AI answers from now on.
func (b Backend) TakeOver(ctx context.Context, by chat.Author, in SessionInfo, reason string) error {
	if utf8.RuneCountInString(reason) > maxReason {
		return chat.Errorf(chat.Invalid, "reason must be at most %d characters", maxReason)
	}
	return b.change(ctx, by, in, func(c *change) error {
		c.session.AIActive = true
		return c.emitFact(chat.EventAITakeover, chat.Takeover{Active: true, Reason: reason, At: c.at})
	})
}

// Rate relays a rating. The backend may correct it later.
func (b Backend) Rate(ctx context.Context, by chat.Author, in SessionInfo, score int, comment string, at chat.Time) error {
	if err := checkRating(score, comment); err != nil {
		return err
	}
	return b.change(ctx, by, in, func(c *change) error {
		if s := c.session; s.RespondedAt != 0 && s.Score == score && s.Comment == comment {
			return nil
		}
		return c.rate(score, comment, orNow(at, c.at))
	})
}

// Leave reports to the platforms at once that the visitor left: the
// backend can distinguish that from a change of page.
func (b Backend) Leave(ctx context.Context, by chat.Author, in SessionInfo, l Leave) error {
	if l.Reason == "" {
		l.Reason = LeaveReasons[0]
	}
	if err := l.check(); err != nil {
		return err
	}
	return b.report(ctx, by, in, func(c *change) error { return c.emitFact(chat.EventDisconnect, l) })
}

// orNow returns the backend's time, or else the present.
func orNow(given, now chat.Time) chat.Time {
	if given != 0 {
		return given
	}
	return now
}

func checkForeignID(name, id string) error {
	switch {
	case strings.TrimSpace(id) == "":
		return chat.Errorf(chat.Invalid, "%s is required", name)
	case utf8.RuneCountInString(id) > maxForeignID:
		return chat.Errorf(chat.Invalid, "%s must be at most %d characters", name, maxForeignID)
	case IsPlaceholder(id):
		return chat.Errorf(chat.Invalid, "%s must not begin with U+FDD0", name)
	}
	return nil
}

// checkBackendContent bounds a backend's content by the largest limit of all senders.
func checkBackendContent(content string, hasFiles bool) error {
	switch {
	case strings.TrimSpace(content) == "" && !hasFiles:
		return chat.Errorf(chat.Invalid, "content is required")
	case utf8.RuneCountInString(content) > MaxOperatorContent:
		return chat.Errorf(chat.Invalid, "content must be at most %d characters", MaxOperatorContent)
	}
	return nil
}
