package engine

import "github.com/relay-chat/relay/server/chat"

// maxSiteLabel is how much of a site's name stands before a conversation's.
const maxSiteLabel = 30

// Title names a session for people: by its site, as soon as there are several, and its
// visitor.
func (r *Relay) Title(s *chat.Session) string {
	sites, title := r.Sites(), r.TitleAlone(s)
	site := sites.Of(s.Site)
	if site == nil || !sites.Several() {
		return title
	}
	return chat.Clip(site.Label(), maxSiteLabel) + " · " + title
}

// TitleAlone names a session by its visitor, where everything is of one site.
func (r *Relay) TitleAlone(s *chat.Session) string {
	if site := r.Sites().Of(s.Site); site != nil {
		return s.Title(r.hostsOf(site))
	}
	return s.Title(r.hosts)
}

// Describe lists the known facts about a session's visitor, one per line, as soon as there
// are several sites with the site.
func (r *Relay) Describe(s *chat.Session) []string {
	lines := s.Describe()
	sites := r.Sites()
	if site := sites.Of(s.Site); site != nil && sites.Several() {
		lines = append([]string{"Site: " + site.Label()}, lines...)
	}
	return lines
}

// hostsOf are the hosts whose pages are shown by their path: a site's own and relay's.
func (r *Relay) hostsOf(site *chat.Site) *chat.Hosts {
	if site.ID == "" {
		return r.hosts
	}
	return chat.NewHosts(r.publicURL, append([]string{site.Address}, site.Origins.V...))
}
