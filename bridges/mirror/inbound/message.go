package inbound

import (
	"context"
	"errors"
	"strings"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// message sends an operator's message to the visitor, or executes its command.
func (ev *event) message(ctx context.Context) error {
	_, err := ev.thread.origin(ctx, ev.Remote)
	if !errors.Is(err, chat.ErrMessageNotFound) {
		return err // it was handled before
	}
	parts := []chat.Inbound{ev.Inbound}
	if ev.Group != "" {
		if parts, err = ev.album(ctx); err != nil {
			return err
		}
	}
	text := captions(parts)
	parsed, isCommand := engine.ParseCommand(text, ev.h.slashCommands())
	if isCommand && ev.Guest {
		return ev.refuse(ctx, guestCommandText, commandPlaceholder, parts)
	}
	note := isCommand && parsed.Name == "note"
	saved, err := ev.savedAnswer(ctx, parsed)
	if err != nil {
		return err
	}
	withheld, err := ev.h.relay.Withholds(ctx, ev.author, text, ev.h.slashCommands())
	if err != nil {
		return err
	}
	switch {
	case note:
		text = engine.NoteText(parsed.Args)
	case saved != "":
		text = saved
	case isCommand:
		return ev.execute(ctx, parsed, parts)
	case withheld:
		return ev.refuse(ctx, withheldText, withheldPlaceholder, parts)
	}
	post, err := ev.newPost(ctx, parts, text, note)
	if err != nil {
		return err
	}
	if saved != "" { // the thread shows only its name
		post.Errands = append(post.Errands, ev.answers("Sent to the visitor: "+saved)...)
	}
	defer ev.wakeErrands()
	if strings.TrimSpace(post.Content) == "" && len(post.AttachmentIDs)+len(post.Files) == 0 {
		return ev.nothingToSend(ctx, parts, &post)
	}
	return ev.send(ctx, post)
}

// nothingToSend handles a message without text whose files, if any, were all rejected.
func (ev *event) nothingToSend(ctx context.Context, parts []chat.Inbound, post *engine.Post) error {
	switch {
	case len(post.Errands) > 0:
		return ev.markHandled(ctx, commandPlaceholder, parts, post.Errands...)
	case post.Internal:
		return ev.answer(ctx, engine.EmptyNote)
	}
	return nil
}

// send sends a message or stores a note. If the visitor is connected, the thread shows
// that the message was delivered; if it reopened the conversation, the status changes.
func (ev *event) send(ctx context.Context, post engine.Post) error {
	if _, err := ev.h.relay.Send(ctx, ev.author, post); err != nil || post.Internal {
		return err
	}
	if ev.h.relay.VisitorReads(ev.thread.SessionID) {
		ev.h.platform.Try(ctx, ev.thread.Thread, chat.Op{Kind: chat.OpReact, Remote: ev.Remote, Receipt: "delivered"})
	}
	if ev.thread.State == chat.ThreadClosed {
		return ev.queueStatus(ctx)
	}
	return nil
}

const withheldText = "Not sent: a line starts with // or with a command. Remove that line and send the rest again, " +
	"or start the message with // to make all of it an internal note."

// newPost makes one message of platform messages that belong together. The last lines of a text can
// be what the visitor is offered: see [chat.CutButtons].
func (ev *event) newPost(ctx context.Context, parts []chat.Inbound, text string, note bool) (engine.Post, error) {
	p := engine.Post{SessionID: ev.thread.SessionID, Internal: note}
	if !note && len(parts) == 1 { // an album's texts are its captions
		text, p.Buttons = chat.CutButtons(text)
	}
	var lines []string
	if text != "" {
		lines = []string{text}
	}
	for i, in := range parts {
		l := ev.thread.linkTo(in.Remote)
		switch whole := text == captions(parts); {
		case whole:
			l.Said = len(in.Text)
		case i == 0:
			l.Said = len(text)
		}
		p.Origins = append(p.Origins, l)
	}
	if ev.h.platform.Stateless {
		p.ID = ev.foreignID()
	}
	replyTo, err := ev.thread.repliedTo(ctx, ev.ReplyTo, note)
	if err != nil {
		return p, err
	}
	p.ReplyTo = replyTo
	missing, err := ev.takeFiles(ctx, parts, &p)
	p.Content = strings.Join(append(lines, missing...), "\n")
	return p, err
}
