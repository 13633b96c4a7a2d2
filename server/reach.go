package server

import (
	"net/http"
	"slices"

	"github.com/relay-chat/relay/server/account"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/team"
	"github.com/relay-chat/relay/server/web"
)

// reaches are those of routes to one thing.
type reaches struct {
	engine    *engine.Engine
	knowledge Knowledge
	team      *team.Team
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

// source is the reach of routes that show a source of knowledge: of one of the sites, or for
// all of them.
func (c reaches) source(r *http.Request, by chat.Author) error {
	_, err := c.sourceSite(r, by)
	return err
}

// sourceSite returns for whose visitors the source is that a request names.
func (c reaches) sourceSite(r *http.Request, by chat.Author) (string, error) {
	source, _, err := c.knowledge.Source(r.Context(), web.PathVar(r, "id"))
	if err == nil && !chat.IsFor(source.Site, by.Sites) {
		err = chat.ErrSourceNotFound
	}
	return source.Site, err
}

// ownSource is the reach of routes that change a source.
func (c reaches) ownSource(r *http.Request, by chat.Author) error {
	site, err := c.sourceSite(r, by)
	if err == nil && site == chat.AllSites {
		err = web.ErrAllSites
	}
	return err
}

// question is the reach of routes to a question without an answer.
func (c reaches) question(r *http.Request, by chat.Author) error {
	list, err := c.knowledge.Questions(r.Context())
	list = slices.DeleteFunc(list, func(q chat.Question) bool { return q.ID != web.PathVar(r, "id") })
	if err == nil {
		list = askedAt(list, by.Sites)
	}
	if err == nil && len(list) == 0 {
		err = chat.ErrQuestionNotFound
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
