package mirror

import (
	"context"
	"errors"
	"slices"
	"sort"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// A batch is several messages that are sent as one platform
// message. Its composition is stored before it leaves, as links to a placeholder:
// an attempt after a restart has to ask for the same batch, whatever was edited,
// deleted or written since.

// batchName is the placeholder of a batch, "" for a message that goes alone.
func batchName(sessionID string, ids []string) string {
	if len(ids) < 2 {
		return ""
	}
	return engine.Placeholder(opKey(append([]string{"batch", sessionID}, ids...)...))
}

// restoreBatch restores the batch in which an earlier attempt sent the head, as far as it
// still waits, even if its messages have changed.
func (run *deliveryRun) restoreBatch(rd chat.Reader, rm *renderedMessage, lane []chat.Delivery) error {
	for _, l := range rm.messages[0].sending {
		links, err := rd.LinksAt(l.Bridge, l.Channel, l.Remote)
		if err != nil {
			return err
		}
		sort.Slice(links, func(i, j int) bool { return links[i].Part < links[j].Part })
		for _, l := range links {
			rm.sentTogether = append(rm.sentTogether, l.MessageID)
		}
	}
	for i := 1; i < len(lane) && lane[i].Event.Type == chat.EventMessage && slices.Contains(rm.sentTogether, lane[i].Event.MessageID); i++ {
		m, err := run.loadMessage(rd, &lane[i].Event)
		if err != nil {
			return err
		}
		rm.messages, run.batch = append(rm.messages, m), lane[:i+1]
	}
	return nil
}

// saveBatch stores the batch in which the head is about to be sent, and drops those that
// were never sent.
func (run *deliveryRun) saveBatch(ctx context.Context, rm *renderedMessage) error {
	if !rm.fresh {
		return nil
	}
	var stale []string
	name, noted := "", false
	if len(rm.messages[0].links) == 0 {
		name = batchName(run.sessionID, rm.ids())
	}
	for _, l := range rm.messages[0].sending {
		if l.Remote == name {
			noted = true
		} else {
			stale = append(stale, l.Remote)
		}
	}
	if len(stale) == 0 && (name == "" || noted) {
		return nil
	}
	bridge, channel := run.mirror.bridge.Name(), run.mirror.bridge.Channel()
	return run.mirror.persist(ctx, func(tx chat.Tx) error {
		for _, remote := range stale {
			if err := tx.DropLinks(bridge, channel, remote); err != nil {
				return err
			}
		}
		if name == "" {
			return nil
		}
		for i, id := range rm.ids() {
			l := chat.Link{Bridge: bridge, Channel: channel, Remote: name, SessionID: run.sessionID, MessageID: id, Part: i, State: chat.LinkSending, CreatedAt: chat.Now()}
			if err := tx.SaveLink(&l); err != nil {
				return err
			}
		}
		return nil
	})
}

// maxRecalled is how many parts of a text, and how many files, are looked for.
const maxRecalled = 10

// recallCopies finds copies that relay does not know, if the platform can be searched:
// those of an uncertain attempt; and of a message that is edited or deleted, those
// that a restart has forgotten (bridge mode; not where it went out in a batch).
// again means that a batch never arrived: its messages may go in another one.
func (run *deliveryRun) recallCopies(ctx context.Context, rm *renderedMessage) (again bool, err error) {
	bridge, can := run.mirror.bridge.(chat.Recaller)
	gone := !slices.ContainsFunc(rm.messages, func(m messageCopies) bool { return m.DeletedAt == 0 })
	if finder, found := run.mirror.bridge.(chat.Finder); found && run.uncertain && gone {
		return false, run.findLeftovers(ctx, rm, finder)
	}
	forgotten := run.mirror.opts.Stateless && !rm.fresh && len(rm.messages[0].links) == 0
	if !can || !forgotten && !(run.uncertain && (rm.fresh || gone)) {
		return false, nil
	}
	th, err := run.thread(ctx, false)
	if errors.Is(err, errNoThread) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	missing := run.missingCopies(rm)
	keys := make([]string, len(missing))
	for i := range missing {
		keys[i] = opKey(th.Ref, missing[i].name(&run.head().Event))
	}
	var since chat.Time
	if run.uncertain {
		since = run.head().CreatedAt
	}
	remotes, err := bridge.Recall(ctx, th, keys, since)
	if err != nil {
		return false, err
	}
	found := false
	for i, remote := range remotes {
		if remote == "" {
			continue
		}
		found = true
		if err := run.adoptCopy(ctx, rm, th, missing[i], remote); err != nil {
			return false, err
		}
	}
	if found || len(rm.sentTogether) > 1 { // nothing after it was sent
		run.markConfirmed()
	}
	return !found && len(rm.sentTogether) > 1, nil
}

// findLeftovers finds what an uncertain attempt posted of what was deleted since, on a
// platform that does not keep by which op: only one was under way, with a text or
// with a file.
func (run *deliveryRun) findLeftovers(ctx context.Context, rm *renderedMessage, bridge chat.Finder) error {
	th, err := run.thread(ctx, false)
	if errors.Is(err, errNoThread) {
		return nil
	}
	if err != nil {
		return err
	}
	var ops []chat.Op
	var steps []step
	for _, s := range run.missingCopies(rm) {
		op := chat.Op{Key: opKey(th.Ref, s.name(&run.head().Event)), Since: run.head().CreatedAt, Known: run.isLinked}
		if s.part >= fileParts {
			op.File = new(chat.OpFile)
		}
		if !slices.ContainsFunc(ops, func(other chat.Op) bool { return (other.File == nil) == (op.File == nil) }) {
			ops, steps = append(ops, op), append(steps, s)
		}
	}
	remotes, err := bridge.Leftovers(ctx, th, ops)
	for i, remote := range remotes {
		if err == nil && remote != "" {
			run.markConfirmed()
			err = run.adoptCopy(ctx, rm, th, steps[i], remote)
		}
	}
	return err
}

// missingCopies are the copies that an earlier attempt may have made: the one of its
// batch, or the parts and files of a message alone.
func (run *deliveryRun) missingCopies(rm *renderedMessage) (list []step) {
	if len(rm.sentTogether) > 1 {
		return []step{{shows: rm.sentTogether}}
	}
	have := map[int]bool{}
	for _, l := range rm.messages[0].links {
		have[l.Part] = true
	}
	for i := range maxRecalled {
		for _, part := range []int{i, fileParts + i} {
			if !have[part] {
				list = append(list, step{shows: rm.ids(), part: part})
			}
		}
	}
	return list
}

// adoptCopy links a copy that an earlier attempt made. It shows its messages as they were
// when their deliveries were stored: later changes follow.
func (run *deliveryRun) adoptCopy(ctx context.Context, rm *renderedMessage, th chat.Thread, s step, remote string) error {
	l := chat.Link{Bridge: th.Bridge, Channel: th.Channel, Remote: remote, SessionID: run.sessionID, Part: s.part, CreatedAt: run.head().CreatedAt}
	if rm.fresh {
		l.Rev = run.head().Rev
	}
	for i := range rm.messages {
		if m := &rm.messages[i]; slices.Contains(s.shows, m.ID) {
			l.MessageID = m.ID
			m.links, m.sending = append(m.links, l), nil
		}
	}
	if !rm.fresh {
		return nil
	}
	return run.saveLinks(ctx, s.shows, l)
}
