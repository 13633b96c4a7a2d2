package account

import (
	"cmp"
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/onetime"
	"github.com/relay-chat/relay/server/web"
)

// Why somebody cannot have two-step sign-in, or has to take it from themselves elsewhere.
var (
	errNoPassword = chat.Errorf(chat.Conflict, "You have no password, so that nobody could ask for a code after it")
	errNotBegun   = chat.Errorf(chat.Conflict, "No authenticator app was set up within the last hour. Begin again")
	errManyCodes  = &web.Error{Status: http.StatusTooManyRequests, Text: "Too many codes were tried; try again in an hour"}
	errOwnTwoStep = chat.Errorf(chat.Conflict, "Turn off your own two-step sign-in under Your account, with your password")
)

// setUpLasts is how long a new app may wait for the code that confirms it.
const setUpLasts = time.Hour

// twoStepView is what one sees of somebody's two-step sign-in.
type twoStepView struct {
	On            bool      `json:"on"`
	Since         chat.Time `json:"since,omitzero"`
	RecoveryCodes int       `json:"recoveryCodes"` // how many are left
}

// twoStep answers GET /api/admin/two-step: one's own, or that of a person for administrators.
func (s *teamAPI) twoStep(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	person := cmp.Or(r.URL.Query().Get("person"), by.Person)
	if err := overPerson(r.Context(), s.team.People, by, person); err != nil {
		return nil, err
	}
	two, err := s.team.TwoSteps.Find(r.Context(), person)
	switch {
	case errors.Is(err, chat.ErrTwoStepOff), err == nil && !two.On():
		return twoStepView{}, nil
	case err != nil:
		return nil, err
	}
	return twoStepView{On: true, Since: two.ConfirmedAt, RecoveryCodes: two.Left}, nil
}

// twoStepRequest proves who asks: by the password, or a code of the app.
type twoStepRequest struct {
	CurrentPassword string `json:"currentPassword"`
	Code            string `json:"code"`
}

// appView is the secret of a new authenticator app, which relay shows once.
type appView struct {
	Secret string `json:"secret"`
	URL    string `json:"url"`
	QR     string `json:"qr"` // the address as the data of an SVG path
}

// beginTwoStep answers POST /api/admin/two-step. Nothing is asked for before the app has confirmed
// it by a code.
func (s *teamAPI) beginTwoStep(w http.ResponseWriter, r *http.Request, by chat.Author, in twoStepRequest) (any, error) {
	p, err := s.ownPassword(r, by)
	if err != nil {
		return nil, err
	}
	if err := s.Confirm(w, r, p, in.CurrentPassword); err != nil {
		return nil, err
	}
	secret, address, err := onetime.New(appIssuer(s.SignIns.Clients, r), p.Email)
	if err != nil {
		return nil, err
	}
	if err := s.team.TwoSteps.Begin(r.Context(), p.ID, secret); err != nil {
		return nil, err
	}
	return appView{secret, address, web.QRPath(address)}, nil
}

// ownPassword returns the person who makes a request, who must have a password.
func (s *teamAPI) ownPassword(r *http.Request, by chat.Author) (chat.Person, error) {
	if by.Person == "" {
		return chat.Person{}, errNoAccount
	}
	p, err := s.team.People.Find(r.Context(), by.Person)
	if err == nil && p.Password == "" {
		err = errNoPassword
	}
	return p, err
}

// recoveryView are new recovery codes, which relay shows once.
type recoveryView struct {
	RecoveryCodes []string `json:"recoveryCodes"`
}

// newRecovery makes recovery codes with their hashes.
func newRecovery() (codes, hashes []string) {
	codes = onetime.Recovery()
	for _, code := range codes {
		hashes = append(hashes, chat.Hash(onetime.Plain(code)))
	}
	return codes, hashes
}

// begun returns a person's app that waits to be confirmed.
func (s *teamAPI) begun(r *http.Request, person string) (chat.TwoStep, error) {
	two, err := s.team.TwoSteps.Find(r.Context(), person)
	switch {
	case errors.Is(err, chat.ErrTwoStepOff), err == nil && !two.On() && chat.Now().Sub(two.CreatedAt) > setUpLasts:
		return two, errNotBegun
	case err == nil && two.On():
		return two, chat.ErrTwoStepOn
	}
	return two, err
}

// confirmTwoStep answers POST /api/admin/two-step/confirm: codes are asked for from now on.
func (s *teamAPI) confirmTwoStep(w http.ResponseWriter, r *http.Request, by chat.Author, in twoStepRequest) (any, error) {
	p, err := s.ownPassword(r, by)
	if err != nil {
		return nil, err
	}
	two, err := s.begun(r, p.ID)
	if err != nil {
		return nil, err
	}
	if err := web.Required("code", in.Code); err != nil {
		return nil, err
	}
	if s.Limited(w, r, s.Rates.Codes, "confirm "+p.ID) != nil {
		w.Header().Set("Retry-After", strconv.Itoa(codeRest))
		return nil, errManyCodes
	}
	step, right := onetime.Step(two.Secret, onetime.Plain(in.Code), time.Now())
	if !right {
		return nil, chat.ErrorAt(chat.Forbidden, "code", "This code is wrong. Type the one that the app shows now; if it stays wrong, check the clock of the phone")
	}
	codes, hashes := newRecovery()
	if err := s.team.TwoSteps.Confirm(r.Context(), &two, step, hashes, by.SignIn); err != nil {
		return nil, err
	}
	s.Audit(r, by, chat.AuditTwoStepOn, p.Name, "")
	return recoveryView{codes}, nil
}

// renewRecovery answers POST /api/admin/two-step/recovery-codes: the earlier ones work no more.
func (s *teamAPI) renewRecovery(w http.ResponseWriter, r *http.Request, by chat.Author, in twoStepRequest) (any, error) {
	p, err := s.twoStepOn(w, r, by, in)
	if err != nil {
		return nil, err
	}
	codes, hashes := newRecovery()
	if err := s.team.TwoSteps.Renew(r.Context(), p.ID, hashes); err != nil {
		return nil, err
	}
	s.Audit(r, by, chat.AuditRecoveryCodes, p.Name, "")
	return recoveryView{codes}, nil
}

// endTwoStep answers POST /api/admin/two-step/off.
func (s *teamAPI) endTwoStep(w http.ResponseWriter, r *http.Request, by chat.Author, in twoStepRequest) (any, error) {
	p, err := s.twoStepOn(w, r, by, in)
	if err == nil {
		err = s.team.TwoSteps.Drop(r.Context(), p.ID)
	}
	if err != nil {
		return nil, err
	}
	s.Audit(r, by, chat.AuditTwoStepOff, p.Name, "")
	return web.OK, nil
}

// twoStepOn returns the person who makes a request and has proved it by the password.
func (s *teamAPI) twoStepOn(w http.ResponseWriter, r *http.Request, by chat.Author, in twoStepRequest) (chat.Person, error) {
	p, err := s.ownPassword(r, by)
	if err != nil {
		return p, err
	}
	two, err := s.team.TwoSteps.Find(r.Context(), p.ID)
	if err == nil && !two.On() {
		err = chat.ErrTwoStepOff
	}
	if err != nil {
		return p, err
	}
	return p, s.Confirm(w, r, p, in.CurrentPassword)
}

// takeTwoStep answers DELETE /api/admin/people/{id}/two-step: an administrator helps somebody who
// has lost the phone. One's own needs the password: a stolen sign-in must not take it away.
func (s *teamAPI) takeTwoStep(_ http.ResponseWriter, r *http.Request, by chat.Author) (any, error) {
	p, err := s.team.People.Find(r.Context(), web.PathVar(r, "id"))
	if err == nil && p.ID == by.Person {
		err = errOwnTwoStep
	}
	if err == nil {
		err = s.team.TwoSteps.Drop(r.Context(), p.ID)
	}
	if err != nil {
		return nil, err
	}
	s.Audit(r, by, chat.AuditTwoStepOff, p.Name, "by an administrator")
	return web.OK, nil
}
