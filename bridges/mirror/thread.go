package mirror

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"relay/server/chat"
)

// recovery bounds the search for a thread after a restart: a visitor's message
// does not wait for it longer.
const recovery = 5 * time.Second

// errNoThread tells that a session has no thread, and that none is wanted.
var errNoThread = errors.New("the session has no thread")

// thread returns the session's thread. If there is none it is opened, or if
// open is false errNoThread answered. One lane is worked on by one goroutine at
// a time, so a session never gets two.
func (r *round) thread(open bool) (chat.Thread, error) {
	if r.place != nil {
		return *r.place, nil
	}
	th, err := r.find()
	if errors.Is(err, chat.ErrThreadNotFound) {
		if !open {
			return th, errNoThread
		}
		th, err = r.open()
	}
	if err != nil {
		return th, err
	}
	r.place = &th
	if th.Anchor == "" {
		th, err = r.introduce(th)
		r.place = &th
	}
	return th, err
}

// find looks for the session's thread: in the store, in bridge mode then on the
// platform.
func (r *round) find() (th chat.Thread, err error) {
	d := r.desk
	err = d.store.Look(r.ctx, func(rd chat.Reader) (err error) {
		th, err = rd.ThreadOf(r.sessionID, d.bridge.Name(), d.bridge.Channel())
		return err
	})
	if !errors.Is(err, chat.ErrThreadNotFound) || !d.opts.Stateless || r.sessionID == chat.SystemSession {
		return th, err
	}
	ctx, cancel := context.WithTimeout(r.ctx, recovery)
	defer cancel()
	th, lost := d.bridge.Find(ctx, r.sessionID)
	if lost != nil {
		var wrong *chat.Misconfigured
		if errors.As(lost, &wrong) {
			return th, lost
		}
		if !errors.Is(lost, chat.ErrThreadGone) {
			d.reportUnfound(lost)
		}
		return th, err
	}
	th.Bridge, th.Channel, th.SessionID, th.CreatedAt = d.bridge.Name(), d.bridge.Channel(), r.sessionID, chat.Now()
	if th.Anchor == "" {
		th.Anchor = th.Ref
	}
	return th, d.keep(r.ctx, func(tx chat.Tx) error { return tx.SaveThread(&th) })
}

// reportUnfound tells people that a thread may be lost.
func (d *Mirror) reportUnfound(err error) {
	if n := d.unfound.Count(); n > 0 {
		d.log.Warn("a thread cannot be looked for; a new one continues it", "err", err, "count", n)
	}
}

// open opens a thread and stores it before anything is written in it.
func (r *round) open() (chat.Thread, error) {
	d := r.desk
	th := chat.Thread{Bridge: d.bridge.Name(), Channel: d.bridge.Channel(), SessionID: r.sessionID}
	parts, earlier, err := r.opening()
	if err != nil {
		return th, err
	}
	op := parts[0]
	if op.Key, err = r.openingKey(); err != nil {
		return th, err
	}
	op.Since = r.head().CreatedAt
	first, doubted := d.opening.Load(r.sessionID)
	if doubted {
		op.Since = min(op.Since, first.(chat.Time))
	}
	op.Ambiguous = r.uncertain || doubted
	if th.Ref, err = d.try(r.ctx, th, op); err != nil {
		if isAmbiguous(err) {
			d.opening.Store(r.sessionID, op.Since)
		}
		if errors.Is(err, chat.ErrPermanent) { // all of the session waits until somebody has mended what is wrong
			return th, fmt.Errorf("a thread cannot be opened: %s", chat.ReasonOf(err.Error()))
		}
		return th, fmt.Errorf("open a thread: %w", err)
	}
	d.opening.Delete(r.sessionID)
	r.certain()
	th.CreatedAt = chat.Now()
	if len(parts) == 1 && len(earlier) == 0 {
		th.Anchor = th.Ref
	}
	return th, d.keep(r.ctx, func(tx chat.Tx) error { return tx.SaveThread(&th) })
}

// openingKey names the thread that is about to be opened: every attempt has the
// same key, whichever delivery makes it, until that thread is lost.
func (r *round) openingKey() (key string, err error) {
	lost := 0
	err = r.desk.store.Look(r.ctx, func(rd chat.Reader) (err error) {
		lost, err = rd.LostThreads(r.sessionID, r.desk.bridge.Name(), r.desk.bridge.Channel())
		return err
	})
	return opKey("open", r.sessionID, strconv.Itoa(lost)), err
}

// introduce writes what the opening left over: a summary that is longer than
// the platform's first message, and what was said before.
func (r *round) introduce(th chat.Thread) (chat.Thread, error) {
	parts, earlier, err := r.opening()
	if err != nil {
		return th, err
	}
	there, err := r.noted(th, chat.Placeholder("opening"))
	if err != nil {
		return th, err
	}
	for i, op := range parts[1:] {
		if slices.ContainsFunc(there, func(l chat.Link) bool { return l.Part == i }) {
			continue
		}
		s := step{op: op, carries: []string{chat.Placeholder("opening")}, part: i}
		if err := r.once(th, s); err != nil {
			return th, err
		}
	}
	if err := r.recount(th, earlier); err != nil {
		return th, err
	}
	th.Anchor = th.Ref
	return th, r.desk.keep(r.ctx, func(tx chat.Tx) error { return tx.SaveThread(&th) })
}

// opening is what opens the session's thread, and the messages that came before.
func (r *round) opening() (parts []chat.Op, earlier []chat.Message, err error) {
	d := r.desk
	if r.sessionID == chat.SystemSession {
		return d.bridge.Split(chat.Op{Kind: chat.OpOpen, Title: houseTitle, Text: houseSummary}), nil, nil
	}
	var session chat.Session
	err = d.store.Read(r.ctx, func(rd chat.Reader) (err error) {
		if session, err = rd.Session(r.sessionID); err != nil {
			return err
		}
		earlier, err = r.earlier(rd)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	continued := len(earlier) > 0 || d.opts.Stateless && r.head().Event.Type != chat.EventNewSession
	op := chat.Op{Kind: chat.OpOpen, Title: session.Title(), Text: summaryOf(&session, continued)}
	if d.opts.Stateless {
		op.SessionID = r.sessionID
	}
	return d.bridge.Split(op), earlier, nil
}

// contextMessages is how many earlier messages a new thread shows.
const contextMessages = 10

// earlier lists the messages that came before what is delivered now.
func (r *round) earlier(rd chat.Reader) ([]chat.Message, error) {
	list, err := rd.Messages(chat.MessageQuery{SessionID: r.sessionID, Before: r.head().Rev, Limit: contextMessages})
	live := list[:0]
	for _, m := range list {
		if m.DeletedAt == 0 {
			live = append(live, m)
		}
	}
	return live, err
}

// lost notes that a thread is gone, and with it the copies of what is being
// delivered.
func (r *round) lost(th chat.Thread) error {
	r.place = nil
	r.reopened++
	r.desk.log.Warn("a thread is gone; a new one continues it", "ref", th.Ref)
	return r.desk.keep(r.ctx, func(tx chat.Tx) error {
		th.State = chat.ThreadGone
		if err := tx.SaveThread(&th); err != nil {
			return err
		}
		for i := range r.unit {
			links, err := tx.Links(r.sessionID, r.unit[i].Event.MessageID, th.Bridge, th.Channel)
			if err != nil {
				return err
			}
			for _, l := range links {
				l.State = chat.LinkGone
				if err := tx.SaveLink(&l); err != nil {
					return err
				}
			}
		}
		return nil
	})
}
