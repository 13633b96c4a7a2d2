package mirror

import (
	"context"
	"errors"

	"relay/server/chat"
)

// execute carries out a command and answers in the thread, and only there.
func (h *hearing) execute(ctx context.Context, parsed chat.ParsedCommand, parts []chat.Inbound) error {
	result, err := h.run(ctx, parsed)
	var refused *chat.Error
	if errors.As(err, &refused) && refused.Kind != chat.StorageFull {
		result, err = chat.CommandResult{Answer: refused.Text + "."}, nil
	}
	if err == nil && result.Effect == chat.SessionWasReopened {
		err = h.showStatus(ctx)
	}
	if err == nil && result.Answer != "" {
		err = h.answer(ctx, result.Answer)
	}
	if err == nil && result.Effect == chat.SessionWasClosed { // an answer behind it would open the thread again
		err = h.showStatus(ctx)
	}
	if err != nil {
		return err
	}
	return h.done(ctx, commandPlaceholder, parts)
}

func (h *hearing) run(ctx context.Context, parsed chat.ParsedCommand) (chat.CommandResult, error) {
	if parsed.Name == "delete" && h.ReplyTo != "" {
		text, err := h.deleteAnswered(ctx)
		return chat.CommandResult{Answer: text}, chat.DeleteRefusal(err)
	}
	return h.desk.relay.Execute(ctx, h.by, h.thread.SessionID, parsed, "")
}

// Operators' platform messages that are no messages of the session are linked to
// one of these.
var (
	commandPlaceholder  = chat.Placeholder("command")
	withheldPlaceholder = chat.Placeholder("withheld")
)

// done links platform messages to a placeholder, so that they have their effect
// once.
func (h *hearing) done(ctx context.Context, placeholder string, parts []chat.Inbound, errands ...chat.Update) error {
	err := h.desk.store.Apply(ctx, func(tx chat.Tx) error {
		for i := range errands {
			if _, err := tx.PutUpdate(&errands[i]); err != nil {
				return err
			}
		}
		for _, in := range parts {
			l := h.at(in.Remote)
			l.SessionID, l.MessageID, l.Origin, l.CreatedAt = h.thread.SessionID, placeholder, true, chat.Now()
			if err := tx.SaveLink(&l); err != nil {
				return err
			}
		}
		return nil
	})
	if errors.Is(err, chat.ErrSessionNotFound) {
		return nil
	}
	return err
}

// showStatus has the thread closed or opened as the session is.
func (h *hearing) showStatus(ctx context.Context) error {
	return h.leave(ctx, h.errand("status", errand{}))
}

// deleteAnswered deletes the message that the operator's platform message
// answers.
func (h *hearing) deleteAnswered(ctx context.Context) (string, error) {
	id, err := h.answered(ctx, true)
	if err == nil && id == "" {
		id, err = (&hearing{Inbound: chat.Inbound{Remote: h.ReplyTo}, desk: h.desk, thread: h.thread}).target(ctx)
	}
	if err != nil {
		return "", err
	}
	if id == "" {
		return "That is no message of the conversation.", nil
	}
	copies, err := h.copies(ctx, id)
	if err != nil {
		return "", err
	}
	if err := h.remove(ctx, id); err != nil {
		return "", err
	}
	for _, remote := range append(copies, h.Remote) {
		if _, err := h.desk.try(ctx, h.thread, chat.Op{Kind: chat.OpDelete, Remote: remote}); err != nil {
			if err := h.desk.unimportant(err); err != nil {
				return "", err
			}
		}
	}
	return "", nil
}

// copies lists the platform messages that show a message at this desk.
func (h *hearing) copies(ctx context.Context, id string) (remotes []string, err error) {
	err = h.desk.store.Look(ctx, func(rd chat.Reader) error {
		remotes = nil
		links, err := rd.Links(h.thread.SessionID, id, h.thread.Bridge, h.thread.Channel)
		for _, l := range links {
			if l.State == chat.LinkLive && l.Remote != "" {
				remotes = append(remotes, l.Remote)
			}
		}
		return err
	})
	if err == nil && len(remotes) == 0 {
		remotes = []string{h.ReplyTo}
	}
	return remotes, err
}
