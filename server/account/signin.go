package account

import (
	"crypto/rand"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/keyring"
	"github.com/relay-chat/relay/server/team"
	"github.com/relay-chat/relay/server/web"
)

// SignIns begins sign-ins at the console, and knows them by their cookies.
type SignIns struct {
	*web.Clients
	web.Auditor
	team     *team.Team
	Keys     *keyring.Ring
	settings func() *chat.Settings
}

// errSignOnOnly refuses passwords and passkeys where single sign-on alone opens the console.
var errSignOnOnly = &web.Error{Status: http.StatusForbidden, Text: "Only single sign-on opens this console. Use its button, or the secret key"}

// signOnOnly reports whether people sign in by single sign-on alone. As long as that is not set up,
// it would lock everybody out.
func (s *SignIns) signOnOnly() bool { return signOnOnly(s.settings()) }

func signOnOnly(settings *chat.Settings) bool {
	o := settings.SignOn()
	return o.Only && o.Ready()
}

// RefusesSignIn reports whether the settings admit a sign-in no more, because of how it was made.
func RefusesSignIn(settings *chat.Settings, in *chat.SignIn) bool {
	if in.Person == "" || in.Until != 0 { // with the secret key, by single sign-on
		return false
	}
	return signOnOnly(settings) || in.PasswordOnly && codesRequired(settings)
}

// StartKeySignIn signs in who has the secret key.
func (s *SignIns) StartKeySignIn(w http.ResponseWriter, r *http.Request, name string, valid func(team.Reader) error) error {
	secret, in, err := s.team.SignIns.SignInByKey(r.Context(), name, agentName(r), s.Peer(r).Addr.String(), valid)
	if err != nil {
		return err
	}
	s.Audit(r, chat.Author{Source: chat.SourceConsole, Name: name, SignIn: in.ID}, chat.AuditSignIn, "", "with the secret key")
	s.setConsoleCookie(w, r, signInCookie+secret, consoleSignIn)
	return nil
}

// startSignIn signs a person in, in a browser that it knows from then on. passwordOnly says that the
// person proved nothing else.
func (s *SignIns) startSignIn(w http.ResponseWriter, r *http.Request, p chat.Person, how string, passwordOnly bool) error {
	if s.signOnOnly() {
		return errSignOnOnly
	}
	secret, in, err := s.team.SignIns.SignIn(r.Context(), p.ID, passwordOnly, agentName(r), s.Peer(r).Addr.String())
	if err != nil {
		return err
	}
	s.admit(w, r, p, secret, in, how)
	return nil
}

// admit gives the browser a sign-in that is stored.
func (s *SignIns) admit(w http.ResponseWriter, r *http.Request, p chat.Person, secret string, in chat.SignIn, how string) {
	s.Audit(r, personAuthor(p, in.ID), chat.AuditSignIn, "", how)
	s.setConsoleCookie(w, r, signInCookie+secret, consoleSignIn)
	s.remember(w, r, p.ID)
}

// signInCookie begins the console's cookie; what follows is the sign-in's secret.
const signInCookie = "person."

// SignedIn returns the operator whose cookie this is, or [web.ErrUnauthorized].
func (s *SignIns) SignedIn(r *http.Request) (chat.Author, error) {
	by := chat.Author{Sender: chat.SenderOperator, Source: chat.SourceConsole}
	c, err := r.Cookie(s.hostCookie(r, PlainCookie))
	if err != nil {
		return by, web.ErrUnauthorized
	}
	secret, found := strings.CutPrefix(c.Value, signInCookie)
	if !found {
		return by, web.ErrUnauthorized
	}
	p, in, err := s.team.SignIns.SignedIn(r.Context(), secret, s.Peer(r).Addr.String())
	if errors.Is(err, chat.ErrSignInNotFound) || err == nil && RefusesSignIn(s.settings(), &in) {
		return by, web.ErrUnauthorized
	}
	by.Name, by.Person, by.Role, by.Sites, by.SignIn = p.Name, p.ID, p.Role, p.Sites, in.ID
	return by, err
}

// PlainCookie is the name of the cookie where there is no TLS.
const PlainCookie = "relay_console"

// hostCookie returns a cookie's name, which over TLS keeps other hosts from setting it.
func (s *SignIns) hostCookie(r *http.Request, name string) string {
	if s.Secure(r) {
		return "__Host-" + name
	}
	return name
}

func (s *SignIns) setConsoleCookie(w http.ResponseWriter, r *http.Request, value string, maxAge int) {
	s.setCookie(w, r, PlainCookie, value, maxAge)
}

// setCookie sets a cookie that only relay's own pages send, or removes it with a negative
// age.
func (s *SignIns) setCookie(w http.ResponseWriter, r *http.Request, name, value string, maxAge int) {
	http.SetCookie(w, &http.Cookie{Name: s.hostCookie(r, name), Value: value, Path: "/", MaxAge: maxAge,
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: s.Secure(r)})
}

// agentName is the browser of a request in a few words, "" if it is unknown.
func agentName(r *http.Request) string {
	browser, device := web.DescribeAgent(r.UserAgent())
	if device != "" && browser != "" {
		return browser + ", " + device
	}
	return browser
}

// personAuthor is a person of the team at the console.
func personAuthor(p chat.Person, signIn string) chat.Author {
	return chat.Author{Sender: chat.SenderOperator, Source: chat.SourceConsole, Name: p.Name, Person: p.ID, Role: p.Role, Sites: p.Sites, SignIn: signIn}
}

// A known browser is one in which a person has signed in. Its cookie opens nothing: its
// attempts are counted by themselves, so that nobody can lock the person out by trying
// wrong passwords elsewhere.
const (
	knownCookie = "relay_known"
	knownLife   = 400 * 24 * time.Hour // browsers keep no cookie for longer
)

func knownBrowsers(k *keyring.Ring) keyring.Cookies {
	return k.Cookies("known browser", knownLife)
}

// remember makes the browser one that the person knows.
func (s *SignIns) remember(w http.ResponseWriter, r *http.Request, person string) {
	value := knownBrowsers(s.Keys).Sign(s.hostCookie(r, knownCookie), person+" "+rand.Text())
	s.setCookie(w, r, knownCookie, value, int(knownLife/time.Second))
}

// knownBrowser returns a text that only this browser has and that begins with the id of
// who signed in there last, "" if it is not known.
func (s *SignIns) knownBrowser(r *http.Request) string {
	browser, _ := knownBrowsers(s.Keys).Of(r, s.hostCookie(r, knownCookie))
	return browser
}
