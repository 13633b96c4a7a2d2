package account

import (
	"net/http"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/web"
)

// invitationPage answers GET /console/invitation. Its script reads the link's secret behind
// the #.
func (s *consolePages) invitationPage(w http.ResponseWriter, r *http.Request) {
	s.Show(w, r, http.StatusOK, "invitation.html", web.Slots{})
}

// invitationAnswer describes an invitation to who has the link.
type invitationAnswer struct {
	Reset     bool      `json:"reset"` // a new password for somebody known
	Role      chat.Role `json:"role"`
	Name      string    `json:"name,omitempty"`
	Email     string    `json:"email,omitempty"`
	InvitedBy string    `json:"invitedBy,omitempty"`
	ExpiresAt chat.Time `json:"expiresAt"`
}

// checkInvitation answers POST /console/invitation/check.
func (s *consolePages) checkInvitation(w http.ResponseWriter, r *http.Request, _ chat.Author) (any, error) {
	in, err := s.invited(w, r)
	if err != nil {
		return nil, err
	}
	i, p, err := s.team.People.Invitation(r.Context(), in.Token)
	if err != nil {
		return nil, err
	}
	a := invitationAnswer{Reset: i.Person != "", Role: i.Role, Email: i.Email, InvitedBy: i.InvitedBy, ExpiresAt: i.ExpiresAt}
	if a.Reset {
		a.Name, a.Email = p.Name, p.Email
	}
	return a, nil
}

// invitedRequest is what who has a link sends.
type invitedRequest struct {
	Token    string `json:"token"`
	Name     string `json:"name"`
	Email    string `json:"email"`
	Password string `json:"password"`
}

// invited reads a request with a link's secret. The attempts of an address are counted.
func (s *consolePages) invited(w http.ResponseWriter, r *http.Request) (in invitedRequest, err error) {
	if s.CrossOrigin.Check(r) != nil {
		return in, web.ErrForbidden
	}
	if err := s.Limited(w, r, s.Rates.SignIns, s.Address(r)); err != nil {
		return in, err
	}
	if in, err = web.Decode[invitedRequest](r); err != nil {
		return in, err
	}
	return in, web.Required("token", in.Token)
}

// acceptInvitation answers POST /console/invitation/accept: the person joins, or gets the
// new password, and is signed in; a code is asked for in any case.
func (s *consolePages) acceptInvitation(w http.ResponseWriter, r *http.Request, _ chat.Author) (any, error) {
	if s.signOnOnly() {
		return nil, errSignOnOnly
	}
	in, err := s.invited(w, r)
	if err != nil {
		return nil, err
	}
	if _, _, err := s.team.People.Invitation(r.Context(), in.Token); err != nil { // before the costly hash
		return nil, err
	}
	hash, err := s.hashPassword(r, in.Password, in.Name, in.Email)
	if err != nil {
		return nil, err
	}
	p, i, err := s.team.People.Accept(r.Context(), in.Token, chat.Person{Name: in.Name, Email: in.Email, Password: hash})
	if err != nil {
		return nil, err
	}
	action, detail := chat.AuditJoined, string(p.Role)+", invited by "+i.InvitedBy
	if i.Person != "" {
		action, detail = chat.AuditPasswordReset, "new password set"
	}
	s.Audit(r, personAuthor(p, ""), action, p.Name, detail)
	return web.OK, s.stepIn(w, r, p, "with the link")
}
