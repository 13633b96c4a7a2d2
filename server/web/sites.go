package web

import (
	"context"
	"net/http"

	"github.com/relay-chat/relay/server/chat"
)

// MayRead refuses conversations that the author may not see.
func MayRead(ctx context.Context, store chat.Store, by chat.Author, id string) error {
	return store.ReadOne(ctx, func(rd chat.Reader) error {
		s, err := rd.SessionHeader(id)
		if err == nil {
			err = by.Authorise(&s)
		}
		return err
	})
}

// errNoSite means that somebody's only site was erased.
var errNoSite = chat.Errorf(chat.Forbidden, "You answer no site at the moment. Ask an administrator of all sites")

// Home is the site that is meant where none is named: the first of one's own.
func Home(by chat.Author, sites *chat.Sites) (*chat.Site, error) {
	own := sites.In(by.Sites)
	if len(own) == 0 {
		return nil, errNoSite
	}
	return &own[0], nil
}

// SitesAsked are the sites that a request asks for: the one that ?site= names, or else all of
// one's own.
func SitesAsked(r *http.Request, by chat.Author, sites *chat.Sites) (chat.SiteSet, error) {
	name := r.URL.Query().Get("site")
	if name == "" {
		return by.Sites, nil
	}
	site, err := sites.Named(name)
	if err != nil || !by.Sites.Has(site.ID) {
		return nil, BadRequest("site must be the id of a site; GET /api/admin/sites lists them")
	}
	return chat.SiteSet{site.ID}, nil
}

// SiteAsked is the site that a request asks for, nil for all; people of several sites must
// name one.
func SiteAsked(r *http.Request, by chat.Author, sites *chat.Sites) (*string, error) {
	asked, err := SitesAsked(r, by, sites)
	switch {
	case err != nil || asked == nil:
		return nil, err
	case len(asked) != 1:
		return nil, BadRequest("site is required: which of your sites it is for")
	}
	return &asked[0], nil
}

// SiteOrAll is [SiteAsked] with AllSites for all: for whose visitors something is.
func SiteOrAll(r *http.Request, by chat.Author, sites *chat.Sites) (string, error) {
	site, err := SiteAsked(r, by, sites)
	if err != nil || site == nil {
		return chat.AllSites, err
	}
	return *site, nil
}

// OneSite is the site that a new hook is for.
func OneSite(r *http.Request, by chat.Author, sites *chat.Sites) (*chat.Site, error) {
	asked, err := SitesAsked(r, by, sites)
	if err != nil {
		return nil, err
	}
	return Home(chat.Author{Sites: asked}, sites)
}
