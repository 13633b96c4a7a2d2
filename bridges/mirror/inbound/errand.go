package inbound

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/relay-chat/relay/bridges/mirror/platform"
	"github.com/relay-chat/relay/server/chat"
)

// errand is work that remains after an operator's message was handled, and
// may take a while: an answer in the thread, its state, a file that is slow. It is
// stored as an update of its own, so that it survives a restart, is done in order
// per thread, and holds up nothing that operators say.
type errand struct {
	Kind      string            `json:"kind"` // the first word of its key: answer, status or file
	Channel   string            `json:"channel"`
	SessionID string            `json:"sessionId"`
	About     string            `json:"about,omitempty"` // the platform message that it is about
	Text      string            `json:"text,omitempty"`
	File      *chat.InboundFile `json:"file,omitempty"`
	Name      string            `json:"name,omitempty"` // the operator's
	Person    string            `json:"person,omitempty"`
	Internal  bool              `json:"internal,omitempty"`
}

// errand makes an errand for the thread. Its key is the same at every attempt of
// the update that leaves it.
func (ev *event) errand(key string, e errand) chat.Update {
	e.Kind, _, _ = strings.Cut(key, " ")
	e.Channel, e.SessionID = ev.thread.Channel, ev.thread.SessionID
	raw, _ := json.Marshal(e) // strings and numbers
	return chat.Update{Bridge: ev.h.platform.Name() + chat.Errands, Thread: ev.thread.Ref, Key: platform.Key(ev.thread.Channel, ev.thread.Ref, ev.update.Key, key),
		Raw: raw, ReceivedAt: chat.Now(), NextAt: chat.Now()}
}

// storeErrands stores errands that belong to no message.
func (ev *event) storeErrands(ctx context.Context, errands ...chat.Update) error {
	defer ev.wakeErrands()
	return ev.store(ctx, errands, nil)
}

// store stores errands and links.
func (ev *event) store(ctx context.Context, errands []chat.Update, links []chat.Link) error {
	return ev.h.store.Apply(ctx, func(tx chat.Tx) error {
		for i := range errands {
			if _, err := tx.PutUpdate(&errands[i]); err != nil {
				return err
			}
		}
		for i := range links {
			if err := tx.SaveLink(&links[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

func (ev *event) wakeErrands() {
	ev.h.inbox.Wake(ev.h.platform.Name()+chat.Errands, ev.thread.Ref)
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
		ev := &event{Inbound: chat.Inbound{Remote: e.About}, h: h, update: u, thread: th, author: by}
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
		h.platform.Log.Debug("an errand has no effect", "session", e.SessionID, "err", err)
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
	if _, err := ev.h.platform.Attempt(ctx, ev.thread, chat.Op{Kind: kind}); err != nil {
		return ev.h.dropIfFinal(err)
	}
	return ev.h.platform.SetThread(ctx, ev.thread, state)
}
