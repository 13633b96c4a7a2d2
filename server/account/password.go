package account

import (
	"errors"
	"net/http"
	"strings"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/password"
	"github.com/relay-chat/relay/server/team"
	"github.com/relay-chat/relay/server/web"
)

// errBusy is the answer while too many passwords are being checked.
var errBusy = &web.Error{Status: http.StatusTooManyRequests, Text: "Too many people sign in at the moment; try again", Header: http.Header{"Retry-After": {"5"}}}

// passwordLogin signs a person in, or asks for a code. An unknown address and a wrong password are answered
// alike, and take as long.
func (s *consolePages) passwordLogin(w http.ResponseWriter, r *http.Request, l login) (status int, problem string) {
	if s.signOnOnly() {
		return errSignOnOnly.Status, errSignOnOnly.Text + "."
	}
	p, err := s.checkLogin(w, r, l.email, l.password)
	var refused *web.Error
	switch {
	case errors.As(err, &refused):
		return refused.Status, strings.TrimSuffix(refused.Text, ".") + "."
	case err == nil:
		err = s.stepIn(w, r, p, "with the password")
	}
	if err != nil {
		s.log.Error("cannot sign in", "err", err)
		return http.StatusServiceUnavailable, "relay could not sign you in. Please try again in a moment."
	}
	return 0, ""
}

// errWrongPassword does not say which of the two is wrong.
var errWrongPassword = &web.Error{Status: http.StatusUnauthorized, Text: "This e-mail address and password do not belong together."}

// checkLogin finds the person with an address and a password. Attempts are counted before
// the costly check: see [consolePages.limitAttempts].
func (s *consolePages) checkLogin(w http.ResponseWriter, r *http.Request, email, given string) (chat.Person, error) {
	if !web.IsText(email) || len(email) > web.MaxBody || len(given) > team.MaxPassword {
		return chat.Person{}, errWrongPassword
	}
	p, err := s.team.People.ByEmail(r.Context(), email)
	if err != nil && !errors.Is(err, chat.ErrPersonNotFound) {
		return p, err
	}
	if err := s.limitAttempts(w, r, email, p); err != nil {
		return chat.Person{}, err
	}
	right, err := s.samePassword(r, p.Password, given)
	if err != nil {
		return p, err
	}
	if !right {
		s.team.Audit.SignInFailed(r.Context(), s.Peer(r).Addr.String())
		return p, errWrongPassword
	}
	return p, nil
}

// limitAttempts counts an attempt to sign in to the account of p, who has no id if the
// address is unknown: by the browser, if it is known for p, else by where it comes from
// and together with all others.
func (s *consolePages) limitAttempts(w http.ResponseWriter, r *http.Request, email string, p chat.Person) error {
	browser := s.knownBrowser(r)
	if person, _, known := strings.Cut(browser, " "); known && person == p.ID {
		return s.Limited(w, r, s.Rates.Known, browser)
	}
	if err := s.Limited(w, r, s.Rates.SignIns, s.Address(r)); err != nil {
		return err
	}
	return s.Limited(w, r, s.Rates.Accounts, team.EmailKey(email))
}

// Passwords checks and hashes passwords.
type Passwords struct {
	*web.Limiter
	hasher *password.Hasher
}

// samePassword checks a password against a stored hash.
func (s *Passwords) samePassword(r *http.Request, hash, given string) (bool, error) {
	right, err := s.hasher.Check(r.Context(), hash, given)
	if errors.Is(err, password.ErrBusy) {
		return false, errBusy
	}
	return right, err
}

// hashPassword checks a new password and hashes it.
func (s *Passwords) hashPassword(r *http.Request, given string, own ...string) (string, error) {
	if err := team.CheckPassword(given, own...); err != nil {
		return "", err
	}
	if password.Guessable(given, own...) {
		return "", chat.ErrorAt(chat.Invalid, "password", "password is among the first that somebody would try: add words or characters that do not belong together")
	}
	hash, err := s.hasher.Hash(r.Context(), given)
	if errors.Is(err, password.ErrBusy) {
		return "", errBusy
	}
	return hash, err
}
