package hub

import (
	"context"
	"strconv"

	"github.com/relay-chat/relay/server/chat"
)

const (
	// maxBacklog is how many events a stream may catch up on; a client
	// further behind must reload the history.
	maxBacklog = 1000
	// feedPage is how many events a feed holds in memory.
	feedPage = 20
)

// Feed follows one session: its facts in order, without gap or repeat, and the
// states as they happen. The hub's hints may be late, early or lost; when
// they leave a gap the feed reads the store, page by page.
type Feed struct {
	sub       *Subscription
	store     chat.Store
	sessionID string
	last      int64
	goal      int64 // the revision that catching up leads to
	left      func()
}

// Page is a batch of a feed's events.
type Page struct {
	Events []chat.Event
	Resync bool // too much is missing: load the history instead
	More   bool // Feed.More brings the rest
}

// Opening is the start of a feed: the session, and its events
// since the cursor.
type Opening struct {
	Session chat.Session
	Page
}

// Follow opens a feed behind a cursor, the id of the last event its reader
// saw; "" is right behind the session's latest init. The caller ends it with
// Close.
func (h *Hub) Follow(ctx context.Context, store chat.Store, by chat.Author, sessionID, cursor string) (*Feed, Opening, error) {
	f := &Feed{sub: h.subscribe(by, sessionID), store: store, sessionID: sessionID}
	var open Opening
	err := store.ReadOne(ctx, func(rd chat.Reader) (err error) {
		open.Session, err = rd.SessionHeader(sessionID)
		return err
	})
	if err == nil {
		err = by.Authorise(&open.Session)
	}
	if err == nil {
		f.moveTo(startOf(cursor, &open.Session))
		open.Page, err = f.reach(ctx, open.Session.Rev)
	}
	if err != nil {
		f.Close()
		return nil, Opening{}, err
	}
	return f, open, nil
}

// OnClose sets what runs when the feed is closed.
func (f *Feed) OnClose(left func()) { f.left = left }

// startOf returns the revision of a cursor, -1 for an invalid one.
func startOf(cursor string, s *chat.Session) int64 {
	if cursor == "" {
		return s.InitRev
	}
	rev, err := strconv.ParseInt(cursor, 10, 64)
	if err != nil || rev < 0 || rev > s.Rev {
		return -1
	}
	return rev
}

// C carries the hub's hints; pass each one to Next.
func (f *Feed) C() <-chan *chat.Event { return f.sub.C }

// SessionID names the session that is followed.
func (f *Feed) SessionID() string { return f.sessionID }

// Close ends the feed.
func (f *Feed) Close() {
	f.sub.Close()
	if f.left != nil {
		f.left()
	}
}

// moveTo notes up to which revision the feed is complete.
func (f *Feed) moveTo(rev int64) {
	f.last = rev
	f.sub.last.Store(rev)
}

// Last returns the revision up to which the feed is complete.
func (f *Feed) Last() int64 { return f.last }

// Next handles a hint: it returns the event itself, nothing, or what was
// missing so far. After a resync the feed continues after the session's newest
// event. Once the hub has ended the feed the store is left alone.
func (f *Feed) Next(ctx context.Context, e *chat.Event) (page Page, err error) {
	lost := f.sub.Lost()
	switch {
	case e.Type == "": // only a hint that there is more
	case e.Rev == 0:
		page.Events = []chat.Event{*e}
	case e.Rev == f.last+1:
		f.moveTo(e.Rev)
		page.Events = []chat.Event{*e}
	case e.Rev > f.last:
		lost = true
	}
	if !lost || f.sub.Ended() {
		return page, nil
	}
	var s chat.Session
	err = f.store.ReadOne(ctx, func(rd chat.Reader) (err error) {
		s, err = rd.SessionHeader(f.sessionID)
		return err
	})
	if err != nil {
		return page, err
	}
	missed, err := f.reach(ctx, s.Rev)
	missed.Events = append(page.Events, missed.Events...)
	return missed, err
}

// reach starts reading the events up to a revision, or gives up on them.
func (f *Feed) reach(ctx context.Context, goal int64) (Page, error) {
	f.goal = goal
	switch missing := goal - f.last; {
	case f.last < 0 || missing > maxBacklog:
		return f.giveUp(), nil
	case missing <= 0:
		return Page{}, nil
	}
	return f.More(ctx)
}

// More reads the next page of what is missing.
func (f *Feed) More(ctx context.Context) (Page, error) {
	var events []chat.Event
	err := f.store.Read(ctx, func(rd chat.Reader) (err error) { // stored events and those derived from messages must match
		events, err = rd.Events(f.sessionID, f.last, feedPage)
		return err
	})
	if err != nil {
		return Page{}, err
	}
	if len(events) == 0 || events[0].Rev != f.last+1 { // the oldest are pruned already
		return f.giveUp(), nil
	}
	f.moveTo(events[len(events)-1].Rev) // maybe more than the goal
	return Page{Events: events, More: f.last < f.goal && !f.sub.Ended()}, nil
}

// giveUp moves the feed to its goal and asks for a resync.
func (f *Feed) giveUp() Page {
	f.moveTo(f.goal)
	return Page{Resync: true}
}
