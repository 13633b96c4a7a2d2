package outbound

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/relay-chat/relay/bridges/mirror/platform"
	"github.com/relay-chat/relay/server/chat"
)

// step is one op with what is noted once it is carried out.
type step struct {
	op chat.Op
	// shows are the messages that the platform message shows, or a placeholder.
	shows []string
	part  int
	rev   int64 // what it shows then
	// fallback replaces an op that the platform rejects for good, or explains that a
	// message could not be removed.
	fallback *step
	// optional steps are not worth a second attempt when they are refused.
	optional bool
}

// applySteps carries out steps in the session's thread. With open it is opened if there
// is none; without, the error is errNoThread.
func (run *deliveryRun) applySteps(ctx context.Context, steps []step, open bool) error {
	if len(steps) == 0 {
		return nil
	}
	th, err := run.thread(ctx, open)
	if err != nil {
		return err
	}
	for _, s := range steps {
		if err := run.applyStep(ctx, th, s); err != nil {
			return err
		}
	}
	return nil
}

// fileAttempts is how often a file is tried that cannot be opened: those of a
// backend may be away for long, and the conversation waits behind it.
const fileAttempts = 6

// applyStep carries out one step and recovers from failures where it can.
func (run *deliveryRun) applyStep(ctx context.Context, th chat.Thread, s step) error {
	if before, _ := run.sink.refusedSteps.Load(run.sessionID); before != nil && before.(refusedStep).id == s.name(&run.head().Event) {
		switch known := before.(refusedStep); {
		case known.err != nil:
			return run.giveUpStep(ctx, th, s, known.err)
		case s.fallback != nil:
			return run.applyFallback(ctx, th, s)
		}
	}
	run.unreadable = false
	err := run.execute(ctx, th, s)
	switch {
	case errors.Is(err, chat.ErrMessageGone):
		return run.copyGone(ctx, th, s)
	case errors.Is(err, chat.ErrMessageStays):
		return run.copyStays(ctx, th, s)
	case errors.Is(err, chat.ErrAttachmentNotFound) && s.op.File != nil:
		return nil // deleted meanwhile
	case s.fallback != nil && (errors.Is(err, chat.ErrPermanent) || err != nil && run.unreadable && run.head().Attempts >= fileAttempts):
		run.sink.platform.Log.Warn("cannot show an event; writing a note instead", "session", chat.SessionRef(run.sessionID), "err", err)
		return run.applyFallback(ctx, th, s)
	case errors.Is(err, chat.ErrPermanent) && s.isContent():
		return run.giveUpStep(ctx, th, s, err)
	case errors.Is(err, chat.ErrPermanent) && s.optional:
		run.sink.platform.Log.Debug("the platform rejected an optional call", "session", chat.SessionRef(run.sessionID), "err", err)
		return nil
	}
	return err
}

// isContent reports whether a step shows what somebody wrote.
func (s *step) isContent() bool {
	return s.op.Kind == chat.OpPost || s.op.Kind == chat.OpEdit
}

// applyFallback shows what stands for a step that was refused. While that has to wait
// for its turn, the step is not tried again: on a platform that counts messages
// it would take that turn, again and again.
func (run *deliveryRun) applyFallback(ctx context.Context, th chat.Thread, s step) error {
	run.sink.refusedSteps.Store(run.sessionID, refusedStep{id: s.name(&run.head().Event)})
	err := run.applyStep(ctx, th, *s.fallback)
	if err == nil || errors.Is(err, chat.ErrPermanent) {
		run.sink.refusedSteps.Delete(run.sessionID)
	}
	return err
}

// copyGone continues after a platform message turned out to be gone.
func (run *deliveryRun) copyGone(ctx context.Context, th chat.Thread, s step) error {
	switch s.op.Kind {
	case chat.OpEdit:
		if err := run.saveCopy(ctx, th, s, s.op.Remote, chat.LinkGone); err != nil {
			return err
		}
		s.op.Kind, s.op.Remote, s.op.Edited = chat.OpPost, "", true
		return run.execute(ctx, th, s)
	case chat.OpDelete:
		return run.saveCopy(ctx, th, s, s.op.Remote, chat.LinkGone)
	case chat.OpPost, chat.OpNote:
		if s.op.ReplyTo != "" {
			s.op.ReplyTo = ""
			return run.execute(ctx, th, s)
		}
		return fmt.Errorf("post in thread %s: %w", th.Ref, chat.ErrMessageGone)
	}
	return nil
}

// copyStays continues after a platform message could not be removed: the step's
// fallback, if any, explains that.
func (run *deliveryRun) copyStays(ctx context.Context, th chat.Thread, s step) error {
	if s.fallback != nil {
		if err := run.applyStep(ctx, th, *s.fallback); err != nil {
			return err
		}
	}
	return run.saveCopy(ctx, th, s, s.op.Remote, chat.LinkGone)
}

// execute carries out a step and stores the result.
func (run *deliveryRun) execute(ctx context.Context, th chat.Thread, s step) error {
	creates := s.op.Kind == chat.OpPost || s.op.Kind == chat.OpNote
	if creates {
		s.op.Key = platform.Key(th.Ref, s.name(&run.head().Event))
		s.op.Ambiguous = run.uncertain
	}
	if s.op.Ambiguous {
		s.rev = run.head().Rev // what arrived may be older than what is known now
		s.op.Since, s.op.Known = run.head().CreatedAt, run.isLinked
	}
	remote, err := run.sink.platform.Do(ctx, th, s.op)
	if err != nil {
		return err
	}
	if creates {
		run.markConfirmed()
	}
	switch s.op.Kind {
	case chat.OpPost, chat.OpNote:
		return run.saveCopy(ctx, th, s, remote, chat.LinkLive)
	case chat.OpEdit:
		return run.saveCopy(ctx, th, s, s.op.Remote, chat.LinkLive)
	case chat.OpDelete:
		return run.saveCopy(ctx, th, s, s.op.Remote, chat.LinkGone)
	}
	return nil
}

// isLinked reports whether a platform message is linked to something.
func (run *deliveryRun) isLinked(ctx context.Context, remote string) (is bool, err error) {
	err = run.sink.store.ReadOne(ctx, func(rd chat.Reader) error {
		links, err := rd.LinksAt(run.sink.platform.Name(), run.sink.platform.Channel(), remote)
		is = len(links) > 0
		return err
	})
	return is, err
}

// saveCopy stores what a platform message shows now.
func (run *deliveryRun) saveCopy(ctx context.Context, th chat.Thread, s step, remote string, state chat.LinkState) error {
	return run.saveLinks(ctx, s.shows, chat.Link{Bridge: th.Bridge, Channel: th.Channel, Remote: remote, SessionID: run.sessionID, Part: s.part, Rev: s.rev, State: state, CreatedAt: chat.Now()})
}

// saveLinks stores a link for each of the messages that a platform message
// carries. A batch has then arrived.
func (run *deliveryRun) saveLinks(ctx context.Context, carries []string, l chat.Link) error {
	return run.sink.platform.Persist(ctx, func(tx chat.Tx) error {
		if name := batchName(run.sessionID, carries); name != "" {
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

// name names a platform message that is to be made: other messages in it, another
// part, or another text in the place of the first, which an event brings, are
// another one.
func (s *step) name(e *chat.Event) string {
	name := append(slices.Clone(s.shows), strconv.Itoa(s.part))
	if s.op.Edited {
		name = append(name, e.Name())
	}
	return strings.Join(name, " ")
}
