package mirror

import (
	"context"
	"encoding/json"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// stateLife is how long it matters that a visitor read something or left.
const stateLife = 10 * time.Minute

// applyReceipt shows at the newest of the messages that they were read.
func (run *deliveryRun) applyReceipt(ctx context.Context, e *chat.Event) error {
	var receipt chat.Receipt
	if err := json.Unmarshal(e.Payload, &receipt); err != nil || chat.Now().Sub(e.At) > stateLife {
		return err
	}
	var remote string
	err := run.mirror.store.Read(ctx, func(rd chat.Reader) (err error) {
		remote = ""
		for i := len(receipt.MessageIDs) - 1; i >= 0 && remote == "" && err == nil; i-- {
			remote, err = run.copyOf(rd, receipt.MessageIDs[i])
		}
		return err
	})
	if err != nil || remote == "" {
		return err
	}
	return run.applySteps(ctx, []step{{op: chat.Op{Kind: chat.OpReact, Remote: remote, Receipt: receipt.Status}, optional: true}}, false)
}

// applyStatus closes the session's thread or opens it again.
func (run *deliveryRun) applyStatus(ctx context.Context, e *chat.Event) error {
	th, err := run.thread(ctx, false)
	if err != nil {
		return err
	}
	op, state := chat.Op{Kind: chat.OpReopen}, chat.ThreadLive
	if e.Type == chat.EventSessionClosed {
		op, state = chat.Op{Kind: chat.OpClose}, chat.ThreadClosed
		if err := run.writeNote(ctx, th, "The conversation was closed ("+e.Source+")."); err != nil {
			return err
		}
	}
	if th.State == state {
		return nil
	}
	if err := run.applyStep(ctx, th, step{op: op, optional: true}); err != nil {
		return err
	}
	th.State = state
	run.current = &th
	return run.mirror.setThread(ctx, th, state)
}

// applyNote writes a note of an event that is no message, unless a later event of the
// lane repeats it. The operators' status is shown in bridge mode only, which has no
// console.
func (run *deliveryRun) applyNote(ctx context.Context, lane []chat.Delivery) error {
	e := &lane[0].Event
	if e.Type == chat.EventDisconnect && chat.Now().Sub(e.At) > stateLife || e.Type == chat.EventStatusSet && !run.mirror.opts.Stateless {
		return nil
	}
	if e.Type == chat.EventIdentityUpdate || e.Type == chat.EventStatusSet {
		for i := range lane[1:] {
			if lane[1+i].Event.Type == e.Type {
				return nil
			}
		}
	}
	text, err := noteOf(e)
	if err != nil || text == "" {
		return err
	}
	th, err := run.thread(ctx, run.sessionID == engine.SystemSession || run.mirror.opts.Stateless && e.Type != chat.EventDisconnect)
	if err != nil || e.Type == chat.EventIdentityUpdate && th.CreatedAt > e.At {
		return err // the summary says it
	}
	return run.writeNote(ctx, th, text)
}

// writeNote writes as relay itself, unless an earlier attempt did.
func (run *deliveryRun) writeNote(ctx context.Context, th chat.Thread, text string) error {
	return run.writeNoteAs(ctx, th, engine.Placeholder(run.head().Event.Name()), text)
}

// writeNoteAs is write under another name than that of the event.
func (run *deliveryRun) writeNoteAs(ctx context.Context, th chat.Thread, name, text string) error {
	have := map[int]bool{}
	err := run.mirror.store.ReadOne(ctx, func(rd chat.Reader) error {
		links, err := rd.Links(run.sessionID, name, th.Bridge, th.Channel)
		for _, l := range links {
			have[l.Part] = true
		}
		return err
	})
	if err != nil {
		return err
	}
	for i, op := range run.mirror.bridge.Split(chat.Op{Kind: chat.OpNote, Text: text}) {
		if have[i] {
			continue
		}
		if err := run.applyStep(ctx, th, step{op: op, shows: []string{name}, part: i, rev: run.head().Rev}); err != nil {
			return err
		}
	}
	return nil
}
