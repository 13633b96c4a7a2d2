package account

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/keyring"
	"github.com/relay-chat/relay/server/onetime"
	"github.com/relay-chat/relay/server/web"
)

// Where two-step sign-in is required, whoever gave the right password and has no authenticator app
// yet has setUpLasts to set one up, before anything else opens. The cookie that remembers it opens
// nothing else, and ends with the password.
const (
	setUpCookie  = "relay_set_up"
	setUpPurpose = "two-step set-up"
)

// quietZone is what is left white around a QR code, in modules.
const quietZone = 4

func setUps(k *keyring.Ring) keyring.Cookies {
	return k.Cookies(setUpPurpose, setUpLasts)
}

// codesRequired reports whether nobody signs in by a password alone.
func codesRequired(settings *chat.Settings) bool { return settings.Bool("requireTotp") }

// settingUp is somebody who sets an app up to sign in.
type settingUp struct {
	person chat.Person
	secret string
	url    string // by which an app takes the secret
}

// beginSetUp has the browser set an app up. Each has a secret of its own: what another one was shown
// who knows the password is worth nothing here.
func (s *consolePages) beginSetUp(w http.ResponseWriter, r *http.Request, p chat.Person) {
	text := p.ID + " " + chat.Hash(p.Password) + " " + chat.NewToken()
	s.setCookie(w, r, codeCookie, "", -1)
	s.setCookie(w, r, setUpCookie, setUps(s.Keys).Sign(s.hostCookie(r, setUpCookie), text), int(setUpLasts/time.Second))
}

// settingUp returns who sets an app up in this browser.
func (s *consolePages) settingUp(r *http.Request) (up settingUp, does bool) {
	text, valid := setUps(s.Keys).Of(r, s.hostCookie(r, setUpCookie))
	id, rest, _ := strings.Cut(text, " ")
	hash, _, _ := strings.Cut(rest, " ")
	if !valid || s.signOnOnly() || !codesRequired(s.settings()) {
		return up, false
	}
	p, err := s.team.People.Find(r.Context(), id)
	if err != nil || !chat.SameSecret(hash, chat.Hash(p.Password)) {
		return up, false
	}
	if two, err := s.team.TwoSteps.Find(r.Context(), id); !errors.Is(err, chat.ErrTwoStepOff) && (err != nil || two.On()) {
		return up, false
	}
	up.person = p
	up.secret, up.url, err = onetime.Of(appIssuer(s.Clients, r), p.Email, chat.MAC(s.Keys.SigningKey(setUpPurpose), "secret "+text))
	return up, err == nil
}

// appIssuer tells one relay from another in an app.
func appIssuer(clients *web.Clients, r *http.Request) string {
	u, err := url.Parse(clients.PagesURL(r))
	if err != nil || u.Hostname() == "" {
		return "relay"
	}
	return "relay " + u.Hostname()
}

// showSetUp answers the page with the secret of a new app, and the problem of the last code.
func (s *consolePages) showSetUp(w http.ResponseWriter, r *http.Request, status int, up settingUp, problem string) {
	path, size := web.QRCode(up.url)
	box := strconv.Itoa(size + 2*quietZone)
	s.Show(w, r, status, "setup-code.html", web.Slots{"Email": up.person.Email, "Secret": grouped(up.secret), "QR": path, "ViewBox": "-4 -4 " + box + " " + box,
		"Problem": s.Say(r, problem), "WrongPassword": strconv.FormatBool(status == http.StatusUnauthorized)})
}

// grouped cuts a secret into parts that can be typed.
func grouped(secret string) string {
	var parts []string
	for ; len(secret) > 4; secret = secret[4:] {
		parts = append(parts, secret[:4])
	}
	return strings.Join(append(parts, secret), " ")
}

// finishSetUp answers POST /console/code for who sets an app up: its code turns it on and signs in.
func (s *consolePages) finishSetUp(w http.ResponseWriter, r *http.Request, up settingUp) {
	if s.limitCodes(w, r, up.person) != nil {
		w.Header().Set("Retry-After", strconv.Itoa(codeRest))
		s.showSetUp(w, r, http.StatusTooManyRequests, up, codeOften)
		return
	}
	step, right := onetime.Step(up.secret, onetime.Plain(r.PostFormValue("code")), time.Now())
	if !right {
		s.showSetUp(w, r, http.StatusUnauthorized, up, "This code is wrong. Type the one that the app shows now; if it stays wrong, check the clock of the phone.")
		return
	}
	codes, hashes := newRecovery()
	secret, in, err := s.team.SignIns.SignInByNewApp(r.Context(), chat.TwoStep{Person: up.person.ID, Secret: up.secret, Used: step}, up.person.Password, hashes, agentName(r), s.Peer(r).Addr.String())
	switch {
	case errors.Is(err, chat.ErrTwoStepOn), errors.Is(err, chat.ErrWrongCode): // elsewhere meanwhile
		s.setCookie(w, r, setUpCookie, "", -1)
		s.showLogin(w, r, http.StatusUnauthorized, login{problem: "Your account changed meanwhile. Please sign in again.", elsewhere: true})
		return
	case err != nil:
		s.log.Error("cannot sign in", "err", err)
		s.showSetUp(w, r, http.StatusServiceUnavailable, up, codeBroken)
		return
	}
	s.Audit(r, personAuthor(up.person, in.ID), chat.AuditTwoStepOn, up.person.Name, "required to sign in")
	s.setCookie(w, r, setUpCookie, "", -1)
	s.admit(w, r, up.person, secret, in, "with the password and a new app")
	s.Show(w, r, http.StatusOK, "setup-done.html", web.Slots{"RecoveryCodes": strings.Join(codes, "\n")})
}
