package mirror

import (
	"cmp"
	"errors"
	"slices"

	"relay/server/chat"
)

// A batch is what several messages become when they go out as one platform
// message. Its composition is stored before it leaves, as links to a placeholder:
// an attempt after a restart has to ask for the same batch, whatever was edited,
// deleted or written since.

// batchName is the placeholder of a batch, "" for a message that goes alone.
func batchName(sessionID string, ids []string) string {
	if len(ids) < 2 {
		return ""
	}
	return chat.Placeholder(opKey(append([]string{"batch", sessionID}, ids...)...))
}

// rejoin takes the batch that an earlier attempt sent the head in, as far as it
// still waits, however its messages have changed.
func (r *round) rejoin(rd chat.Reader, p *posting, lane []chat.Delivery) error {
	for _, l := range p.messages[0].leaving {
		links, err := rd.LinksAt(l.Bridge, l.Channel, l.Remote)
		if err != nil {
			return err
		}
		slices.SortFunc(links, func(a, b chat.Link) int { return cmp.Compare(a.Part, b.Part) })
		for _, l := range links {
			p.batch = append(p.batch, l.MessageID)
		}
	}
	for i := 1; i < len(lane) && lane[i].Event.Type == chat.EventMessage && slices.Contains(p.batch, lane[i].Event.MessageID); i++ {
		m, err := r.shown(rd, &lane[i].Event)
		if err != nil {
			return err
		}
		p.messages, r.unit = append(p.messages, m), lane[:i+1]
	}
	return nil
}

// noteBatch stores in what batch the head is about to leave, and forgets those
// that never left.
func (r *round) noteBatch(p *posting) error {
	if !p.fresh {
		return nil
	}
	var stale []string
	name, noted := "", false
	if len(p.messages[0].links) == 0 {
		name = batchName(r.sessionID, p.ids())
	}
	for _, l := range p.messages[0].leaving {
		if l.Remote == name {
			noted = true
		} else {
			stale = append(stale, l.Remote)
		}
	}
	if len(stale) == 0 && (name == "" || noted) {
		return nil
	}
	bridge, channel := r.desk.bridge.Name(), r.desk.bridge.Channel()
	return r.desk.keep(r.ctx, func(tx chat.Tx) error {
		for _, remote := range stale {
			if err := tx.DropLinks(bridge, channel, remote); err != nil {
				return err
			}
		}
		if name == "" {
			return nil
		}
		for i, id := range p.ids() {
			l := chat.Link{Bridge: bridge, Channel: channel, Remote: name, SessionID: r.sessionID, MessageID: id, Part: i, State: chat.LinkSending, CreatedAt: chat.Now()}
			if err := tx.SaveLink(&l); err != nil {
				return err
			}
		}
		return nil
	})
}

// maxRecalled is how many parts of a text, and how many files, are looked for.
const maxRecalled = 10

// recall finds copies that relay does not know of, if the platform can tell:
// those of an attempt in doubt; and of a message that is edited or deleted, those
// that a restart has forgotten (bridge mode; not where it went out in a batch).
// again tells that a batch never arrived: its messages may go in another one.
func (r *round) recall(p *posting) (again bool, err error) {
	bridge, can := r.desk.bridge.(chat.Recaller)
	gone := !slices.ContainsFunc(p.messages, func(m shown) bool { return m.DeletedAt == 0 })
	if finder, is := r.desk.bridge.(chat.Finder); is && r.uncertain && gone {
		return false, r.sweep(p, finder)
	}
	forgotten := r.desk.opts.Stateless && !p.fresh && len(p.messages[0].links) == 0
	if !can || !forgotten && !(r.uncertain && (p.fresh || gone)) {
		return false, nil
	}
	th, err := r.thread(false)
	if errors.Is(err, errNoThread) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	missing := r.missing(p)
	keys := make([]string, len(missing))
	for i := range missing {
		keys[i] = opKey(th.Ref, missing[i].id(&r.head().Event))
	}
	var since chat.Time
	if r.uncertain {
		since = r.head().CreatedAt
	}
	remotes, err := bridge.Recall(r.ctx, th, keys, since)
	if err != nil {
		return false, err
	}
	found := false
	for i, remote := range remotes {
		if remote == "" {
			continue
		}
		found = true
		if err := r.found(p, th, missing[i], remote); err != nil {
			return false, err
		}
	}
	if found || len(p.batch) > 1 { // nothing behind it has left
		r.certain()
	}
	return !found && len(p.batch) > 1, nil
}

// sweep finds what an attempt in doubt made of what was deleted since, on a
// platform that does not keep by which op: only one was under way, with a text or
// with a file.
func (r *round) sweep(p *posting, bridge chat.Finder) error {
	th, err := r.thread(false)
	if errors.Is(err, errNoThread) {
		return nil
	}
	if err != nil {
		return err
	}
	var ops []chat.Op
	var steps []step
	for _, s := range r.missing(p) {
		op := chat.Op{Key: opKey(th.Ref, s.id(&r.head().Event)), Since: r.head().CreatedAt, Known: r.known}
		if s.part >= fileParts {
			op.File = new(chat.OpFile)
		}
		if !slices.ContainsFunc(ops, func(other chat.Op) bool { return (other.File == nil) == (op.File == nil) }) {
			ops, steps = append(ops, op), append(steps, s)
		}
	}
	remotes, err := bridge.Leftovers(r.ctx, th, ops)
	for i, remote := range remotes {
		if err == nil && remote != "" {
			r.certain()
			err = r.found(p, th, steps[i], remote)
		}
	}
	return err
}

// missing are the copies that an earlier attempt may have made: the one of its
// batch, or the parts and files of a message alone.
func (r *round) missing(p *posting) (list []step) {
	if len(p.batch) > 1 {
		return []step{{carries: p.batch}}
	}
	have := map[int]bool{}
	for _, l := range p.messages[0].links {
		have[l.Part] = true
	}
	for i := range maxRecalled {
		for _, part := range []int{i, fileParts + i} {
			if !have[part] {
				list = append(list, step{carries: p.ids(), part: part})
			}
		}
	}
	return list
}

// found takes up a copy that an earlier attempt made. It shows its messages as
// they were when their deliveries were stored: what became of them since comes
// behind.
func (r *round) found(p *posting, th chat.Thread, s step, remote string) error {
	l := chat.Link{Bridge: th.Bridge, Channel: th.Channel, Remote: remote, SessionID: r.sessionID, Part: s.part, CreatedAt: r.head().CreatedAt}
	if p.fresh {
		l.Rev = r.head().Rev
	}
	for i := range p.messages {
		if m := &p.messages[i]; slices.Contains(s.carries, m.ID) {
			l.MessageID = m.ID
			m.links, m.leaving = append(m.links, l), nil
		}
	}
	if !p.fresh {
		return nil
	}
	return r.keepLinks(s.carries, l)
}
