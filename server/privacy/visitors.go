// Package privacy finds, exports and erases what relay has of one visitor, for the API
// and the commands alike. It imports package chat only.
package privacy

import (
	"cmp"
	"context"
	"errors"
	"maps"
	"slices"
	"strings"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// page is how many sessions or messages are in memory at a time.
const page = 100

// maxOfVisitor bounds the sessions of one visitor that are looked up.
const maxOfVisitor = 10_000

// each calls use with every session with messages.
func each(ctx context.Context, store chat.Store, use func(*chat.Session) error) error {
	for last := int64(0); ; {
		var list []chat.Session
		err := store.ReadOne(ctx, func(rd chat.Reader) (err error) {
			list, last, err = rd.Export(nil, last, page)
			return err
		})
		if err != nil {
			return err
		}
		for i := range list {
			if err := use(&list[i]); err != nil {
				return err
			}
		}
		if len(list) < page {
			return ctx.Err()
		}
	}
}

// Found is a session that may be of the visitor.
type Found struct {
	chat.Session
	// Claimed: only what anybody can say names the visitor, and others say it too. A
	// person decides.
	Claimed bool
}

// ErrClaimed asks for a decision: see [Choose].
var ErrClaimed = &chat.Error{Kind: chat.Conflict, Text: "Several visitors claim to be this one, and none has proved it: choose conversations, each by a parameter named conversation"}

// Choose returns the sessions to export or erase: those with the ids, which must be among
// the found ones, or, without ids, all that are not merely claimed.
func Choose(found []Found, ids []string) (chosen []chat.Session, err error) {
	if len(found) == 0 {
		return nil, ErrNobody
	}
	for _, id := range ids {
		if !slices.ContainsFunc(found, func(f Found) bool { return f.ID == id }) {
			return nil, chat.Errorf(chat.Invalid, "conversation: %q is not among those found for this visitor", id)
		}
	}
	for i := range found {
		if f := &found[i]; len(ids) == 0 && !f.Claimed || slices.Contains(ids, f.ID) {
			chosen = append(chosen, f.Session)
		}
	}
	if len(chosen) == 0 {
		return nil, ErrClaimed
	}
	return chosen, nil
}

// Find lists the sessions of a visitor, the oldest first: those that name it by their
// own id, the visitor's id or a value of the identity or a form, and those joined with
// them, by a verified identity or the browser's tokens (see [chat.Session.BrowserKey]).
// The own id, the id of a verified identity and, without a token, the visitor's id prove
// whose a session is. What names only one visitor needs no proof: nobody else is meant. Only
// sessions of the sites count.
func Find(ctx context.Context, store chat.Store, who string, sites chat.SiteSet) ([]Found, error) {
	f := finder{store: store, sites: sites, who: strings.TrimSpace(who), found: map[string]Found{}, verified: map[string]bool{}}
	if f.who == "" {
		return nil, chat.Errorf(chat.Invalid, "visitor is required: an id, or an e-mail address")
	}
	named, err := f.named(ctx)
	if err == nil {
		err = f.joinVerified(ctx)
	}
	if err == nil {
		err = store.ReadOne(ctx, func(rd chat.Reader) error { return f.joinBrowsers(rd, named) })
	}
	if err != nil {
		return nil, err
	}
	f.trustTheOnlyOne()
	return slices.SortedFunc(maps.Values(f.found), func(a, b Found) int {
		return cmp.Or(cmp.Compare(a.CreatedAt, b.CreatedAt), cmp.Compare(a.ID, b.ID))
	}), nil
}

type finder struct {
	store chat.Store
	sites chat.SiteSet
	who   string
	found map[string]Found
	// verified tells of each verified identity's id that was found whether it is proof.
	verified map[string]bool
}

// add adds a session; once not merely claimed, it stays so.
func (f *finder) add(s *chat.Session, claimed bool) {
	if known, ok := f.found[s.ID]; ok {
		claimed = claimed && known.Claimed
	}
	f.found[s.ID] = Found{*s, claimed}
}

// named finds and returns the sessions that name the visitor.
func (f *finder) named(ctx context.Context) (list []Found, err error) {
	find := func(s *chat.Session) error {
		if !concerns(s, f.who) || !f.sites.Has(s.Site) {
			return nil
		}
		claimed := !proves(s, f.who)
		f.add(s, claimed)
		list = append(list, f.found[s.ID])
		if id := s.Person; id != "" {
			f.verified[id] = f.verified[id] || !claimed
		}
		return nil
	}
	if err := each(ctx, f.store, find); err != nil {
		return nil, err
	}
	err = f.store.ReadOne(ctx, func(rd chat.Reader) error { return f.unstarted(rd, find) })
	return list, err
}

// unstarted calls find with the session of the id, and with those of the visitor's id
// that have no token: they may be without a message.
func (f *finder) unstarted(rd chat.Reader, find func(*chat.Session) error) error {
	ids, err := siblings(rd, &chat.Session{VisitorID: f.who})
	for _, id := range append(ids, f.who) {
		if _, known := f.found[id]; known || err != nil {
			continue
		}
		if s, e := rd.Session(id); !errors.Is(e, chat.ErrSessionNotFound) {
			if err = e; err == nil {
				err = find(&s)
			}
		}
	}
	return err
}

// joinVerified adds the sessions with a verified identity that was found.
func (f *finder) joinVerified(ctx context.Context) error {
	if len(f.verified) == 0 {
		return nil
	}
	return each(ctx, f.store, func(s *chat.Session) error {
		if proof, ok := f.verified[s.Person]; ok && f.sites.Has(s.Site) {
			f.add(s, !proof)
		}
		return nil
	})
}

// joinBrowsers adds the sessions of the same browsers. One that was verified as somebody
// else there is merely claimed, and so is what was said without proof in a browser in which
// several people were verified: the rule of the contact's page.
func (f *finder) joinBrowsers(rd chat.Reader, named []Found) error {
	for i := range named {
		all, shared, err := inBrowser(rd, &named[i].Session)
		if err != nil {
			return err
		}
		for j := range all {
			s := &all[j]
			if !f.sites.Has(s.Site) {
				continue
			}
			_, same := f.verified[s.Person]
			unproved := shared && !s.Verified && named[i].Verified
			f.add(s, f.found[named[i].ID].Claimed || s.Verified && !same || unproved)
		}
	}
	return nil
}

// inBrowser returns the sessions of a session's browser, and whether several people were
// verified there.
func inBrowser(rd chat.Reader, of *chat.Session) (list []chat.Session, shared bool, err error) {
	ids, err := siblings(rd, of)
	people := map[string]bool{}
	for _, id := range ids {
		if err != nil {
			break
		}
		var s chat.Session
		switch s, err = rd.Session(id); {
		case errors.Is(err, chat.ErrSessionNotFound): // erased meanwhile
			err = nil
		case err == nil:
			if list = append(list, s); s.Person != "" {
				people[s.Person] = true
			}
		}
	}
	return list, len(people) > 1, err
}

// siblings lists the sessions of the same browser, or of the same visitor's id without tokens.
func siblings(rd chat.Reader, s *chat.Session) (ids []string, err error) {
	for _, blocked := range []bool{false, true} {
		more, err := s.Siblings(rd, blocked, maxOfVisitor)
		if err != nil {
			return nil, err
		}
		ids = append(ids, more...)
	}
	return slices.DeleteFunc(ids, func(id string) bool { return id == engine.SystemSession }), nil
}

// trustTheOnlyOne drops the doubt when all that was found is one visitor's.
func (f *finder) trustTheOnlyOne() {
	people, known := map[string]bool{}, map[string]bool{}
	for _, s := range f.found {
		if id := s.Person; id != "" {
			people["identity "+id], known[browserOf(&s.Session)] = true, true
		}
	}
	for _, s := range f.found {
		if browser := browserOf(&s.Session); !s.Verified && !known[browser] {
			people[browser] = true
		}
	}
	for id, s := range f.found {
		f.found[id] = Found{s.Session, s.Claimed && len(people) > 1}
	}
}

func browserOf(s *chat.Session) string {
	if key := s.BrowserKey(); key != "" {
		return "browser " + key
	}
	return "visitor " + s.VisitorID
}

// proves reports whether a session is the visitor's by more than its own word.
func proves(s *chat.Session, who string) bool {
	return s.ID == who || s.Person == who || s.TokenHash == "" && s.VisitorID == who
}

// concerns reports whether a session names a visitor, by an id or by what it
// said of itself, like an e-mail address.
func concerns(s *chat.Session, who string) bool {
	return s.ID == who || s.VisitorID == who || s.Says(who)
}
