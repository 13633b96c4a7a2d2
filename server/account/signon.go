package account

import (
	"context"
	"encoding/base64"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/keyring"
	"github.com/relay-chat/relay/server/team"
	"github.com/relay-chat/relay/server/web"
)

// signOnPath is where signing in at a provider begins, signOnReturn where the provider leads back to.
const (
	signOnPath   = "/console/sign-on"
	SignOnReturn = "/console/sign-on/return"
)

// Limits of signing in at a provider: how long somebody may take there, and how long relay waits
// for its answers.
const (
	signOnLife     = 10 * time.Minute
	signOnPatience = 8 * time.Second
	signOnCookie   = "relay_sign_on"
	signOnPurpose  = "single sign-on"
	longestCode    = 4000 // characters
)

// SignOn asks a provider who somebody is.
type SignOn interface {
	// Examine checks the provider, and reports whether it can be asked again about who is signed in.
	Examine(ctx context.Context, o *chat.SignOn, at chat.SignOnPlace) (found []chat.Finding, renews bool)
	// Ask returns the page on which somebody signs in.
	Ask(ctx context.Context, o *chat.SignOn, redirect, state, nonce, verifier string) (page string, err error)
	Redeem(ctx context.Context, o *chat.SignOn, a *chat.SignOnAnswer) (*chat.Identity, *chat.SignOnGrant, error)
	Renew(ctx context.Context, o *chat.SignOn, g *chat.SignOnGrant) (*chat.Identity, *chat.SignOnGrant, error)
}

// signOnAPI signs people in at a provider of their own.
type signOnAPI struct {
	*consolePages
	provider SignOn
}

// signOnStates are cookies of the browsers that are at the provider: what one has begun, no other
// finishes. What belongs to a state is calculated, so that nothing is stored for who only begins.
func signOnStates(k *keyring.Ring) keyring.Cookies {
	return k.Cookies(signOnPurpose, signOnLife)
}

// secretsOf are what the provider ties its answer to (nonce), and what redeems it (verifier).
func (s *signOnAPI) secretsOf(state string) (nonce, verifier string) {
	key := s.Keys.SigningKey(signOnPurpose)
	part := func(name string) string {
		return base64.RawURLEncoding.EncodeToString(chat.MAC(key, name+" "+state))
	}
	return part("nonce"), part("verifier")
}

// boundState is what a state is for: changing the provider ends what was begun.
func boundState(o *chat.SignOn, state string) string {
	return state + " " + chat.Hash(o.Issuer+" "+o.Client)
}

func (s *signOnAPI) redirect(r *http.Request) string { return s.PagesURL(r) + SignOnReturn }

// begin answers GET /console/sign-on: it leads to the provider.
func (s *signOnAPI) begin(w http.ResponseWriter, r *http.Request) {
	o := s.settings().SignOn()
	if !o.Ready() {
		s.showLogin(w, r, http.StatusNotFound, login{problem: "Single sign-on is not set up here.", elsewhere: true})
		return
	}
	if err := s.Limited(w, r, s.Rates.SignIns, s.Address(r)); err != nil {
		s.refuse(w, r, err)
		return
	}
	ctx, cancel := context.WithTimeout(r.Context(), signOnPatience)
	defer cancel()
	state := chat.NewToken()
	nonce, verifier := s.secretsOf(state)
	page, err := s.provider.Ask(ctx, &o, s.redirect(r), state, nonce, verifier)
	if err != nil {
		s.refuse(w, r, err)
		return
	}
	name := s.hostCookie(r, signOnCookie)
	s.setSignOnCookie(w, r, signOnStates(s.Keys).Sign(name, boundState(&o, state)), int(signOnLife/time.Second))
	http.Redirect(w, r, page, http.StatusSeeOther)
}

// setSignOnCookie sets the cookie that comes back with somebody whom the provider leads here, which
// the others do not.
func (s *signOnAPI) setSignOnCookie(w http.ResponseWriter, r *http.Request, value string, maxAge int) {
	http.SetCookie(w, &http.Cookie{Name: s.hostCookie(r, signOnCookie), Value: value, Path: "/", MaxAge: maxAge,
		HttpOnly: true, SameSite: http.SameSiteLaxMode, Secure: s.Secure(r)})
}

// errSignOnState does not say which it is.
var errSignOnState = chat.Errorf(chat.Forbidden, "This sign-in was begun in another browser or tab, took longer than ten minutes, or was used already. Press the button again")

// finish answers GET /console/sign-on/return, where the provider leads the browser back to.
func (s *signOnAPI) finish(w http.ResponseWriter, r *http.Request) {
	if r.Method == http.MethodHead { // which uses nothing up
		s.showLogin(w, r, http.StatusOK, login{})
		return
	}
	if err := s.redeem(w, r); err != nil {
		s.refuse(w, r, err)
		return
	}
	// Browsers send the console's cookie only where relay itself leads.
	w.Header().Set("Refresh", "0; url=/console")
	s.Show(w, r, http.StatusOK, "consent.html", web.Slots{})
}

func (s *signOnAPI) redeem(w http.ResponseWriter, r *http.Request) error {
	o, query := s.settings().SignOn(), r.URL.Query()
	state := query.Get("state")
	begun, valid := signOnStates(s.Keys).Of(r, s.hostCookie(r, signOnCookie))
	if !valid || state == "" || !chat.SameSecret(begun, boundState(&o, state)) || !o.Ready() {
		return errSignOnState
	}
	s.setSignOnCookie(w, r, "", -1)
	if err := s.Limited(w, r, s.Rates.SignIns, s.Address(r)); err != nil {
		return err
	}
	code := query.Get("code")
	if code == "" || query.Has("error") || len(code) > longestCode {
		return &chat.SignOnFailure{Problem: o.Title() + " did not sign you in", Fix: "press the button again", Cause: chat.Clip(chat.OneLine(query.Get("error")), 100)}
	}
	ctx, cancel := context.WithTimeout(r.Context(), signOnPatience)
	defer cancel()
	nonce, verifier := s.secretsOf(state)
	answer := chat.SignOnAnswer{Code: code, Issuer: query.Get("iss"), Redirect: s.redirect(r), Nonce: nonce, Verifier: verifier}
	who, grant, err := s.provider.Redeem(ctx, &o, &answer)
	if err != nil {
		return err
	}
	joining, err := joiningOf(&o, who, s.engine.Sites())
	if err != nil {
		return err
	}
	j, err := s.team.People.SignInBy(r.Context(), joining, *grant, []byte("sign-on "+state), agentName(r), s.Peer(r).Addr.String())
	if errors.Is(err, chat.ErrChallengeUsed) {
		return errSignOnState
	}
	if err == nil {
		s.setConsoleCookie(w, r, signInCookie+j.Secret, consoleSignIn)
		s.auditSignOn(r, &o, &j)
	}
	return err
}

// joiningOf is what the settings give somebody.
func joiningOf(o *chat.SignOn, who *chat.Identity, sites *chat.Sites) (team.Joining, error) {
	j := team.Joining{Identity: *who, Role: chat.RoleOperator}
	rule, err := o.Admit(who)
	if err != nil || rule == nil {
		return j, err
	}
	j.Mapped, j.Role = true, rule.Role
	if rule.Sites != nil {
		j.Sites, err = sites.SetOf(rule.Sites, nil)
	}
	return j, err
}

func (s *signOnAPI) auditSignOn(r *http.Request, o *chat.SignOn, j *team.Joined) {
	by := personAuthor(j.Person, j.SignIn.ID)
	if j.New {
		s.Audit(r, by, chat.AuditJoined, j.Person.Name, string(j.Person.Role)+", by "+o.Title())
	}
	if j.Linked {
		s.Audit(r, by, chat.AuditAccountLinked, j.Person.Name, o.Title()+": the password, two-step sign-in, passkeys and tokens ended")
	}
	s.auditMapped(r.Context(), by, j)
	s.Audit(r, by, chat.AuditSignIn, "", "with "+o.Title())
}

// auditMapped reports what the provider's groups have changed.
func (s *signOnAPI) auditMapped(ctx context.Context, by chat.Author, j *team.Joined) {
	detail := ""
	switch {
	case j.Kept:
		detail = "stays administrator, as the last one; the provider's groups say otherwise"
	case !j.New && (j.Person.Role != j.Before.Role || !j.Person.Sites.Equal(j.Before.Sites)):
		detail = "by the provider's groups: " + string(j.Person.Role)
	default:
		return
	}
	s.team.Audit.Add(ctx, by, chat.AuditEntry{Action: chat.AuditRoleChanged, Target: j.Person.Name, Detail: detail})
}

// refuse shows the sign-in page with what is wrong. Other ways to sign in stay open.
func (s *signOnAPI) refuse(w http.ResponseWriter, r *http.Request, err error) {
	var failure *chat.SignOnFailure
	var refused *web.Error
	var said *chat.Error
	status, problem := http.StatusServiceUnavailable, "relay could not sign you in. Please try again in a moment."
	switch {
	case errors.As(err, &failure):
		status, problem = s.failed(r, failure)
		s.log.Warn("single sign-on failed", "problem", failure.Problem, "cause", failure.Cause)
	case errors.As(err, &refused):
		status, problem = refused.Status, refused.Text+"."
	case errors.As(err, &said):
		status, problem = http.StatusForbidden, said.Text+"."
	default:
		s.log.Error("cannot sign in", "err", err)
	}
	if status == http.StatusForbidden {
		s.team.Audit.SignInFailed(r.Context(), s.Peer(r).Addr.String())
	}
	s.showLogin(w, r, status, login{problem: problem, elsewhere: true})
}

// failed says what the provider did not do.
func (s *signOnAPI) failed(r *http.Request, f *chat.SignOnFailure) (status int, problem string) {
	settings := s.settings()
	o := settings.SignOn()
	say := func(text string) string { // what names the provider is translated with a place for its name
		return s.Say(r, strings.Replace(text, o.Title(), "{provider}", 1), "provider", s.Say(r, o.Title()))
	}
	if f.Away {
		return http.StatusServiceUnavailable, say(f.Problem+" at the moment.") + " " + s.Say(r, "Try again later, or sign in another way.")
	}
	return http.StatusForbidden, say(f.Problem+".") + " " + s.Say(r, "Please "+f.Fix+".")
}

// test answers POST /api/admin/sign-on/test. A provider that cannot be asked is a result, not an
// error of the request.
func (s *signOnAPI) test(_ http.ResponseWriter, r *http.Request, _ chat.Author) (any, error) {
	settings := s.settings()
	o := settings.SignOn()
	result := chat.SignOnTest{Issuer: o.Issuer, RedirectURL: s.redirect(r)}
	ctx, cancel := context.WithTimeout(r.Context(), signOnPatience)
	defer cancel()
	found, renews := s.provider.Examine(ctx, &o, chat.SignOnPlace{Redirect: result.RedirectURL, Settled: s.Config.PagesURL() != ""})
	if missing := o.Missing(); missing != "" {
		result.Error, result.Fix = "Single sign-on lacks "+missing, "set it"
	}
	for _, f := range found {
		if f.Level == chat.FindingFail && result.Error == "" {
			result.Error, result.Fix = f.Text, f.Fix
			if f.Details != "" {
				result.Error += ": " + f.Details
			}
		}
	}
	result.OK, result.Renews, result.Findings = result.Error == "", renews, settings.FindingsInConsole(found)
	return result, nil
}
