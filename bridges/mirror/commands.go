package mirror

import (
	"context"
	"errors"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// execute executes a command and answers in the thread only.
func (ev *inboundEvent) execute(ctx context.Context, parsed engine.ParsedCommand, parts []chat.Inbound) error {
	result, err := ev.runCommand(ctx, parsed)
	var refused *chat.Error
	if errors.As(err, &refused) && refused.Kind != chat.StorageFull {
		result, err = engine.CommandResult{Answer: refused.Text + "."}, nil
	}
	if err == nil && result.Effect == engine.SessionWasReopened {
		err = ev.queueStatus(ctx)
	}
	if err == nil && result.Answer != "" {
		err = ev.answer(ctx, result.Answer)
	}
	if err == nil && result.Effect == engine.SessionWasClosed { // an answer after it would reopen the thread
		err = ev.queueStatus(ctx)
	}
	if err != nil {
		return err
	}
	return ev.markHandled(ctx, commandPlaceholder, parts)
}

func (ev *inboundEvent) runCommand(ctx context.Context, parsed engine.ParsedCommand) (engine.CommandResult, error) {
	if parsed.Name == "delete" && ev.ReplyTo != "" {
		text, err := ev.deleteAnswered(ctx)
		return engine.CommandResult{Answer: text}, engine.DeleteRefusal(err)
	}
	replyTo, err := ev.repliedTo(ctx, true)
	if err != nil {
		return engine.CommandResult{}, err
	}
	return ev.mirror.relay.Execute(ctx, ev.author, ev.thread.SessionID, parsed, replyTo)
}

// savedAnswer returns the text that a command sends, "" when it is not the name of a
// saved one. It goes the way of an operator's message.
func (ev *inboundEvent) savedAnswer(ctx context.Context, parsed engine.ParsedCommand) (string, error) {
	if parsed.Name == "" || parsed.Args != "" || ev.mirror.opts.Stateless {
		return "", nil
	}
	text, err := ev.mirror.relay.AnswerFor(ctx, ev.author, ev.thread.SessionID, parsed.Name)
	if errors.Is(err, chat.ErrSavedAnswerNotFound) {
		return "", nil
	}
	return text, err
}

// Operators' platform messages that are no messages of the session are linked to
// one of these.
var (
	commandPlaceholder  = engine.Placeholder("command")
	withheldPlaceholder = engine.Placeholder("withheld")
)

// markHandled links platform messages to a placeholder, so that they take effect
// once.
func (ev *inboundEvent) markHandled(ctx context.Context, placeholder string, parts []chat.Inbound, errands ...chat.Update) error {
	err := ev.mirror.store.Apply(ctx, func(tx chat.Tx) error {
		for i := range errands {
			if _, err := tx.PutUpdate(&errands[i]); err != nil {
				return err
			}
		}
		for _, in := range parts {
			l := ev.linkTo(in.Remote)
			l.SessionID, l.MessageID, l.Origin, l.CreatedAt = ev.thread.SessionID, placeholder, true, chat.Now()
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

// queueStatus has the thread closed or opened as the session is.
func (ev *inboundEvent) queueStatus(ctx context.Context) error {
	return ev.storeErrands(ctx, ev.errand("status", errand{}))
}

// deleteAnswered deletes the message that the operator's platform message
// answers.
func (ev *inboundEvent) deleteAnswered(ctx context.Context) (string, error) {
	id, err := ev.repliedTo(ctx, true)
	if err == nil && id == "" {
		id, err = (&inboundEvent{Inbound: chat.Inbound{Remote: ev.ReplyTo}, mirror: ev.mirror, thread: ev.thread}).target(ctx)
	}
	if err != nil {
		return "", err
	}
	if id == "" {
		return "That is no message of the conversation.", nil
	}
	copies, err := ev.copiesOf(ctx, id)
	if err != nil {
		return "", err
	}
	if err := ev.deleteMessage(ctx, id); err != nil {
		return "", err
	}
	for _, remote := range append(copies, ev.Remote) {
		if _, err := ev.mirror.attempt(ctx, ev.thread, chat.Op{Kind: chat.OpDelete, Remote: remote}); err != nil {
			if err := ev.mirror.dropIfFinal(err); err != nil {
				return "", err
			}
		}
	}
	return "", nil
}

// copiesOf lists the platform messages that show a message.
func (ev *inboundEvent) copiesOf(ctx context.Context, id string) (remotes []string, err error) {
	err = ev.mirror.store.ReadOne(ctx, func(rd chat.Reader) error {
		remotes = nil
		links, err := rd.Links(ev.thread.SessionID, id, ev.thread.Bridge, ev.thread.Channel)
		for _, l := range links {
			if l.State == chat.LinkLive && l.Remote != "" {
				remotes = append(remotes, l.Remote)
			}
		}
		return err
	})
	if err == nil && len(remotes) == 0 {
		remotes = []string{ev.ReplyTo}
	}
	return remotes, err
}
