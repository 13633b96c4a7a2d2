// Package inbound hands what operators do in a session's thread to the service. It
// imports server/chat and bridges/mirror/access only.
package inbound

import (
	"cmp"
	"context"
	"errors"

	"github.com/relay-chat/relay/bridges/mirror/access"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/engine/queue"
)

// Handler handles one platform's updates, and the errands that they leave.
type Handler struct {
	platform  *access.Platform
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
func New(engine *engine.Engine, p *access.Platform, seal *chat.FileSeal, colleague Colleague) *Handler {
	return &Handler{platform: p, store: engine.Store, relay: engine, inbox: engine.Inbox, seal: seal, colleague: colleague}
}

// event is something that happened in a session's thread.
type event struct {
	chat.Inbound
	h      *Handler
	update chat.Update
	thread place
	author chat.Author
}

// slashCommands reports whether commands may also start with a slash.
func (h *Handler) slashCommands() bool { return h.platform.Limits().Slash }

// foreignID returns the id of an operator's message in bridge mode, where it must be the
// same after a restart.
func (ev *event) foreignID() string {
	return cmp.Or(ev.h.platform.Limits().Short, ev.thread.Bridge) + ":" + ev.thread.Channel + ":" + ev.Remote
}

// target returns the id of the message that an operator changed, "" when it is
// none of an operator's. What the store has forgotten is known by its place in
// bridge mode.
func (ev *event) target(ctx context.Context) (string, error) {
	id, err := ev.thread.origin(ctx, ev.Remote)
	switch {
	case err == nil && engine.IsPlaceholder(id):
		return "", nil
	case errors.Is(err, chat.ErrMessageNotFound):
		copies, err := ev.thread.linksAt(ctx, ev.Remote)
		if err != nil || len(copies) > 0 || !ev.h.platform.Stateless {
			return "", err
		}
		return ev.foreignID(), nil
	}
	return id, err
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
		links[i] = ev.thread.linkTo(in.Remote)
		links[i].SessionID, links[i].MessageID, links[i].Origin, links[i].CreatedAt = ev.thread.SessionID, placeholder, true, chat.Now()
	}
	if err := ev.thread.save(ctx, errands, links); !errors.Is(err, chat.ErrSessionNotFound) {
		return err
	}
	return nil
}
