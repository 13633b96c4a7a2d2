package server

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

// auditor records what operators do.
type auditor struct {
	team    *team.Team
	clients *clients
	engine  *engine.Engine
}

func newAuditor(team *team.Team, clients *clients, engine *engine.Engine) auditor {
	return auditor{team, clients, engine}
}

// audit adds to the audit list what an operator did.
func (s auditor) audit(r *http.Request, by chat.Author, action, target, detail string) {
	s.auditAt(r, by, s.siteOf(r, by), action, target, detail)
}

// auditAt is audit for what concerns a site, by its public id.
func (s auditor) auditAt(r *http.Request, by chat.Author, site, action, target, detail string) {
	s.team.Audit.Add(r.Context(), by, chat.AuditEntry{Action: action, Target: target, Detail: detail, Address: s.clients.peer(r).addr.String(), Site: site})
}

// siteOf is the public id of the site that a request concerns, "" for relay itself: the one
// that it names, or that of its conversation, or the only one of who makes it.
func (s auditor) siteOf(r *http.Request, by chat.Author) string {
	sites := s.engine.Sites()
	if !sites.Several() {
		return ""
	}
	site, err := sites.Named(cmp.Or(pathVar(r, "site"), r.URL.Query().Get("site")))
	if id := pathVar(r, "session"); id != "" {
		return s.siteOfSession(r, id)
	}
	switch {
	case err == nil && site != nil:
		return site.PublicID()
	case len(by.Sites) == 1:
		return chat.SiteName(by.Sites[0])
	}
	return ""
}

// siteOfSession is siteOf for a session.
func (s auditor) siteOfSession(r *http.Request, id string) (site string) {
	sites := s.engine.Sites()
	if !sites.Several() {
		return ""
	}
	_ = s.engine.Store.ReadOne(r.Context(), func(rd chat.Reader) error { // one that is gone has none
		session, err := rd.SessionHeader(id)
		if of := sites.Of(session.Site); err == nil && of != nil {
			site = of.PublicID()
		}
		return err
	})
	return site
}

// audited answers what was done, and adds it to the audit list if it succeeded.
func (s auditor) audited(r *http.Request, by chat.Author, action, target string, err error) (any, error) {
	if err == nil {
		s.audit(r, by, action, target, "")
	}
	return ok, err
}

// siteList names sites in the audit list.
func siteList(sites chat.SiteSet) string {
	if sites == nil {
		return "all sites"
	}
	return strings.Join(sites.Names(), ", ")
}

// auditChange records what changed about a person.
func (s auditor) auditChange(r *http.Request, by chat.Author, before, p *chat.Person) {
	if p.Role != before.Role {
		s.audit(r, by, chat.AuditRoleChanged, p.Name, "to "+string(p.Role))
	}
	if !p.Sites.Equal(before.Sites) {
		s.audit(r, by, chat.AuditRoleChanged, p.Name, "for "+siteList(p.Sites))
	}
	if p.Name != before.Name {
		s.audit(r, by, chat.AuditPersonChanged, p.Name, "was "+before.Name)
	}
	if p.Email != before.Email {
		s.audit(r, by, chat.AuditPersonChanged, p.Name, "e-mail address, was "+before.Email)
	}
	if !slices.Equal(p.PlatformNames, before.PlatformNames) {
		s.audit(r, by, chat.AuditPersonChanged, p.Name, "names on platforms: "+strconv.Itoa(len(p.PlatformNames)))
	}
}
