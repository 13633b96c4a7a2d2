package inbound

import (
	"context"
	"errors"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// execute executes a command and answers in the thread only.
func (ev *event) execute(ctx context.Context, parsed engine.ParsedCommand, parts []chat.Inbound) error {
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

func (ev *event) runCommand(ctx context.Context, parsed engine.ParsedCommand) (engine.CommandResult, error) {
	if parsed.Name == "delete" && ev.ReplyTo != "" {
		text, err := ev.deleteAnswered(ctx)
		return engine.CommandResult{Answer: text}, engine.DeleteRefusal(err)
	}
	replyTo, err := ev.thread.repliedTo(ctx, ev.ReplyTo, true)
	if err != nil {
		return engine.CommandResult{}, err
	}
	return ev.h.relay.Execute(ctx, ev.author, ev.thread.SessionID, parsed, replyTo)
}

// savedAnswer returns the text that a command sends, "" when it is not the name of a
// saved one. It goes the way of an operator's message.
func (ev *event) savedAnswer(ctx context.Context, parsed engine.ParsedCommand) (string, error) {
	if parsed.Name == "" || parsed.Args != "" || ev.h.platform.Stateless {
		return "", nil
	}
	text, err := ev.h.relay.AnswerFor(ctx, ev.author, ev.thread.SessionID, parsed.Name)
	if errors.Is(err, chat.ErrSavedAnswerNotFound) {
		return "", nil
	}
	return text, err
}

// deleteAnswered deletes the message that the operator's platform message
// answers.
func (ev *event) deleteAnswered(ctx context.Context) (string, error) {
	id, err := ev.thread.repliedTo(ctx, ev.ReplyTo, true)
	if err == nil && id == "" {
		id, err = (&event{Inbound: chat.Inbound{Remote: ev.ReplyTo}, h: ev.h, thread: ev.thread}).target(ctx)
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
		if _, err := ev.h.platform.Attempt(ctx, ev.thread.Thread, chat.Op{Kind: chat.OpDelete, Remote: remote}); err != nil {
			if err := ev.h.dropIfFinal(err); err != nil {
				return "", err
			}
		}
	}
	return "", nil
}

// copiesOf lists the platform messages that show a message.
func (ev *event) copiesOf(ctx context.Context, id string) (remotes []string, err error) {
	links, err := ev.thread.links(ctx, id)
	for _, l := range links {
		if l.State == chat.LinkLive && l.Remote != "" {
			remotes = append(remotes, l.Remote)
		}
	}
	if err == nil && len(remotes) == 0 {
		remotes = []string{ev.ReplyTo}
	}
	return remotes, err
}

const guestCommandText = "Nothing was done, and the visitor does not see this: commands and notes are only for people of your own workspace."

// refuse answers platform messages that have no effect.
func (ev *event) refuse(ctx context.Context, why, placeholder string, parts []chat.Inbound) error {
	if err := ev.answer(ctx, why); err != nil {
		return err
	}
	return ev.markHandled(ctx, placeholder, parts)
}
