package engine

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"github.com/relay-chat/relay/server/chat"
)

// SiteChange is what is given of a site; nil leaves a field as it is.
type SiteChange struct {
	ID       *string // of a new one
	Wanted   string  // the id of a new one without ID, which is made different from others
	Name     *string
	Address  *string
	Color    *string
	Key      *string // the public key, for those who choose it
	Origins  *[]string
	Archived *bool
}

// apply changes a site, whose fields are checked afterwards.
func (c *SiteChange) apply(s *chat.Site) error {
	for _, f := range []struct{ given, field *string }{{c.Name, &s.Name}, {c.Address, &s.Address}, {c.Color, &s.Color}, {c.Key, &s.Key}} {
		if f.given != nil {
			*f.field = *f.given
		}
	}
	if c.Origins != nil {
		s.Origins = chat.Of(*c.Origins)
	}
	if c.Key != nil && *c.Key == "" {
		return chat.ErrorAt(chat.Invalid, "publicKey", "publicKey must not be empty; leave it out, or make a new one")
	}
	if s.ErasedAt != 0 {
		return chat.Errorf(chat.Conflict, "The site “%s” is being erased", s.Name)
	}
	if c.Archived != nil {
		switch archived := s.ArchivedAt != 0; {
		case *c.Archived && s.ID == "":
			return chat.ErrorAt(chat.Conflict, "archived", "The first site cannot be archived: its key and its settings are relay's")
		case *c.Archived && !archived:
			s.ArchivedAt = chat.Now()
		case !*c.Archived:
			s.ArchivedAt = 0
		}
	}
	return s.Check()
}

// lockSites serialises changes of sites: names, ids and keys are compared with all others.
const lockSites = "sites"

// siteColours are those of new sites that are given none, one after the other.
var siteColours = []string{"#0b7285", "#e67700", "#862e9c", "#2b8a3e", "#c2255c", "#5f3dc4", "#846358", "#1971c2"}

// newSite is a site that is not stored yet. The first one's key is relay's.
func newSite(id string) chat.Site {
	site := chat.Site{ID: id, CreatedAt: chat.Now(), Origins: chat.Of([]string{})}
	if id != "" {
		site.Key = "pk_" + chat.NewToken()
	}
	return site
}

// AddSite makes a site, which works at once.
func (c *configuration) AddSite(ctx context.Context, in SiteChange) (chat.Site, error) {
	site := newSite(cmp.Or(in.Wanted, "site"))
	if in.ID != nil {
		if err := chat.CheckSiteID(*in.ID); err != nil {
			return site, err
		}
		site.ID = *in.ID
	}
	if err := in.apply(&site); err != nil {
		return site, err
	}
	return site, c.changeSites(ctx, func(tx chat.Tx, all []chat.Site) error {
		if len(all) >= chat.MaxSites {
			return chat.Errorf(chat.Conflict, "There are %d sites, which is the most", chat.MaxSites)
		}
		if in.ID == nil {
			site.ID = freeSiteID(site.ID, all)
		}
		if in.Color == nil {
			site.Color = siteColours[len(all)%len(siteColours)]
		}
		return storeSite(tx, &site, all)
	})
}

// ChangeSite changes a site.
func (c *configuration) ChangeSite(ctx context.Context, id string, in SiteChange) (site chat.Site, err error) {
	return site, c.changeSites(ctx, func(tx chat.Tx, all []chat.Site) error {
		i := slices.IndexFunc(all, func(s chat.Site) bool { return s.ID == id })
		switch {
		case i >= 0:
			site = all[i]
		case id == "": // nobody has named it yet
			site = newSite("")
		default:
			return chat.ErrSiteNotFound
		}
		if err := c.refuseDeclaredFields(id, &in); err != nil {
			return err
		}
		if err := in.apply(&site); err != nil {
			return err
		}
		return storeSite(tx, &site, slices.DeleteFunc(slices.Clone(all), func(s chat.Site) bool { return s.ID == id }))
	})
}

// changeSites runs a change of sites, which is given all that are stored.
func (c *configuration) changeSites(ctx context.Context, change func(tx chat.Tx, all []chat.Site) error) error {
	c.patching.Lock()
	defer c.patching.Unlock()
	return c.apply(ctx, func(tx chat.Tx) error {
		if _, err := tx.LockMeta(lockSites); err != nil {
			return err
		}
		all, err := tx.Sites()
		if err != nil {
			return err
		}
		return change(tx, all)
	})
}

// storeSite stores a site that shares nothing with the others.
func storeSite(tx chat.Tx, s *chat.Site, others []chat.Site) error {
	for i := range others {
		switch other := &others[i]; {
		case other.ID == s.ID:
			return chat.ErrorAt(chat.Conflict, "id", "The site “"+other.Label()+"” has the id "+s.ID+"; choose another")
		case other.NameKey == s.NameKey && s.NameKey != "":
			return chat.ErrorAt(chat.Conflict, "name", "There is a site called “"+other.Name+"”; choose another name")
		case other.Key == s.Key && s.Key != "":
			return chat.ErrorAt(chat.Conflict, "publicKey", "The site “"+other.Label()+"” has this public key; choose another")
		}
	}
	return tx.PutSite(s)
}

// freeSiteID returns the wanted id, with a number where it is taken.
func freeSiteID(wanted string, all []chat.Site) string {
	free := wanted
	for n := 2; chat.CheckSiteID(free) != nil || slices.ContainsFunc(all, func(s chat.Site) bool { return s.ID == free }); n++ {
		free = wanted + "-" + strconv.Itoa(n)
	}
	return free
}

// PatchSiteSettings is PatchSettings for the settings of one site, or with AllSites for
// relay's own. A site's own value goes with null, and relay's holds again.
func (c *configuration) PatchSiteSettings(ctx context.Context, site string, patch map[string]json.RawMessage) error {
	return c.patchSite(ctx, site, patch, site != "")
}

// PatchOwnSettings is PatchSiteSettings for somebody who must not change relay's.
func (c *configuration) PatchOwnSettings(ctx context.Context, site string, patch map[string]json.RawMessage) error {
	return c.patchSite(ctx, site, patch, true)
}

// patchSite stores changes of a site's settings, with ownOnly none of relay's.
func (c *configuration) patchSite(ctx context.Context, site string, patch map[string]json.RawMessage, ownOnly bool) error {
	current := c.current.Load()
	settings := current.sites.Relay()
	if site != chat.AllSites {
		settings = current.sites.Settings(site)
	}
	changes, err := settings.Changes(patch)
	if err != nil {
		return err
	}
	c.patching.Lock()
	defer c.patching.Unlock()
	if site == chat.AllSites {
		return c.patch(ctx, levels{relay: changes})
	}
	for name := range changes {
		if ownOnly && !settings.IsOfSite(name) {
			return chat.ErrorAt(chat.Invalid, name, name+" is relay's, the same for all sites; set it under All sites")
		}
	}
	if err := c.refuseDeclared(site, changes); err != nil {
		return err
	}
	return c.patch(ctx, c.byLevel(site, changes))
}

// RelaySettings returns the current settings without any site's own.
func (c *configuration) RelaySettings() *chat.Settings { return c.Sites().Relay() }
