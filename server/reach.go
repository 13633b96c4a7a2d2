package server

import (
	"context"
	"net/http"
	"slices"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/team"
)

// reach decides whether a person of some sites may make a request: what is of other sites is
// not found, like what never was. Without one, a route is for those of all sites.
type reach func(r *http.Request, by chat.Author) error

// errAllSites refuses to people of some sites what concerns all of them.
var errAllSites = &httpError{status: http.StatusForbidden, text: "Only people of all sites may do this"}

// within opens a route to people of some sites.
func (r rules) within(to reach) rules {
	r.reach = to
	return r
}

// reachable applies a route's reach.
func (r rules) reachable(req *http.Request, by chat.Author) error {
	switch {
	case by.Sites == nil:
		return nil
	case r.reach == nil:
		return errAllSites
	}
	return r.reach(req, by)
}

// ownSites is the reach of routes whose actions keep to the sites of who asks.
func ownSites(*http.Request, chat.Author) error { return nil }

// reaches are those of routes to one thing.
type reaches struct {
	engine    *engine.Engine
	knowledge Knowledge
	team      *team.Team
}

// session is the reach of routes to a conversation.
func (c reaches) session(r *http.Request, by chat.Author) error {
	return mayRead(r.Context(), c.engine.Store, by, pathVar(r, "session"))
}

// mayRead refuses conversations that the author may not see.
func mayRead(ctx context.Context, store chat.Store, by chat.Author, id string) error {
	return store.ReadOne(ctx, func(rd chat.Reader) error {
		s, err := rd.SessionHeader(id)
		if err == nil {
			err = by.Authorise(&s)
		}
		return err
	})
}

// delivery is the reach of routes to a delivery.
func (c reaches) delivery(r *http.Request, by chat.Author) error {
	_, session, _, known := chat.ParseDeliveryID(pathVar(r, "id"))
	if !known || mayRead(r.Context(), c.engine.Store, by, session) != nil {
		return chat.ErrDeliveryNotFound
	}
	return nil
}

// site is the reach of routes to a site.
func (c reaches) site(r *http.Request, by chat.Author) error {
	name := pathVar(r, "site")
	if name == chat.AllSites {
		return errAllSites
	}
	site, err := c.engine.Sites().Named(name)
	if err == nil && !by.Sites.Has(site.ID) {
		err = chat.ErrSiteNotFound
	}
	return err
}

// hook is the reach of routes to a webhook beside the first.
func (c reaches) hook(r *http.Request, by chat.Author) error {
	h, err := c.engine.Sites().Hook(pathVar(r, "hook"))
	if err == nil && !by.Sites.Has(h.Site) {
		err = chat.ErrHookNotFound
	}
	return err
}

// incomingHook is the reach of routes to an incoming hook.
func (c reaches) incomingHook(r *http.Request, by chat.Author) error {
	h, err := c.team.Incoming.Find(r.Context(), pathVar(r, "hook"))
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
	source, _, err := c.knowledge.Source(r.Context(), pathVar(r, "id"))
	if err == nil && !chat.IsFor(source.Site, by.Sites) {
		err = chat.ErrSourceNotFound
	}
	return source.Site, err
}

// ownSource is the reach of routes that change a source.
func (c reaches) ownSource(r *http.Request, by chat.Author) error {
	site, err := c.sourceSite(r, by)
	if err == nil && site == chat.AllSites {
		err = errAllSites
	}
	return err
}

// question is the reach of routes to a question without an answer.
func (c reaches) question(r *http.Request, by chat.Author) error {
	list, err := c.knowledge.Questions(r.Context())
	list = slices.DeleteFunc(list, func(q chat.Question) bool { return q.ID != pathVar(r, "id") })
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
	p, err := c.team.People.Find(r.Context(), pathVar(r, "id"))
	if err == nil {
		err = manages(by, &p)
	}
	return err
}

// manages refuses to administrators of some sites what concerns people of others.
func manages(by chat.Author, p *chat.Person) error {
	switch {
	case by.Manages(p.Sites):
		return nil
	case !p.Sites.Meets(by.Sites):
		return chat.ErrPersonNotFound
	}
	return chat.Errorf(chat.Forbidden, "%s also answers sites that you do not administer. Ask an administrator of all sites", p.Name)
}

// overPerson refuses to act for somebody else to whoever does not administer all of that
// person's sites.
func overPerson(ctx context.Context, people *team.People, by chat.Author, person string) error {
	switch {
	case person == by.Person && person != "", by.OfRelay():
		return nil
	case by.Role != chat.RoleAdministrator:
		return errAdministrators
	case person == "": // whoever used the secret key
		return errAllSites
	}
	p, err := people.Find(ctx, person)
	if err == nil {
		err = manages(by, &p)
	}
	return err
}

// errNoSite means that somebody's only site was erased.
var errNoSite = chat.Errorf(chat.Forbidden, "You answer no site at the moment. Ask an administrator of all sites")

// home is the site that is meant where none is named: the first of one's own.
func home(by chat.Author, sites *chat.Sites) (*chat.Site, error) {
	own := sites.In(by.Sites)
	if len(own) == 0 {
		return nil, errNoSite
	}
	return &own[0], nil
}

// sitesAsked are the sites that a request asks for: the one that ?site= names, or else all of
// one's own.
func sitesAsked(r *http.Request, by chat.Author, sites *chat.Sites) (chat.SiteSet, error) {
	name := r.URL.Query().Get("site")
	if name == "" {
		return by.Sites, nil
	}
	site, err := sites.Named(name)
	if err != nil || !by.Sites.Has(site.ID) {
		return nil, badRequest("site must be the id of a site; GET /api/admin/sites lists them")
	}
	return chat.SiteSet{site.ID}, nil
}

// siteAsked is the site that a request asks for, nil for all; people of several sites must
// name one.
func siteAsked(r *http.Request, by chat.Author, sites *chat.Sites) (*string, error) {
	asked, err := sitesAsked(r, by, sites)
	switch {
	case err != nil || asked == nil:
		return nil, err
	case len(asked) != 1:
		return nil, badRequest("site is required: which of your sites it is for")
	}
	return &asked[0], nil
}

// siteOrAll is siteAsked with AllSites for all: for whose visitors something is.
func siteOrAll(r *http.Request, by chat.Author, sites *chat.Sites) (string, error) {
	site, err := siteAsked(r, by, sites)
	if err != nil || site == nil {
		return chat.AllSites, err
	}
	return *site, nil
}
