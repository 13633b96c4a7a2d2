package chat

import "slices"

// Sites are all sites with their settings, as they are at one moment.
type Sites struct {
	list     []Site    // the first one first, then by name
	relay    *Settings // without any site's own
	settings map[string]*Settings
	hooks    []Hook // webhooks beside the first, also those that have ended
	byKey    map[string]*Site
	byID     map[string]*Site
	file     *SitesFile               // nil for none
	declared map[string]*DeclaredSite // what the file says, by the site's id
}

// SitesOf makes Sites of what is stored: the sites, with or without the first, and the
// settings that each has instead of relay's own. What a file declares wins; nil: there is
// none.
func SitesOf(stored []Site, relay *Settings, own map[string]map[string]Raw, file *SitesFile) *Sites {
	s := &Sites{relay: relay, settings: map[string]*Settings{}, byKey: map[string]*Site{}, byID: map[string]*Site{}}
	if !slices.ContainsFunc(stored, func(site Site) bool { return site.ID == "" }) {
		s.list = append(s.list, Site{})
	}
	s.list = append(s.list, stored...)
	slices.SortStableFunc(s.list, func(a, b Site) int { return compareSites(&a, &b) })
	for i := range s.list {
		site := &s.list[i]
		s.byID[site.ID] = site
		if site.Key != "" {
			s.byKey[site.Key] = site
		}
		s.settings[site.ID] = relay.ofSite(own[site.ID], s.Several())
	}
	s.declare(file)
	return s
}

func compareSites(a, b *Site) int {
	switch {
	case a.ID == "":
		return -1
	case b.ID == "":
		return 1
	case a.NameKey < b.NameKey:
		return -1
	case a.NameKey > b.NameKey:
		return 1
	}
	return 0
}

// Several reports whether there is more than one site: as long as there is not, nobody
// reads of sites.
func (s *Sites) Several() bool { return len(s.list) > 1 }

// All lists the sites, the first one first.
func (s *Sites) All() []Site { return s.list }

// WithHooks adds the webhooks beside the first, to Sites that nobody else has yet.
func (s *Sites) WithHooks(hooks []Hook) *Sites {
	s.hooks = hooks
	return s
}

// Hooks are the webhooks of all sites beside the first, also those that have ended.
func (s *Sites) Hooks() []Hook { return s.hooks }

// Hook returns a webhook that has not ended, or ErrHookNotFound.
func (s *Sites) Hook(id string) (Hook, error) {
	for i := range s.hooks {
		if h := &s.hooks[i]; h.ID == id && h.EndedAt == 0 {
			return *h, nil
		}
	}
	return Hook{}, ErrHookNotFound
}

// IDs lists the sites' ids inside relay.
func (s *Sites) IDs() []string {
	ids := make([]string, len(s.list))
	for i := range s.list {
		ids[i] = s.list[i].ID
	}
	return ids
}

// Of returns a site by its id inside relay, nil for none.
func (s *Sites) Of(id string) *Site { return s.byID[id] }

// Named returns a site by its public id, or ErrSiteNotFound.
func (s *Sites) Named(public string) (*Site, error) {
	if public == FirstSite {
		return s.byID[""], nil
	}
	if site := s.byID[public]; site != nil && public != "" {
		return site, nil
	}
	return nil, ErrSiteNotFound
}

// WithKey returns the site with this public key; the first one's is none of them.
func (s *Sites) WithKey(key string) (*Site, bool) {
	site, ok := s.byKey[key]
	return site, ok
}

// Shown is a site's public id for answers, "" for AllSites and as long as there is only one.
func (s *Sites) Shown(id string) string {
	if id == AllSites || !s.Several() {
		return ""
	}
	return SiteName(id)
}

// Public returns a session for webhooks and backends.
func (s *Sites) Public(session *Session) PublicSession {
	public := session.Public()
	public.Site = s.Shown(session.Site)
	return public
}

// Common returns what the settings of all sites are made of: those of the only one, as long
// as there is only one.
func (s *Sites) Common() *Settings {
	if s.Several() {
		return s.relay
	}
	return s.Settings("")
}

// Relay returns relay's settings without any site's own.
func (s *Sites) Relay() *Settings { return s.relay }

// Settings returns a site's settings; those of the first for one that is gone.
func (s *Sites) Settings(id string) *Settings {
	if settings := s.settings[id]; settings != nil {
		return settings
	}
	return s.settings[""]
}

// IsFor reports whether what is for a site's visitors, or for AllSites, is for those of one
// of the asked sites.
func IsFor(site string, asked SiteSet) bool { return site == AllSites || asked.Has(site) }

// ShownName is what a site's visitors call who answers them: the site, as soon as there are
// several, or the operators. "" if neither has a name.
func (s *Sites) ShownName(id string) string {
	if site := s.Of(id); s.Several() && site != nil && site.Name != "" {
		return site.Name
	}
	return s.Settings(id).Text("operatorName")
}
