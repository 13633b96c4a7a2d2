package chat

import (
	"context"
	"slices"
	"time"
)

// The safety net under the doorbell: how often a node looks for what it missed.
const (
	streamsEvery = 2 * time.Second
	lanesEvery   = 5 * time.Second
	sweepAtOnce  = 1000 // sessions in one query
	// A sweep that takes long, because much waits, comes less often.
	sweepRest = 20
)

// Notes about sessions.
const noteUncertain = "u" // something may have happened in a session

// maxRemote bounds how many events of a session are read for a note; a reader that misses
// more reads the store itself.
const maxRemote = 100

// receive implements nodeEvents: notes of other nodes.
func (e *Engine) receive(notes []note) {
	var stored []note
	for i := range notes {
		if notes[i].kind == noteStored {
			stored = append(stored, notes[i])
			continue
		}
		e.handle(&notes[i])
	}
	for batch := range slices.Chunk(stored, sweepAtOnce) {
		e.receiveEvents(batch)
	}
}

// remoteEvents are events of one session that another node stored.
type remoteEvents struct {
	sessionID   string
	first, last int64
}

// receiveEvents wakes the sinks that are served here, and publishes the events to the
// streams that are open here.
func (e *Engine) receiveEvents(notes []note) {
	var wanted []remoteEvents
	for i := range notes {
		var t remoteEvents
		var dests string
		if !notes[i].arg(0, &t.sessionID) || !notes[i].arg(1, &t.first) || !notes[i].arg(2, &t.last) {
			continue
		}
		notes[i].arg(3, &dests)
		splitDests(dests, func(dest string, delay time.Duration) { e.Outbox.Wake(dest, t.sessionID, Now().Add(delay)) })
		if t.first > 0 && t.sessionID != SystemSession && e.Hub.wants(t.sessionID) {
			wanted = append(wanted, t)
		}
	}
	if len(wanted) == 0 {
		return
	}
	events, err := e.readRemote(wanted)
	if err != nil { // the sweep brings them
		e.Nodes.reportFailure("events of other nodes cannot be read", err)
		e.Hub.loseAll()
		return
	}
	e.Hub.Publish(events...)
}

// readRemote reads events that other nodes stored.
func (e *Engine) readRemote(wanted []remoteEvents) (events []Event, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), ringLimit)
	defer cancel()
	err = e.Store.Read(ctx, func(rd Reader) error {
		events = nil
		for _, t := range wanted {
			list, err := rd.Events(t.sessionID, t.first-1, int(min(t.last-t.first+1, maxRemote)))
			if err != nil {
				return err
			}
			events = append(events, list...)
		}
		return nil
	})
	return events, err
}

// keepSweeping looks for what the doorbell missed until ctx ends, as long as there
// are other nodes.
func (n *Nodes) keepSweeping(ctx context.Context, stale func(), streams, lanes func(context.Context)) {
	tick := time.NewTicker(streamsEvery)
	defer tick.Stop()
	var due time.Time // of the next sweep of lanes
	for {
		now := false
		select {
		case <-ctx.Done():
			return
		case <-n.sweepNow:
			now = true
		case <-tick.C:
		}
		if !now && !n.many.Load() {
			continue
		}
		stale()
		streams(ctx)
		if begun := time.Now(); now || begun.After(due) {
			lanes(ctx)
			due = time.Now().Add(max(lanesEvery, sweepRest*time.Since(begun)))
		}
	}
}

// sweepStreams makes streams read what they missed.
func (e *Engine) sweepStreams(ctx context.Context) {
	for ids := range slices.Chunk(e.Hub.watchedIDs(), sweepAtOnce) {
		limited, cancel := context.WithTimeout(ctx, renewLimit)
		standings, err := e.Nodes.cluster.Standings(limited, ids)
		cancel()
		if err != nil {
			if ctx.Err() == nil {
				e.Nodes.reportFailure("what sessions' streams depend on cannot be read", err)
			}
			return
		}
		for _, id := range ids {
			s, exists := standings[id]
			e.Hub.review(id, s, exists)
		}
	}
}

// sweepLanes finds work in lanes that are served here and that no note announced.
func (e *Engine) sweepLanes(ctx context.Context) {
	for _, s := range e.Outbox.serving() {
		e.learn(ctx, s.lanes, func(r Reader) ([]Lane, error) { return r.Lanes(s.sink.Name()) })
	}
	for _, r := range e.Inbox.serving() {
		e.learn(ctx, r.lanes, func(rd Reader) ([]Lane, error) { return rd.InboxLanes(r.bridge) })
	}
}

func (e *Engine) learn(ctx context.Context, l *lanes, left func(Reader) ([]Lane, error)) {
	var waiting []Lane
	err := e.Store.ReadOne(ctx, func(r Reader) (err error) {
		waiting, err = left(r)
		return err
	})
	if err != nil {
		if ctx.Err() == nil {
			e.Nodes.reportFailure("waiting work cannot be read", err)
		}
		return
	}
	for _, w := range waiting {
		l.learn(w.Key, w.NextAt)
	}
}
