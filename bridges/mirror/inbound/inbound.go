// Package inbound hands what operators do in a session's thread to the service. It
// imports server/chat and bridges/mirror/platform only.
package inbound

import (
	"cmp"
	"context"
	"errors"

	"github.com/relay-chat/relay/bridges/mirror/platform"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/engine/queue"
)

// Handler handles one platform's updates, and the errands that they leave.
type Handler struct {
	platform  *platform.Client
	store     chat.Store
	relay     *engine.Engine
	inbox     *queue.Inbox
	seal      *chat.FileSeal
	colleague Colleague
	unlinked  warnings
	barred    warnings
}

// Colleague completes an operator whom a platform calls by these names.
type Colleague func(ctx context.Context, by chat.Author, names ...string) chat.Author

// New makes the handler of a platform. seal makes the tokens under which operators'
// files are read in bridge mode; colleague completes an operator whom the platform calls
// by these names, if that is a person of the team.
func New(engine *engine.Engine, p *platform.Client, seal *chat.FileSeal, colleague Colleague) *Handler {
	return &Handler{platform: p, store: engine.Store, relay: engine, inbox: engine.Inbox, seal: seal, colleague: colleague}
}

// event is something that happened in a session's thread.
type event struct {
	chat.Inbound
	h      *Handler
	update chat.Update
	thread chat.Thread // with its session
	author chat.Author
}

// slashCommands reports whether commands may also start with a slash.
func (h *Handler) slashCommands() bool { return h.platform.Limits().Slash }

// foreignID returns the id of an operator's message in bridge mode, where it must be the
// same after a restart.
func (ev *event) foreignID() string {
	return cmp.Or(ev.h.platform.Limits().Short, ev.thread.Bridge) + ":" + ev.thread.Channel + ":" + ev.Remote
}

// linkTo returns an empty link to a platform message of the thread.
func (ev *event) linkTo(remote string) chat.Link {
	return chat.Link{Bridge: ev.thread.Bridge, Channel: ev.thread.Channel, Remote: remote}
}

// origin returns the id of the message made from the operator's platform message, or the
// placeholder of a command.
func (ev *event) origin(ctx context.Context) (id string, err error) {
	at := ev.linkTo(ev.Remote)
	return platform.ReadOne(ctx, ev.h.store, func(rd chat.Reader) (string, error) { return engine.OriginAt(rd, &at, ev.thread.SessionID) })
}

// repliedTo finds the message that the operator replied to: the newest one that the
// platform message shows, "" for none. Only a note may reply to a note.
func (ev *event) repliedTo(ctx context.Context, notes bool) (id string, err error) {
	if ev.ReplyTo == "" {
		return "", nil
	}
	err = ev.h.store.Read(ctx, func(rd chat.Reader) error {
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

// target returns the id of the message that an operator changed, "" when it is
// none of an operator's. What the store has forgotten is known by its place in
// bridge mode.
func (ev *event) target(ctx context.Context) (string, error) {
	id, err := ev.origin(ctx)
	switch {
	case err == nil && engine.IsPlaceholder(id):
		return "", nil
	case errors.Is(err, chat.ErrMessageNotFound):
		copies, err := ev.linksAt(ctx, ev.Remote)
		if err != nil || len(copies) > 0 || !ev.h.platform.Stateless {
			return "", err
		}
		return ev.foreignID(), nil
	}
	return id, err
}

// loadMessage reads a message of the session.
func (ev *event) loadMessage(ctx context.Context, id string) (chat.Message, error) {
	return platform.ReadOne(ctx, ev.h.store, func(rd chat.Reader) (chat.Message, error) { return rd.Message(ev.thread.SessionID, id) })
}

// links returns the links of a message of the session.
func (ev *event) links(ctx context.Context, id string) ([]chat.Link, error) {
	return platform.ReadOne(ctx, ev.h.store, func(rd chat.Reader) ([]chat.Link, error) {
		return rd.Links(ev.thread.SessionID, id, ev.thread.Bridge, ev.thread.Channel)
	})
}

// linksAt returns the links of a platform message.
func (ev *event) linksAt(ctx context.Context, remote string) ([]chat.Link, error) {
	return platform.ReadOne(ctx, ev.h.store, func(rd chat.Reader) ([]chat.Link, error) {
		return rd.LinksAt(ev.thread.Bridge, ev.thread.Channel, remote)
	})
}

// markGone notes that a copy is gone.
func (ev *event) markGone(ctx context.Context, remote string) error {
	return ev.h.store.Apply(ctx, func(tx chat.Tx) error {
		links, err := tx.LinksAt(ev.thread.Bridge, ev.thread.Channel, remote)
		if err != nil {
			return err
		}
		return platform.SaveGone(tx, links)
	})
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

// Operators' platform messages that are no messages of the session are linked to
// one of these.
var (
	commandPlaceholder  = engine.Placeholder("command")
	withheldPlaceholder = engine.Placeholder("withheld")
)

// markHandled links platform messages to a placeholder, so that they take effect
// once.
func (ev *event) markHandled(ctx context.Context, placeholder string, parts []chat.Inbound, errands ...chat.Update) error {
	links := make([]chat.Link, len(parts))
	for i, in := range parts {
		links[i] = ev.linkTo(in.Remote)
		links[i].SessionID, links[i].MessageID, links[i].Origin, links[i].CreatedAt = ev.thread.SessionID, placeholder, true, chat.Now()
	}
	if err := ev.store(ctx, errands, links); !errors.Is(err, chat.ErrSessionNotFound) {
		return err
	}
	return nil
}
