package engine

import (
	"cmp"
	"errors"
	"slices"

	"github.com/relay-chat/relay/server/chat"
)

// wait is what an open session knows of its wait: since when it waits, and how many messages are unread.
type wait struct {
	since  chat.Time
	unread int
}

func (w *wait) add(other wait) {
	if other.since != 0 && (w.since == 0 || other.since < w.since) {
		w.since = other.since
	}
	w.unread += other.unread
}

// side is what the messages of a merged session say about the wait.
type side struct {
	*change
	known    wait      // where it went on
	visited  chat.Time // the visitor's last message
	told     chat.Time // the last answer of a person
	answered bool      // what is older than what was read was answered here
	began    bool      // what made it wait is one of its messages
	open     []said    // what nobody has answered here, the newest first
}

// said is a visitor's message, or the AI's sentence before it handed over.
type said struct {
	at           chat.Time
	unread, asks bool
}

// sidePages is how many pages of messages are read at most.
const sidePages = 50

// side reads what was said, the newest first, up to the last answer, the visitor's last message
// and a time.
func (g *group) side(c *change, from chat.Time) (s side, err error) {
	s.change, s.known = c, g.known[c]
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
		if len(list) < unansweredPage || s.answered && s.visited != 0 && list[0].Timestamp < from {
			break
		}
		before = list[0].Seq
	}
	return s, nil
}

// see takes a message into account. What the visitor wrote since the wait began is open although
// the AI has answered behind it: see [change.keepWaiting].
func (s *side) see(m *chat.Message) error {
	if m.DeletedAt != 0 || m.ByRelay() {
		return nil
	}
	begins := m.Timestamp == s.known.since
	if m.Sender == chat.SenderVisitor {
		s.visited = max(s.visited, m.Timestamp)
		if !s.answered || s.known.since != 0 && m.Timestamp >= s.known.since {
			s.open, s.began = append(s.open, said{at: m.Timestamp, unread: m.ReadAt == 0}), s.began || begins
		}
		return nil
	}
	if m.Sender == chat.SenderOperator {
		s.told = max(s.told, m.Timestamp)
	}
	if s.answered {
		return nil
	}
	answer, err := s.isAnswer(m)
	if s.answered = answer; err == nil && !answer {
		s.open, s.began = append(s.open, said{at: m.Timestamp, asks: true}), s.began || begins
	}
	return err
}

// waits counts what nobody has answered since a time.
func (s *side) waits(from chat.Time) (w wait) {
	asks := false
	for _, m := range s.open {
		if m.at < from {
			break
		}
		w.since, asks = m.at, asks || m.asks
		if m.unread {
			w.unread++
		}
	}
	if asks {
		w.unread = max(w.unread, 1)
	}
	return w
}

// isOpen reports whether a session is open, or was when it was left.
func isOpen(s *chat.Session) bool {
	return s.Status == chat.StatusOpen || s.MovedOn == chat.MovedOpen
}

// mergedKey is the same for sessions that are merged.
func mergedKey(s *chat.Session) string { return cmp.Or(s.Merged, s.ID) }

// waits tells for each session what waits where it went on so far.
func (g *group) waits() map[*change]wait {
	together := map[string]wait{}
	for _, c := range g.all {
		if s := c.session; s.Status == chat.StatusOpen && s.MovedOn == chat.NotMoved {
			w := together[mergedKey(s)]
			w.add(wait{s.WaitingSince, s.Unread})
			together[mergedKey(s)] = w
		}
	}
	known := map[*change]wait{}
	for _, c := range g.all {
		known[c] = together[mergedKey(c.session)]
	}
	return known
}

// unite lets merged sessions go on in the one that the visitor wrote in last: the others are
// closed, and what waits in any of them waits there, unless a person answered in another one. With
// anew, it is counted from the messages, because it went on in one that is separated or erased.
func (g *group) unite(anew bool) (*change, error) {
	from := g.all[0].at
	for _, c := range g.all {
		if since := g.known[c].since; since != 0 {
			from = min(from, since)
		}
	}
	sides := make([]side, len(g.all))
	on, open := 0, false
	for i, c := range g.all {
		var err error
		if sides[i], err = g.side(c, from); err != nil {
			return nil, err
		}
		if sides[i].newerThan(&sides[on]) {
			on = i
		}
		open = open || c.session.Status == chat.StatusOpen || anew && isOpen(c.session)
		g.began = g.began || sides[i].began
	}
	all := carried(sides)
	if anew {
		all = counted(sides)
	}
	next := g.all[on]
	if err := g.goOn(next, open, all); err != nil || anew {
		return next, err
	}
	return next, next.unsnooze()
}

// carried is what waits in sessions together: what each knew, or, where a person answered in another
// one behind that, what came after the answer.
func carried(sides []side) (all wait) {
	done := map[string]bool{}
	for i := range sides {
		s := &sides[i]
		key, w := mergedKey(s.session), s.known
		told := toldIn(sides, func(other *side) bool { return mergedKey(other.session) != key })
		switch {
		case w.since == 0 || w.since > told:
			if !done[key] {
				all.add(w)
			}
			done[key] = true
		case isOpen(s.session):
			all.add(s.waits(told))
		}
	}
	return all
}

// counted is what waits in sessions by their messages alone.
func counted(sides []side) (all wait) {
	for i := range sides {
		if s := &sides[i]; isOpen(s.session) {
			all.add(s.waits(toldIn(sides, func(other *side) bool { return other != s })))
		}
	}
	return all
}

// toldIn is when a person answered last in some of the sessions.
func toldIn(sides []side, in func(*side) bool) (last chat.Time) {
	for i := range sides {
		if in(&sides[i]) {
			last = max(last, sides[i].told)
		}
	}
	return last
}

// newerThan reports whether the visitor was in this session after another one.
func (s *side) newerThan(other *side) bool {
	if s.visited != other.visited {
		return s.visited > other.visited
	}
	return s.session.MovedOn == chat.NotMoved && other.session.MovedOn != chat.NotMoved // both were written in at once, or in neither
}

// goOn closes all but one session, which gets what the others had.
func (g *group) goOn(next *change, open bool, all wait) error {
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
	s.WaitingSince, s.Unread = all.since, all.unread
	return nil
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

// separate takes a session from the others, and returns those.
func (g *group) separate(c *change) (rest *group, err error) {
	for _, one := range g.all {
		if err := one.noteMerged(separated); err != nil {
			return nil, err
		}
	}
	rest = g.without(c)
	return rest, g.goApart(g.part([]*change{c}), rest)
}

// goApart lets each part of merged sessions go on by itself: what was open when it was left is
// open again, and what waits is counted from its own messages. A wait that no message explains, and
// what somebody marked as unread, stay where all went on.
func (g *group) goApart(parts ...*group) error {
	on := g.present()
	left := g.known[on]
	var stays *chat.Session
	began := false
	for _, p := range parts {
		if len(p.all) == 1 {
			p.all[0].session.Merged = ""
		}
	}
	for _, p := range parts {
		next, err := p.unite(true)
		if err != nil {
			return err
		}
		if began = began || p.began; slices.Contains(p.all, on) {
			stays = next.session
		} else {
			left.unread -= next.session.Unread
		}
	}
	if stays.Status != chat.StatusOpen {
		return nil
	}
	stays.Unread = max(stays.Unread, left.unread)
	if w := (wait{since: stays.WaitingSince}); !began {
		w.add(left)
		stays.WaitingSince = w.since
	}
	return nil
}
