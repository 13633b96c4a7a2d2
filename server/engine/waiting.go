package engine

import (
	"encoding/json"
	"slices"

	"github.com/relay-chat/relay/server/chat"
)

// A conversation waits, while it is open and its visitor is not blocked, since the
// visitor's earliest message that nobody has answered. Operators answer, and the AI
// does; a read, an internal note, the AI's hand-over and what relay itself says answer nothing. A snoozed
// conversation is hidden from those that wait.

// noteWaiting notes that somebody wrote, which ends a visitor's wait or begins one. A
// visitor's message ends a snooze, and what was written before the conversation was
// closed does not wait any more when the visitor comes back.
func (c *change) noteWaiting(sender chat.Sender, reopened bool) {
	s := c.session
	if c.backend {
		return
	}
	if sender != chat.SenderVisitor || reopened {
		s.WaitingSince = 0
	}
	if sender != chat.SenderVisitor {
		return
	}
	s.SnoozedUntil = 0
	if s.WaitingSince == 0 {
		s.WaitingSince = c.at
	}
}

// noteRead takes messages that an operator has read from those that are unread.
func (c *change) noteRead(read []chat.Message) {
	for i := range read {
		c.dropUnread(&read[i])
	}
}

// dropUnread takes one message from those that are unread, if it was one of them.
func (c *change) dropUnread(m *chat.Message) {
	s := c.session
	if m.Sender == chat.SenderVisitor && m.ReadAt == 0 && s.WaitingSince != 0 && m.Timestamp >= s.WaitingSince {
		s.Unread = max(s.Unread-1, 0)
	}
}

// noteRemoved notes that a message was deleted: it neither waits nor answers any more.
func (c *change) noteRemoved(m *chat.Message) error {
	s := c.session
	if c.backend || m.Internal {
		return nil
	}
	since := chat.Time(0)
	if m.Sender == chat.SenderVisitor {
		c.dropUnread(m)
		if m.Timestamp != s.WaitingSince {
			return nil
		}
		since = s.WaitingSince
	}
	first, err := c.firstUnanswered(since)
	if err != nil {
		return err
	}
	if m.Sender == chat.SenderVisitor || first != 0 && (s.WaitingSince == 0 || first < s.WaitingSince) {
		s.WaitingSince = first
	}
	return nil
}

// unansweredPage is how many messages are read at once to find the first one that waits.
const unansweredPage = 100

// firstUnanswered returns the time of the visitor's earliest message behind the last
// answer and from a time on, 0 if there is none.
func (c *change) firstUnanswered(from chat.Time) (first chat.Time, err error) {
	for before := int64(0); ; {
		list, err := c.Messages(chat.MessageQuery{SessionID: c.session.ID, Before: before, Public: true, Limit: unansweredPage})
		if err != nil {
			return 0, err
		}
		for _, m := range slices.Backward(list) {
			if m.Timestamp < from {
				return first, nil
			}
			answer, err := c.isAnswer(&m)
			if answer || err != nil {
				return first, err
			}
			if m.Sender == chat.SenderVisitor && m.DeletedAt == 0 {
				first = m.Timestamp
			}
		}
		if len(list) < unansweredPage {
			return first, nil
		}
		before = list[0].Seq
	}
}

// isAnswer reports whether a message answers the visitor: the AI's last sentence before it
// hands over does not.
func (c *change) isAnswer(m *chat.Message) (bool, error) {
	if m.Sender == chat.SenderVisitor || m.DeletedAt != 0 || m.ByRelay() {
		return false, nil
	}
	if m.Sender != chat.SenderAI {
		return true, nil
	}
	next := m.Seq + 1 // a hand-over's event comes right behind its sentence
	entries, err := c.Timeline(m.SessionID, next, next+1, unansweredPage)
	return !slices.ContainsFunc(entries, func(e chat.TimelineEntry) bool {
		var t chat.Takeover
		return e.Type == chat.EventAITakeover && e.Rev == next && json.Unmarshal(e.Data, &t) == nil && !t.Active && t.At == m.Timestamp
	}), err
}

// keepWaiting notes what an answer of the AI did not know, which the visitor wrote behind a
// revision: that still waits.
func (c *change) keepWaiting(seen int64) error {
	list, err := c.Messages(chat.MessageQuery{SessionID: c.session.ID, After: max(seen, 1), Public: true, Limit: aiMessages})
	s := c.session
	for _, m := range list {
		if m.Sender != chat.SenderVisitor || m.DeletedAt != 0 {
			continue
		}
		if s.WaitingSince == 0 {
			s.WaitingSince = m.Timestamp
		}
		if m.ReadAt == 0 {
			s.Unread++
		}
	}
	return err
}
