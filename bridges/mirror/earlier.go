package mirror

import (
	"cmp"
	"errors"
	"slices"
	"strings"

	"relay/server/chat"
)

// What was said before stands in notes at the beginning of a thread that goes on
// with an older conversation. They are noted under each message that they show,
// and follow what becomes of it.

// earlierSign begins the mark of a message that is shown so.
const earlierSign = "earlier "

// recount shows earlier messages in a thread that was opened, as far as they are
// not there yet.
func (r *round) recount(th chat.Thread, earlier []chat.Message) error {
	var missing []chat.Message
	for _, m := range earlier {
		shown, err := r.noted(th, chat.Placeholder(earlierSign+m.ID))
		if err != nil {
			return err
		}
		if len(shown) == 0 {
			missing = append(missing, m)
		}
	}
	for len(missing) > 0 {
		n := r.fitting(missing)
		s := step{op: chat.Op{Kind: chat.OpNote, Text: earlierText(missing[:n])}, rev: r.head().Rev}
		for _, m := range missing[:n] {
			s.carries = append(s.carries, chat.Placeholder(earlierSign+m.ID))
		}
		if err := r.once(th, s); err != nil {
			return err
		}
		missing = missing[n:]
	}
	return nil
}

// noted are the parts of what relay wrote in a thread under a mark.
func (r *round) noted(th chat.Thread, mark string) (links []chat.Link, err error) {
	err = r.desk.store.Look(r.ctx, func(rd chat.Reader) (err error) {
		links, err = rd.Links(r.sessionID, mark, th.Bridge, th.Channel)
		return err
	})
	return slices.DeleteFunc(links, func(l chat.Link) bool { return l.State != chat.LinkLive || l.CreatedAt < th.CreatedAt }), err
}

// fitting is how many messages one note shows.
func (r *round) fitting(messages []chat.Message) int {
	for n := len(messages); n > 1; n-- {
		if len(r.desk.bridge.Split(chat.Op{Kind: chat.OpNote, Text: earlierText(messages[:n])})) == 1 {
			return n
		}
	}
	return 1
}

func earlierText(messages []chat.Message) string {
	lines := []string{"Earlier:"}
	for i := range messages {
		m := &messages[i]
		if m.DeletedAt != 0 {
			continue
		}
		from := cmp.Or(authorOf(m), "Visitor")
		lines = append(lines, from+": "+chat.Clip(chat.OneLine(contentOf(m)), chat.ShownValue))
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
	name := chat.Placeholder(earlierSign + e.MessageID)
	var at []chat.Link
	err := r.desk.store.Look(r.ctx, func(rd chat.Reader) (err error) {
		at, err = rd.Links(r.sessionID, name, r.desk.bridge.Name(), r.desk.bridge.Channel())
		return err
	})
	for _, l := range at {
		if err == nil && l.State == chat.LinkLive && l.Rev < r.head().Rev {
			err = r.retellNote(l)
		}
	}
	return err
}

// retellNote brings a note up to date. One that is gone, as with its thread, stays
// gone.
func (r *round) retellNote(l chat.Link) error {
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
	s := step{op: chat.Op{Kind: chat.OpEdit, Remote: l.Remote, Text: earlierText(messages)}, carries: marks, part: l.Part, rev: r.head().Rev}
	_, err = r.desk.do(r.ctx, th, s.op)
	switch {
	case errors.Is(err, chat.ErrMessageGone), errors.Is(err, chat.ErrPermanent):
		r.desk.log.Warn("a note about earlier messages cannot be changed", "session", r.sessionID, "err", err)
		return r.note(th, s, l.Remote, chat.LinkGone)
	case err != nil:
		return err
	}
	return r.note(th, s, l.Remote, chat.LinkLive)
}

// shownIn are the messages that a note shows, in their order, and their marks.
func (r *round) shownIn(l chat.Link) (messages []chat.Message, marks []string, err error) {
	err = r.desk.store.Read(r.ctx, func(rd chat.Reader) error {
		messages, marks = nil, nil
		links, err := rd.LinksAt(l.Bridge, l.Channel, l.Remote)
		for _, other := range links {
			id, is := strings.CutPrefix(other.MessageID, chat.Placeholder(earlierSign))
			if !is || other.SessionID != r.sessionID {
				continue
			}
			m, err := rd.Message(r.sessionID, id)
			if errors.Is(err, chat.ErrMessageNotFound) {
				continue
			}
			if err != nil {
				return err
			}
			messages, marks = append(messages, m), append(marks, other.MessageID)
		}
		return err
	})
	slices.SortFunc(messages, func(a, b chat.Message) int { return cmp.Compare(a.Seq, b.Seq) })
	return messages, marks, err
}
