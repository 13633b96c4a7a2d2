package engine

import (
	"context"
	"errors"
	"slices"

	"github.com/relay-chat/relay/server/chat"
)

// group is sessions that are merged, or about to be, in one transaction that has locked them.
type group struct {
	relay  *Relay
	all    []*change
	waited map[*change]chat.Time // since when each visitor waited before
	known  map[*change]wait      // what waited before where each went on
	began  bool                  // what made it wait is in one of these; see [group.unite]
}

// errChanging means that others merged or separated the sessions before they were locked.
var errChanging = chat.Errorf(chat.Conflict, "Somebody else is merging these conversations: try again")

// together changes sessions and all that are merged with them, in one transaction. If op says
// that it changed nothing, nothing is stored.
func (r *Relay) together(ctx context.Context, by chat.Author, ids []string, op func(g *group) (changed bool, err error)) (changed bool, err error) {
	for range 5 { // others may change them between reading and locking
		if changed, err = r.togetherOnce(ctx, by, ids, op); !errors.Is(err, errChanging) {
			break
		}
	}
	return changed, err
}

func (r *Relay) togetherOnce(ctx context.Context, by chat.Author, ids []string, op func(g *group) (changed bool, err error)) (changed bool, err error) {
	var g *group
	err = r.store.Apply(ctx, func(tx chat.Tx) error {
		g = &group{relay: r, waited: map[*change]chat.Time{}}
		list, err := lockGroup(tx, by, ids)
		if err != nil {
			return err
		}
		at := chat.Now()
		for i := range list {
			c := r.begin(tx, by, at, &list[i])
			g.all, g.waited[c] = append(g.all, c), list[i].WaitingSince
		}
		g.known = g.waits()
		if changed, err = op(g); err != nil || !changed {
			return err
		}
		for _, c := range g.all {
			if err := r.settle(c, g.waited[c]); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		if errors.Is(err, chat.ErrAway) && g != nil {
			for _, c := range g.all {
				r.markUncertain(c)
			}
		}
		return false, err
	}
	for i := 0; changed && i < len(g.all); i++ {
		r.release(g.all[i])
	}
	return changed, nil
}

// lockGroup locks sessions of one site and those that are merged with them.
func lockGroup(tx chat.Tx, by chat.Author, ids []string) ([]chat.Session, error) {
	all, err := withMerged(tx, ids)
	if err != nil {
		return nil, err
	}
	list, err := lockInOrder(tx, all)
	if errors.Is(err, chat.ErrSessionNotFound) && len(all) > len(ids) { // erased meanwhile, perhaps one of the others
		return nil, errChanging
	}
	if err != nil {
		return nil, err
	}
	for i := range list {
		if err := by.Authorise(&list[i]); err != nil {
			return nil, err
		}
		if list[i].Site != list[0].Site {
			return nil, chat.ErrSessionNotFound
		}
	}
	if again, err := withMerged(tx, ids); err != nil || !slices.Equal(again, all) {
		return nil, errors.Join(err, errChanging)
	}
	return list, nil
}

// lockInOrder locks sessions in the order of their ids. Whoever locks several does so in this
// order, so that parallel transactions do not wait for each other.
func lockInOrder(tx chat.Tx, ids []string) (list []chat.Session, err error) {
	for _, id := range slices.Compact(slices.Sorted(slices.Values(ids))) {
		s, err := tx.Lock(id)
		if err != nil {
			return nil, err
		}
		list = append(list, s)
	}
	return list, nil
}

// withMerged lists the ids of sessions and of those that are merged with them, in order.
func withMerged(rd chat.SessionReader, ids []string) ([]string, error) {
	all := slices.Clone(ids)
	for _, id := range ids {
		s, err := rd.Session(id)
		if err != nil {
			return nil, err
		}
		if s.Merged == "" {
			continue
		}
		merged, err := rd.MergedSessions(s.Site, s.Merged)
		if err != nil {
			return nil, err
		}
		for i := range merged {
			all = append(all, merged[i].ID)
		}
	}
	slices.Sort(all)
	return slices.Compact(all), nil
}

func (g *group) of(id string) *change {
	return g.all[slices.IndexFunc(g.all, func(c *change) bool { return c.session.ID == id })]
}

func (g *group) without(c *change) *group {
	return g.part(slices.DeleteFunc(slices.Clone(g.all), func(other *change) bool { return other == c }))
}

func (g *group) part(all []*change) *group {
	return &group{relay: g.relay, waited: g.waited, known: g.known, all: all}
}

// present is the session that goes on.
func (g *group) present() *change {
	on := g.all[0]
	for _, c := range g.all {
		if s := c.session; s.MovedOn == chat.NotMoved && (on.session.MovedOn != chat.NotMoved || on.session.LastActivity < s.LastActivity) {
			on = c
		}
	}
	return on
}

func (g *group) join(id string) {
	for _, c := range g.all {
		c.session.Merged = id
	}
}

// mayMerge refuses what cannot be of one person, and what others must end first.
func (g *group) mayMerge() error {
	if len(g.all) > chat.MaxMerged {
		return chat.Errorf(chat.Conflict, "At most %d conversations can be merged with each other", chat.MaxMerged)
	}
	person := ""
	for _, c := range g.all {
		s := c.session
		switch {
		case !s.Started():
			return chat.Errorf(chat.Conflict, "Nothing was said yet in one of the conversations")
		case s.Blocked:
			return chat.Errorf(chat.Conflict, "The visitor of one of the conversations is blocked: unblock the visitor first")
		case s.Person != "" && person != "" && s.Person != person:
			return chat.Errorf(chat.Conflict, "The visitors are verified, and they are different people")
		case s.Person != "":
			person = s.Person
		}
		if err := c.nothingPending(); err != nil {
			return err
		}
	}
	return nil
}

// actsLookedAt is how many of a session's newest acts are looked at.
const actsLookedAt = 50

// nothingPending refuses a session that the visitor is about to leave anyway, and one in which the
// AI waits for a yes: whoever says it would not be where the answer goes.
func (c *change) nothingPending() error {
	if next := c.session.ContinuedIn; next != "" {
		_, err := c.Session(next)
		if err == nil {
			return chat.Errorf(chat.Conflict, "The team began a later conversation after one of them: merge the later one")
		}
		if !errors.Is(err, chat.ErrSessionNotFound) {
			return err
		}
	}
	acts, err := c.ActsOf(c.session.ID, actsLookedAt)
	for i := range acts {
		if acts[i].State == chat.ActWaiting || acts[i].State == chat.ActRunning {
			return chat.Errorf(chat.Conflict, "In one of the conversations the AI waits for a yes or no to “%s”: answer it first", acts[i].Name)
		}
	}
	return err
}
