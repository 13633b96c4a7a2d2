package engine

import (
	"cmp"
	"context"
	"errors"
	"slices"

	"github.com/relay-chat/relay/server/chat"
)

// maxReadIDs is how many messages can be marked as read at once.
const maxReadIDs = 500

// MarkRead marks the other side's messages as read, which that side sees. Ids
// that are unknown, one's own or read before are passed over; an operator who
// names none means all.
func (r *Relay) MarkRead(ctx context.Context, by chat.Author, sessionID string, ids []string) error {
	switch {
	case len(ids) > maxReadIDs:
		return chat.Errorf(chat.Invalid, "messageIds must be at most %d", maxReadIDs)
	case slices.Contains(ids, ""):
		return chat.Errorf(chat.Invalid, "messageIds must not have an empty id")
	}
	if len(ids) == 0 && by.Sender != chat.SenderVisitor {
		return r.markAllRead(ctx, by, sessionID)
	}
	ids = slices.Compact(slices.Sorted(slices.Values(ids)))
	return r.change(ctx, by, sessionID, func(c *change) error {
		unread, err := c.unread(ids)
		if err != nil {
			return err
		}
		c.noteRead(unread)
		return c.markRead(unread)
	})
}

// markAllRead marks what a visitor has written so far, in portions: nobody waits
// for long behind it.
func (r *Relay) markAllRead(ctx context.Context, by chat.Author, sessionID string) error {
	after, upTo, marked := int64(0), int64(-1), false
	for more := true; more; {
		var last int64
		err := r.change(ctx, by, sessionID, func(c *change) error {
			if last = c.session.Rev; upTo < 0 {
				marked = c.session.Unread > 0
				upTo, c.session.Unread = c.session.Rev, 0
			}
			unread, err := c.UnreadMessages(sessionID, chat.SenderVisitor, after, upTo, maxReadIDs)
			if err != nil {
				return err
			}
			if more = len(unread) == maxReadIDs; more {
				last = unread[len(unread)-1].Seq
			}
			marked = marked && len(unread) == 0 // else the receipt says it
			return c.markRead(unread)
		})
		if err != nil {
			return err
		}
		after = last
	}
	if marked {
		r.announceUnread(sessionID, 0)
	}
	return nil
}

// MarkUnread makes a session unread again for the operators. Its visitor's receipts stay.
func (r *Relay) MarkUnread(ctx context.Context, by chat.Author, sessionID string) error {
	unread := 0
	err := r.change(ctx, by, sessionID, func(c *change) error {
		c.readOnly = true
		c.session.Unread = max(c.session.Unread, 1)
		unread = c.session.Unread
		return nil
	})
	if err == nil {
		r.announceUnread(sessionID, unread)
	}
	return err
}

// announceUnread shows operators how many messages of a session are unread.
func (r *Relay) announceUnread(sessionID string, unread int) {
	r.hub.PublishState(chat.StateSessionUnread, "", sessionID, struct {
		Unread int `json:"unread"`
	}{unread})
}

// markRead marks messages and publishes it.
func (c *change) markRead(unread []chat.Message) error {
	c.readOnly = true
	receipt := chat.Receipt{Status: "read", At: c.at}
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
	return c.emitFact(chat.EventMessageRead, receipt)
}

// unread lists those of the other side's messages that are to be marked.
func (c *change) unread(ids []string) ([]chat.Message, error) {
	var list []chat.Message
	for _, id := range ids {
		m, err := c.Message(c.session.ID, id)
		if errors.Is(err, chat.ErrMessageNotFound) {
			continue
		}
		if err != nil {
			return nil, err
		}
		own := (m.Sender == chat.SenderVisitor) == (c.by.Sender == chat.SenderVisitor)
		if !own && m.ReadAt == 0 && m.DeletedAt == 0 {
			list = append(list, m)
		}
	}
	return list, nil
}
