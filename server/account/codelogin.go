package account

import (
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/keyring"
	"github.com/relay-chat/relay/server/onetime"
	"github.com/relay-chat/relay/server/team"
	"github.com/relay-chat/relay/server/web"
)

// The second step of a sign-in: whoever gave the right password has codeLife for the code. The
// cookie that remembers it opens nothing else, and ends with the password.
const (
	codeCookie = "relay_code"
	codeLife   = 5 * time.Minute
)

func secondSteps(k *keyring.Ring) keyring.Cookies {
	return k.Cookies("second step", codeLife)
}

// codeRest is for how long nobody tries codes after too many, in seconds.
const codeRest = 3600

// Problems of the second step, in words of the page.
const (
	codeLate   = "This took longer than five minutes. Please sign in again."
	codeOften  = "Too many codes were tried. Please wait an hour, or use a browser in which you have signed in before."
	codeBroken = "relay could not sign you in. Please try again in a moment."
)

// stepIn signs a person in who gave the right password, or asks for a code first, or for an app to be
// set up.
func (s *consolePages) stepIn(w http.ResponseWriter, r *http.Request, p chat.Person, how string) error {
	if s.signOnOnly() {
		return errSignOnOnly
	}
	two, err := s.team.TwoSteps.Find(r.Context(), p.ID)
	switch {
	case (errors.Is(err, chat.ErrTwoStepOff) || err == nil && !two.On()) && codesRequired(s.settings()):
		s.beginSetUp(w, r, p)
		return nil
	case errors.Is(err, chat.ErrTwoStepOff), err == nil && !two.On():
		return s.startSignIn(w, r, p, how, true)
	case err != nil:
		return err
	}
	name := s.hostCookie(r, codeCookie)
	if _, err := r.Cookie(s.hostCookie(r, setUpCookie)); err == nil {
		s.setCookie(w, r, setUpCookie, "", -1)
	}
	s.setCookie(w, r, codeCookie, secondSteps(s.Keys).Sign(name, p.ID+" "+chat.Hash(p.Password)), int(codeLife/time.Second))
	return nil
}

// waiting returns the person whose code the browser is asked for, with the app.
func (s *consolePages) waiting(r *http.Request) (p chat.Person, two chat.TwoStep, waits bool) {
	text, valid := secondSteps(s.Keys).Of(r, s.hostCookie(r, codeCookie))
	id, hash, _ := strings.Cut(text, " ")
	if !valid || s.signOnOnly() {
		return p, two, false
	}
	p, err := s.team.People.Find(r.Context(), id)
	if err == nil && chat.SameSecret(hash, chat.Hash(p.Password)) {
		two, err = s.team.TwoSteps.Find(r.Context(), id)
		return p, two, err == nil && two.On()
	}
	return p, two, false
}

// showCode answers the page that asks for a code, with the problem of the last one.
func (s *consolePages) showCode(w http.ResponseWriter, r *http.Request, status int, p chat.Person, problem string) {
	s.Show(w, r, status, "code.html", web.Slots{"Email": p.Email, "Problem": s.Say(r, problem), "WrongPassword": strconv.FormatBool(status == http.StatusUnauthorized)})
}

// code answers POST /console/code.
func (s *consolePages) code(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, web.MaxBody)
	if s.CrossOrigin.Check(r) != nil {
		s.showLogin(w, r, http.StatusUnauthorized, login{problem: fromElsewhere, elsewhere: true})
		return
	}
	p, two, waits := s.waiting(r)
	if up, does := s.settingUp(r); !waits && does {
		s.finishSetUp(w, r, up)
		return
	}
	if !waits {
		s.showLogin(w, r, http.StatusUnauthorized, login{problem: codeLate, elsewhere: true})
		return
	}
	if status, problem := s.codeLogin(w, r, p, two, r.PostFormValue("code")); problem != "" {
		s.showCode(w, r, status, p, problem)
		return
	}
	s.setCookie(w, r, codeCookie, "", -1)
	s.entered(w, r)
}

// codeLogin signs in by a code. Attempts are counted before it is looked at.
func (s *consolePages) codeLogin(w http.ResponseWriter, r *http.Request, p chat.Person, two chat.TwoStep, given string) (status int, problem string) {
	if s.limitCodes(w, r, p) != nil {
		w.Header().Set("Retry-After", strconv.Itoa(codeRest))
		return http.StatusTooManyRequests, codeOften
	}
	proof, right := proofOf(&two, given)
	err := error(chat.ErrWrongCode)
	if right {
		proof.Password = p.Password
		err = s.signInByCode(w, r, p, two, proof)
	}
	switch {
	case errors.Is(err, chat.ErrWrongCode):
		s.team.Audit.SignInFailed(r.Context(), s.Peer(r).Addr.String())
		s.Audit(r, chat.Author{}, chat.AuditCodeRefused, p.Name, "after the right password")
		return http.StatusUnauthorized, chat.ErrWrongCode.Text + "."
	case err != nil:
		s.log.Error("cannot sign in", "err", err)
		return http.StatusServiceUnavailable, codeBroken
	}
	return 0, ""
}

func (s *consolePages) signInByCode(w http.ResponseWriter, r *http.Request, p chat.Person, two chat.TwoStep, proof team.Proof) error {
	secret, in, err := s.team.SignIns.SignInByCode(r.Context(), p.ID, proof, agentName(r), s.Peer(r).Addr.String())
	if err != nil {
		return err
	}
	how := "with the password and a code"
	if proof.Recovery != "" {
		how = "with the password and a recovery code, " + strconv.Itoa(two.Left-1) + " left"
	}
	s.admit(w, r, p, secret, in, how)
	return nil
}

// proofOf checks a code of an app. A recovery code is only looked up.
func proofOf(two *chat.TwoStep, given string) (proof team.Proof, right bool) {
	code := onetime.Plain(given)
	if onetime.IsRecovery(code) {
		return team.Proof{Recovery: chat.Hash(code)}, true
	}
	step, right := onetime.Step(two.Secret, code, time.Now())
	return team.Proof{Secret: two.Secret, Step: step}, right
}

// limitCodes counts a code that is tried: ten an hour in a browser that the person knows, and ten
// in all others together. Somebody who has the password needs years then, and locks nobody out.
// Codes are so short that these are counted whatever the settings say, and wherever they come from.
func (s *consolePages) limitCodes(w http.ResponseWriter, r *http.Request, p chat.Person) error {
	key := p.ID
	browser := s.knownBrowser(r)
	if person, _, known := strings.Cut(browser, " "); known && person == p.ID {
		key = browser
	} else if err := s.Limited(w, r, s.Rates.SignIns, s.Address(r)); err != nil {
		return err
	}
	if !s.Rates.Codes.Allow(key, time.Now()) {
		return web.ErrTooMany()
	}
	return nil
}
