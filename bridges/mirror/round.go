package mirror

import (
	"context"
	"crypto/sha256"
	"encoding/base32"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"relay/server/chat"
)

// round is one call of [Mirror.Deliver]: a session's deliveries in order.
type round struct {
	desk      *Mirror
	ctx       context.Context
	sessionID string
	place     *chat.Thread // once it is known
	// unit are the deliveries that are being carried out together.
	unit []chat.Delivery
	// uncertain tells that the first op of the unit may have been carried out
	// by an earlier attempt. Only one op is ever under way.
	uncertain bool
	sent      bool // an op of this round that makes something was carried out
	reopened  int  // threads that were lost in this round
	// unreadable tells that the file under way could not be opened: it is not
	// the platform that fails.
	unreadable bool
}

// maxReopened bounds how often a round opens a new thread: a platform that
// loses each of them is left alone for a while.
const maxReopened = 2

// step is one op with what is noted once it is carried out.
type step struct {
	op chat.Op
	// carries are the messages that the platform message shows, or a mark.
	carries []string
	part    int
	rev     int64 // what it shows then
	// fallback replaces an op that the platform will never carry out, or says
	// that what was to be removed stays.
	fallback *step
	// optional steps are not worth a second attempt when they are refused.
	optional bool
}

// head is the delivery that the round is at.
func (r *round) head() *chat.Delivery { return &r.unit[0] }

// next carries out the first deliveries of a lane and returns how many. When
// the thread turns out to be gone, what is to be shown is shown in a new one.
func (r *round) next(lane []chat.Delivery) (int, error) {
	for {
		r.unit = lane[:1]
		r.uncertain = lane[0].Ambiguous() && !r.sent
		err := r.carry(lane)
		switch {
		case err == nil || errors.Is(err, errNoThread):
			return len(r.unit), nil
		case errors.Is(err, chat.ErrThreadGone) && r.place != nil && r.reopened < maxReopened:
			if err := r.lost(*r.place); err != nil {
				return 0, err
			}
		default:
			r.blur(err)
			return 0, err
		}
	}
}

// blur marks a whole unit as ambiguous: the next attempt has to ask for the same
// batch.
func (r *round) blur(err error) {
	if !isAmbiguous(err) {
		return
	}
	for i := range r.unit {
		r.unit[i].State = chat.DeliverySending
	}
}

// certain notes that the op under way was carried out: what is left of the unit
// has never left relay. Ops that change what is there say nothing of it: they
// may be about what became of a message that an earlier attempt had sent.
func (r *round) certain() {
	r.sent = true
	if !r.uncertain {
		return
	}
	r.uncertain = false
	for i := range r.unit {
		r.unit[i].State = chat.DeliveryPending
	}
}

// carry carries out the head, with those behind it that can go with it.
func (r *round) carry(lane []chat.Delivery) error {
	e := &r.head().Event
	switch e.Type {
	case chat.EventNewSession:
		_, err := r.thread(true)
		return err
	case chat.EventMessage, chat.EventMessageEdited, chat.EventMessageDeleted, chat.EventNote, chat.EventNoteEdited, chat.EventNoteDeleted:
		return r.carryMessage(lane)
	case chat.EventMessageRead:
		return r.carryReceipt(e)
	case chat.EventSessionClosed, chat.EventSessionReopened:
		return r.carryStatus(e)
	}
	return r.carryNote(lane)
}

// all carries out steps in the session's thread, which is opened if need be. If
// it is not, errNoThread says that there is nothing to carry them out in.
func (r *round) all(steps []step, open bool) error {
	if len(steps) == 0 {
		return nil
	}
	th, err := r.thread(open)
	if err != nil {
		return err
	}
	for _, s := range steps {
		if err := r.perform(th, s); err != nil {
			return err
		}
	}
	return nil
}

// fileAttempts is how often a file is tried that cannot be opened: those of a
// backend may be away for long, and the conversation waits behind it.
const fileAttempts = 6

// perform carries out one step and heals what can be healed.
func (r *round) perform(th chat.Thread, s step) error {
	if before, _ := r.desk.refused.Load(r.sessionID); before != nil && before.(refused).id == s.id(&r.head().Event) {
		switch known := before.(refused); {
		case known.err != nil:
			return r.lose(th, s, known.err)
		case s.fallback != nil:
			return r.instead(th, s)
		}
	}
	r.unreadable = false
	err := r.once(th, s)
	switch {
	case errors.Is(err, chat.ErrMessageGone):
		return r.withoutCopy(th, s)
	case errors.Is(err, chat.ErrMessageStays):
		return r.stays(th, s)
	case errors.Is(err, chat.ErrAttachmentNotFound) && s.op.File != nil:
		return nil // deleted meanwhile
	case s.fallback != nil && (errors.Is(err, chat.ErrPermanent) || err != nil && r.unreadable && r.head().Attempts >= fileAttempts):
		r.desk.log.Warn("something cannot be shown; a note stands for it", "session", chat.SessionRef(r.sessionID), "err", err)
		return r.instead(th, s)
	case errors.Is(err, chat.ErrPermanent) && s.says():
		return r.lose(th, s, err)
	case errors.Is(err, chat.ErrPermanent) && s.optional:
		r.desk.log.Debug("the platform refused something that is not important", "session", chat.SessionRef(r.sessionID), "err", err)
		return nil
	}
	return err
}

// says reports whether a step shows what somebody wrote.
func (s *step) says() bool {
	return s.op.Kind == chat.OpPost || s.op.Kind == chat.OpEdit
}

// instead shows what stands for a step that was refused. While that has to wait
// for its turn, the step is not tried again: on a platform that counts messages
// it would take that turn, again and again.
func (r *round) instead(th chat.Thread, s step) error {
	r.desk.refused.Store(r.sessionID, refused{id: s.id(&r.head().Event)})
	err := r.perform(th, *s.fallback)
	if err == nil || errors.Is(err, chat.ErrPermanent) {
		r.desk.refused.Delete(r.sessionID)
	}
	return err
}

// withoutCopy goes on after a platform message turned out to be gone.
func (r *round) withoutCopy(th chat.Thread, s step) error {
	switch s.op.Kind {
	case chat.OpEdit:
		if err := r.note(th, s, s.op.Remote, chat.LinkGone); err != nil {
			return err
		}
		s.op.Kind, s.op.Remote, s.op.Edited = chat.OpPost, "", true
		return r.once(th, s)
	case chat.OpDelete:
		return r.note(th, s, s.op.Remote, chat.LinkGone)
	case chat.OpPost, chat.OpNote:
		if s.op.ReplyTo != "" {
			s.op.ReplyTo = ""
			return r.once(th, s)
		}
		return fmt.Errorf("post in thread %s: %w", th.Ref, chat.ErrMessageGone)
	}
	return nil
}

// stays goes on after a platform message turned out to be one that cannot be
// removed: a note stands by it, if one is wanted.
func (r *round) stays(th chat.Thread, s step) error {
	if s.fallback != nil {
		if err := r.perform(th, *s.fallback); err != nil {
			return err
		}
	}
	return r.note(th, s, s.op.Remote, chat.LinkGone)
}

// once carries out a step and stores what came of it.
func (r *round) once(th chat.Thread, s step) error {
	creates := s.op.Kind == chat.OpPost || s.op.Kind == chat.OpNote
	if creates {
		s.op.Key = opKey(th.Ref, s.id(&r.head().Event))
		s.op.Ambiguous = r.uncertain
	}
	if s.op.Ambiguous {
		s.rev = r.head().Rev // what arrived may be older than what is known now
		s.op.Since, s.op.Known = r.head().CreatedAt, r.known
	}
	remote, err := r.desk.do(r.ctx, th, s.op)
	if err != nil {
		return err
	}
	if creates {
		r.certain()
	}
	switch s.op.Kind {
	case chat.OpPost, chat.OpNote:
		return r.note(th, s, remote, chat.LinkLive)
	case chat.OpEdit:
		return r.note(th, s, s.op.Remote, chat.LinkLive)
	case chat.OpDelete:
		return r.note(th, s, s.op.Remote, chat.LinkGone)
	}
	return nil
}

// known reports whether a platform message is linked to something.
func (r *round) known(ctx context.Context, remote string) (is bool, err error) {
	err = r.desk.store.Look(ctx, func(rd chat.Reader) error {
		links, err := rd.LinksAt(r.desk.bridge.Name(), r.desk.bridge.Channel(), remote)
		is = len(links) > 0
		return err
	})
	return is, err
}

// note stores what a platform message shows now.
func (r *round) note(th chat.Thread, s step, remote string, state chat.LinkState) error {
	return r.keepLinks(s.carries, chat.Link{Bridge: th.Bridge, Channel: th.Channel, Remote: remote, SessionID: r.sessionID, Part: s.part, Rev: s.rev, State: state, CreatedAt: chat.Now()})
}

// keepLinks stores a link for each of the messages that a platform message
// carries. A batch has then arrived.
func (r *round) keepLinks(carries []string, l chat.Link) error {
	return r.desk.keep(r.ctx, func(tx chat.Tx) error {
		if name := batchName(r.sessionID, carries); name != "" {
			if err := tx.DropLinks(l.Bridge, l.Channel, name); err != nil {
				return err
			}
		}
		for _, id := range carries {
			l.MessageID = id
			if err := tx.SaveLink(&l); err != nil {
				return err
			}
		}
		return nil
	})
}

// id names a platform message that is to be made: other messages in it, another
// part, or another text in the place of the first, which an event brings, are
// another one.
func (s *step) id(e *chat.Event) string {
	name := append(slices.Clone(s.carries), strconv.Itoa(s.part))
	if s.op.Edited {
		name = append(name, e.Name())
	}
	return strings.Join(name, " ")
}

// opKey makes the key of an op: 24 letters and digits.
func opKey(words ...string) string {
	sum := sha256.Sum256([]byte(strings.Join(words, "\n")))
	return base32.StdEncoding.EncodeToString(sum[:15])
}
