package account

import (
	"errors"
	"maps"
	"net/http"
	"slices"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/team"
	"github.com/relay-chat/relay/server/web"
)

// teamAPI is about the people who answer and administer.
type teamAPI struct {
	*SignIns
	*Passwords
	team  *team.Team
	sites func() *chat.Sites
}

// errNoAccount answers who is signed in with the secret key and has no account.
var errNoAccount = chat.Errorf(chat.Conflict, "The secret key has no account. Create one under Team first")

// personView is a person as colleagues see it; the e-mail address is for administrators
// and the person itself.
type personView struct {
	chat.Person
	Avatar string `json:"avatar"`
}

func viewPerson(p chat.Person, by chat.Author) personView {
	if !by.Manages(p.Sites) && by.Person != p.ID {
		p.Email = ""
	}
	if p.Sites != nil {
		p.Sites = p.Sites.And(by.Sites)
	}
	if p.PlatformNames == nil {
		p.PlatformNames = []chat.PlatformName{}
	}
	return personView{p, avatarOf(&p)}
}

// meView is who makes the request: a person, or a holder of the secret key without id.
type meView struct {
	ID          string           `json:"id"`
	Name        string           `json:"name"`
	Email       string           `json:"email,omitempty"`
	Role        chat.Role        `json:"role"`
	Sites       chat.SiteSet     `json:"sites,omitzero"`
	Avatar      string           `json:"avatar,omitempty"`
	SignedInBy  string           `json:"signedInBy"` // account, key, apiKey or token
	Scopes      chat.KeyScopes   `json:"scopes,omitempty"`
	HasPassword bool             `json:"hasPassword"`
	Preferences chat.Preferences `json:"preferences"`
}

func viewMe(p chat.Person) meView {
	return meView{ID: p.ID, Name: p.Name, Email: p.Email, Role: p.Role, Sites: p.Sites, Avatar: avatarOf(&p), SignedInBy: "account",
		HasPassword: p.Password != "", Preferences: p.Preferences.V}
}

// viewKey is who uses the secret key, or an API key.
func viewKey(by chat.Author, chosen chat.Preferences) meView {
	if by.Key != nil {
		return meView{Name: by.Name, Role: by.Role, Sites: by.Sites, SignedInBy: "apiKey", Scopes: by.Key.Scopes, Preferences: chosen}
	}
	return meView{Name: by.Name, Role: by.Role, SignedInBy: "key", Preferences: chosen}
}

// me answers GET /api/admin/me.
func (s *teamAPI) me(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	if by.Person == "" {
		chosen, err := s.team.People.KeyPreferences(r.Context())
		return viewKey(by, chosen), err
	}
	p, err := s.team.People.Find(r.Context(), by.Person)
	view := viewMe(p)
	if by.Key != nil {
		view.SignedInBy, view.Scopes, view.Sites = "token", by.Key.Scopes, by.Sites
	}
	return view, err
}

// meRequest changes one's own account. Fields that are left out stay.
type meRequest struct {
	Name            *string `json:"name"`
	Email           *string `json:"email"`
	Password        *string `json:"password"`
	CurrentPassword string  `json:"currentPassword"`
	Preferences     *struct {
		Notify      *string `json:"notify"`
		Sound       *bool   `json:"sound"`
		PushContent *bool   `json:"pushContent"`

		Mail       *chat.MailWish            `json:"mail"`
		MailSites  *map[string]chat.MailWish `json:"mailSites"`
		DailyAt    *string                   `json:"dailyAt"`
		Views      *[]chat.SavedView         `json:"views"`
		Language   *string                   `json:"language"`
		FirstSteps *string                   `json:"firstSteps"`
	} `json:"preferences"`
}

// patchMe answers PATCH /api/admin/me. A new address or password needs the current
// password; a new password ends the other sign-ins. The secret key has preferences only.
func (s *teamAPI) patchMe(w http.ResponseWriter, r *http.Request, by chat.Author, in meRequest) (any, error) {
	if by.Person == "" {
		if in.Preferences == nil || in.Name != nil || in.Email != nil || in.Password != nil {
			return nil, errNoAccount
		}
		if in.aboutMail() {
			return nil, errNoAccount
		}
		chosen, err := s.team.People.ChangeKeyPreferences(r.Context(), in.choose)
		return viewKey(by, chosen), err
	}
	p, err := s.team.People.Find(r.Context(), by.Person)
	if err != nil {
		return nil, err
	}
	in.leaveSites(&p, s.sites())
	if err := s.mailSitesKnown(&p, &in); err != nil {
		return nil, err
	}
	hash := ""
	if in.Email != nil && team.EmailKey(*in.Email) != p.Email || in.Password != nil {
		if err := s.Confirm(w, r, p, in.CurrentPassword); err != nil {
			return nil, err
		}
	}
	if in.Password != nil {
		if hash, err = s.hashPassword(r, *in.Password, p.Name, p.Email); err != nil {
			return nil, err
		}
	}
	before := p
	p, err = s.team.People.Change(r.Context(), p.ID, func(p *chat.Person) error {
		before = *p
		in.apply(p, hash)
		return nil
	})
	if err == nil {
		s.AuditChange(r, by, &before, &p)
	}
	if err == nil && hash != "" {
		s.Audit(r, by, chat.AuditPasswordChanged, p.Name, "")
		err = s.team.SignIns.EndAll(r.Context(), p.ID, by.SignIn, endsKeys(by, chat.KeyPassword))
	}
	return viewMe(p), err
}

// Confirm checks the current password of who changes something important.
func (s *Passwords) Confirm(w http.ResponseWriter, r *http.Request, p chat.Person, current string) error {
	if p.Password == "" {
		return nil
	}
	if current == "" {
		return web.BadRequest("currentPassword is required")
	}
	if err := s.Limited(w, r, s.Rates.Known, "me "+p.ID); err != nil {
		return err
	}
	right, err := s.samePassword(r, p.Password, current)
	if err == nil && !right {
		return chat.ErrorAt(chat.Forbidden, "currentPassword", "The current password is wrong")
	}
	return err
}

// apply changes what is given.
func (in *meRequest) apply(p *chat.Person, hash string) {
	if in.Name != nil {
		p.Name = *in.Name
	}
	if in.Email != nil {
		p.Email = *in.Email
	}
	if hash != "" {
		p.Password = hash
	}
	if in.Preferences != nil {
		in.choose(&p.Preferences.V)
	}
}

// aboutMail reports whether it says when to send e-mails.
func (in *meRequest) aboutMail() bool {
	p := in.Preferences
	return p != nil && (p.Mail != nil || p.MailSites != nil || p.DailyAt != nil)
}

// leaveSites leaves out the wishes for sites that the person had, and has no more.
func (in *meRequest) leaveSites(p *chat.Person, sites *chat.Sites) {
	if in.Preferences == nil || in.Preferences.MailSites == nil {
		return
	}
	for name := range p.Preferences.V.MailSites {
		if site, err := sites.Named(name); err != nil || !p.Sites.Has(site.ID) {
			delete(*in.Preferences.MailSites, name)
		}
	}
}

// mailSitesKnown refuses sites whose visitors the person does not answer, and unknown ones alike.
func (s *teamAPI) mailSitesKnown(p *chat.Person, in *meRequest) error {
	if in.Preferences == nil || in.Preferences.MailSites == nil || len(*in.Preferences.MailSites) == 0 {
		return nil
	}
	_, err := s.sites().SetOf(slices.Collect(maps.Keys(*in.Preferences.MailSites)), p.Sites)
	if err == nil {
		return nil
	}
	return chat.ErrorAt(chat.Invalid, "preferences.mailSites", "preferences.mailSites: "+err.Error())
}

// choose changes the preferences that are given.
func (in *meRequest) choose(to *chat.Preferences) {
	if v := in.Preferences.Notify; v != nil {
		to.Notify = *v
	}
	if v := in.Preferences.Sound; v != nil {
		to.Sound = *v
	}
	if v := in.Preferences.PushContent; v != nil {
		to.PushContent = *v
	}
	if v := in.Preferences.Mail; v != nil {
		to.Mail = *v
	}
	if v := in.Preferences.MailSites; v != nil {
		to.MailSites = *v
	}
	if v := in.Preferences.DailyAt; v != nil {
		to.DailyAt = *v
	}
	if v := in.Preferences.Views; v != nil {
		to.Views = *v
	}
	if v := in.Preferences.FirstSteps; v != nil {
		to.FirstSteps = *v
	}
	if v := in.Preferences.Language; v != nil {
		to.Language = *v
	}
}

// signInView is a sign-in in the list of them.
type signInView struct {
	chat.SignIn
	Current bool `json:"current"` // it makes the request
}

// listSignIns answers GET /api/admin/sign-ins: one's own, or those of a person or of all for
// administrators.
func (s *teamAPI) listSignIns(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	person := r.URL.Query().Get("person")
	switch {
	case person == withKey && by.OfRelay():
	case person == "" && by.Person == "", person == "all" && by.OfRelay():
		person = ""
	case person == "":
		person = by.Person
	case person == "all" || person == withKey:
		return nil, web.ErrAdministrators
	default:
		if err := overPerson(r.Context(), s.team.People, by, person); err != nil {
			return nil, err
		}
	}
	list, err := s.signInsOf(r, person)
	views := make([]signInView, len(list))
	for i := range list {
		views[i] = signInView{list[i], list[i].ID == by.SignIn}
	}
	return map[string]any{"signIns": views}, err
}

// withKey asks for the sign-ins with the secret key.
const withKey = "key"

// signInsOf lists the sign-ins of a person, with the secret key, or of all with "".
func (s *teamAPI) signInsOf(r *http.Request, person string) ([]chat.SignIn, error) {
	if person != withKey {
		return s.team.SignIns.List(r.Context(), person)
	}
	list, err := s.team.SignIns.List(r.Context(), "")
	return slices.DeleteFunc(list, func(in chat.SignIn) bool { return in.Person != "" }), err
}

// endSignIn answers DELETE /api/admin/sign-ins/{id}. Others' do not exist for operators.
func (s *teamAPI) endSignIn(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	in, err := s.team.SignIns.Find(r.Context(), web.PathVar(r, "id"))
	if err == nil && overPerson(r.Context(), s.team.People, by, in.Person) != nil {
		err = chat.ErrSignInNotFound
	}
	if err == nil {
		err = s.team.SignIns.End(r.Context(), in.ID)
	}
	if err != nil {
		return nil, err
	}
	name := in.Name
	if in.Person != "" {
		p, err := s.team.People.Find(r.Context(), in.Person)
		if err != nil && !errors.Is(err, chat.ErrPersonNotFound) {
			return nil, err
		}
		name = p.Name
	}
	s.Audit(r, by, chat.AuditSignInEnded, name, in.Agent)
	return web.OK, nil
}

// endAllSignIns ends all sign-ins of somebody else.
func (s *teamAPI) endAllSignIns(r *http.Request, by chat.Author, person string) (any, error) {
	if person == withKey {
		if !by.OfRelay() {
			return nil, web.ErrAdministrators
		}
		s.Audit(r, by, chat.AuditSignInEnded, "secret key", "all")
		return web.OK, s.team.SignIns.EndAll(r.Context(), "", by.SignIn, endsKeys(by, chat.KeySignedOut))
	}
	if err := overPerson(r.Context(), s.team.People, by, person); err != nil {
		return nil, err
	}
	p, err := s.team.People.Find(r.Context(), person)
	if err == nil {
		err = s.team.SignIns.EndAll(r.Context(), p.ID, "", endsKeys(by, chat.KeySignedOut))
	}
	if err != nil {
		return nil, err
	}
	s.Audit(r, by, chat.AuditSignInEnded, p.Name, "all")
	return web.OK, nil
}

// endOtherSignIns answers DELETE /api/admin/sign-ins: all of one's own but this one end, or
// all of a person for administrators. Those with the secret key are of everybody who has it.
func (s *teamAPI) endOtherSignIns(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	if person := r.URL.Query().Get("person"); person != "" && person != by.Person {
		return s.endAllSignIns(r, by, person)
	}
	if by.SignIn == "" {
		return nil, errNoAccount
	}
	s.Audit(r, by, chat.AuditSignInEnded, by.Name, "all others")
	return web.OK, s.team.SignIns.EndAll(r.Context(), by.Person, by.SignIn, endsKeys(by, chat.KeySignedOut))
}
