package engine

import (
	"context"
	"errors"
	"slices"
	"sort"
	"strings"

	"github.com/relay-chat/relay/server/chat"
)

// link links a new message with the platform messages it came from.
func (c *change) link(m *chat.Message, origins []chat.Link) error {
	for i, l := range origins {
		l.SessionID, l.MessageID, l.Part, l.Origin, l.Rev, l.CreatedAt = m.SessionID, m.ID, i, true, c.session.Rev, c.at
		if err := c.SaveLink(&l); err != nil {
			return err
		}
	}
	return nil
}

// messageFrom finds the message linked with a platform message.
func (c *change) messageFrom(origin *chat.Link, sessionID string) (chat.Message, error) {
	id, err := OriginAt(c, origin, sessionID)
	if err != nil {
		return chat.Message{}, err
	}
	return c.Message(sessionID, id)
}

// OriginAt returns the id of the message that was written as a platform
// message, or the placeholder of a command; ErrMessageNotFound when it is neither.
func OriginAt(rd chat.ThreadReader, at *chat.Link, sessionID string) (string, error) {
	links, err := rd.LinksAt(at.Bridge, at.Channel, at.Remote)
	if err != nil {
		return "", err
	}
	links = slices.DeleteFunc(links, func(l chat.Link) bool { return !l.Origin || l.SessionID != sessionID })
	if len(links) == 0 {
		return "", chat.ErrMessageNotFound
	}
	sort.SliceStable(links, func(i, j int) bool { // files may follow
		a, b := &links[i], &links[j]
		if IsPlaceholder(a.MessageID) != IsPlaceholder(b.MessageID) {
			return IsPlaceholder(b.MessageID)
		}
		return a.CreatedAt < b.CreatedAt
	})
	return links[0].MessageID, nil
}

// Adopt restores a thread that the store has forgotten, with its session if
// that is forgotten too (bridge mode).
func (r *Relay) Adopt(ctx context.Context, th chat.Thread) error {
	now := chat.Now()
	return r.store.Apply(ctx, func(tx chat.Tx) error {
		_, err := tx.Lock(th.SessionID)
		if errors.Is(err, chat.ErrSessionNotFound) {
			err = tx.CreateSession(&chat.Session{ID: th.SessionID, Status: chat.StatusOpen, CreatedAt: now, StartedAt: now, LastActivity: now})
		}
		if err != nil {
			return err
		}
		return tx.SaveThread(&th)
	})
}

// Amend publishes an edit or a delete of a message that the store has forgotten
// (bridge mode): its id is all that is needed. From now on it is known again.
func (r *Relay) Amend(ctx context.Context, by chat.Author, t chat.EventType, sessionID, id, content string) error {
	return r.change(ctx, by, sessionID, func(c *change) error {
		m := c.noticed(id)
		m.Content, m.Sender, m.SourceBridge, m.OperatorName = content, by.Sender, by.Source, by.Name
		if t == chat.EventMessageDeleted {
			m.DeletedAt = c.at
		} else {
			m.EditedAt = c.at
		}
		if err := c.InsertMessage(&m); err != nil {
			return err
		}
		return c.emit(chat.NewMessageEvent(t, by.Source, c.at, &m))
	})
}

// placeholderSign begins the message id of a link to something that is no message.
// It is a noncharacter, which Unicode reserves for such uses: backends' ids may begin
// with any character.
const placeholderSign = "\ufdd0"

// Placeholder is the message id of a link to a platform message that shows
// none: relay's own text.
func Placeholder(name string) string { return placeholderSign + name }

// IsPlaceholder reports whether a link's message id is a placeholder.
func IsPlaceholder(messageID string) bool { return strings.HasPrefix(messageID, placeholderSign) }
