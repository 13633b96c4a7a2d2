package account

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/team"
	"github.com/relay-chat/relay/server/web"
)

// people answers GET /api/admin/people: everybody by name. Operators see it too: they
// hand conversations over.
func (s *teamAPI) people(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	list, err := s.team.People.List(r.Context())
	views := []personView{}
	for i := range list {
		if list[i].Sites.Meets(by.Sites) || list[i].ID == by.Person {
			views = append(views, viewPerson(list[i], by))
		}
	}
	return map[string]any{"people": views}, err
}

type addPersonRequest struct {
	Name     string    `json:"name"`
	Email    string    `json:"email"`
	Password string    `json:"password"`
	Role     chat.Role `json:"role"`
	SignIn   bool      `json:"signIn"`
	Sites    []string  `json:"sites"`
}

// addPerson answers POST /api/admin/people. With signIn the console that is signed in with
// the secret key goes on as the new person.
func (s *teamAPI) addPerson(w http.ResponseWriter, r *http.Request, by chat.Author, in addPersonRequest) (any, error) {
	sites, err := s.sitesGiven(by, in.Sites)
	if err != nil {
		return nil, err
	}
	hash, err := s.hashPassword(r, in.Password, in.Name, in.Email)
	if err != nil {
		return nil, err
	}
	p, err := s.team.People.Add(r.Context(), chat.Person{Name: in.Name, Email: in.Email, Role: in.Role, Sites: sites, Password: hash})
	if err != nil {
		return nil, err
	}
	s.Audit(r, by, chat.AuditJoined, p.Name, string(p.Role)+", added")
	if in.SignIn && by.Source == chat.SourceConsole && by.Person == "" && !s.signOnOnly() {
		if err := s.goOnAs(w, r, by, p); err != nil {
			return nil, err
		}
	}
	return viewPerson(p, by), nil
}

// goOnAs signs the console in as a person, in place of who was.
func (s *teamAPI) goOnAs(w http.ResponseWriter, r *http.Request, by chat.Author, p chat.Person) error {
	if err := s.startSignIn(w, r, p, "with the new account", false); err != nil {
		return err
	}
	return s.team.SignIns.End(r.Context(), by.SignIn)
}

type patchPersonRequest struct {
	Name          *string              `json:"name"`
	Role          *chat.Role           `json:"role"`
	PlatformNames *[]chat.PlatformName `json:"platformNames"`
	Sites         json.RawMessage      `json:"sites"` // null for all
}

// sites are those that the person answers then.
func (in *patchPersonRequest) sites(s *teamAPI, by chat.Author) (chat.SiteSet, error) {
	given, err := web.Unmarshal[struct {
		Sites []string `json:"sites"`
	}](slices.Concat([]byte(`{"sites":`), in.Sites, []byte(`}`)))
	if err != nil {
		return nil, err
	}
	return s.sitesGiven(by, given.Sites)
}

// sitesGiven are the sites that somebody is given by their ids; who answers some sites can
// give these, and does without a list.
func (s *teamAPI) sitesGiven(by chat.Author, names []string) (chat.SiteSet, error) {
	if names == nil {
		return by.Sites, nil
	}
	return s.sites().SetOf(names, by.Sites)
}

// patchPerson answers PATCH /api/admin/people/{id}.
func (s *teamAPI) patchPerson(_ http.ResponseWriter, r *http.Request, by chat.Author, in patchPersonRequest) (any, error) {
	var before chat.Person
	var sites chat.SiteSet
	if in.Sites != nil {
		var err error
		if sites, err = in.sites(s, by); err != nil {
			return nil, err
		}
	}
	if in.PlatformNames != nil && by.Sites != nil {
		if err := s.namesFree(r, by, *in.PlatformNames); err != nil {
			return nil, err
		}
	}
	p, err := s.team.People.Change(r.Context(), web.PathVar(r, "id"), func(p *chat.Person) error {
		before = *p
		if err := Manages(by, p); err != nil {
			return err
		}
		if in.Sites != nil {
			p.Sites = sites
		}
		if in.Name != nil {
			p.Name = *in.Name
		}
		if in.Role != nil {
			p.Role = *in.Role
		}
		if in.PlatformNames != nil {
			p.PlatformNames = slices.Clone(*in.PlatformNames)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.AuditChange(r, by, &before, &p)
	return viewPerson(p, by), nil
}

// namesFree refuses names on platforms of people whom the author does not administer: a name
// moves to whoever gets it last.
func (s *teamAPI) namesFree(r *http.Request, by chat.Author, names []chat.PlatformName) error {
	people, err := s.team.People.List(r.Context())
	if err != nil {
		return err
	}
	for i := range people {
		for _, has := range people[i].PlatformNames {
			wanted := func(n chat.PlatformName) bool { return n.Bridge == has.Bridge && team.PlatformKey(n.Name) == has.Name }
			if !by.Manages(people[i].Sites) && slices.ContainsFunc(names, wanted) {
				return chat.ErrorAt(chat.Conflict, "platformNames", "Somebody in the team has this name there already. Ask an administrator of all sites")
			}
		}
	}
	return nil
}

// removePerson answers DELETE /api/admin/people/{id}: the person's streams end.
func (s *teamAPI) removePerson(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	p, err := s.team.People.Remove(r.Context(), web.PathVar(r, "id"), chat.AuditName(by))
	if err != nil {
		return nil, err
	}
	s.Audit(r, by, chat.AuditPersonRemoved, p.Name, p.Email)
	return web.OK, nil
}

// invitationView is a new link with its secret, which is answered once.
type invitationView struct {
	chat.Invitation
	URL string `json:"url"`
	QR  string `json:"qr"` // the link as the data of an SVG path
}

func (s *teamAPI) showInvitation(r *http.Request, i chat.Invitation, secret string) invitationView {
	link := InvitationURL(s.PagesURL(r), secret)
	return invitationView{i, link, web.QRPath(link)}
}

// InvitationURL is the address of an invitation. The secret is behind the #, which browsers
// send to nobody.
func InvitationURL(base, secret string) string {
	return strings.TrimSuffix(base, "/") + "/console/invitation#" + secret
}

// invitations answers GET /api/admin/invitations: those that still work, without secrets.
func (s *teamAPI) invitations(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	list, err := s.team.People.Invitations(r.Context())
	list = slices.DeleteFunc(list, func(i chat.Invitation) bool { return !by.Manages(i.Sites) })
	return map[string]any{"invitations": append([]chat.Invitation{}, list...)}, err
}

type inviteRequest struct {
	Email string    `json:"email"`
	Role  chat.Role `json:"role"`
	Sites []string  `json:"sites"`
}

// invite answers POST /api/admin/invitations.
func (s *teamAPI) invite(_ http.ResponseWriter, r *http.Request, by chat.Author, in inviteRequest) (any, error) {
	sites, err := s.sitesGiven(by, in.Sites)
	if err != nil {
		return nil, err
	}
	secret, i, err := s.team.People.Invite(r.Context(), chat.Invitation{Email: in.Email, Role: in.Role, Sites: sites, InvitedBy: by.Name, Inviter: inviter(by)})
	if err != nil {
		return nil, err
	}
	s.Audit(r, by, chat.AuditInvited, i.Email, string(i.Role))
	return s.showInvitation(r, i, secret), nil
}

// inviter is who a link ends with: a person, an API key, or "" for the secret key.
func inviter(by chat.Author) string {
	if by.Key != nil {
		return by.Key.ID
	}
	return by.Person
}

// resetPassword answers POST /api/admin/people/{id}/reset with a link to a new password.
func (s *teamAPI) resetPassword(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	p, err := s.team.People.Find(r.Context(), web.PathVar(r, "id"))
	if err != nil {
		return nil, err
	}
	secret, i, err := s.team.People.Invite(r.Context(), chat.Invitation{Person: p.ID, Role: p.Role, Sites: p.Sites, InvitedBy: by.Name, Inviter: inviter(by)})
	if err != nil {
		return nil, err
	}
	s.Audit(r, by, chat.AuditPasswordReset, p.Name, "link made")
	return s.showInvitation(r, i, secret), nil
}

// mailInvitation answers POST /api/admin/invitations/{id}/mail: a link goes out by e-mail, with
// a secret of its own; the one that was shown works no more then.
func (s *teamAPI) mailInvitation(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	if err := s.mayManage(r, by); err != nil {
		return nil, err
	}
	to, err := s.Engine.MailInvitation(r.Context(), by, web.PathVar(r, "id"))
	if err != nil {
		return nil, err
	}
	s.Audit(r, by, chat.AuditInvited, to, "by e-mail")
	return web.OK, nil
}

// mayManage refuses a link that somebody of other sites made.
func (s *teamAPI) mayManage(r *http.Request, by chat.Author) error {
	list, err := s.team.People.Invitations(r.Context())
	if err != nil {
		return err
	}
	id := web.PathVar(r, "id")
	if slices.ContainsFunc(list, func(i chat.Invitation) bool { return i.ID == id && !by.Manages(i.Sites) }) {
		return chat.ErrInvitationNotFound
	}
	return nil
}

// withdraw answers DELETE /api/admin/invitations/{id}.
func (s *teamAPI) withdraw(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	if err := s.mayManage(r, by); err != nil {
		return nil, err
	}
	return s.Audited(r, by, chat.AuditInvitationRemoved, "", s.team.People.Withdraw(r.Context(), web.PathVar(r, "id")))
}

// auditView is an entry with the site that it concerns, as soon as there are several.
type auditView struct {
	chat.AuditEntry
	Site string `json:"site,omitempty"`
}

// maxAudit is how many entries one request lists.
const maxAudit = 200

// auditList answers GET /api/admin/audit, newest first.
func (s *teamAPI) auditList(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	form := r.URL.Query()
	q := chat.AuditQuery{Person: form.Get("person"), Action: form.Get("action")}
	limit, err := web.QueryLimit(r, 50, maxAudit)
	if err != nil {
		return nil, err
	}
	if q.Sites, err = web.SitesAsked(r, by, s.sites()); err != nil {
		return nil, err
	}
	if cursor := form.Get("cursor"); cursor != "" {
		if q.Before, err = strconv.ParseInt(cursor, 10, 64); err != nil || q.Before < 1 {
			return nil, web.BadRequest("cursor must be a nextCursor of an earlier answer")
		}
	}
	q.Limit = limit + 1
	list, err := s.team.Audit.List(r.Context(), q)
	answer := map[string]any{}
	if len(list) > limit {
		list = list[:limit]
		answer["nextCursor"] = strconv.FormatInt(list[limit-1].Number, 10)
	}
	views := make([]auditView, len(list))
	for i := range list {
		views[i].AuditEntry = list[i]
		if s.sites().Several() {
			views[i].Site = list[i].Site
		}
	}
	answer["entries"] = views
	return answer, err
}
