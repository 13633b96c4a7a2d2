package mirror

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// recovery bounds the search for a thread after a restart, for which a visitor's
// message waits.
const recovery = 5 * time.Second

// errNoThread means that a session has no thread and needs none.
var errNoThread = errors.New("the session has no thread")

// thread returns the session's thread. If there is none it opens one, or returns
// errNoThread if open is false. One goroutine at a time handles a lane, so a
// session never gets two threads.
func (run *deliveryRun) thread(ctx context.Context, open bool) (chat.Thread, error) {
	if run.current != nil {
		return *run.current, nil
	}
	th, err := run.findThread(ctx)
	if errors.Is(err, chat.ErrThreadNotFound) {
		if !open {
			return th, errNoThread
		}
		th, err = run.openThread(ctx)
	}
	if err != nil {
		return th, err
	}
	run.current = &th
	if th.Anchor == "" {
		th, err = run.finishOpening(ctx, th)
		run.current = &th
	}
	return th, err
}

// findThread looks for the session's thread: in the store, in bridge mode then on the
// platform.
func (run *deliveryRun) findThread(ctx context.Context) (th chat.Thread, err error) {
	m := run.mirror
	err = m.store.ReadOne(ctx, func(rd chat.Reader) (err error) {
		th, err = rd.ThreadOf(run.sessionID, m.bridge.Name(), m.bridge.Channel())
		return err
	})
	if !errors.Is(err, chat.ErrThreadNotFound) || !m.opts.Stateless || run.sessionID == engine.SystemSession {
		return th, err
	}
	searching, cancel := context.WithTimeout(ctx, recovery)
	defer cancel()
	th, lost := m.bridge.Find(searching, run.sessionID)
	if lost != nil {
		var wrong *chat.Misconfigured
		if errors.As(lost, &wrong) {
			return th, lost
		}
		if !errors.Is(lost, chat.ErrThreadGone) {
			m.reportUnfound(lost)
		}
		return th, err
	}
	th.Bridge, th.Channel, th.SessionID, th.CreatedAt = m.bridge.Name(), m.bridge.Channel(), run.sessionID, chat.Now()
	if th.Anchor == "" {
		th.Anchor = th.Ref
	}
	return th, m.persist(ctx, func(tx chat.Tx) error { return tx.SaveThread(&th) })
}

// reportUnfound logs that a thread may be lost.
func (m *Mirror) reportUnfound(err error) {
	if n := m.unfound.Allow(); n > 0 {
		m.log.Warn("cannot search for a thread; a new one continues it", "err", err, "count", n)
	}
}

// openThread opens a thread and stores it before anything is written in it.
func (run *deliveryRun) openThread(ctx context.Context) (chat.Thread, error) {
	m := run.mirror
	th := chat.Thread{Bridge: m.bridge.Name(), Channel: m.bridge.Channel(), SessionID: run.sessionID}
	parts, earlier, err := run.openingOps(ctx)
	if err != nil {
		return th, err
	}
	op := parts[0]
	if op.Key, err = run.openingKey(ctx); err != nil {
		return th, err
	}
	op.Since = run.head().CreatedAt
	first, uncertain := m.uncertainOpenings.Load(run.sessionID)
	if uncertain {
		op.Since = min(op.Since, first.(chat.Time))
	}
	op.Ambiguous = run.uncertain || uncertain
	if th.Ref, err = m.attempt(ctx, th, op); err != nil {
		if isAmbiguous(err) {
			m.uncertainOpenings.Store(run.sessionID, op.Since)
		}
		if errors.Is(err, chat.ErrPermanent) { // not permanent here: the whole session waits until the problem is fixed
			return th, fmt.Errorf("a thread cannot be opened: %s", chat.ReasonOf(err.Error()))
		}
		return th, fmt.Errorf("open a thread: %w", err)
	}
	m.uncertainOpenings.Delete(run.sessionID)
	run.markConfirmed()
	th.CreatedAt = chat.Now()
	if len(parts) == 1 && len(earlier) == 0 {
		th.Anchor = th.Ref
	}
	return th, m.persist(ctx, func(tx chat.Tx) error { return tx.SaveThread(&th) })
}

// openingKey names the thread that is about to be opened: every attempt has the
// same key, whichever delivery makes it, until that thread is lost.
func (run *deliveryRun) openingKey(ctx context.Context) (key string, err error) {
	lost := 0
	err = run.mirror.store.ReadOne(ctx, func(rd chat.Reader) (err error) {
		lost, err = rd.LostThreads(run.sessionID, run.mirror.bridge.Name(), run.mirror.bridge.Channel())
		return err
	})
	return opKey("open", run.sessionID, strconv.Itoa(lost)), err
}

// finishOpening posts the rest of a new thread: the parts of its summary beyond the
// first message, and earlier messages.
func (run *deliveryRun) finishOpening(ctx context.Context, th chat.Thread) (chat.Thread, error) {
	parts, earlier, err := run.openingOps(ctx)
	if err != nil {
		return th, err
	}
	there, err := run.liveParts(ctx, th, engine.Placeholder("opening"))
	if err != nil {
		return th, err
	}
	for i, op := range parts[1:] {
		if slices.ContainsFunc(there, func(l chat.Link) bool { return l.Part == i }) {
			continue
		}
		s := step{op: op, shows: []string{engine.Placeholder("opening")}, part: i}
		if err := run.execute(ctx, th, s); err != nil {
			return th, err
		}
	}
	if err := run.writeEarlier(ctx, th, earlier); err != nil {
		return th, err
	}
	th.Anchor = th.Ref
	return th, run.mirror.persist(ctx, func(tx chat.Tx) error { return tx.SaveThread(&th) })
}

// openingOps returns the ops that open the session's thread, and earlier messages.
func (run *deliveryRun) openingOps(ctx context.Context) (parts []chat.Op, earlier []chat.Message, err error) {
	m := run.mirror
	if run.sessionID == engine.SystemSession {
		return m.bridge.Split(chat.Op{Kind: chat.OpOpen, Title: systemTitle, Text: systemSummary}), nil, nil
	}
	var session chat.Session
	err = m.store.Read(ctx, func(rd chat.Reader) (err error) {
		if session, err = rd.Session(run.sessionID); err != nil {
			return err
		}
		earlier, err = run.earlierMessages(rd)
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	continued := len(earlier) > 0 || m.opts.Stateless && run.head().Event.Type != chat.EventNewSession
	op := chat.Op{Kind: chat.OpOpen, Title: session.Title(m.relay.Hosts()), Text: summaryOf(&session, continued)}
	if m.opts.Stateless {
		op.SessionID = run.sessionID
	}
	return m.bridge.Split(op), earlier, nil
}

// contextMessages is how many earlier messages a new thread shows.
const contextMessages = 10

// earlierMessages lists the messages that came before what is delivered now.
func (run *deliveryRun) earlierMessages(rd chat.Reader) ([]chat.Message, error) {
	list, err := rd.Messages(chat.MessageQuery{SessionID: run.sessionID, Before: run.head().Rev, Limit: contextMessages})
	live := list[:0]
	for _, m := range list {
		if m.DeletedAt == 0 {
			live = append(live, m)
		}
	}
	return live, err
}

// threadLost stores that a thread is gone, with its copies of the messages that
// are being delivered.
func (run *deliveryRun) threadLost(ctx context.Context, th chat.Thread) error {
	run.current = nil
	run.threadsLost++
	run.mirror.log.Warn("a thread is gone; a new one continues it", "ref", th.Ref)
	return run.mirror.persist(ctx, func(tx chat.Tx) error {
		th.State = chat.ThreadGone
		if err := tx.SaveThread(&th); err != nil {
			return err
		}
		for i := range run.batch {
			links, err := tx.Links(run.sessionID, run.batch[i].Event.MessageID, th.Bridge, th.Channel)
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
