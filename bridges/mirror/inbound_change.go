package mirror

import (
	"context"
	"errors"
	"strings"

	"relay/server/chat"
)

// Answers to edits that do not do what their author may have wanted.
const (
	editWithheld = "The edit is not passed on, and the visitor still sees the message as it was: a line starts with // or with a command."
	editNobody   = "The edit is not passed on: the visitor never saw this message. Write a new one to send it."
	editedNote   = "This stays an internal note. Write a new message to send it to the visitor."
)

// edited passes an operator's edit on. Platforms also tell of edits that
// changed nothing, and of those of copies.
func (h *hearing) edited(ctx context.Context) error {
	if strings.TrimSpace(h.Text) == "" {
		return nil
	}
	id, err := h.target(ctx)
	if err != nil {
		return err
	}
	if id == "" {
		return h.editedNobody(ctx)
	}
	m, err := h.stored(ctx, id)
	forgotten := errors.Is(err, chat.ErrMessageNotFound) && h.desk.opts.Stateless
	if err != nil && !forgotten || m.DeletedAt != 0 {
		return err
	}
	text := h.Text
	called, is := chat.ParseCommand(text, h.desk.slashes())
	note := is && called.Name == "note"
	switch {
	case note && m.Internal:
		text = chat.NoteText(called.Args)
	case m.Internal, sameText(m.Content, text):
	case is || chat.Withheld(text, h.desk.slashes()):
		return h.answer(ctx, editWithheld)
	}
	if forgotten {
		if err := chat.CheckContent(chat.SenderOperator, text); err != nil {
			return err
		}
		return h.desk.relay.Amend(ctx, h.by, chat.EventMessageEdited, h.thread.SessionID, id, text)
	}
	if !sameText(m.Content, text) {
		if _, err := h.desk.relay.Edit(ctx, h.by, m.SessionID, m.ID, text); err != nil {
			return err
		}
	}
	if err := h.withdraw(ctx, id); err != nil || note || !m.Internal {
		return err
	}
	return h.answer(ctx, editedNote)
}

// editedNobody answers who edits what was withheld until it is fit for the
// visitor: an edit sends nothing.
func (h *hearing) editedNobody(ctx context.Context) error {
	id, err := h.origin(ctx)
	if errors.Is(err, chat.ErrMessageNotFound) || err == nil && id != withheldPlaceholder {
		return nil
	}
	if _, is := chat.ParseCommand(h.Text, h.desk.slashes()); err != nil || is || chat.Withheld(h.Text, h.desk.slashes()) {
		return err
	}
	return h.answer(ctx, editNobody)
}

// deleted passes an operator's delete on. A copy that somebody removed is only
// noted: the message it shows is not theirs.
func (h *hearing) deleted(ctx context.Context) error {
	id, err := h.target(ctx)
	if err != nil {
		return err
	}
	if id == "" {
		return h.forget(ctx, h.Remote)
	}
	ids, err := h.followers(ctx, id)
	if err != nil {
		return err
	}
	for _, id := range append([]string{id}, ids...) {
		if err := h.remove(ctx, id); err != nil {
			return err
		}
		if err := h.withdraw(ctx, id); err != nil {
			return err
		}
	}
	return nil
}

// followers are the messages besides id that brought files of the operator's
// platform message.
func (h *hearing) followers(ctx context.Context, id string) (ids []string, err error) {
	err = h.desk.store.Look(ctx, func(rd chat.Reader) error {
		ids = nil
		links, err := rd.LinksAt(h.thread.Bridge, h.thread.Channel, h.Remote)
		for _, l := range links {
			if l.Origin && l.SessionID == h.thread.SessionID && l.MessageID != id && !chat.IsPlaceholder(l.MessageID) {
				ids = append(ids, l.MessageID)
			}
		}
		return err
	})
	return ids, err
}

// withdraw removes what stands beside an operator's message since it was edited
// elsewhere: its author has the last word, and no event returns to where it came
// from.
func (h *hearing) withdraw(ctx context.Context, id string) error {
	var links []chat.Link
	err := h.desk.store.Look(ctx, func(rd chat.Reader) (err error) {
		links, err = rd.Links(h.thread.SessionID, id, h.thread.Bridge, h.thread.Channel)
		return err
	})
	if err != nil {
		return err
	}
	for _, l := range links {
		if l.Origin || l.State != chat.LinkLive || l.Remote == "" {
			continue
		}
		if _, err := h.desk.do(ctx, h.thread, chat.Op{Kind: chat.OpDelete, Remote: l.Remote}); err != nil && !errors.Is(err, chat.ErrMessageGone) {
			if err := h.desk.unimportant(err); err != nil {
				return err
			}
		}
		if err := h.forget(ctx, l.Remote); err != nil {
			return err
		}
	}
	return nil
}

// remove deletes a message for all.
func (h *hearing) remove(ctx context.Context, id string) error {
	_, err := h.stored(ctx, id)
	if errors.Is(err, chat.ErrMessageNotFound) && h.desk.opts.Stateless {
		return h.desk.relay.Amend(ctx, h.by, chat.EventMessageDeleted, h.thread.SessionID, id, "")
	}
	if err != nil {
		return err
	}
	return h.desk.relay.Delete(ctx, h.by, h.thread.SessionID, id)
}

// target returns the id of the message that an operator changed, "" when it is
// none of an operator's. What the store has forgotten is known by its place in
// bridge mode.
func (h *hearing) target(ctx context.Context) (string, error) {
	id, err := h.origin(ctx)
	switch {
	case err == nil && chat.IsPlaceholder(id):
		return "", nil
	case errors.Is(err, chat.ErrMessageNotFound):
		var copies []chat.Link
		err := h.desk.store.Look(ctx, func(rd chat.Reader) (err error) {
			copies, err = rd.LinksAt(h.thread.Bridge, h.thread.Channel, h.Remote)
			return err
		})
		if err != nil || len(copies) > 0 || !h.desk.opts.Stateless {
			return "", err
		}
		return foreignID(h.thread, h.Remote), nil
	}
	return id, err
}

// stored reads a message of the session.
func (h *hearing) stored(ctx context.Context, id string) (m chat.Message, err error) {
	err = h.desk.store.Look(ctx, func(rd chat.Reader) (err error) {
		m, err = rd.Message(h.thread.SessionID, id)
		return err
	})
	return m, err
}

// forget notes that a copy is gone.
func (h *hearing) forget(ctx context.Context, remote string) error {
	return h.desk.store.Apply(ctx, func(tx chat.Tx) error {
		links, err := tx.LinksAt(h.thread.Bridge, h.thread.Channel, remote)
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

// sameText reports whether a platform tells of the text that is stored, behind
// which relay may have noted files that it could not take.
func sameText(stored, told string) bool {
	return stored == told || strings.HasPrefix(stored, told+"\n"+missingFile)
}

// threadChanged follows an operator who closes, reopens or deletes the thread
// that the session has now.
func (h *hearing) threadChanged(ctx context.Context) error {
	var current chat.Thread
	err := h.desk.store.Look(ctx, func(rd chat.Reader) (err error) {
		current, err = rd.ThreadOf(h.thread.SessionID, h.thread.Bridge, h.thread.Channel)
		return err
	})
	if errors.Is(err, chat.ErrThreadNotFound) || err == nil && current.Ref != h.thread.Ref {
		return nil
	}
	if err != nil {
		return err
	}
	relay, id := h.desk.relay, h.thread.SessionID
	switch h.Kind {
	case chat.InboundThreadClosed:
		if err := h.desk.setThread(ctx, h.thread, chat.ThreadClosed); err != nil {
			return err
		}
		return relay.Close(ctx, h.by, id)
	case chat.InboundThreadReopened:
		if err := h.desk.setThread(ctx, h.thread, chat.ThreadLive); err != nil {
			return err
		}
		return relay.Reopen(ctx, h.by, id)
	}
	return h.desk.setThread(ctx, h.thread, chat.ThreadGone)
}
