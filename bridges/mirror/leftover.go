package mirror

import (
	"errors"
	"slices"

	"relay/server/chat"
)

// perhapsHere warns of a deleted message that an attempt in doubt may have made,
// where the platform cannot tell. Nothing is said where there is no thread.
func (r *round) perhapsHere(p *posting) ([]step, error) {
	_, recalls := r.desk.bridge.(chat.Recaller)
	_, finds := r.desk.bridge.(chat.Finder)
	gone := !slices.ContainsFunc(p.messages, func(m shown) bool { return m.DeletedAt == 0 })
	first := &p.messages[0]
	if recalls || finds || !p.fresh || !r.uncertain || !gone || len(first.links) > 0 {
		return nil, nil
	}
	_, err := r.thread(false)
	if errors.Is(err, errNoThread) {
		return nil, nil
	}
	op := chat.Op{Kind: chat.OpNote, Text: perhapsHereText(&first.Message)}
	return []step{{op: op, carries: []string{chat.Placeholder("perhaps " + first.ID)}, rev: p.rev}}, err
}
