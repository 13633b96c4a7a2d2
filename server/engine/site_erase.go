package engine

import (
	"context"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine/nodes"
)

// siteErasing is the lease of the node that erases sites.
const siteErasing = "sites"

// sessionsAtOnce is how many sessions of a site are read to be erased.
const sessionsAtOnce = 50

// eraseRetry is the pause after erasing a site has failed.
const eraseRetry = 10 * time.Second

// EraseSite closes a site's chat for good. Its conversations go one after another, however
// long that takes and whatever stops in between, and then the site itself.
func (c *configuration) EraseSite(ctx context.Context, id string) error {
	if id == "" {
		return chat.Errorf(chat.Conflict, "The first site cannot be erased: its key and its settings are relay's")
	}
	if d, file := c.Sites().Declared(id); d != nil {
		return chat.Errorf(chat.Conflict, "The site “%s” is declared in %s; remove it there and restart relay first", c.Sites().Of(id).Label(), file)
	}
	return c.changeSites(ctx, func(tx chat.Tx, all []chat.Site) error {
		for i := range all {
			if site := &all[i]; site.ID == id {
				site.ErasedAt = chat.Now()
				if site.ArchivedAt == 0 {
					site.ArchivedAt = site.ErasedAt
				}
				return tx.PutSite(site)
			}
		}
		return chat.ErrSiteNotFound
	})
}

// eraseSitesAlone is eraseSites on one node.
func (e *Engine) eraseSitesAlone(ctx context.Context) error {
	if e.backend {
		return nil
	}
	return e.Nodes.Hold(ctx, siteErasing, func(ctx context.Context, _ *nodes.Lease) error { return e.eraseSites(ctx) })
}

// eraseSites erases the sites that are to go, until ctx ends.
func (e *Engine) eraseSites(ctx context.Context) error {
	for {
		changed := e.SettingsChanged()
		failed := false
		for _, site := range e.Sites().All() {
			if site.ErasedAt == 0 || ctx.Err() != nil {
				continue
			}
			if err := e.eraseSite(ctx, site.ID); err != nil && ctx.Err() == nil {
				e.log.Error("cannot erase a site; trying again", "site", site.ID, "err", err)
				failed = true
			}
		}
		again := make(<-chan time.Time)
		if failed {
			again = time.After(eraseRetry)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-changed:
		case <-again:
		}
	}
}

// eraseSite erases a site's sessions, and then the site.
func (e *Engine) eraseSite(ctx context.Context, id string) error {
	for {
		var some []chat.Session
		err := e.Store.Read(ctx, func(rd chat.Reader) (err error) {
			some, err = rd.Sessions(chat.SessionQuery{Sites: chat.SiteSet{id}, Empty: true, Limit: sessionsAtOnce})
			return err
		})
		if err != nil {
			return err
		}
		for i := range some {
			if _, err := e.erase(ctx, some[i].ID); err != nil {
				return err
			}
		}
		if len(some) > 0 {
			continue
		}
		gone := false
		err = e.changeSites(ctx, func(tx chat.Tx, _ []chat.Site) (err error) {
			gone, err = tx.DropSite(id)
			return err
		})
		if err != nil || gone {
			return err
		}
	}
}
