package account

import (
	"context"
	"errors"
	"log/slog"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/keyring"
	"github.com/relay-chat/relay/server/team"
	"github.com/relay-chat/relay/server/web"
)

// Limits of a sign-in: its life in seconds, and the length of the operator's name.
const (
	consoleSignIn = 30 * 24 * 3600
	maxNameLength = 60
)

// consolePages are the console and the ways to sign in there.
type consolePages struct {
	*web.Clients
	*web.Limiter
	*SignIns
	*Passwords
	web.Pages
	engine *engine.Engine
	team   *team.Team
	log    *slog.Logger
}

// console answers GET /console: the console, or the sign-in page, or its second step.
func (s *consolePages) console(w http.ResponseWriter, r *http.Request) {
	by, err := s.SignedIn(r)
	switch {
	case errors.Is(err, web.ErrUnauthorized):
		if p, _, waits := s.waiting(r); waits {
			s.showCode(w, r, http.StatusOK, p, "")
			return
		}
		if up, does := s.settingUp(r); does {
			s.showSetUp(w, r, http.StatusOK, up, "")
			return
		}
		s.showLogin(w, r, http.StatusOK, login{})
	case err == nil && r.Method == http.MethodGet && s.goOnConnecting(w, r):
	case err != nil:
		s.showAway(w, r, "read who is signed in", err)
	default:
		s.ShowIn(s.languageOf(r, by), w, r, http.StatusOK, "console.html", web.Slots{"OperatorName": by.Name, "OperatorID": by.Person, "Role": string(by.Role),
			"Pages": pagesFor(by), "Mails": strconv.FormatBool(s.engine.Sites().Mail()),
			"Hosts": strings.Join(append(s.engine.Hosts().List(), r.Host), " ")}, nil)
	}
}

const databaseAway = "The database cannot be reached. Please try again in a moment."

// showAway answers that relay cannot do something because of its database.
func (s *consolePages) showAway(w http.ResponseWriter, r *http.Request, what string, err error) {
	s.log.Error("cannot "+what, "err", err)
	s.ShowError(w, r, http.StatusServiceUnavailable, databaseAway)
}

// The console's pages: what operators use, what administrators of sites use beside it, and
// what is relay's.
const (
	operatorPages = "visitors contact statistics settings answers notifications account"
	sitePages     = operatorPages + " knowledge widget greetings forms hours mail ai webhook team privacy"
	relayPages    = sitePages + " channels sites sso system"
)

// pagesFor names the pages that the console offers somebody.
func pagesFor(by chat.Author) string {
	switch {
	case by.OfRelay():
		return relayPages
	case by.Role == chat.RoleAdministrator:
		return sitePages
	}
	return operatorPages
}

// login is an attempt to sign in: with the secret key and a display name, or with the
// e-mail address and password of a person.
type login struct {
	name, key       string
	email, password string
	byKey           bool
	problem         string
	elsewhere       bool // the problem is of no field here
}

func loginOf(r *http.Request) login {
	l := login{name: strings.TrimSpace(r.PostFormValue("name")), key: strings.TrimSpace(r.PostFormValue("key")),
		email: strings.TrimSpace(r.PostFormValue("email")), password: r.PostFormValue("password")}
	l.byKey = l.email == "" && l.password == ""
	return l
}

// showLogin answers the sign-in page, with the problem of the last attempt.
func (s *consolePages) showLogin(w http.ResponseWriter, r *http.Request, status int, l login) {
	people := s.hasPeople(r.Context())
	on := s.settings().SignOn()
	title, only := "", s.signOnOnly()
	if on.Ready() {
		title = s.Say(r, on.Title())
	}
	wrong := strconv.FormatBool(l.problem != "" && !l.elsewhere)
	values := web.Slots{"Hint": s.Say(r, s.loginHint(r)), "SignOn": title, "Only": strconv.FormatBool(only), "Name": l.name, "Email": l.email, "Problem": s.Say(r, l.problem), "Team": strconv.FormatBool(people), "WrongKey": wrong, "WrongPassword": wrong,
		"OpenKey": "", "PasskeyOrigin": "", "FocusName": "", "FocusKey": "", "FocusEmail": "", "FocusPassword": ""}
	if site, err := passkeySite(s.Clients, r); err == nil {
		values["PasskeyOrigin"] = site.Origin
	}
	if !people || l.problem != "" && l.byKey {
		values["OpenKey"] = "open"
	}
	values[focusAt(people, l)] = "autofocus"
	s.Show(w, r, status, "login.html", values)
}

// focusAt is the field that comes next.
func focusAt(people bool, l login) string {
	switch {
	case people && !l.byKey && l.email != "":
		return "FocusPassword"
	case people && (l.problem == "" || !l.byKey):
		return "FocusEmail"
	case l.name != "":
		return "FocusKey"
	}
	return "FocusName"
}

// hasPeople reports whether anybody can sign in without the secret key.
func (s *consolePages) hasPeople(ctx context.Context) bool {
	n := 0
	err := s.engine.Store.ReadOne(ctx, func(rd chat.Reader) (err error) {
		n, _, err = rd.CountPeople()
		return err
	})
	return err == nil && n > 0
}

// fromElsewhere refuses forms of other sites.
const fromElsewhere = "This form was sent from another site."

// login answers POST /console/login.
func (s *consolePages) login(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, web.MaxBody)
	l := loginOf(r)
	status := http.StatusForbidden
	switch {
	case s.CrossOrigin.Check(r) != nil:
		l.problem = fromElsewhere
		status = http.StatusUnauthorized
	case l.byKey:
		status, l.problem = s.keyLogin(w, r, l)
	default:
		status, l.problem = s.passwordLogin(w, r, l)
	}
	if l.problem != "" {
		s.showLogin(w, r, status, l)
		return
	}
	s.entered(w, r)
}

// entered leads into the console, or to the second step.
func (s *consolePages) entered(w http.ResponseWriter, r *http.Request) {
	if s.Keys.SetupOpen() && !s.Peer(r).Local() {
		s.Keys.CloseSetup("an operator signed in")
	}
	http.Redirect(w, r, "/console", http.StatusSeeOther)
}

// keyLogin signs in with the secret key, under any name.
func (s *consolePages) keyLogin(w http.ResponseWriter, r *http.Request, l login) (status int, problem string) {
	switch {
	case l.name == "" || utf8.RuneCountInString(l.name) > maxNameLength || !web.IsText(l.name):
		return http.StatusUnauthorized, "Please give the name that visitors see, up to 60 characters."
	case team.CheckName(l.name) != nil:
		return http.StatusUnauthorized, "Please give a name of ordinary letters: this one has characters that nobody sees, or that look like others."
	case s.Keys.Check(l.key) != keyring.Current:
		if s.Denied(w, r) != web.ErrUnauthorized { // which is not logged each time
			return http.StatusTooManyRequests, "Too many wrong keys. Please wait a minute."
		}
		s.log.Warn("wrong secret key at the console", "peer", s.Peer(r).Addr)
		s.team.Audit.SignInFailed(r.Context(), s.Peer(r).Addr.String())
		return http.StatusUnauthorized, "This is not the secret key."
	}
	err := s.StartKeySignIn(w, r, l.name, s.Keys.Still(l.key))
	switch {
	case errors.Is(err, keyring.ErrReplaced):
		return http.StatusUnauthorized, "This is not the secret key."
	case err != nil:
		s.log.Error("cannot sign in", "err", err)
		return http.StatusServiceUnavailable, databaseAway
	}
	return 0, ""
}

// logout answers POST /console/logout.
func (s *consolePages) logout(w http.ResponseWriter, r *http.Request) {
	if s.CrossOrigin.Check(r) == nil {
		if by, err := s.SignedIn(r); err == nil {
			if err := s.team.SignIns.End(r.Context(), by.SignIn); err != nil {
				s.log.Error("cannot end a sign-in", "err", err)
			}
			s.Audit(r, by, chat.AuditSignInEnded, by.Name, "signed out")
		}
		s.setConsoleCookie(w, r, "", -1)
		for _, name := range []string{codeCookie, setUpCookie} {
			if _, err := r.Cookie(s.hostCookie(r, name)); err == nil {
				s.setCookie(w, r, name, "", -1)
			}
		}
	}
	http.Redirect(w, r, "/console", http.StatusSeeOther)
}
