package outbound

import (
	"context"
	"slices"

	"github.com/relay-chat/relay/bridges/mirror/platform"
	"github.com/relay-chat/relay/server/chat"
)

// lookUp finds copies that relay does not know, if the platform can be searched, and
// returns what is certain then: those of an attempt whose outcome is unknown; and of a
// message that is edited or deleted, those that a restart has forgotten (bridge mode;
// not where it went out in a batch). A batch that is not found never arrived: its
// messages may go in another one.
func (s *Sink) lookUp(ctx context.Context, v *view) (certainty, error) {
	finder, finds := s.platform.Bridge.(chat.Finder)
	recaller, recalls := s.platform.Bridge.(chat.Recaller)
	doubt := v.came == unknown && len(v.messages) > 0
	finds = finds && doubt && v.gone()
	recalls = recalls && !finds && (v.forgotten(s.stateless) || doubt && (v.fresh() || v.gone()))
	if !finds && !recalls {
		return v.came, nil
	}
	thread, err := s.find(ctx, v)
	if v.thread = thread; err != nil || !v.whole() { // without a whole thread only its opening can be in doubt
		return v.came, err
	}
	th := v.place()
	missing := v.missingCopies()
	var remotes []string
	if finds {
		missing, remotes, err = s.leftovers(ctx, finder, v, th, missing)
	} else {
		remotes, err = recaller.Recall(ctx, th, keysOf(missing, th), v.doubtSince())
	}
	if err != nil {
		return v.came, err
	}
	came := v.came
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

// missingCopies are the copies that an earlier attempt may have made: the one of its
// batch, or the parts and files of a message alone.
func (v *view) missingCopies() (list []step) {
	if len(v.together) > 1 {
		return []step{{shows: v.together}}
	}
	for i := range maxRecalled {
		for _, part := range []int{i, fileParts + i} {
			if !slices.ContainsFunc(v.messages[0].links, func(l chat.Link) bool { return l.Part == part }) {
				list = append(list, step{shows: v.ids(), part: part})
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

func keysOf(steps []step, th chat.Thread) []string {
	keys := make([]string, len(steps))
	for i := range steps {
		keys[i] = platform.Key(th.Ref, steps[i].name(nil))
	}
	return keys
}

// leftovers finds what an unknown attempt posted of what was deleted since, on a
// platform that does not keep by which op: only one was under way, with a text or
// with a file.
func (s *Sink) leftovers(ctx context.Context, bridge chat.Finder, v *view, th chat.Thread, missing []step) (asked []step, remotes []string, err error) {
	var ops []chat.Op
	for i, key := range keysOf(missing, th) {
		op := chat.Op{Key: key, Since: v.doubtSince(), Known: s.isLinked}
		if missing[i].part >= fileParts {
			op.File = new(chat.OpFile)
		}
		if !slices.ContainsFunc(ops, func(other chat.Op) bool { return (other.File == nil) == (op.File == nil) }) {
			ops, asked = append(ops, op), append(asked, missing[i])
		}
	}
	remotes, err = bridge.Leftovers(ctx, th, ops)
	return asked, remotes, err
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

// isLinked reports whether a platform message is linked to something.
func (s *Sink) isLinked(ctx context.Context, remote string) (is bool, err error) {
	err = s.store.ReadOne(ctx, func(rd chat.Reader) error {
		links, err := rd.LinksAt(s.platform.Name(), s.platform.Channel(), remote)
		is = len(links) > 0
		return err
	})
	return is, err
}
