package engine

import (
	"cmp"
	"context"

	"github.com/relay-chat/relay/server/chat"
)

// The team merges sessions that are of one person, who wrote from several browsers. Nobody gets
// to read anything by that: each browser stays with the session that it can open. What is one
// is the team's work. It goes on where the visitor wrote last; the others are closed, what
// waits in any of them waits there, and the team writes nowhere else.

// Merged is the payload of [chat.EventMerged]. No other session is named in it: it stays when
// that one is erased, and the id of a session can be the key to it.
type Merged struct {
	By   string    `json:"by,omitempty"` // an operator's name
	At   chat.Time `json:"at"`
	What string    `json:"what"`
	// Content says it on platforms.
	Content string `json:"content"`
}

// What happened to a merged session.
const (
	mergedWith = "merged"
	movedOn    = "moved"
	separated  = "separated"
)

var mergedTexts = map[string]string{
	mergedWith: "This conversation was merged with another one of the same person",
	movedOn:    "The visitor went on in another conversation that is merged with this one. Answer there",
	separated:  "This conversation is not merged with another one any more",
}

func (c *change) noteMerged(what string) error {
	text := mergedTexts[what]
	if by := chat.OneLine(c.by.Name); by != "" {
		text += ", by " + by
	}
	return c.emitFact(chat.EventMerged, Merged{By: c.by.Name, At: c.at, What: what, Content: text + "."})
}

// Merge merges a session with another one of the same person and site, with all that are merged
// with either. It returns the one that goes on, and whether anything changed.
func (r *Relay) Merge(ctx context.Context, by chat.Author, id, with string) (on string, changed bool, err error) {
	if id == with {
		return "", false, chat.ErrorAt(chat.Invalid, "with", "with must be another conversation")
	}
	changed, err = r.together(ctx, by, []string{id, with}, func(g *group) (bool, error) {
		a, b := g.of(id).session, g.of(with).session
		if a.Merged != "" && a.Merged == b.Merged {
			on = g.present().session.ID
			return false, nil
		}
		if err := g.mayMerge(); err != nil {
			return false, err
		}
		next, err := g.unite(false)
		if err != nil {
			return false, err
		}
		g.join(cmp.Or(a.Merged, b.Merged, chat.NewID()))
		next.session.LastActivity, on = next.at, next.session.ID
		for _, c := range g.all {
			if err := c.noteMerged(mergedWith); err != nil {
				return false, err
			}
		}
		return true, nil
	})
	return on, changed, err
}

// Separate takes a session from those that it is merged with: it was not the same person. What
// waits is counted anew for each side. It reports whether it was merged.
func (r *Relay) Separate(ctx context.Context, by chat.Author, id string) (changed bool, err error) {
	return r.together(ctx, by, []string{id}, func(g *group) (bool, error) {
		c := g.of(id)
		if c.session.Merged == "" {
			return false, nil
		}
		_, err := g.separate(c)
		return true, err
	})
}

// stillHere refuses what the team would begin in a session that the visitor has left for
// another one that is merged with it.
func (c *change) stillHere() error {
	on, err := GoesOnIn(c, c.session)
	if err != nil || on == nil {
		return err
	}
	return chat.Errorf(chat.Conflict, "The visitor goes on in another conversation that is merged with this one, with “%s”: write there", c.nameOf(on))
}

// GoesOnIn is the session in which the team goes on instead of one that the visitor has left for
// it, nil if it goes on itself.
func GoesOnIn(rd chat.SessionReader, s *chat.Session) (on *chat.Session, err error) {
	if s.MovedOn == chat.NotMoved || s.Merged == "" {
		return nil, nil
	}
	all, err := rd.MergedSessions(s.Site, s.Merged)
	return GoesOnAmong(all, s), err
}

// GoesOnAmong is [GoesOnIn] for who has read the sessions that are merged.
func GoesOnAmong(merged []chat.Session, s *chat.Session) (on *chat.Session) {
	for i := range merged {
		one := &merged[i]
		if s.MovedOn != chat.NotMoved && one.ID != s.ID && one.MovedOn == chat.NotMoved && (on == nil || on.LastActivity < one.LastActivity) {
			on = one
		}
	}
	return on
}

// nameOf names a session's visitor for operators.
func (c *change) nameOf(s *chat.Session) string {
	contacts, err := c.Contacts([]chat.ContactKey{s.ContactKey()})
	if name := contacts[s.ContactKey()].Name; err == nil && name != "" {
		return name
	}
	return s.Title(c.hosts)
}
