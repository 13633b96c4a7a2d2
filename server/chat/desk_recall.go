package chat

import (
	"errors"
	"slices"
)

// maxRecalled is how many parts of a text, and how many files, are looked for.
const maxRecalled = 10

// recall finds copies that relay does not know of, if the platform can tell: of
// a message that is edited or deleted, those that a restart has forgotten (bridge
// mode; not where it went out together with others), and of what was deleted while
// nobody knew whether it had been sent, what was.
func (r *round) recall(p *posting) error {
	bridge, can := r.desk.bridge.(Recaller)
	forgotten := r.desk.opts.Stateless && !p.fresh
	doubtful := r.uncertain && !slices.ContainsFunc(p.messages, func(m shown) bool { return m.DeletedAt == 0 })
	if !can || !forgotten && !doubtful || len(p.messages[0].links) > 0 {
		return nil
	}
	th, err := r.thread(false)
	if errors.Is(err, errNoThread) {
		return nil
	}
	if err != nil {
		return err
	}
	m := &p.messages[0]
	var parts []int
	var keys []string
	for i := range maxRecalled {
		for _, part := range []int{i, fileParts + i} {
			s := step{carries: p.ids(), part: part}
			parts, keys = append(parts, part), append(keys, opKey(th.Ref, s.id(&r.head().Event)))
		}
	}
	remotes, err := bridge.Recall(r.ctx, th, keys)
	if err != nil {
		return err
	}
	for i, remote := range remotes {
		if remote != "" {
			m.links = append(m.links, Link{Bridge: th.Bridge, Channel: th.Channel, Remote: remote, SessionID: r.sessionID, MessageID: m.ID, Part: parts[i]})
		}
	}
	return nil
}
