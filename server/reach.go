package server

import (
	"net/http"

	"github.com/relay-chat/relay/server/account"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/team"
	"github.com/relay-chat/relay/server/web"
)

// reaches are those of routes to one thing.
type reaches struct {
	engine *engine.Engine
	team   *team.Team
}

// session is the reach of routes to a conversation.
func (c reaches) session(r *http.Request, by chat.Author) error {
	return web.MayRead(r.Context(), c.engine.Store, by, web.PathVar(r, "session"))
}

// delivery is the reach of routes to a delivery.
func (c reaches) delivery(r *http.Request, by chat.Author) error {
	_, session, _, known := chat.ParseDeliveryID(web.PathVar(r, "id"))
	if !known || web.MayRead(r.Context(), c.engine.Store, by, session) != nil {
		return chat.ErrDeliveryNotFound
	}
	return nil
}

// site is the reach of routes to a site.
func (c reaches) site(r *http.Request, by chat.Author) error {
	name := web.PathVar(r, "site")
	if name == chat.AllSites {
		return web.ErrAllSites
	}
	site, err := c.engine.Sites().Named(name)
	if err == nil && !by.Sites.Has(site.ID) {
		err = chat.ErrSiteNotFound
	}
	return err
}

// hook is the reach of routes to a webhook beside the first.
func (c reaches) hook(r *http.Request, by chat.Author) error {
	h, err := c.engine.Sites().Hook(web.PathVar(r, "hook"))
	if err == nil && !by.Sites.Has(h.Site) {
		err = chat.ErrHookNotFound
	}
	return err
}

// incomingHook is the reach of routes to an incoming hook.
func (c reaches) incomingHook(r *http.Request, by chat.Author) error {
	h, err := c.team.Incoming.Find(r.Context(), web.PathVar(r, "hook"))
	if err == nil && !by.Sites.Has(h.Site) {
		err = chat.ErrHookNotFound
	}
	return err
}

// person is the reach of routes to somebody of the team.
func (c reaches) person(r *http.Request, by chat.Author) error {
	p, err := c.team.People.Find(r.Context(), web.PathVar(r, "id"))
	if err == nil {
		err = account.Manages(by, &p)
	}
	return err
}
