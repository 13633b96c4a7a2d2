package server

import (
	"net/http"
	"net/netip"
	"net/url"
	"strconv"
	"strings"

	"github.com/relay-chat/relay/server/account"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/team"
	"github.com/relay-chat/relay/server/web"
)

// setupCookie remembers that the right set-up code was entered.
const setupCookie = "relay_setup"

// ownPages are relay's pages beside the console.
type ownPages struct {
	*account.SignIns
	web.Pages
	engine *engine.Engine
}

// home answers GET /: both keys while the set-up window is open and the caller
// may see them, else the status page.
func (s *ownPages) home(w http.ResponseWriter, r *http.Request) {
	page, secret, wrongCode := "status.html", "", false
	if s.Keys.SetupOpen() {
		page = "locked.html"
		var allowed bool
		if allowed, wrongCode = s.maySetUp(r); allowed {
			secret = s.secretFor(w, r)
		}
	}
	if wantsJSON(r) {
		keys := map[string]string{"publicKey": s.Keys.Public()}
		if secret != "" {
			keys["secretKey"] = secret
		}
		web.WriteJSON(w, http.StatusOK, keys)
		return
	}
	values := web.Slots{"PublicKey": s.Keys.Public(), "Snippet": s.snippet(r), "Hint": "",
		"Invalid": strconv.FormatBool(wrongCode), "Problem": ""}
	if s.onlyHere(r) {
		values["Hint"] = s.Say(r, "With this address the chat works on this machine only. For a site that others visit, start relay on a server "+
			"with PUBLIC_URL=https://…: see “Behind a proxy” at /docs/operations.")
	}
	if wrongCode {
		values["Problem"] = s.Say(r, "That is not the set-up code. Look for the newest one in the log and try again.")
	}
	if secret != "" {
		page, values["SecretKey"] = "setup.html", secret
		s.signInHere(w, r)
	}
	s.Show(w, r, http.StatusOK, page, values)
}

// onlyHere reports whether relay's address works on this machine only.
func (s *ownPages) onlyHere(r *http.Request) bool {
	base, err := url.Parse(s.BaseURL(r))
	return err == nil && web.IsLocalHost(base.Host, netip.Addr.IsLoopback)
}

// secretFor returns the secret key for a caller who may see it. Each time is
// logged.
func (s *ownPages) secretFor(w http.ResponseWriter, r *http.Request) string {
	_, secret, err := s.Keys.Show(r.Context())
	if err != nil {
		s.Log.Error("cannot read the keys", "err", err)
		return ""
	}
	if secret != "" {
		s.Log.Warn("secret key shown on the set-up page", "peer", s.Peer(r).Addr)
	}
	if code := r.URL.Query().Get("setup"); code != "" {
		http.SetCookie(w, &http.Cookie{Name: setupCookie, Value: s.Keys.SetupCode(), Path: "/", MaxAge: 3600,
			HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: s.Secure(r)})
	}
	return secret
}

// signInHere signs the one who sees the keys in to the console beside them, unless the
// request comes from a page of another site.
func (s *ownPages) signInHere(w http.ResponseWriter, r *http.Request) {
	if _, err := s.SignedIn(r); err == nil || r.Method != http.MethodGet || fromForeignPage(r) {
		return
	}
	err := s.StartKeySignIn(w, r, s.engine.Settings().Text("operatorName"), func(team.Reader) error { return nil })
	if err != nil {
		s.Log.Error("cannot sign in beside the keys", "err", err)
	}
}

// setupDone answers POST /setup/done: the keys are saved, so the window closes.
func (s *ownPages) setupDone(w http.ResponseWriter, r *http.Request) {
	if err := s.CrossOrigin.Check(r); err != nil {
		s.ShowError(w, r, http.StatusForbidden, "This form was sent from another site.")
		return
	}
	if allowed, _ := s.maySetUp(r); allowed && s.Keys.SetupOpen() {
		s.Keys.CloseSetup("the keys are saved")
	}
	http.Redirect(w, r, "/", http.StatusSeeOther)
}

// maySetUp reports whether the caller may see the secret key: a request from this
// machine, or one with the set-up code.
func (s *ownPages) maySetUp(r *http.Request) (allowed, wrongCode bool) {
	near := s.IsNear(r)
	if code := r.URL.Query().Get("setup"); code != "" {
		if s.Keys.TryCode(code) {
			return true, false
		}
		wrongCode = true
	}
	if c, err := r.Cookie(setupCookie); err == nil && chat.SameSecret(c.Value, s.Keys.SetupCode()) {
		return true, false
	}
	return near, wrongCode
}

// fromForeignPage reports whether a browser makes the request for a page of another
// origin, for an image or by a link.
func fromForeignPage(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	return site == "cross-site" || site == "same-site"
}

func wantsJSON(r *http.Request) bool {
	accept := r.Header.Get("Accept")
	return strings.Contains(accept, "application/json") && !strings.Contains(accept, "text/html")
}
