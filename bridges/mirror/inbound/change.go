package inbound

import (
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/relay-chat/relay/bridges/mirror/access"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// Answers to edits that have another effect than their author may expect.
const (
	editWithheld  = "The edit is not passed on, and the visitor still sees the message as it was: a line starts with // or with a command."
	editNobody    = "The edit is not passed on: the visitor never saw this message. Write a new one to send it."
	editElsewhere = "The edit is not passed on: the message was edited elsewhere since. Edit it there, or write a new one."
	editedNote    = "This stays an internal note. Write a new message to send it to the visitor."
)

// edited passes an operator's edit on. Platforms also report edits that changed
// nothing, and edits of copies.
func (ev *event) edited(ctx context.Context) error {
	if strings.TrimSpace(ev.Text) == "" {
		return nil
	}
	id, err := ev.target(ctx)
	if err != nil {
		return err
	}
	if id == "" {
		return ev.editedWithheld(ctx)
	}
	m, err := ev.thread.loadMessage(ctx, id)
	forgotten := errors.Is(err, chat.ErrMessageNotFound) && ev.h.platform.Stateless
	if err != nil && !forgotten || m.DeletedAt != 0 {
		return err
	}
	text := ev.Text
	parsed, is := engine.ParseCommand(text, ev.h.slashCommands())
	note := is && parsed.Name == "note"
	withheld, err := ev.h.relay.Withholds(ctx, ev.author, text, ev.h.slashCommands())
	if err != nil {
		return err
	}
	if note && m.Internal {
		text = engine.NoteText(parsed.Args)
	}
	if len(m.Buttons) > 0 || forgotten { // which stay as they are
		text, _ = chat.CutButtons(text)
	}
	whole, err := ev.whole(ctx, &m, text)
	if err != nil {
		return err
	}
	if (is || withheld) && !m.Internal && whole.text != m.Content {
		return ev.answer(ctx, editWithheld)
	}
	if whole.text == "" && !forgotten {
		return ev.answer(ctx, editElsewhere)
	}
	if forgotten {
		if err := engine.CheckContent(chat.SenderOperator, text); err != nil {
			return err
		}
		return ev.h.relay.Amend(ctx, ev.author, chat.EventMessageEdited, ev.thread.SessionID, id, text)
	}
	if m.Content != whole.text {
		if _, err := ev.h.relay.Edit(ctx, ev.author, m.SessionID, m.ID, whole.text); err != nil {
			return err
		}
	}
	if err := ev.thread.save(ctx, nil, whole.said); err != nil {
		return err
	}
	if err := ev.removeCopies(ctx, id); err != nil || note || !m.Internal {
		return err
	}
	return ev.answer(ctx, editedNote)
}

// editedWithheld answers an operator who edits a withheld message until it is fit for the
// visitor: an edit sends nothing.
func (ev *event) editedWithheld(ctx context.Context) error {
	id, err := ev.thread.origin(ctx, ev.Remote)
	if errors.Is(err, chat.ErrMessageNotFound) || err == nil && id != withheldPlaceholder {
		return nil
	}
	if _, isCommand := engine.ParseCommand(ev.Text, ev.h.slashCommands()); err != nil || isCommand || engine.Withheld(ev.Text, ev.h.slashCommands()) {
		return err
	}
	return ev.answer(ctx, editNobody)
}

// deleted passes an operator's delete on. A copy that somebody removed is only
// noted: the message it shows is not theirs.
func (ev *event) deleted(ctx context.Context) error {
	ids, err := ev.messages(ctx)
	if err != nil {
		return err
	}
	if len(ids) == 0 {
		return ev.thread.markGone(ctx, ev.Remote)
	}
	for _, id := range ids {
		if err := ev.deleteMessage(ctx, id); err != nil {
			return err
		}
		if err := ev.removeCopies(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// messages are those that an operator's platform message became: itself, and the files that
// followed; none for a copy.
func (ev *event) messages(ctx context.Context) ([]string, error) {
	id, err := ev.target(ctx)
	if err != nil || id == "" {
		return nil, err
	}
	files, err := ev.thread.fileMessages(ctx, ev.Remote, id)
	return append([]string{id}, files...), err
}

// fileStays answers an operator who deletes a file alone: relay does not know which of a
// message's files it was.
const fileStays = "The visitor can still open the file. Delete the whole message to take it back."

// fileDeleted tells the operator that a file is not taken from the visitor.
func (ev *event) fileDeleted(ctx context.Context) error {
	shown, err := ev.filesShown(ctx)
	if err != nil || shown == 0 {
		return err
	}
	return ev.answer(ctx, fileStays)
}

// filesTaken is fileDeleted for an edit that took files out of a message.
func (ev *event) filesTaken(ctx context.Context) error {
	if ev.FilesLeft == nil {
		return nil
	}
	shown, err := ev.filesShown(ctx)
	if err != nil || shown <= *ev.FilesLeft {
		return err
	}
	return ev.answer(ctx, fileStays)
}

// filesShown counts the files of an operator's platform message that the visitor can open.
func (ev *event) filesShown(ctx context.Context) (n int, err error) {
	ids, err := ev.messages(ctx)
	for _, id := range ids {
		m, err := ev.thread.loadMessage(ctx, id)
		switch {
		case errors.Is(err, chat.ErrMessageNotFound):
		case err != nil:
			return 0, err
		case m.DeletedAt == 0 && !m.Internal:
			n += len(m.Attachments.V)
		}
	}
	return n, err
}

// removeCopies removes the copies beside an operator's message since it was edited
// elsewhere: its author has the last word, and no event returns to where it came
// from.
func (ev *event) removeCopies(ctx context.Context, id string) error {
	links, err := ev.thread.links(ctx, id)
	if err != nil {
		return err
	}
	for _, l := range links {
		if l.Origin || l.State != chat.LinkLive || l.Remote == "" {
			continue
		}
		if _, err := ev.h.platform.Do(ctx, ev.thread.Thread, chat.Op{Kind: chat.OpDelete, Remote: l.Remote}); err != nil && !errors.Is(err, chat.ErrMessageGone) {
			if err := ev.h.dropIfFinal(err); err != nil {
				return err
			}
		}
		if err := ev.thread.markGone(ctx, l.Remote); err != nil {
			return err
		}
	}
	return nil
}

// deleteMessage deletes a message for all.
func (ev *event) deleteMessage(ctx context.Context, id string) error {
	_, err := ev.thread.loadMessage(ctx, id)
	if errors.Is(err, chat.ErrMessageNotFound) && ev.h.platform.Stateless {
		return ev.h.relay.Amend(ctx, ev.author, chat.EventMessageDeleted, ev.thread.SessionID, id, "")
	}
	if err != nil {
		return err
	}
	return ev.h.relay.Delete(ctx, ev.author, ev.thread.SessionID, id)
}

// turnMargin is how much later than a thread's closing something has to be to count as
// after it: clocks differ.
const turnMargin = 10 * time.Second

// threadChanged follows an operator who closes, reopens or deletes the thread
// that the session has now.
func (ev *event) threadChanged(ctx context.Context) error {
	var current chat.Thread
	var waiting chat.Time
	err := ev.h.store.ReadOne(ctx, func(rd chat.Reader) error {
		session, err := rd.Session(ev.thread.SessionID)
		if err == nil {
			waiting = session.WaitingSince
			current, err = rd.ThreadOf(ev.thread.SessionID, ev.thread.Bridge, ev.thread.Channel)
		}
		return err
	})
	if errors.Is(err, chat.ErrThreadNotFound) || err == nil && current.Ref != ev.thread.Ref {
		return nil
	}
	if err != nil {
		return err
	}
	relay, id := ev.h.relay, ev.thread.SessionID
	switch {
	case ev.Kind == chat.InboundThreadClosed && current.State == chat.ThreadClosed, ev.Kind == chat.InboundThreadReopened && current.State == chat.ThreadLive:
		return nil // by relay itself
	case ev.Kind != chat.InboundThreadDeleted && ev.At != 0 && ev.h.platform.TurnedAt(current).Sub(ev.At) > turnMargin:
		return nil // relay has turned it since
	case ev.Kind == chat.InboundThreadClosed && ev.At != 0 && waiting.Sub(ev.At) > turnMargin:
		return nil // the visitor has written since
	case ev.Kind == chat.InboundThreadClosed:
		if err := ev.h.platform.SetThread(ctx, ev.thread.Thread, chat.ThreadClosed); err != nil {
			return err
		}
		return relay.Close(ctx, ev.author, id)
	case ev.Kind == chat.InboundThreadReopened:
		if err := ev.h.platform.SetThread(ctx, ev.thread.Thread, chat.ThreadLive); err != nil {
			return err
		}
		err := relay.Reopen(ctx, ev.author, id)
		var refusal *chat.Error
		if errors.As(err, &refusal) && refusal.Kind == chat.Conflict {
			return ev.queueStatus(ctx) // writing alone may have opened the thread: it is closed again
		}
		return err
	}
	return ev.h.platform.SetThread(ctx, ev.thread.Thread, chat.ThreadGone)
}

// listed deletes the operators' messages that were deleted while nothing was received: they
// are missing where the thread was read, and the platform confirms each.
func (ev *event) listed(ctx context.Context) error {
	bridge, can := ev.h.platform.At(ev.thread.Channel).(chat.Stander)
	if !can {
		return nil
	}
	missing, err := ev.missing(ctx)
	if err != nil {
		return err
	}
	for _, l := range missing {
		stands, err := bridge.Stands(ctx, ev.thread.Thread, l.Remote)
		if err != nil {
			return err
		}
		m, err := ev.thread.loadMessage(ctx, l.MessageID)
		if errors.Is(err, chat.ErrMessageNotFound) || err == nil && (stands || m.DeletedAt != 0) {
			continue
		}
		if err != nil {
			return err
		}
		gone := *ev
		gone.Kind, gone.Remote = chat.InboundDeleted, l.Remote
		if err := gone.deleted(ctx); err != nil {
			return err
		}
	}
	return nil
}

// missing are the origins of operators' messages that should stand in what was read.
func (ev *event) missing(ctx context.Context) (list []chat.Link, err error) {
	links, err := access.ReadOne(ctx, ev.h.store, func(rd chat.Reader) ([]chat.Link, error) {
		return rd.LinksOf(ev.thread.SessionID, ev.thread.Bridge, ev.thread.Channel)
	})
	for _, l := range links {
		read := older(ev.Since, l.Remote) && older(ev.thread.Ref, l.Remote) // in this thread
		if l.Origin && l.State == chat.LinkLive && read && !engine.IsPlaceholder(l.MessageID) && !slices.Contains(ev.Standing, l.Remote) {
			list = append(list, l)
		}
	}
	return list, err
}

// older reports whether an id of a platform is older than another: rising numbers, ""
// being the oldest.
func older(a, b string) bool { return len(a) < len(b) || len(a) == len(b) && a < b }
