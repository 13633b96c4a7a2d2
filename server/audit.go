package server

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/team"
)

// auditor records what operators do.
type auditor struct {
	team    *team.Team
	clients *clients
}

// audit adds to the audit list what an operator did.
func (s auditor) audit(r *http.Request, by chat.Author, action, target, detail string) {
	s.team.Audit.Add(r.Context(), by, chat.AuditEntry{Action: action, Target: target, Detail: detail, Address: s.clients.peer(r).addr.String()})
}

// audited answers what was done, and adds it to the audit list if it succeeded.
func (s auditor) audited(r *http.Request, by chat.Author, action, target string, err error) (any, error) {
	if err == nil {
		s.audit(r, by, action, target, "")
	}
	return ok, err
}

// auditChange records what changed about a person.
func (s auditor) auditChange(r *http.Request, by chat.Author, before, p *chat.Person) {
	if p.Role != before.Role {
		s.audit(r, by, chat.AuditRoleChanged, p.Name, "to "+string(p.Role))
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
