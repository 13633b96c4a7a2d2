package outbound

import (
	"context"
	"errors"

	"github.com/relay-chat/relay/bridges/mirror/access"
	"github.com/relay-chat/relay/server/chat"
)

// execute carries out steps in order, in the thread or in the one that the first of them
// opens, and settles each. What stands for a step that failed takes its place.
func (s *Sink) execute(ctx context.Context, d *chat.Delivery, th chat.Thread, steps []step, came certainty) (chat.Thread, certainty, error) {
	for len(steps) > 0 {
		st := s.prepare(d, th, steps[0], came)
		remote, err := s.carryOut(ctx, d, th, st)
		if err == nil {
			if st.creates() {
				came = sent
			}
			if th, err = s.settle(ctx, d, th, st, remote); err != nil {
				return th, came.after(err), err
			}
		}
		next, failure := st.then(d, err, s.stateless)
		s.remember(d, &st, next, err)
		if failure != nil {
			return th, came.after(failure), failure
		}
		steps = append(next, steps[1:]...)
	}
	return th, came, nil
}

// prepare names the op of a step, so that the platform can tell whether an attempt whose
// outcome is unknown has carried it out.
func (s *Sink) prepare(d *chat.Delivery, th chat.Thread, st step, came certainty) step {
	st.id = st.name(&d.Event)
	switch {
	case st.op.Kind == chat.OpOpen:
		st.op.Ambiguous = st.op.Ambiguous || came == unknown
	case st.creates():
		st.op.Key, st.op.Ambiguous = access.Key(th.Ref, st.id), came == unknown
		if st.op.Ambiguous {
			st.rev = d.Rev // what arrived may be older than what is known now
			st.op.Since, st.op.Known = d.CreatedAt, s.isLinkedIn(th.Channel)
		}
	}
	return st
}

// carryOut carries out the op of a step, unless it is known that it is refused: on a
// platform that counts messages it would take the turn of its note, again and again.
func (s *Sink) carryOut(ctx context.Context, d *chat.Delivery, th chat.Thread, st step) (remote string, err error) {
	known, waits := s.refused.Get(d.SessionID)
	switch {
	case st.assumed:
		return "", nil
	case waits && st.replaces == nil && known.step == st.id && st.isRefusal(d, known.err): // not after a person's retry
		return "", known.err
	}
	return s.platform.Do(ctx, th, st.op)
}

// isLinkedIn reports whether a platform message of a channel is linked to something.
func (s *Sink) isLinkedIn(channel string) func(ctx context.Context, remote string) (bool, error) {
	return func(ctx context.Context, remote string) (bool, error) {
		links, err := access.ReadOne(ctx, s.store, func(rd chat.Reader) ([]chat.Link, error) {
			return rd.LinksAt(s.platform.Name(), channel, remote)
		})
		return len(links) > 0, err
	}
}

// remember keeps what the next attempt has to know of a step: that it may have opened the
// thread, or that it is refused while its note waits.
func (s *Sink) remember(d *chat.Delivery, st *step, next []step, err error) {
	switch {
	case st.op.Kind == chat.OpOpen && access.IsAmbiguous(err):
		s.begun.Put(d.SessionID, st.op.Since)
	case st.op.Kind == chat.OpOpen && err == nil:
		s.begun.Remove(d.SessionID)
	case st.replaces != nil && (err == nil || errors.Is(err, chat.ErrPermanent)):
		s.refused.Remove(d.SessionID)
	case len(next) > 0 && next[0].replaces != nil && st.replaces == nil:
		if _, known := s.refused.Get(d.SessionID); !known {
			s.platform.Log.Warn("cannot show an event; writing a note instead", "session", access.Session(d.SessionID), "err", err)
		}
		s.refused.Put(d.SessionID, refusal{st.id, err})
	case st.optional && errors.Is(err, chat.ErrPermanent):
		s.platform.Log.Debug("the platform rejected an optional call", "session", access.Session(d.SessionID), "err", err)
	}
}
