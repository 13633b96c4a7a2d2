package server

import (
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Limits of a sign-in: its life in seconds, and the length of the operator's name.
const (
	consoleSignIn = 30 * 24 * 3600
	maxNameLength = 60
)

// console answers GET /console: the console, or the sign-in page.
func (s *communityServer) console(w http.ResponseWriter, r *http.Request) {
	name, signedIn := s.signedIn(r)
	if !signedIn {
		s.showLogin(w, r, http.StatusOK, "", "")
		return
	}
	s.show(w, r, http.StatusOK, "console.html", slots{"OperatorName": name})
}

// showLogin answers the sign-in page, with the problem of the last attempt.
func (s *communityServer) showLogin(w http.ResponseWriter, r *http.Request, status int, name, problem string) {
	values := slots{"Name": name, "Problem": problem, "Invalid": strconv.FormatBool(problem != ""), "FocusName": "", "FocusKey": ""}
	next := "FocusName"
	if name != "" {
		next = "FocusKey"
	}
	values[next] = "autofocus"
	s.show(w, r, status, "login.html", values)
}

// login answers POST /console/login: the secret key and a display name open
// the console.
func (s *communityServer) login(w http.ResponseWriter, r *http.Request) {
	r.Body = http.MaxBytesReader(w, r.Body, maxBody)
	name := strings.TrimSpace(r.PostFormValue("name"))
	problem, status := "", http.StatusUnauthorized
	switch {
	case s.crossOrigin.Check(r) != nil:
		problem = "This form was sent from another site."
	case name == "" || utf8.RuneCountInString(name) > maxNameLength || !isText(name):
		problem = "Please give the name that visitors see, up to 60 characters."
	case !s.keys.IsSecret(strings.TrimSpace(r.PostFormValue("key"))):
		problem = "This is not the secret key."
		if s.denied(w, r) != errUnauthorized { // which is not logged each time
			problem, status = "Too many wrong keys. Please wait a minute.", http.StatusTooManyRequests
			break
		}
		s.log.Warn("wrong secret key at the console", "peer", s.peer(r).addr)
	}
	if problem != "" {
		s.showLogin(w, r, status, name, problem)
		return
	}
	s.setConsoleCookie(w, r, s.keys.cookies().sign(s.cookieName(r), name), consoleSignIn)
	if s.keys.SetupOpen() && !s.peer(r).local() {
		s.keys.CloseSetup("an operator signed in")
	}
	http.Redirect(w, r, "/console", http.StatusSeeOther)
}

// logout answers POST /console/logout.
func (s *communityServer) logout(w http.ResponseWriter, r *http.Request) {
	if s.crossOrigin.Check(r) == nil {
		if name, signedIn := s.signedIn(r); signedIn {
			if err := s.engine.SignOut(r.Context(), name, s.signIn(r)); err != nil {
				s.log.Error("cannot end an operator's presence at sign-out", "err", err)
			}
		}
		s.setConsoleCookie(w, r, "", -1)
	}
	http.Redirect(w, r, "/console", http.StatusSeeOther)
}

// signedIn returns the display name of the operator whose cookie this is.
func (s *communityServer) signedIn(r *http.Request) (name string, signedIn bool) {
	c, err := r.Cookie(s.cookieName(r))
	if err != nil {
		return "", false
	}
	return s.keys.cookies().open(c.Name, c.Value)
}

// cookies signs and verifies; rotating the secret key invalidates all cookies.
func (k *Keyring) cookies() signedCookies {
	return signedCookies{k.SigningKey("console"), consoleSignIn * time.Second}
}

// plainCookie is the name of the cookie where there is no TLS.
const plainCookie = "relay_console"

func (s *communityServer) cookieName(r *http.Request) string {
	if s.secure(r) {
		return "__Host-" + plainCookie
	}
	return plainCookie
}

func (s *communityServer) setConsoleCookie(w http.ResponseWriter, r *http.Request, value string, maxAge int) {
	http.SetCookie(w, &http.Cookie{Name: s.cookieName(r), Value: value, Path: "/", MaxAge: maxAge,
		HttpOnly: true, SameSite: http.SameSiteStrictMode, Secure: s.secure(r)})
}
