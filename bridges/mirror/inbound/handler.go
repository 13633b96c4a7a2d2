package inbound

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/relay-chat/relay/bridges/mirror/access"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/engine/queue"
)

var _ queue.Handler = (*Handler)(nil).Handle

// Handle is a [queue.Handler] for the platform's updates and for errands. Handling one
// twice has no further effect.
func (h *Handler) Handle(ctx context.Context, u chat.Update) error {
	if strings.HasSuffix(u.Bridge, chat.Errands) {
		return h.runErrand(ctx, u)
	}
	list, err := h.platform.Parse(u.Raw)
	if err != nil {
		return fmt.Errorf("%w: %w", chat.ErrPermanent, err)
	}
	for i := range list {
		if err := h.handleInbound(ctx, u, list[i]); err != nil {
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

// handleInbound finds the thread's session and dispatches what happened there. If the
// service rejects a message, the thread shows why.
func (h *Handler) handleInbound(ctx context.Context, u chat.Update, in chat.Inbound) error {
	if in.Kind == chat.InboundChannelMoved {
		return h.platform.Follow(ctx, in.Thread.Channel, in.Text)
	}
	th, err := h.owner(ctx, in)
	wait := u.ReceivedAt.Add(threadWait).Sub(chat.Now())
	switch {
	case errors.Is(err, chat.ErrThreadNotFound) && wait > 0:
		return &chat.RetryAfter{After: wait, Cause: errors.New("waiting until the thread's session is known")}
	case errors.Is(err, chat.ErrThreadNotFound), errors.Is(err, errSystemThread):
		return h.replyUnlinked(ctx, in)
	case err != nil:
		return err
	}
	settings, err := h.relay.SettingsIn(ctx, chat.Author{}, th.SessionID)
	if err != nil && !errors.Is(err, chat.ErrSessionNotFound) {
		return err
	}
	name := chat.Clip(chat.OneLine(cmp.Or(in.Operator, settings.Text("operatorName"))), chat.MaxName)
	author := h.colleague(ctx, chat.Author{Sender: chat.SenderOperator, Source: h.platform.Name(), Name: name}, in.Handles...)
	ev := &event{Inbound: in, h: h, update: u, thread: place{th, h.store}, author: author}
	if in.Barred != "" {
		return ev.barred(ctx)
	}
	err = ev.dispatch(ctx)
	var rejected *chat.Error
	if !errors.As(err, &rejected) || rejected.Kind == chat.StorageFull {
		return err
	}
	h.platform.Log.Debug("an inbound event has no effect", "session", access.Session(th.SessionID), "err", err)
	if in.Kind != chat.InboundMessage || rejected.Kind == chat.NotFound {
		return nil
	}
	return ev.answer(ctx, "Not sent: "+rejected.Text+".")
}

// dispatch calls the service for the kind of event.
func (ev *event) dispatch(ctx context.Context) error {
	switch ev.Kind {
	case chat.InboundMessage:
		return ev.message(ctx)
	case chat.InboundEdited:
		return errors.Join(ev.edited(ctx), ev.filesTaken(ctx))
	case chat.InboundDeleted:
		return ev.deleted(ctx)
	case chat.InboundFileDeleted:
		return ev.fileDeleted(ctx)
	case chat.InboundListed:
		return ev.listed(ctx)
	case chat.InboundTyping:
		return ev.h.relay.Typing(ctx, ev.author, ev.thread.SessionID, true)
	case chat.InboundThreadClosed, chat.InboundThreadReopened, chat.InboundThreadDeleted:
		return ev.threadChanged(ctx)
	}
	return nil
}

// owner finds the thread with its session: in the store or, in bridge mode, from the
// update or the platform. For relay's own thread it returns errSystemThread.
func (h *Handler) owner(ctx context.Context, in chat.Inbound) (th chat.Thread, err error) {
	th, err = access.ReadOne(ctx, h.store, func(rd chat.Reader) (chat.Thread, error) {
		return rd.Thread(in.Thread.Bridge, in.Thread.Channel, in.Thread.Ref)
	})
	if err == nil && th.SessionID == engine.SystemSession {
		return th, errSystemThread
	}
	if !errors.Is(err, chat.ErrThreadNotFound) || !h.platform.Stateless {
		return th, err
	}
	th = in.Thread
	if th.SessionID = in.SessionID; th.SessionID == "" {
		th.SessionID, err = h.platform.At(in.Thread.Channel).Owner(ctx, in.Thread)
		if errors.Is(err, chat.ErrThreadGone) {
			return th, chat.ErrThreadNotFound
		}
		if err != nil {
			return th, err
		}
	}
	th.State, th.CreatedAt, th.Anchor = chat.ThreadLive, chat.Now(), cmp.Or(th.Anchor, th.Ref)
	return th, h.relay.Adopt(ctx, th)
}

// runErrand does an errand, unless its session was erased.
func (h *Handler) runErrand(ctx context.Context, u chat.Update) error {
	var e errand
	if err := json.Unmarshal(u.Raw, &e); err != nil {
		return fmt.Errorf("%w: %w", chat.ErrPermanent, err)
	}
	th, session := chat.Thread{Bridge: h.platform.Name(), Channel: e.Channel, Ref: u.Thread, SessionID: e.SessionID}, chat.Session{}
	err := h.store.Read(ctx, func(rd chat.Reader) (err error) {
		if session, err = rd.Session(e.SessionID); err != nil {
			return err
		}
		if known, err := rd.Thread(th.Bridge, th.Channel, th.Ref); !errors.Is(err, chat.ErrThreadNotFound) {
			th = known
			return err
		}
		return nil
	})
	if err == nil {
		by := chat.Author{Sender: chat.SenderOperator, Source: h.platform.Name(), Name: e.Name, Person: e.Person}
		ev := &event{Inbound: chat.Inbound{Remote: e.About}, h: h, update: u, thread: place{th, h.store}, author: by}
		switch e.Kind {
		case "answer":
			err = h.reply(ctx, th, e.About, e.Text)
		case "status":
			err = ev.followStatus(ctx, &session)
		case "file":
			err = ev.sendFile(ctx, &e)
		}
	}
	var refused *chat.Error
	if errors.As(err, &refused) && refused.Kind != chat.StorageFull {
		h.platform.Log.Debug("an errand has no effect", "session", access.Session(e.SessionID), "err", err)
		return nil
	}
	return err
}

// followStatus closes or opens the thread as the session is now.
func (ev *event) followStatus(ctx context.Context, s *chat.Session) error {
	kind, state := chat.OpReopen, chat.ThreadLive
	if s.Status == chat.StatusClosed {
		kind, state = chat.OpClose, chat.ThreadClosed
	}
	if ev.thread.State == chat.ThreadGone {
		return nil
	}
	if _, err := ev.h.platform.Attempt(ctx, ev.thread.Thread, chat.Op{Kind: kind}); err != nil {
		return ev.h.dropIfFinal(err)
	}
	return ev.h.platform.SetThread(ctx, ev.thread.Thread, state)
}
