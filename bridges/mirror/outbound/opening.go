package outbound

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"github.com/relay-chat/relay/bridges/mirror/access"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// A new thread begins with a summary of the session. One that continues an older
// conversation goes on with notes that show the earlier messages: each note is linked to
// its messages and follows their edits and deletions.

// opening is what is known when a thread is opened, or its opening goes on.
type opening struct {
	session chat.Session
	earlier []chat.Message // that the thread does not show yet
	// continued: there are earlier messages.
	continued bool
	there     []chat.Link // parts of its summary
	lost      int         // how many threads the session has lost
	begun     chat.Time   // since when an attempt may have opened it, 0 if none may
}

// openingName names the links of a thread's summary.
const openingName = "opening"

// begin puts before the steps of a plan those that open the session's thread, or finish
// its opening. Without a thread nothing is left of a plan that opens none.
func (s *Sink) begin(ctx context.Context, v *view, pl plan) (steps []step, err error) {
	err = s.find(ctx, v)
	switch {
	case err != nil || v.threadless() && !pl.opens:
		return nil, err
	case v.whole():
		return pl.steps, nil
	}
	var o opening
	err = s.store.Read(ctx, func(rd chat.Reader) (err error) {
		o, err = reading{rd, v.head().SessionID, s.platform.Name(), v.thread.Channel}.opening(v)
		return err
	})
	if err != nil {
		return nil, err
	}
	o.begun, _ = s.begun.Get(v.head().SessionID)
	return append(s.openingSteps(v, &o), pl.steps...), nil
}

// recovery bounds the search for a thread after a restart, for which a visitor's
// message waits.
const recovery = 5 * time.Second

// find looks on the platform for the session's thread that is not stored, in bridge mode,
// once.
func (s *Sink) find(ctx context.Context, v *view) error {
	id := v.head().SessionID
	if !v.threadless() || v.sought || !s.stateless || id == engine.SystemSession {
		return nil
	}
	v.sought = true
	searching, cancel := context.WithTimeout(ctx, recovery)
	defer cancel()
	channel := v.thread.Channel
	th, err := s.platform.At(channel).Find(searching, id)
	var wrong *chat.Misconfigured
	switch {
	case errors.As(err, &wrong):
		return err
	case errors.Is(err, chat.ErrThreadGone):
		return nil
	case err != nil:
		if n := s.unfound.Allow(); n > 0 {
			s.platform.Log.Warn("cannot search for a thread; a new one continues it", "err", err, "count", n)
		}
		return nil
	}
	th.Bridge, th.Channel, th.SessionID, th.CreatedAt = s.platform.Name(), channel, id, chat.Now()
	if th.Anchor == "" {
		th.Anchor = th.Ref
	}
	v.thread = th
	return s.platform.Persist(ctx, func(tx chat.Tx) error { return tx.SaveThread(&th) })
}

// contextMessages is how many earlier messages a new thread shows.
const contextMessages = 10

// opening reads what the session's thread begins with.
func (r reading) opening(v *view) (o opening, err error) {
	if r.session != engine.SystemSession {
		if o.session, err = r.Session(r.session); err != nil {
			return o, err
		}
		if o.earlier, err = r.Messages(chat.MessageQuery{SessionID: r.session, Before: v.head().Rev, Limit: contextMessages}); err != nil {
			return o, err
		}
	}
	o.earlier = slices.DeleteFunc(o.earlier, func(m chat.Message) bool { return m.DeletedAt != 0 })
	o.continued = len(o.earlier) > 0
	if v.threadless() {
		o.lost, err = r.LostThreads(r.session, r.bridge, r.channel)
		return o, err
	}
	o.there, err = r.standing(&v.thread, openingName)
	all := o.earlier
	o.earlier = nil
	for i := 0; i < len(all) && err == nil; i++ {
		var links []chat.Link
		if links, err = r.standing(&v.thread, earlierPrefix+all[i].ID); len(links) == 0 {
			o.earlier = append(o.earlier, all[i])
		}
	}
	return o, err
}

// standing returns what still stands in a thread of a note of relay's own.
func (r reading) standing(th *chat.Thread, name string) ([]chat.Link, error) {
	links, err := r.links(engine.Placeholder(name))
	return slices.DeleteFunc(links, func(l chat.Link) bool { return l.State != chat.LinkLive || l.CreatedAt < th.CreatedAt }), err
}

// openingSteps open the thread, then post the parts of its summary beyond the first
// message, and the earlier messages.
func (p planner) openingSteps(v *view, o *opening) (steps []step) {
	d := v.head()
	op := chat.Op{Kind: chat.OpOpen, Title: systemTitle, Text: systemSummary}
	if d.SessionID != engine.SystemSession {
		op.Title, op.Text = p.titleOf(v, o), summaryOf(p.names.Describe(&o.session), o.continued || p.stateless && d.Event.Type != chat.EventNewSession)
		if p.stateless {
			op.SessionID = d.SessionID
		}
	}
	parts := p.split(op)
	if v.threadless() {
		open := parts[0] // every attempt has the same key, whichever delivery makes it, until that thread is lost
		open.Key, open.Since = access.Key("open", d.SessionID, strconv.Itoa(o.lost)), d.CreatedAt
		if o.begun != 0 {
			open.Since, open.Ambiguous = min(open.Since, o.begun), true
		}
		steps = []step{{op: open}}
	}
	for i, op := range parts[1:] {
		if !slices.ContainsFunc(o.there, func(l chat.Link) bool { return l.Part == i }) {
			steps = append(steps, step{op: op, shows: []string{engine.Placeholder(openingName)}, part: i})
		}
	}
	for left := o.earlier; len(left) > 0; {
		n := p.fitting(left)
		st := step{op: chat.Op{Kind: chat.OpNote, Text: earlierText(left[:n])}, rev: d.Rev}
		for _, m := range left[:n] {
			st.shows = append(st.shows, engine.Placeholder(earlierPrefix+m.ID))
		}
		steps, left = append(steps, st), left[n:]
	}
	if len(steps) == 0 {
		steps = []step{{assumed: true}}
	}
	steps[len(steps)-1].completes = true
	return steps
}

// titleOf names the thread, with the site where those of several sites stand together.
func (p planner) titleOf(v *view, o *opening) string {
	if p.shared(v.thread.Channel) {
		return p.names.Title(&o.session)
	}
	return p.names.TitleAlone(&o.session)
}

// fitting returns how many messages fit in one note.
func (p planner) fitting(messages []chat.Message) int {
	for n := len(messages); n > 1; n-- {
		if len(p.split(chat.Op{Kind: chat.OpNote, Text: earlierText(messages[:n])})) == 1 {
			return n
		}
	}
	return 1
}
