package chat

import (
	"cmp"
	"errors"
	"slices"
	"strings"
)

// What was said before stands in notes at the beginning of a thread that goes on
// with an older conversation. They are noted under each message that they show,
// and follow what becomes of it.

// earlierSign begins the mark of a message that is shown so.
const earlierSign = "earlier "

// recount shows earlier messages in a thread that was opened, as far as they are
// not there yet.
func (r *round) recount(th Thread, earlier []Message) error {
	var missing []Message
	for _, m := range earlier {
		shown, err := r.noted(th, mark(earlierSign+m.ID))
		if err != nil {
			return err
		}
		if len(shown) == 0 {
			missing = append(missing, m)
		}
	}
	for len(missing) > 0 {
		n := r.fitting(missing)
		s := step{op: Op{Kind: OpNote, Text: earlierText(missing[:n])}, rev: r.head().Rev}
		for _, m := range missing[:n] {
			s.carries = append(s.carries, mark(earlierSign+m.ID))
		}
		if err := r.once(th, s); err != nil {
			return err
		}
		missing = missing[n:]
	}
	return nil
}

// noted are the parts of what relay wrote in a thread under a mark.
func (r *round) noted(th Thread, mark string) (links []Link, err error) {
	err = r.desk.store.Look(r.ctx, func(rd Reader) (err error) {
		links, err = rd.Links(r.sessionID, mark, th.Bridge, th.Channel)
		return err
	})
	return slices.DeleteFunc(links, func(l Link) bool { return l.State != LinkLive || l.CreatedAt < th.CreatedAt }), err
}

// fitting is how many messages one note shows.
func (r *round) fitting(messages []Message) int {
	for n := len(messages); n > 1; n-- {
		if len(r.desk.bridge.Split(Op{Kind: OpNote, Text: earlierText(messages[:n])})) == 1 {
			return n
		}
	}
	return 1
}

func earlierText(messages []Message) string {
	lines := []string{"Earlier:"}
	for i := range messages {
		m := &messages[i]
		if m.DeletedAt != 0 {
			continue
		}
		from := cmp.Or(authorOf(m), "Visitor")
		lines = append(lines, from+": "+clip(oneLine(contentOf(m)), shownValue))
	}
	if len(lines) == 1 {
		return "Earlier: (deleted)"
	}
	return strings.Join(lines, "\n")
}

// retell brings the notes up to date in which a message is shown that was edited
// or deleted.
func (r *round) retell() error {
	e := &r.head().Event
	name := mark(earlierSign + e.MessageID)
	var at []Link
	err := r.desk.store.Look(r.ctx, func(rd Reader) (err error) {
		at, err = rd.Links(r.sessionID, name, r.desk.bridge.Name(), r.desk.bridge.Channel())
		return err
	})
	for _, l := range at {
		if err == nil && l.State == LinkLive && l.Rev < r.head().Rev {
			err = r.retellNote(l)
		}
	}
	return err
}

// retellNote brings a note up to date. One that is gone, as with its thread, stays
// gone.
func (r *round) retellNote(l Link) error {
	th, err := r.thread(false)
	if errors.Is(err, errNoThread) {
		return nil
	}
	if err != nil {
		return err
	}
	messages, marks, err := r.shownIn(l)
	if err != nil {
		return err
	}
	s := step{op: Op{Kind: OpEdit, Remote: l.Remote, Text: earlierText(messages)}, carries: marks, part: l.Part, rev: r.head().Rev}
	_, err = r.desk.do(r.ctx, th, s.op)
	switch {
	case errors.Is(err, ErrMessageGone), errors.Is(err, ErrPermanent):
		r.desk.log.Warn("a note about earlier messages cannot be changed", "session", r.sessionID, "err", err)
		return r.note(th, s, l.Remote, LinkGone)
	case err != nil:
		return err
	}
	return r.note(th, s, l.Remote, LinkLive)
}

// shownIn are the messages that a note shows, in their order, and their marks.
func (r *round) shownIn(l Link) (messages []Message, marks []string, err error) {
	err = r.desk.store.Read(r.ctx, func(rd Reader) error {
		messages, marks = nil, nil
		links, err := rd.LinksAt(l.Bridge, l.Channel, l.Remote)
		for _, other := range links {
			id, is := strings.CutPrefix(other.MessageID, mark(earlierSign))
			if !is || other.SessionID != r.sessionID {
				continue
			}
			m, err := rd.Message(r.sessionID, id)
			if errors.Is(err, ErrMessageNotFound) {
				continue
			}
			if err != nil {
				return err
			}
			messages, marks = append(messages, m), append(marks, other.MessageID)
		}
		return err
	})
	slices.SortFunc(messages, func(a, b Message) int { return cmp.Compare(a.Seq, b.Seq) })
	return messages, marks, err
}
