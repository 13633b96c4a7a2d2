package mirror

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/engine/queue"
)

var _ queue.Handler = (*Mirror)(nil).Handle

// Handle is a [queue.Handler] for the platform's updates and for errands. Handling one
// twice has no further effect.
func (m *Mirror) Handle(ctx context.Context, u chat.Update) error {
	if strings.HasSuffix(u.Bridge, chat.Errands) {
		return m.runErrand(ctx, u)
	}
	list, err := m.bridge.Parse(u.Raw)
	if err != nil {
		return fmt.Errorf("%w: %w", chat.ErrPermanent, err)
	}
	for i := range list {
		if err := m.handleInbound(ctx, u, list[i]); err != nil {
			return err
		}
	}
	return nil
}

// threadWait is how long updates of an unknown thread wait: relay may have opened it
// without having stored it yet.
const threadWait = 5 * time.Second

// errSystemThread means that a thread is the system session's: no visitor reads it.
var errSystemThread = errors.New("the thread is relay's own")

// inboundEvent is something that happened in a session's thread.
type inboundEvent struct {
	chat.Inbound
	mirror *Mirror
	update chat.Update
	thread chat.Thread // with its session
	author chat.Author
}

// handleInbound finds the thread's session and dispatches what happened there. If the
// service rejects a message, the thread shows why.
func (m *Mirror) handleInbound(ctx context.Context, u chat.Update, in chat.Inbound) error {
	if in.Kind == chat.InboundChannelMoved {
		return m.followChannel(ctx, in.Text)
	}
	th, err := m.owner(ctx, in)
	wait := u.ReceivedAt.Add(threadWait).Sub(chat.Now())
	switch {
	case errors.Is(err, chat.ErrThreadNotFound) && wait > 0:
		return &chat.RetryAfter{After: wait, Cause: errors.New("waiting until the thread's session is known")}
	case errors.Is(err, chat.ErrThreadNotFound), errors.Is(err, errSystemThread):
		return m.replyUnlinked(ctx, in)
	case err != nil:
		return err
	}
	name := chat.Clip(chat.OneLine(cmp.Or(in.Operator, m.relay.Settings().Text("operatorName"))), chat.MaxName)
	author := m.opts.Colleague(ctx, chat.Author{Sender: chat.SenderOperator, Source: m.Name(), Name: name}, in.Handles...)
	ev := &inboundEvent{Inbound: in, mirror: m, update: u, thread: th, author: author}
	if in.Barred != "" {
		return ev.barred(ctx)
	}
	err = ev.dispatch(ctx)
	var rejected *chat.Error
	if !errors.As(err, &rejected) || rejected.Kind == chat.StorageFull {
		return err
	}
	m.log.Debug("an inbound event has no effect", "session", th.SessionID, "err", err)
	if in.Kind != chat.InboundMessage || rejected.Kind == chat.NotFound {
		return nil
	}
	return ev.answer(ctx, "Not sent: "+rejected.Text+".")
}

// dispatch calls the service for the kind of event.
func (ev *inboundEvent) dispatch(ctx context.Context) error {
	switch ev.Kind {
	case chat.InboundMessage:
		return ev.message(ctx)
	case chat.InboundEdited:
		return ev.edited(ctx)
	case chat.InboundDeleted:
		return ev.deleted(ctx)
	case chat.InboundListed:
		return ev.listed(ctx)
	case chat.InboundTyping:
		return ev.mirror.relay.Typing(ctx, ev.author, ev.thread.SessionID, true)
	case chat.InboundThreadClosed, chat.InboundThreadReopened, chat.InboundThreadDeleted:
		return ev.threadChanged(ctx)
	}
	return nil
}

// owner finds the thread with its session: in the store or, in bridge mode, from the
// update or the platform. For relay's own thread it returns errSystemThread.
func (m *Mirror) owner(ctx context.Context, in chat.Inbound) (th chat.Thread, err error) {
	err = m.store.ReadOne(ctx, func(rd chat.Reader) (err error) {
		th, err = rd.Thread(in.Thread.Bridge, in.Thread.Channel, in.Thread.Ref)
		return err
	})
	if err == nil && th.SessionID == engine.SystemSession {
		return th, errSystemThread
	}
	if !errors.Is(err, chat.ErrThreadNotFound) || !m.opts.Stateless {
		return th, err
	}
	th = in.Thread
	if th.SessionID = in.SessionID; th.SessionID == "" {
		th.SessionID, err = m.bridge.Owner(ctx, in.Thread)
		if errors.Is(err, chat.ErrThreadGone) {
			return th, chat.ErrThreadNotFound
		}
		if err != nil {
			return th, err
		}
	}
	th.State, th.CreatedAt, th.Anchor = chat.ThreadLive, chat.Now(), cmp.Or(th.Anchor, th.Ref)
	return th, m.relay.Adopt(ctx, th)
}

// message sends an operator's message to the visitor, or executes its command.
func (ev *inboundEvent) message(ctx context.Context) error {
	known, err := ev.handledBefore(ctx)
	if err != nil || known {
		return err
	}
	parts := []chat.Inbound{ev.Inbound}
	if ev.Group != "" {
		if parts, err = ev.album(ctx); err != nil {
			return err
		}
	}
	text := captions(parts)
	parsed, isCommand := engine.ParseCommand(text, ev.mirror.slashCommands())
	if isCommand && ev.Guest {
		return ev.refuseCommand(ctx, parts)
	}
	note := isCommand && parsed.Name == "note"
	saved, err := ev.savedAnswer(ctx, parsed)
	if err != nil {
		return err
	}
	withheld, err := ev.mirror.relay.Withholds(ctx, ev.author, text, ev.mirror.slashCommands())
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
		if err := ev.answer(ctx, withheldText); err != nil {
			return err
		}
		return ev.markHandled(ctx, withheldPlaceholder, parts)
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
func (ev *inboundEvent) nothingToSend(ctx context.Context, parts []chat.Inbound, post *engine.Post) error {
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
func (ev *inboundEvent) send(ctx context.Context, post engine.Post) error {
	if _, err := ev.mirror.relay.Send(ctx, ev.author, post); err != nil || post.Internal {
		return err
	}
	if ev.mirror.relay.VisitorReads(ev.thread.SessionID) {
		ev.mirror.tryOnce(ctx, ev.thread, chat.Op{Kind: chat.OpReact, Remote: ev.Remote, Receipt: "delivered"})
	}
	if ev.thread.State == chat.ThreadClosed {
		return ev.queueStatus(ctx)
	}
	return nil
}

const withheldText = "Not sent: a line starts with // or with a command. Remove that line and send the rest again, " +
	"or start the message with // to make all of it an internal note."

// slashCommands reports whether commands may also start with a slash.
func (m *Mirror) slashCommands() bool { return m.bridge.Limits().Slash }

// linkTo returns an empty link to a platform message of the thread.
func (ev *inboundEvent) linkTo(remote string) chat.Link {
	return chat.Link{Bridge: ev.thread.Bridge, Channel: ev.thread.Channel, Remote: remote}
}

// origin returns the id of the message made from the operator's platform message, or the
// placeholder of a command.
func (ev *inboundEvent) origin(ctx context.Context) (id string, err error) {
	at := ev.linkTo(ev.Remote)
	err = ev.mirror.store.ReadOne(ctx, func(rd chat.Reader) (err error) {
		id, err = engine.OriginAt(rd, &at, ev.thread.SessionID)
		return err
	})
	return id, err
}

// handledBefore reports whether the platform message was handled already.
func (ev *inboundEvent) handledBefore(ctx context.Context) (bool, error) {
	_, err := ev.origin(ctx)
	if errors.Is(err, chat.ErrMessageNotFound) {
		return false, nil
	}
	return err == nil, err
}

// albumWait is how long the messages of an album wait for each other.
const albumWait = 2 * time.Second

// maxAlbum is more than any platform's album has.
const maxAlbum = 20

// album collects the messages of an album, once all have had time to arrive.
func (ev *inboundEvent) album(ctx context.Context) ([]chat.Inbound, error) {
	if wait := ev.update.ReceivedAt.Add(albumWait).Sub(chat.Now()); wait > 0 {
		return nil, &chat.RetryAfter{After: wait, Cause: errors.New("waiting for the rest of an album")}
	}
	var lane []chat.Update
	err := ev.mirror.store.ReadOne(ctx, func(rd chat.Reader) (err error) {
		lane, err = rd.InboxLane(ev.update.Bridge, ev.update.Thread, maxAlbum)
		return err
	})
	if err != nil {
		return nil, err
	}
	parts := []chat.Inbound{ev.Inbound}
	for _, u := range lane {
		others, err := ev.mirror.bridge.Parse(u.Raw)
		if err != nil {
			continue // it is handled, and fails, by itself
		}
		for _, in := range others {
			known := slices.ContainsFunc(parts, func(p chat.Inbound) bool { return p.Remote == in.Remote })
			if in.Kind == chat.InboundMessage && in.Group == ev.Group && in.Thread.Ref == ev.Thread.Ref && !known {
				parts = append(parts, in)
			}
		}
	}
	return parts, nil
}

// captions joins the texts of the messages of an album.
func captions(parts []chat.Inbound) string {
	var lines []string
	for _, in := range parts {
		if in.Text != "" {
			lines = append(lines, in.Text)
		}
	}
	return strings.Join(lines, "\n")
}

// newPost makes one message of platform messages that belong together.
func (ev *inboundEvent) newPost(ctx context.Context, parts []chat.Inbound, text string, note bool) (engine.Post, error) {
	p := engine.Post{SessionID: ev.thread.SessionID, Internal: note}
	var lines []string
	if text != "" {
		lines = []string{text}
	}
	for i, in := range parts {
		l := ev.linkTo(in.Remote)
		switch whole := text == captions(parts); {
		case whole:
			l.Said = len(in.Text)
		case i == 0:
			l.Said = len(text)
		}
		p.Origins = append(p.Origins, l)
	}
	if ev.mirror.opts.Stateless {
		p.ID = ev.foreignID()
	}
	replyTo, err := ev.repliedTo(ctx, note)
	if err != nil {
		return p, err
	}
	p.ReplyTo = replyTo
	missing, err := ev.takeFiles(ctx, parts, &p)
	p.Content = strings.Join(append(lines, missing...), "\n")
	return p, err
}

// foreignID returns the id of an operator's message in bridge mode, where it must be the
// same after a restart.
func (ev *inboundEvent) foreignID() string {
	return cmp.Or(ev.mirror.bridge.Limits().Short, ev.thread.Bridge) + ":" + ev.thread.Channel + ":" + ev.Remote
}

// repliedTo finds the message that the operator replied to: the newest one that the
// platform message shows, "" for none. Only a note may reply to a note.
func (ev *inboundEvent) repliedTo(ctx context.Context, notes bool) (id string, err error) {
	if ev.ReplyTo == "" {
		return "", nil
	}
	err = ev.mirror.store.Read(ctx, func(rd chat.Reader) error {
		id = ""
		links, err := rd.LinksAt(ev.thread.Bridge, ev.thread.Channel, ev.ReplyTo)
		if err != nil {
			return err
		}
		newest := int64(-1)
		for _, l := range links {
			if l.SessionID != ev.thread.SessionID || engine.IsPlaceholder(l.MessageID) {
				continue
			}
			m, err := rd.Message(l.SessionID, l.MessageID)
			if err == nil && m.Seq > newest && (notes || !m.Internal) {
				id, newest = m.ID, m.Seq
			}
		}
		return nil
	})
	return id, err
}
