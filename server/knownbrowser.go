package server

import (
	"crypto/rand"
	"net/http"
	"strings"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/team"
)

// A known browser is one in which a person has signed in. Its cookie opens nothing: its
// attempts are counted by themselves, so that nobody can lock the person out by trying
// wrong passwords elsewhere.
const (
	knownCookie = "relay_known"
	knownLife   = 400 * 24 * time.Hour // browsers keep no cookie for longer
)

func (k *Keyring) knownBrowsers() signedCookies {
	return signedCookies{k.SigningKey("known browser"), knownLife}
}

// remember makes the browser one that the person knows.
func (s *signIns) remember(w http.ResponseWriter, r *http.Request, person string) {
	value := s.keys.knownBrowsers().sign(s.hostCookie(r, knownCookie), person+" "+rand.Text())
	s.setCookie(w, r, knownCookie, value, int(knownLife/time.Second))
}

// knownBrowser returns a text that only this browser has and that begins with the id of
// who signed in there last, "" if it is not known.
func (s *signIns) knownBrowser(r *http.Request) string {
	browser, _ := s.keys.knownBrowsers().of(r, s.hostCookie(r, knownCookie))
	return browser
}

// limitAttempts counts an attempt to sign in to the account of p, who has no id if the
// address is unknown: by the browser, if it is known for p, else by where it comes from
// and together with all others.
func (s *consolePages) limitAttempts(w http.ResponseWriter, r *http.Request, email string, p chat.Person) error {
	browser := s.knownBrowser(r)
	if person, _, known := strings.Cut(browser, " "); known && person == p.ID {
		return s.limited(w, r, s.rates.known, browser)
	}
	if err := s.limited(w, r, s.rates.signIns, s.address(r)); err != nil {
		return err
	}
	return s.limited(w, r, s.rates.accounts, team.EmailKey(email))
}
