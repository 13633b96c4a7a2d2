package outbound

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// step is one op with what is noted once it is carried out.
type step struct {
	op chat.Op
	// shows are the messages that the platform message shows, or a placeholder.
	shows []string
	part  int
	rev   int64  // what it shows then
	id    string // names what is to be made, at every attempt
	// fallback replaces an op that the platform rejects for good, or explains that a
	// message could not be removed.
	fallback *step
	// optional steps are not worth a second attempt when they are refused.
	optional bool
	// assumed steps count as carried out; nothing is called.
	assumed bool
	drops   []string // the placeholders of batches that never left
	// completes: with it the thread's opening is complete.
	completes bool
	// replaces is the refusal that a note stands for. With final the delivery ends with it.
	replaces error
	final    bool
}

// opReserve stores which messages are about to leave together, before they do. It is
// relay's own: no platform carries it out.
const opReserve chat.OpKind = -1

// creates reports whether a step makes something on the platform.
func (st *step) creates() bool {
	return st.op.Kind == chat.OpPost || st.op.Kind == chat.OpNote || st.op.Kind == chat.OpOpen
}

// name names a platform message that is to be made: other messages in it, another
// part, or another text in the place of the first, which an event brings, are
// another one.
func (st *step) name(e *chat.Event) string {
	name := append(slices.Clone(st.shows), strconv.Itoa(st.part))
	if st.op.Edited {
		name = append(name, e.Name())
	}
	return strings.Join(name, " ")
}

// gone is the step whose platform message is gone already.
func (st step) gone() step {
	st.op.Kind, st.assumed = chat.OpDelete, true
	return st
}

// fileAttempts is how often a file is tried that cannot be opened: those of a
// backend may be away for long, and the conversation waits behind it.
const fileAttempts = 6

// unreadable is why a file could not be opened: it is not the platform that fails. That
// it took too long says nothing about the op.
type unreadable struct{ error }

func (u unreadable) Is(target error) bool {
	return target != context.DeadlineExceeded && errors.Is(u.error, target)
}

func (u unreadable) As(target any) bool { return errors.As(u.error, target) }

// refusal is a step that the platform refused.
type refusal struct {
	step string
	err  error
}

// isRefusal reports whether a step is not tried again after an error.
func (st *step) isRefusal(d *chat.Delivery, err error) bool {
	var file unreadable
	return errors.Is(err, chat.ErrPermanent) || st.fallback != nil && d.Attempts >= fileAttempts && errors.As(err, &file)
}

// then returns what follows a step: the steps in its place if it failed, or the error if
// it has to wait or ends the delivery.
func (st step) then(d *chat.Delivery, err error, stateless bool) ([]step, error) {
	switch {
	case st.final && (err == nil || errors.Is(err, chat.ErrPermanent)):
		return nil, st.replaces
	case err == nil:
		return nil, nil
	case st.op.Kind == chat.OpOpen && errors.Is(err, chat.ErrPermanent): // not here: the whole session waits until the problem is fixed
		return nil, fmt.Errorf("a thread cannot be opened: %s", chat.ReasonOf(err.Error()))
	case st.op.Kind == chat.OpOpen:
		return nil, fmt.Errorf("open a thread: %w", err)
	case errors.Is(err, chat.ErrMessageGone):
		return st.insteadOfGone(err)
	case errors.Is(err, chat.ErrMessageStays) && st.fallback != nil:
		return []step{*st.fallback, st.gone()}, nil
	case errors.Is(err, chat.ErrMessageStays):
		return []step{st.gone()}, nil
	case errors.Is(err, chat.ErrAttachmentNotFound) && st.op.File != nil:
		return nil, nil // deleted meanwhile
	case !st.isRefusal(d, err):
		return nil, err
	case st.fallback != nil:
		note := *st.fallback
		note.replaces = err
		return []step{note}, nil
	case st.optional && st.op.Kind == chat.OpEdit:
		return []step{st.gone()}, nil
	case st.optional && (st.op.Kind == chat.OpClose || st.op.Kind == chat.OpReopen):
		st.assumed = true
		return []step{st}, nil
	case st.optional:
		return nil, nil
	case st.op.Kind == chat.OpPost, st.op.Kind == chat.OpEdit: // what somebody wrote
		op := chat.Op{Kind: chat.OpNote, Text: refusedText(&d.Event, err, stateless)}
		return []step{{op: op, shows: []string{engine.Placeholder("refused " + d.Event.Name())}, part: st.part, rev: st.rev, replaces: err, final: true}}, nil
	}
	return nil, err
}

// insteadOfGone continues after a platform message turned out to be gone.
func (st step) insteadOfGone(err error) ([]step, error) {
	switch {
	case st.op.Kind == chat.OpDelete, st.op.Kind == chat.OpEdit && st.optional:
		return []step{st.gone()}, nil
	case st.op.Kind == chat.OpEdit:
		again := st
		again.op.Kind, again.op.Remote, again.op.Edited = chat.OpPost, "", true
		return []step{st.gone(), again}, nil
	case !st.creates():
		return nil, nil
	case st.op.ReplyTo != "":
		st.op.ReplyTo = ""
		return []step{st}, nil
	}
	return nil, fmt.Errorf("post: %w", err)
}
