package chat

import (
	"context"
	"strconv"
)

// maxBacklog is how many events a stream may catch up on; a reader that is
// further behind is asked to load the history anew.
const maxBacklog = 1000

// Feed follows one session: its facts in order, without gap or repeat, and the
// states as they come. The hub's hints may be late, early or lost; whenever
// they leave a gap the feed reads the store.
type Feed struct {
	sub       *Subscription
	store     Store
	sessionID string
	last      int64
}

// Opening is what a feed begins with.
type Opening struct {
	Session Session
	Events  []Event // what happened since the cursor
	Resync  bool    // the cursor is of no use: load the history instead
}

// Follow opens a feed behind a cursor, the id of the last event its reader
// saw; "" is right behind the session's latest init. The caller ends it with
// Close.
func (r *Relay) Follow(ctx context.Context, by Author, sessionID, cursor string) (*Feed, Opening, error) {
	f := &Feed{sub: r.hub.Subscribe(sessionID), store: r.store, sessionID: sessionID}
	var open Opening
	err := r.store.Read(ctx, func(rd Reader) (err error) {
		if open.Session, err = rd.Session(sessionID); err != nil {
			return err
		}
		if err := by.authorise(&open.Session); err != nil {
			return err
		}
		f.last = startOf(cursor, &open.Session)
		open.Events, open.Resync, err = f.catchUp(rd, &open.Session)
		return err
	})
	if err == nil && open.Session.LeavingRev != 0 {
		err = r.stay(ctx, by, sessionID)
	}
	if err != nil {
		f.Close()
		return nil, Opening{}, err
	}
	return f, open, nil
}

// startOf returns the revision that a cursor names, -1 when it names none.
func startOf(cursor string, s *Session) int64 {
	if cursor == "" {
		return s.InitRev
	}
	rev, err := strconv.ParseInt(cursor, 10, 64)
	if err != nil || rev < 0 || rev > s.Rev {
		return -1
	}
	return rev
}

// C carries the hub's hints; each is to be given to Next.
func (f *Feed) C() <-chan *Event { return f.sub.C }

// Close ends the feed.
func (f *Feed) Close() { f.sub.Close() }

// Last returns the revision up to which the feed is complete.
func (f *Feed) Last() int64 { return f.last }

// Next returns what a hint brings: the event itself, nothing, or all events
// that are missing so far. resync tells that too much is missing; the feed then
// goes on behind the session's newest event.
func (f *Feed) Next(ctx context.Context, e *Event) (events []Event, resync bool, err error) {
	lost := f.sub.Lost()
	switch {
	case e.Rev == 0:
		events = []Event{*e}
	case e.Rev == f.last+1:
		f.last++
		events = []Event{*e}
	case e.Rev > f.last:
		lost = true
	}
	if !lost {
		return events, false, nil
	}
	err = f.store.Read(ctx, func(rd Reader) error {
		s, err := rd.Session(f.sessionID)
		if err != nil {
			return err
		}
		var missed []Event
		missed, resync, err = f.catchUp(rd, &s)
		events = append(events, missed...)
		return err
	})
	return events, resync, err
}

// catchUp reads the events between the feed and the session's revision, or
// gives up on them and moves the feed there.
func (f *Feed) catchUp(rd Reader, s *Session) (events []Event, resync bool, err error) {
	missing := s.Rev - f.last
	switch {
	case missing == 0:
		return nil, false, nil
	case f.last < 0 || missing > maxBacklog:
		resync = true
	default:
		events, err = rd.Events(s.ID, f.last, maxBacklog)
		if err != nil {
			return nil, false, err
		}
		resync = len(events) != int(missing) // the oldest are pruned already
	}
	f.last = s.Rev
	if resync {
		return nil, true, nil
	}
	return events, false, nil
}
