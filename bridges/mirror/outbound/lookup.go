package outbound

import (
	"context"
	"slices"

	"github.com/relay-chat/relay/bridges/mirror/access"
	"github.com/relay-chat/relay/server/chat"
)

// lookUp finds copies that relay does not know, if the platform can be searched, and
// returns what is certain then: those of an attempt whose outcome is unknown; and of a
// message that is edited or deleted, those that a restart has forgotten (bridge mode;
// not where it went out in a batch). A batch that is not found never arrived: its
// messages may go in another one.
func (s *Sink) lookUp(ctx context.Context, v *view) (certainty, error) {
	at := s.platform.At(v.thread.Channel)
	finder, finds := at.(chat.Finder)
	recaller, recalls := at.(chat.Recaller)
	doubt := v.came == unknown && len(v.messages) > 0
	finds = finds && doubt && v.gone()
	recalls = recalls && !finds && (v.forgotten(s.stateless) || doubt && (v.fresh() || v.gone()))
	if !finds && !recalls {
		return v.came, nil
	}
	if err := s.find(ctx, v); err != nil || !v.whole() { // without a whole thread only its opening can be in doubt
		return v.came, err
	}
	came, th, most := v.came, v.thread, maxRecalled
	if finds {
		most = 1 // the platform does not keep by which op a message was made, but only one was under way
	}
	missing := v.missing(most)
	ops, keys := s.questions(v, th, missing)
	var remotes []string
	var err error
	if finds {
		remotes, err = finder.Leftovers(ctx, th, ops)
	} else {
		remotes, err = recaller.Recall(ctx, th, keys, v.doubtSince())
	}
	if err != nil {
		return v.came, err
	}
	if recalls && len(v.together) > 1 {
		came = refused
	}
	for i, remote := range remotes {
		if remote != "" {
			came = sent
			if err := s.adopt(ctx, v, th, missing[i], remote); err != nil {
				return v.came, err
			}
		}
	}
	return came, nil
}

// maxRecalled is how many parts of a text, and how many files, are looked for.
const maxRecalled = 10

// missing are the copies that an earlier attempt may have made: the one of its batch, or
// so many of the parts and of the files of a message alone.
func (v *view) missing(most int) (list []step) {
	if len(v.together) > 1 {
		return []step{{shows: v.together}}
	}
	for _, first := range []int{0, fileParts} {
		for part, found := first, 0; part < first+maxRecalled && found < most; part++ {
			if !slices.ContainsFunc(v.messages[0].links, func(l chat.Link) bool { return l.Part == part }) {
				list = append(list, step{shows: v.ids(), part: part})
				found++
			}
		}
	}
	return list
}

// doubtSince returns from when on an unknown op may have been carried out, 0 without one.
func (v *view) doubtSince() chat.Time {
	if v.came != unknown {
		return 0
	}
	return v.head().CreatedAt
}

// questions ask for what steps may have posted.
func (s *Sink) questions(v *view, th chat.Thread, steps []step) (ops []chat.Op, keys []string) {
	for _, st := range steps {
		op := chat.Op{Key: access.Key(th.Ref, st.name(nil)), Since: v.doubtSince(), Known: s.isLinkedIn(th.Channel)}
		if st.part >= fileParts {
			op.File = new(chat.OpFile)
		}
		ops, keys = append(ops, op), append(keys, op.Key)
	}
	return ops, keys
}

// adopt links a copy that an earlier attempt made. It shows its messages as they were
// when their deliveries were stored: later changes follow.
func (s *Sink) adopt(ctx context.Context, v *view, th chat.Thread, st step, remote string) error {
	l := st.link(th, remote)
	l.CreatedAt, l.Rev = v.head().CreatedAt, 0
	if v.fresh() {
		l.Rev = v.head().Rev
	}
	return s.save(ctx, th, th, st, l)
}
