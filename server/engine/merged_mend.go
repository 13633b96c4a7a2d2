package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/relay-chat/relay/server/chat"
)

// Merged sessions are in order when at least two are there, exactly one goes on, and not two are of
// different verified persons. What visitors do, and what is erased, can change that. It is put in order
// right behind such a change, in a transaction of its own; what a crash prevents is done behind the
// visitor's next message, or by the clean-up.

// keepMerged puts merged sessions in order after a change of one: the visitor wrote there, or
// proved who it is.
func (r *Relay) keepMerged(ctx context.Context, c *change) {
	matters := func(e chat.Event) bool {
		return e.Type == chat.EventMessage && e.Sender == chat.SenderVisitor || e.Type == chat.EventIdentityUpdate
	}
	if c.session.Merged == "" || !slices.ContainsFunc(c.events, matters) {
		return
	}
	if err := r.mendMerged(context.WithoutCancel(ctx), c.session.ID); err != nil {
		r.log.Error("cannot put merged conversations in order; trying again later", "session", c.session.ID, "err", err)
	}
}

// goOnWithout lets those go on that are merged with a session that was erased.
func (r *Relay) goOnWithout(ctx context.Context, gone *chat.Session) {
	var rest []chat.Session
	err := r.store.ReadOne(ctx, func(rd chat.Reader) (err error) {
		rest, err = rd.MergedSessions(gone.Site, gone.Merged)
		return err
	})
	if err == nil && len(rest) > 0 {
		err = r.mendMerged(ctx, rest[0].ID)
	}
	if err != nil {
		r.log.Error("cannot let conversations go on without an erased one; trying again later", "err", err)
	}
}

// mergesAtOnce is how many groups of sessions are put in order at once.
const mergesAtOnce = 100

// mendAllMerged puts in order what a crash or the retention time left.
func (r *Relay) mendAllMerged(ctx context.Context) error {
	var ids []string
	err := r.store.ReadOne(ctx, func(rd chat.Reader) (err error) {
		ids, err = rd.BrokenMerges(mergesAtOnce)
		return err
	})
	for _, id := range ids {
		err = errors.Join(err, r.mendMerged(ctx, id))
	}
	return err
}

// mendMerged puts a session and those that are merged with it in order. If they are of different
// persons, it is the one that is separated.
func (r *Relay) mendMerged(ctx context.Context, id string) error {
	_, err := r.together(ctx, chat.Author{Source: chat.SourceRelay}, []string{id}, func(g *group) (changed bool, err error) {
		if g.all[0].session.Merged == "" {
			return false, nil
		}
		rest := g
		for c := rest.stranger(id); c != nil && err == nil; c = rest.stranger(id) {
			changed = true
			rest, err = rest.separate(c)
		}
		if err != nil || rest.all[0].session.Merged == "" {
			return changed, err
		}
		more, err := rest.mend()
		return changed || more, err
	})
	if errors.Is(err, chat.ErrSessionNotFound) { // erased meanwhile
		return nil
	}
	return err
}

// stranger is a session whose visitor is another person than that of another one: the named one if
// it is one of those, nil if there is none.
func (g *group) stranger(id string) (found *change) {
	for _, c := range g.all {
		other := func(o *change) bool { return o.session.Person != "" && o.session.Person != c.session.Person }
		if c.session.Person != "" && (found == nil || c.session.ID == id) && slices.ContainsFunc(g.all, other) {
			found = c
		}
	}
	return found
}

// mend lets sessions go on in one of them, or one that is alone by itself.
func (g *group) mend() (changed bool, err error) {
	left := slices.DeleteFunc(slices.Clone(g.all), func(c *change) bool { return c.session.MovedOn != chat.NotMoved })
	switch {
	case len(g.all) == 1 || len(left) == 0:
		return true, g.goApart(g)
	case len(left) == 1:
		return false, nil
	}
	next, err := g.unite(false)
	for _, c := range left {
		if c != next && err == nil {
			err = c.noteMerged(movedOn)
		}
	}
	return true, err
}
