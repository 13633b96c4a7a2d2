package mirror

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"relay/server/chat"
)

var _ chat.Handler = (*Mirror)(nil).Handle

// Handle is the desk's [Handler]: it works on what the platform told. It may
// see an update twice, which has one effect.
func (d *Mirror) Handle(ctx context.Context, u chat.Update) error {
	if strings.HasSuffix(u.Bridge, chat.Errands) {
		return d.run(ctx, u)
	}
	list, err := d.bridge.Parse(u.Raw)
	if err != nil {
		return fmt.Errorf("%w: %w", chat.ErrPermanent, err)
	}
	for i := range list {
		if err := d.act(ctx, u, list[i]); err != nil {
			return err
		}
	}
	return nil
}

// threadWait is how long what happens in an unknown thread waits: relay may just
// have opened it and not have heard of it yet.
const threadWait = 5 * time.Second

// errHouse tells that a thread is relay's own: no visitor reads it.
var errHouse = errors.New("the thread is relay's own")

// hearing is something that happened in a session's thread.
type hearing struct {
	chat.Inbound
	desk   *Mirror
	update chat.Update
	thread chat.Thread // with its session
	by     chat.Author
}

// act finds out whose thread it is and passes on what happened there. What the
// engine refuses is told in the thread.
func (d *Mirror) act(ctx context.Context, u chat.Update, in chat.Inbound) error {
	if in.Kind == chat.InboundChannelMoved {
		return d.follow(ctx, in.Text)
	}
	th, err := d.owner(ctx, in)
	left := u.ReceivedAt.Add(threadWait).Sub(chat.Now())
	switch {
	case errors.Is(err, chat.ErrThreadNotFound) && left > 0:
		return &chat.RetryAfter{After: left, Cause: errors.New("waiting for whose thread it is")}
	case errors.Is(err, chat.ErrThreadNotFound), errors.Is(err, errHouse):
		return d.refuse(ctx, in)
	case err != nil:
		return err
	}
	name := chat.Clip(chat.OneLine(cmp.Or(in.Operator, d.relay.Settings().Text("operatorName"))), chat.MaxName)
	h := &hearing{Inbound: in, desk: d, update: u, thread: th, by: chat.Author{Sender: chat.SenderOperator, Source: d.Name(), Name: name}}
	err = h.pass(ctx)
	var refused *chat.Error
	if !errors.As(err, &refused) || refused.Kind == chat.StorageFull {
		return err
	}
	d.log.Debug("something from a platform has no effect", "session", th.SessionID, "err", err)
	if in.Kind != chat.InboundMessage || refused.Kind == chat.NotFound {
		return nil
	}
	return h.answer(ctx, "Not sent: "+refused.Text+".")
}

// pass passes one thing on.
func (h *hearing) pass(ctx context.Context) error {
	switch h.Kind {
	case chat.InboundMessage:
		return h.message(ctx)
	case chat.InboundEdited:
		return h.edited(ctx)
	case chat.InboundDeleted:
		return h.deleted(ctx)
	case chat.InboundTyping:
		return h.desk.relay.Typing(ctx, h.by, h.thread.SessionID, true)
	case chat.InboundThreadClosed, chat.InboundThreadReopened, chat.InboundThreadDeleted:
		return h.threadChanged(ctx)
	}
	return nil
}

// owner finds the thread with its session: in the store, in bridge mode else
// from what the update or the platform says. Relay's own thread has none.
func (d *Mirror) owner(ctx context.Context, in chat.Inbound) (th chat.Thread, err error) {
	err = d.store.Look(ctx, func(rd chat.Reader) (err error) {
		th, err = rd.Thread(in.Thread.Bridge, in.Thread.Channel, in.Thread.Ref)
		return err
	})
	if err == nil && th.SessionID == chat.SystemSession {
		return th, errHouse
	}
	if !errors.Is(err, chat.ErrThreadNotFound) || !d.opts.Stateless {
		return th, err
	}
	th = in.Thread
	if th.SessionID = in.SessionID; th.SessionID == "" {
		th.SessionID, err = d.bridge.Owner(ctx, in.Thread)
		if errors.Is(err, chat.ErrThreadGone) {
			return th, chat.ErrThreadNotFound
		}
		if err != nil {
			return th, err
		}
	}
	th.State, th.CreatedAt, th.Anchor = chat.ThreadLive, chat.Now(), cmp.Or(th.Anchor, th.Ref)
	return th, d.relay.Adopt(ctx, th)
}

// message passes on what an operator wrote, or obeys it. The messages of an
// album wait for each other.
func (h *hearing) message(ctx context.Context) error {
	known, err := h.known(ctx)
	if err != nil || known {
		return err
	}
	parts := []chat.Inbound{h.Inbound}
	if h.Group != "" {
		if parts, err = h.album(ctx); err != nil {
			return err
		}
	}
	text := captions(parts)
	called, is := chat.ParseCommand(text, h.desk.slashes())
	note := is && called.Name == "note"
	switch {
	case note:
		text = chat.NoteText(called.Args)
	case is:
		return h.execute(ctx, called, parts)
	case chat.Withheld(text, h.desk.slashes()):
		if err := h.answer(ctx, withheldText); err != nil {
			return err
		}
		return h.done(ctx, withheldPlaceholder, parts)
	}
	post, err := h.post(ctx, parts, text, note)
	if err != nil {
		return err
	}
	defer h.wakeErrands()
	if strings.TrimSpace(post.Content) == "" && len(post.AttachmentIDs)+len(post.Files) == 0 {
		switch {
		case len(post.Errands) > 0:
			return h.done(ctx, commandPlaceholder, parts, post.Errands...)
		case note:
			return h.answer(ctx, chat.EmptyNote)
		}
		return nil
	}
	if _, err = h.desk.relay.Send(ctx, h.by, post); err != nil || note {
		return err
	}
	if h.desk.engine.Hub.Watched(h.thread.SessionID) > 0 {
		h.desk.aside(ctx, h.thread, chat.Op{Kind: chat.OpReact, Remote: h.Remote, Receipt: "delivered"})
	}
	if h.thread.State == chat.ThreadClosed { // the message reopened the session
		return h.showStatus(ctx)
	}
	return nil
}

const withheldText = "Sent to nobody: a line starts with // or with a command. Remove that line and send the rest again, " +
	"or start the message with // to make all of it an internal note."

// slashes reports whether operators write commands as /name too.
func (d *Mirror) slashes() bool { return d.Name() == "telegram" }

// at is where the platform message is.
func (h *hearing) at(remote string) chat.Link {
	return chat.Link{Bridge: h.thread.Bridge, Channel: h.thread.Channel, Remote: remote}
}

// origin returns the id of the message that the operator's platform message
// is, or the mark of a command.
func (h *hearing) origin(ctx context.Context) (id string, err error) {
	at := h.at(h.Remote)
	err = h.desk.store.Look(ctx, func(rd chat.Reader) (err error) {
		id, err = chat.OriginAt(rd, &at, h.thread.SessionID)
		return err
	})
	return id, err
}

// known reports whether the platform message had its effect already.
func (h *hearing) known(ctx context.Context) (bool, error) {
	_, err := h.origin(ctx)
	if errors.Is(err, chat.ErrMessageNotFound) {
		return false, nil
	}
	return err == nil, err
}

// albumWait is how long the messages of an album wait for each other.
const albumWait = 2 * time.Second

// maxAlbum is more than any platform's album has.
const maxAlbum = 20

// album collects the messages that belong together, once all had time to come.
func (h *hearing) album(ctx context.Context) ([]chat.Inbound, error) {
	if left := h.update.ReceivedAt.Add(albumWait).Sub(chat.Now()); left > 0 {
		return nil, &chat.RetryAfter{After: left, Cause: errors.New("waiting for the rest of an album")}
	}
	var lane []chat.Update
	err := h.desk.store.Look(ctx, func(rd chat.Reader) (err error) {
		lane, err = rd.InboxLane(h.update.Bridge, h.update.Thread, maxAlbum)
		return err
	})
	if err != nil {
		return nil, err
	}
	parts := []chat.Inbound{h.Inbound}
	for _, u := range lane {
		others, err := h.desk.bridge.Parse(u.Raw)
		if err != nil {
			continue // its own turn comes
		}
		for _, in := range others {
			known := slices.ContainsFunc(parts, func(p chat.Inbound) bool { return p.Remote == in.Remote })
			if in.Kind == chat.InboundMessage && in.Group == h.Group && in.Thread.Ref == h.Thread.Ref && !known {
				parts = append(parts, in)
			}
		}
	}
	return parts, nil
}

// captions is the text of platform messages that belong together.
func captions(parts []chat.Inbound) string {
	var lines []string
	for _, in := range parts {
		if in.Text != "" {
			lines = append(lines, in.Text)
		}
	}
	return strings.Join(lines, "\n")
}

// post makes one message of platform messages that belong together.
func (h *hearing) post(ctx context.Context, parts []chat.Inbound, text string, note bool) (chat.Post, error) {
	p := chat.Post{SessionID: h.thread.SessionID, Internal: note}
	var lines []string
	if text != "" {
		lines = []string{text}
	}
	for _, in := range parts {
		p.Origins = append(p.Origins, h.at(in.Remote))
	}
	if h.desk.opts.Stateless {
		p.ID = foreignID(h.thread, h.Remote)
	}
	replyTo, err := h.answered(ctx, note)
	if err != nil {
		return p, err
	}
	p.ReplyTo = replyTo
	missing, err := h.take(ctx, parts, &p)
	p.Content = strings.Join(append(lines, missing...), "\n")
	return p, err
}

// foreignID is the id of an operator's message in bridge mode: it can be told
// again after a restart.
func foreignID(th chat.Thread, remote string) string {
	prefix := th.Bridge
	if short, ok := map[string]string{"telegram": "tg", "discord": "dc", "slack": "sl"}[th.Bridge]; ok {
		prefix = short
	}
	return prefix + ":" + th.Channel + ":" + remote
}

// answered finds the message that the operator's is a reply to: the newest
// that the platform message shows, "" when it shows none. Only a note answers
// notes.
func (h *hearing) answered(ctx context.Context, notes bool) (id string, err error) {
	if h.ReplyTo == "" {
		return "", nil
	}
	err = h.desk.store.Read(ctx, func(rd chat.Reader) error {
		id = ""
		links, err := rd.LinksAt(h.thread.Bridge, h.thread.Channel, h.ReplyTo)
		if err != nil {
			return err
		}
		newest := int64(-1)
		for _, l := range links {
			if l.SessionID != h.thread.SessionID || chat.IsPlaceholder(l.MessageID) {
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
