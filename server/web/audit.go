package web

import (
	"cmp"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/team"
)

// Auditor records what operators do.
type Auditor struct {
	team    *team.Team
	clients *Clients
	Engine  *engine.Engine
}

// NewAuditor makes an auditor.
func NewAuditor(team *team.Team, clients *Clients, engine *engine.Engine) Auditor {
	return Auditor{team, clients, engine}
}

// Audit adds to the audit list what an operator did.
func (s Auditor) Audit(r *http.Request, by chat.Author, action, target, detail string) {
	s.AuditAt(r, by, s.SiteOf(r, by), action, target, detail)
}

// AuditAt is audit for what concerns a site, by its public id.
func (s Auditor) AuditAt(r *http.Request, by chat.Author, site, action, target, detail string) {
	s.team.Audit.Add(r.Context(), by, chat.AuditEntry{Action: action, Target: target, Detail: detail, Address: s.clients.Peer(r).Addr.String(), Site: site})
}

// Entry completes an entry that is stored with what it is about.
func (s Auditor) Entry(r *http.Request, by chat.Author, e chat.AuditEntry) chat.AuditEntry {
	e.Address = s.clients.Peer(r).Addr.String()
	return chat.AuditBy(by, e)
}

// SiteOf is the public id of the site that a request concerns, "" for relay itself: the one
// that it names, or that of its conversation, or the only one of who makes it.
func (s Auditor) SiteOf(r *http.Request, by chat.Author) string {
	sites := s.Engine.Sites()
	if !sites.Several() {
		return ""
	}
	site, err := sites.Named(cmp.Or(PathVar(r, "site"), r.URL.Query().Get("site")))
	if id := PathVar(r, "session"); id != "" {
		return s.SiteOfSession(r, id)
	}
	switch {
	case err == nil && site != nil:
		return site.PublicID()
	case len(by.Sites) == 1:
		return chat.SiteName(by.Sites[0])
	}
	return ""
}

// SiteOfSession is siteOf for a session.
func (s Auditor) SiteOfSession(r *http.Request, id string) (site string) {
	sites := s.Engine.Sites()
	if !sites.Several() {
		return ""
	}
	_ = s.Engine.Store.ReadOne(r.Context(), func(rd chat.Reader) error { // one that is gone has none
		session, err := rd.SessionHeader(id)
		if of := sites.Of(session.Site); err == nil && of != nil {
			site = of.PublicID()
		}
		return err
	})
	return site
}

// Audited answers what was done, and adds it to the audit list if it succeeded.
func (s Auditor) Audited(r *http.Request, by chat.Author, action, target string, err error) (any, error) {
	if err == nil {
		s.Audit(r, by, action, target, "")
	}
	return OK, err
}

// siteList names sites in the audit list.
func siteList(sites chat.SiteSet) string {
	if sites == nil {
		return "all sites"
	}
	return strings.Join(sites.Names(), ", ")
}

// AuditChange records what changed about a person.
func (s Auditor) AuditChange(r *http.Request, by chat.Author, before, p *chat.Person) {
	if p.Role != before.Role {
		s.Audit(r, by, chat.AuditRoleChanged, p.Name, "to "+string(p.Role))
	}
	if !p.Sites.Equal(before.Sites) {
		s.Audit(r, by, chat.AuditRoleChanged, p.Name, "for "+siteList(p.Sites))
	}
	if p.Name != before.Name {
		s.Audit(r, by, chat.AuditPersonChanged, p.Name, "was "+before.Name)
	}
	if p.Email != before.Email {
		s.Audit(r, by, chat.AuditPersonChanged, p.Name, "e-mail address, was "+before.Email)
	}
	if !slices.Equal(p.PlatformNames, before.PlatformNames) {
		s.Audit(r, by, chat.AuditPersonChanged, p.Name, "names on platforms: "+strconv.Itoa(len(p.PlatformNames)))
	}
}
