package mirror

import (
	"encoding/json"
	"time"

	"relay/server/chat"
)

// stateLife is how long it matters that a visitor read something or left.
const stateLife = 10 * time.Minute

// carryReceipt shows at the newest of the messages that they were read.
func (r *round) carryReceipt(e *chat.Event) error {
	var receipt chat.Receipt
	if err := json.Unmarshal(e.Payload, &receipt); err != nil || chat.Now().Sub(e.At) > stateLife {
		return err
	}
	var remote string
	err := r.desk.store.Read(r.ctx, func(rd chat.Reader) (err error) {
		remote = ""
		for i := len(receipt.MessageIDs) - 1; i >= 0 && remote == "" && err == nil; i-- {
			remote, err = r.copyOf(rd, receipt.MessageIDs[i])
		}
		return err
	})
	if err != nil || remote == "" {
		return err
	}
	return r.all([]step{{op: chat.Op{Kind: chat.OpReact, Remote: remote, Receipt: receipt.Status}, optional: true}}, false)
}

// carryStatus closes the session's thread or opens it again.
func (r *round) carryStatus(e *chat.Event) error {
	th, err := r.thread(false)
	if err != nil {
		return err
	}
	op, state := chat.Op{Kind: chat.OpReopen}, chat.ThreadLive
	if e.Type == chat.EventSessionClosed {
		op, state = chat.Op{Kind: chat.OpClose}, chat.ThreadClosed
		if err := r.write(th, "The session was closed ("+e.Source+")."); err != nil {
			return err
		}
	}
	if th.State == state {
		return nil
	}
	if err := r.perform(th, step{op: op, optional: true}); err != nil {
		return err
	}
	th.State = state
	r.place = &th
	return r.desk.setThread(r.ctx, th, state)
}

// carryNote writes what happened apart from messages. What a later event of the
// lane says again is not said twice. The operators' status is shown to those who
// have no console: in bridge mode.
func (r *round) carryNote(lane []chat.Delivery) error {
	e := &lane[0].Event
	if e.Type == chat.EventDisconnect && chat.Now().Sub(e.At) > stateLife || e.Type == chat.EventStatusSet && !r.desk.opts.Stateless {
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
	th, err := r.thread(r.sessionID == chat.SystemSession || r.desk.opts.Stateless && e.Type != chat.EventDisconnect)
	if err != nil || e.Type == chat.EventIdentityUpdate && th.CreatedAt > e.At {
		return err // the summary says it
	}
	return r.write(th, text)
}

// write writes as relay itself. What an earlier attempt wrote is there already.
func (r *round) write(th chat.Thread, text string) error {
	return r.writeAs(th, chat.Placeholder(r.head().Event.Name()), text)
}

// writeAs is write under another name than that of the event.
func (r *round) writeAs(th chat.Thread, name, text string) error {
	have := map[int]bool{}
	err := r.desk.store.Look(r.ctx, func(rd chat.Reader) error {
		links, err := rd.Links(r.sessionID, name, th.Bridge, th.Channel)
		for _, l := range links {
			have[l.Part] = true
		}
		return err
	})
	if err != nil {
		return err
	}
	for i, op := range r.desk.bridge.Split(chat.Op{Kind: chat.OpNote, Text: text}) {
		if have[i] {
			continue
		}
		if err := r.perform(th, step{op: op, carries: []string{name}, part: i, rev: r.head().Rev}); err != nil {
			return err
		}
	}
	return nil
}
