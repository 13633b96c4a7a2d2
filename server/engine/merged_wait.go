package engine

import (
	"cmp"
	"errors"
	"slices"

	"github.com/relay-chat/relay/server/chat"
)

// side is what the messages of a merged session say about the wait.
type side struct {
	*change
	visited  chat.Time // the visitor's last message
	answered chat.Time // the last answer
	open     []said    // the visitor's messages behind that
}

type said struct {
	at     chat.Time
	unread bool
}

// sidePages is how many pages of messages are read at most.
const sidePages = 50

// side reads what was said, the newest first, up to the last answer and the visitor's last message.
func (c *change) side() (s side, err error) {
	s.change = c
	before := int64(0)
	for range sidePages {
		list, err := c.Messages(chat.MessageQuery{SessionID: c.session.ID, Before: before, Public: true, Limit: unansweredPage})
		if err != nil {
			return s, err
		}
		for _, m := range slices.Backward(list) {
			if err := s.see(&m); err != nil {
				return s, err
			}
		}
		if len(list) < unansweredPage || s.answered != 0 && s.visited != 0 {
			break
		}
		before = list[0].Seq
	}
	return s, nil
}

func (s *side) see(m *chat.Message) error {
	if m.DeletedAt != 0 {
		return nil
	}
	if m.Sender == chat.SenderVisitor {
		s.visited = max(s.visited, m.Timestamp)
		if s.answered == 0 {
			s.open = append(s.open, said{m.Timestamp, m.ReadAt == 0})
		}
		return nil
	}
	if s.answered != 0 {
		return nil
	}
	answer, err := s.isAnswer(m)
	if answer {
		s.answered = m.Timestamp
	}
	return err
}

// waits counts what nobody has answered since a time, and returns since when that is.
func (s *side) waits(from chat.Time) (since chat.Time, unread int) {
	for _, m := range s.open { // the newest first
		if m.at < from {
			break
		}
		since = m.at
		if m.unread {
			unread++
		}
	}
	return since, unread
}

// unite lets merged sessions go on in the one that the visitor wrote in last: the others are
// closed, and what waits in any of them waits there, unless it was answered in any. With anew,
// what was open when it was left counts as open, because it went on in one that was separated.
func (g *group) unite(anew bool) (*change, error) {
	sides := make([]side, len(g.all))
	on, open := 0, false
	var answered chat.Time
	for i, c := range g.all {
		var err error
		if sides[i], err = c.side(); err != nil {
			return nil, err
		}
		answered = max(answered, sides[i].answered)
		if sides[i].newerThan(&sides[on]) {
			on = i
		}
		open = open || c.session.Status == chat.StatusOpen || anew && c.session.MovedOn == chat.MovedOpen
	}
	waits := g.waits(anew)
	var since chat.Time
	unread := 0
	for i := range sides {
		s := sides[i].session
		from, waiting := waits[s.ID]
		if !waiting {
			continue
		}
		first, n := sides[i].waits(max(answered, from))
		if first != 0 && (since == 0 || first < since) {
			since = first
		}
		unread += n
	}
	next := g.all[on]
	return next, g.goOn(next, open, since, unread)
}

// waits tells for each session that may have something unanswered from when on that is looked
// for: since when the one waits in which it went on so far.
func (g *group) waits(anew bool) map[string]chat.Time {
	together := map[string]chat.Time{}
	key := func(s *chat.Session) string { return cmp.Or(s.Merged, s.ID) }
	for _, c := range g.all {
		s := c.session
		if at := together[key(s)]; s.Status == chat.StatusOpen && s.WaitingSince != 0 && (at == 0 || s.WaitingSince < at) {
			together[key(s)] = s.WaitingSince
		}
	}
	from := map[string]chat.Time{}
	for _, c := range g.all {
		s := c.session
		if at := together[key(s)]; (at != 0 || anew) && (s.Status == chat.StatusOpen || s.MovedOn == chat.MovedOpen) {
			if from[s.ID] = at; anew {
				from[s.ID] = 0
			}
		}
	}
	return from
}

// newerThan reports whether the visitor was in this session after another one.
func (s *side) newerThan(other *side) bool {
	if s.visited != other.visited {
		return s.visited > other.visited
	}
	return s.session.MovedOn == chat.NotMoved && other.session.MovedOn != chat.NotMoved // both were written in at once, or in neither
}

// goOn closes all but one session, which gets what the others had.
func (g *group) goOn(next *change, open bool, since chat.Time, unread int) error {
	for _, c := range g.all {
		if c == next {
			continue
		}
		if err := g.leave(c, next); err != nil {
			return err
		}
	}
	s := next.session
	s.MovedOn = chat.NotMoved
	if open && s.Status != chat.StatusOpen {
		if err := g.relay.enterStatus(next, chat.StatusOpen, chat.EventSessionReopened); err != nil {
			return err
		}
	}
	s.WaitingSince, s.Unread = since, unread
	return next.unsnooze()
}

// unsnooze ends a snooze without a wait of its own.
func (c *change) unsnooze() error {
	if c.session.SnoozedUntil == 0 {
		return nil
	}
	c.session.SnoozedUntil = 0
	return c.emitFact(chat.EventSnoozed, Organised{By: c.by.Name, At: c.at})
}

// leave closes a session that goes on in another one, which gets its tags and, if it is
// nobody's, its assignee. The visitor is not asked for a rating: nothing has ended.
func (g *group) leave(c, next *change) error {
	s := c.session
	if s.MovedOn == chat.NotMoved {
		if err := next.tag(next.session.TagList().With(s.TagList())); err != nil {
			return err
		}
		if s.Assignee != "" && next.session.Assignee == "" {
			var refusal *chat.Error // whoever is gone gets nothing
			if err := next.assign(s.Assignee); err != nil && !errors.As(err, &refusal) {
				return err
			}
		}
		if s.MovedOn = chat.MovedClosed; s.Status == chat.StatusOpen {
			s.MovedOn = chat.MovedOpen
		}
	}
	s.WaitingSince, s.Unread = 0, 0
	if err := c.unsnooze(); err != nil || s.Status == chat.StatusClosed {
		return err
	}
	s.Status = chat.StatusClosed
	return c.emitFact(chat.EventSessionClosed, momentOf(c.at))
}

// standAlone makes a session stand on its own again: what was open when it was left is open
// again, and what waits is counted from its own messages.
func (r *Relay) standAlone(c *change) error {
	s := c.session
	was := s.MovedOn
	s.MovedOn = chat.NotMoved
	if was == chat.MovedOpen && s.Status == chat.StatusClosed {
		if err := r.enterStatus(c, chat.StatusOpen, chat.EventSessionReopened); err != nil {
			return err
		}
	}
	s.WaitingSince, s.Unread = 0, 0
	if s.Status != chat.StatusOpen {
		return nil
	}
	own, err := c.side()
	if err == nil {
		s.WaitingSince, s.Unread = own.waits(0)
	}
	return err
}
