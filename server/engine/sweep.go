package engine

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine/nodes"
)

// sweepAtOnce is how many sessions one query looks at.
const sweepAtOnce = 1000

// readLimit bounds the reading of what other nodes stored.
const readLimit = 5 * time.Second

// maxRemote bounds how many events of a session are read for a note; a reader that misses
// more reads the store itself.
const maxRemote = 100

// Receive implements [nodes.Observer].
func (e peers) Receive(notes []nodes.Note) {
	var stored []nodes.Note
	for i := range notes {
		if notes[i].Kind == nodes.NoteStored {
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
func (e peers) receiveEvents(notes []nodes.Note) {
	var wanted []remoteEvents
	for i := range notes {
		var t remoteEvents
		var dests string
		if !notes[i].Arg(0, &t.sessionID) || !notes[i].Arg(1, &t.first) || !notes[i].Arg(2, &t.last) {
			continue
		}
		notes[i].Arg(3, &dests)
		nodes.SplitDests(dests, func(dest string, delay time.Duration) { e.Outbox.Wake(dest, t.sessionID, chat.Now().Add(delay)) })
		if t.first > 0 && t.sessionID != SystemSession && e.Hub.Wants(t.sessionID) {
			wanted = append(wanted, t)
		}
	}
	if len(wanted) == 0 {
		return
	}
	events, err := e.readRemote(wanted)
	if err != nil { // the sweep brings them
		e.Nodes.ReportFailure("events of other nodes cannot be read", err)
		e.Hub.LoseAll()
		return
	}
	e.Hub.Publish(events...)
}

// readRemote reads events that other nodes stored.
func (e peers) readRemote(wanted []remoteEvents) (events []chat.Event, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), readLimit)
	defer cancel()
	err = e.Store.Read(ctx, func(rd chat.Reader) error {
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

// SweepStreams implements [nodes.Observer]: it makes streams read what they missed.
func (e peers) SweepStreams(ctx context.Context) {
	e.refreshStale()
	for ids := range slices.Chunk(e.Hub.WatchedIDs(), sweepAtOnce) {
		standings, err := e.Nodes.Standings(ctx, ids)
		if err != nil {
			e.reportUnread(ctx, "what sessions' streams depend on cannot be read", err)
			return
		}
		for _, id := range ids {
			s, exists := standings[id]
			e.Hub.Review(id, s, exists)
		}
	}
}

// SweepLanes implements [nodes.Observer].
func (e peers) SweepLanes(ctx context.Context) {
	if err := errors.Join(e.Outbox.Sweep(ctx), e.Inbox.Sweep(ctx)); err != nil {
		e.reportUnread(ctx, "waiting work cannot be read", err)
	}
}

func (e peers) reportUnread(ctx context.Context, what string, err error) {
	if ctx.Err() == nil {
		e.Nodes.ReportFailure(what, err)
	}
}
