package chat

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
)

// errand is what is left to do after an operator's message was worked on, and
// may take a while: an answer in the thread, its state, a file that is slow. It is
// stored as an update of its own, so that it survives a restart, is done in order
// per thread, and holds up nothing that operators say.
type errand struct {
	Kind      string       `json:"kind"` // the first word of its key: answer, status or file
	Channel   string       `json:"channel"`
	SessionID string       `json:"sessionId"`
	About     string       `json:"about,omitempty"` // the platform message that it is about
	Text      string       `json:"text,omitempty"`
	File      *InboundFile `json:"file,omitempty"`
	Name      string       `json:"name,omitempty"` // the operator's
	Internal  bool         `json:"internal,omitempty"`
}

// errand makes an errand for the thread. Its key is the same at every attempt of
// the update that leaves it.
func (h *hearing) errand(key string, e errand) Update {
	e.Kind, _, _ = strings.Cut(key, " ")
	e.Channel, e.SessionID = h.thread.Channel, h.thread.SessionID
	return Update{Bridge: h.desk.Name() + Errands, Thread: h.thread.Ref, Key: opKey(h.thread.Channel, h.thread.Ref, h.update.Key, key),
		Raw: mustJSON(e), ReceivedAt: Now(), NextAt: Now()}
}

// leave stores errands that belong to no message.
func (h *hearing) leave(ctx context.Context, errands ...Update) error {
	defer h.wakeErrands()
	return h.desk.store.Apply(ctx, func(tx Tx) error {
		for i := range errands {
			if _, err := tx.PutUpdate(&errands[i]); err != nil {
				return err
			}
		}
		return nil
	})
}

func (h *hearing) wakeErrands() { h.desk.opts.Inbox.wake(h.desk.Name()+Errands, h.thread.Ref) }

// run does an errand. What belongs to a session that was erased is left.
func (d *Desk) run(ctx context.Context, u Update) error {
	var e errand
	if err := json.Unmarshal(u.Raw, &e); err != nil {
		return fmt.Errorf("%w: %w", ErrPermanent, err)
	}
	th, session := Thread{Bridge: d.Name(), Channel: e.Channel, Ref: u.Thread, SessionID: e.SessionID}, Session{}
	err := d.store.Read(ctx, func(rd Reader) (err error) {
		if session, err = rd.Session(e.SessionID); err != nil {
			return err
		}
		if known, err := rd.Thread(th.Bridge, th.Channel, th.Ref); !errors.Is(err, ErrThreadNotFound) {
			th = known
			return err
		}
		return nil
	})
	if err == nil {
		by := Author{Sender: SenderOperator, Source: d.Name(), Name: e.Name}
		h := &hearing{Inbound: Inbound{Remote: e.About}, desk: d, update: u, thread: th, by: by}
		switch e.Kind {
		case "answer":
			err = d.say(ctx, th, e.About, e.Text)
		case "status":
			err = h.follow(ctx, &session)
		case "file":
			err = h.bring(ctx, &e)
		}
	}
	var refused *Error
	if errors.As(err, &refused) && refused.Kind != StorageFull {
		d.log.Debug("an errand has no effect", "session", e.SessionID, "err", err)
		return nil
	}
	return err
}

// follow closes or opens the thread as the session is now.
func (h *hearing) follow(ctx context.Context, s *Session) error {
	kind, state := OpReopen, ThreadLive
	if s.Status == StatusClosed {
		kind, state = OpClose, ThreadClosed
	}
	if h.thread.State == ThreadGone {
		return nil
	}
	if _, err := h.desk.try(ctx, h.thread, Op{Kind: kind}); err != nil {
		return h.desk.unimportant(err)
	}
	return h.desk.setThread(ctx, h.thread, state)
}
