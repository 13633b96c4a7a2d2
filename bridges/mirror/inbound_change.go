package mirror

import (
	"context"
	"errors"
	"strings"
	"time"

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
func (ev *inboundEvent) edited(ctx context.Context) error {
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
	m, err := ev.loadMessage(ctx, id)
	forgotten := errors.Is(err, chat.ErrMessageNotFound) && ev.mirror.opts.Stateless
	if err != nil && !forgotten || m.DeletedAt != 0 {
		return err
	}
	text := ev.Text
	parsed, is := engine.ParseCommand(text, ev.mirror.slashCommands())
	note := is && parsed.Name == "note"
	withheld, err := ev.mirror.relay.Withholds(ctx, ev.author, text, ev.mirror.slashCommands())
	if err != nil {
		return err
	}
	if note && m.Internal {
		text = engine.NoteText(parsed.Args)
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
		return ev.mirror.relay.Amend(ctx, ev.author, chat.EventMessageEdited, ev.thread.SessionID, id, text)
	}
	if m.Content != whole.text {
		if _, err := ev.mirror.relay.Edit(ctx, ev.author, m.SessionID, m.ID, whole.text); err != nil {
			return err
		}
	}
	if err := ev.saveSaid(ctx, whole.said); err != nil {
		return err
	}
	if err := ev.removeCopies(ctx, id); err != nil || note || !m.Internal {
		return err
	}
	return ev.answer(ctx, editedNote)
}

// editedWithheld answers an operator who edits a withheld message until it is fit for the
// visitor: an edit sends nothing.
func (ev *inboundEvent) editedWithheld(ctx context.Context) error {
	id, err := ev.origin(ctx)
	if errors.Is(err, chat.ErrMessageNotFound) || err == nil && id != withheldPlaceholder {
		return nil
	}
	if _, isCommand := engine.ParseCommand(ev.Text, ev.mirror.slashCommands()); err != nil || isCommand || engine.Withheld(ev.Text, ev.mirror.slashCommands()) {
		return err
	}
	return ev.answer(ctx, editNobody)
}

// deleted passes an operator's delete on. A copy that somebody removed is only
// noted: the message it shows is not theirs.
func (ev *inboundEvent) deleted(ctx context.Context) error {
	id, err := ev.target(ctx)
	if err != nil {
		return err
	}
	if id == "" {
		return ev.markGone(ctx, ev.Remote)
	}
	ids, err := ev.fileMessages(ctx, id)
	if err != nil {
		return err
	}
	for _, id := range append([]string{id}, ids...) {
		if err := ev.deleteMessage(ctx, id); err != nil {
			return err
		}
		if err := ev.removeCopies(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// fileMessages are the messages besides id that brought files of the operator's
// platform message.
func (ev *inboundEvent) fileMessages(ctx context.Context, id string) (ids []string, err error) {
	err = ev.mirror.store.ReadOne(ctx, func(rd chat.Reader) error {
		ids = nil
		links, err := rd.LinksAt(ev.thread.Bridge, ev.thread.Channel, ev.Remote)
		for _, l := range links {
			if l.Origin && l.SessionID == ev.thread.SessionID && l.MessageID != id && !engine.IsPlaceholder(l.MessageID) {
				ids = append(ids, l.MessageID)
			}
		}
		return err
	})
	return ids, err
}

// removeCopies removes the copies beside an operator's message since it was edited
// elsewhere: its author has the last word, and no event returns to where it came
// from.
func (ev *inboundEvent) removeCopies(ctx context.Context, id string) error {
	var links []chat.Link
	err := ev.mirror.store.ReadOne(ctx, func(rd chat.Reader) (err error) {
		links, err = rd.Links(ev.thread.SessionID, id, ev.thread.Bridge, ev.thread.Channel)
		return err
	})
	if err != nil {
		return err
	}
	for _, l := range links {
		if l.Origin || l.State != chat.LinkLive || l.Remote == "" {
			continue
		}
		if _, err := ev.mirror.do(ctx, ev.thread, chat.Op{Kind: chat.OpDelete, Remote: l.Remote}); err != nil && !errors.Is(err, chat.ErrMessageGone) {
			if err := ev.mirror.dropIfFinal(err); err != nil {
				return err
			}
		}
		if err := ev.markGone(ctx, l.Remote); err != nil {
			return err
		}
	}
	return nil
}

// deleteMessage deletes a message for all.
func (ev *inboundEvent) deleteMessage(ctx context.Context, id string) error {
	_, err := ev.loadMessage(ctx, id)
	if errors.Is(err, chat.ErrMessageNotFound) && ev.mirror.opts.Stateless {
		return ev.mirror.relay.Amend(ctx, ev.author, chat.EventMessageDeleted, ev.thread.SessionID, id, "")
	}
	if err != nil {
		return err
	}
	return ev.mirror.relay.Delete(ctx, ev.author, ev.thread.SessionID, id)
}

// target returns the id of the message that an operator changed, "" when it is
// none of an operator's. What the store has forgotten is known by its place in
// bridge mode.
func (ev *inboundEvent) target(ctx context.Context) (string, error) {
	id, err := ev.origin(ctx)
	switch {
	case err == nil && engine.IsPlaceholder(id):
		return "", nil
	case errors.Is(err, chat.ErrMessageNotFound):
		var copies []chat.Link
		err := ev.mirror.store.ReadOne(ctx, func(rd chat.Reader) (err error) {
			copies, err = rd.LinksAt(ev.thread.Bridge, ev.thread.Channel, ev.Remote)
			return err
		})
		if err != nil || len(copies) > 0 || !ev.mirror.opts.Stateless {
			return "", err
		}
		return ev.foreignID(), nil
	}
	return id, err
}

// loadMessage reads a message of the session.
func (ev *inboundEvent) loadMessage(ctx context.Context, id string) (m chat.Message, err error) {
	err = ev.mirror.store.ReadOne(ctx, func(rd chat.Reader) (err error) {
		m, err = rd.Message(ev.thread.SessionID, id)
		return err
	})
	return m, err
}

// markGone notes that a copy is gone.
func (ev *inboundEvent) markGone(ctx context.Context, remote string) error {
	return ev.mirror.store.Apply(ctx, func(tx chat.Tx) error {
		links, err := tx.LinksAt(ev.thread.Bridge, ev.thread.Channel, remote)
		if err != nil {
			return err
		}
		for _, l := range links {
			l.State = chat.LinkGone
			if err := tx.SaveLink(&l); err != nil {
				return err
			}
		}
		return nil
	})
}

// turnMargin is how much later than a thread's closing something has to be to count as
// after it: clocks differ.
const turnMargin = 10 * time.Second

// threadChanged follows an operator who closes, reopens or deletes the thread
// that the session has now.
func (ev *inboundEvent) threadChanged(ctx context.Context) error {
	var current chat.Thread
	var waiting chat.Time
	err := ev.mirror.store.ReadOne(ctx, func(rd chat.Reader) error {
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
	relay, id := ev.mirror.relay, ev.thread.SessionID
	switch {
	case ev.Kind == chat.InboundThreadClosed && current.State == chat.ThreadClosed, ev.Kind == chat.InboundThreadReopened && current.State == chat.ThreadLive:
		return nil // by relay itself
	case ev.Kind != chat.InboundThreadDeleted && ev.At != 0 && ev.mirror.turnedAt(current.Ref).Sub(ev.At) > turnMargin:
		return nil // relay has turned it since
	case ev.Kind == chat.InboundThreadClosed && ev.At != 0 && waiting.Sub(ev.At) > turnMargin:
		return nil // the visitor has written since
	case ev.Kind == chat.InboundThreadClosed:
		if err := ev.mirror.setThread(ctx, ev.thread, chat.ThreadClosed); err != nil {
			return err
		}
		return relay.Close(ctx, ev.author, id)
	case ev.Kind == chat.InboundThreadReopened:
		if err := ev.mirror.setThread(ctx, ev.thread, chat.ThreadLive); err != nil {
			return err
		}
		return relay.Reopen(ctx, ev.author, id)
	}
	return ev.mirror.setThread(ctx, ev.thread, chat.ThreadGone)
}
