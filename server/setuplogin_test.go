package server_test

import (
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/relay-chat/relay/db/dbtest"
)

var secretShown = regexp.MustCompile(`<textarea[^>]*id="?secret"?[^>]*>([A-Z2-7 ]+)</textarea>`)

// requireTotp requires two-step sign-in of everybody.
func (s *site) requireTotp(on bool) {
	s.t.Helper()
	s.must("PATCH", "/api/admin/settings", secretKey, object{"requireTotp": on})
}

// ledToSetUp gives the right password, and returns the cookie with which an app is set up and the
// secret that the page shows.
func (s *site) ledToSetUp(email string) (cookie, secret string) {
	s.t.Helper()
	a, _ := s.signInAs(email, goodPassword)
	for _, c := range (&http.Response{Header: a.header}).Cookies() {
		if c.Name == "relay_set_up" && c.Value != "" {
			cookie = c.Name + "=" + c.Value
		}
	}
	if a.status != http.StatusSeeOther || cookie == "" || consoleCookie(a) != "" {
		s.t.Fatalf("the password answers %d %v", a.status, a.header)
	}
	page := s.call("GET", "/console", "", nil, "Cookie", cookie)
	shown := secretShown.FindSubmatch(page.body)
	if shown == nil {
		s.t.Fatalf("the page is %d %s", page.status, page.body)
	}
	return cookie, strings.ReplaceAll(string(shown[1]), " ", "")
}

func (s *site) setUp(cookie, code string, header ...string) (answer, string) {
	s.t.Helper()
	header = append(header, "Cookie", cookie, "Content-Type", "application/x-www-form-urlencoded")
	a := s.call("POST", "/console/code", "", url.Values{"code": {code}}.Encode(), header...)
	return a, consoleCookie(a)
}

// TestRequireTotp: nobody comes in by a password alone. Who has no app sets one up right after the
// password, and nothing else opens before.
func TestRequireTotp(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		mia := s.newMia()
		_, before := s.signInAs(mia.Email, goodPassword)
		stream := s.body("/api/admin/stream", "", "Cookie", before)
		s.requireTotp(true)
		if _, err := io.Copy(io.Discard, stream); err != nil { // until its end
			t.Errorf("the open console ends with %v", err)
		}
		me := func(cookie string) int { return s.call("GET", "/api/admin/me", "", nil, "Cookie", cookie).status }
		if me(before) != 401 {
			t.Error("who signed in by a password alone stays")
		}
		cookie, secret := s.ledToSetUp(mia.Email)
		if me(cookie) != 401 {
			t.Error("the cookie of the set-up opens something")
		}
		if a, in := s.setUp(cookie, "000000"); a.status != 401 || in != "" || !strings.Contains(string(a.body), "This code is wrong") {
			t.Errorf("a wrong code answers %d", a.status)
		}
		if a, in := s.setUp(cookie, shown(t, secret, 0), "Sec-Fetch-Site", "cross-site"); a.status != 401 || in != "" {
			t.Errorf("another site's form answers %d", a.status)
		}
		other, second := s.ledToSetUp(mia.Email)
		if second == secret {
			t.Error("two browsers are shown one secret")
		}
		if a, in := s.setUp(cookie, shown(t, second, 0)); in != "" {
			t.Errorf("another browser's app answers %d", a.status)
		}
		first := shown(t, secret, 0)
		done, in := s.setUp(cookie, first)
		if done.status != 200 || me(in) != 200 || strings.Count(string(done.body), "-") < 30 {
			t.Fatalf("the set-up ends with %d %s", done.status, done.body)
		}
		if a, in := s.setUp(other, shown(t, second, 0)); a.status != 401 || in != "" {
			t.Errorf("the other browser's app answers %d afterwards", a.status)
		}
		step := s.firstStep(goodPassword)
		if _, again := s.giveCode(step, first); again != "" {
			t.Error("the first code works twice")
		}
		if _, again := s.giveCode(step, shown(t, secret, 1)); me(again) != 200 {
			t.Error("the next code does not sign in")
		}
		s.must("GET", "/api/admin/me", secretKey, nil)
		s.call("POST", "/api/admin/two-step/off", "", object{"currentPassword": goodPassword}, "Cookie", in)
		if me(in) != 401 {
			t.Error("who turns it off stays")
		}
		s.ledToSetUp(mia.Email)
		s.requireTotp(false)
		if _, plain := s.signInAs(mia.Email, goodPassword); me(plain) != 200 {
			t.Error("it is asked for after it is required no more")
		}
	})
}

// TestRequireTotpElsewhere: passkeys are not asked, new passwords are; who confirmed an app within
// the console stays; keys of programs do not change the setting.
func TestRequireTotpElsewhere(t *testing.T) {
	s := newSite(t, dbtest.Memory(t))
	mia := s.newMia()
	_, cookie := s.signInAs(mia.Email, goodPassword)
	app := s.call("POST", "/api/admin/two-step", "", object{"currentPassword": goodPassword}, "Cookie", cookie)
	s.call("POST", "/api/admin/two-step/confirm", "", object{"code": shown(t, app.text("secret"), 0)}, "Cookie", cookie)
	byPasskey, _, err := s.team.SignIns.SignIn(t.Context(), mia.ID, false, "test", "192.0.2.1")
	if err != nil {
		t.Fatal(err)
	}
	s.requireTotp(true)
	if a := s.call("GET", "/api/admin/me", "", nil, "Cookie", "relay_console=person."+byPasskey); a.status != 200 {
		t.Errorf("who signed in by a passkey is answered %d", a.status)
	}
	if a := s.call("GET", "/api/admin/me", "", nil, "Cookie", cookie); a.status != 200 {
		t.Errorf("who confirmed an app is answered %d", a.status)
	}
	key := s.must("POST", "/api/admin/api-keys", secretKey, object{"name": "settings", "scopes": []string{"settings"}}).text("key")
	s.refused(s.call("PATCH", "/api/admin/settings", key, object{"requireTotp": false}), 403, "Keys of programs")
	s.refused(s.call("PATCH", "/api/admin/settings", secretKey, object{"requireTotp": "yes"}), 400, "true or false")
	link := s.must("POST", "/api/admin/invitations", secretKey, object{"role": "operator"}).text("url")
	token := link[strings.LastIndex(link, "#")+1:]
	joined := s.call("POST", "/console/invitation/accept", "", object{"token": token, "name": "Lea", "email": "lea@example.com", "password": goodPassword})
	if joined.status != 200 || consoleCookie(joined) != "" || !strings.Contains(strings.Join(joined.header.Values("Set-Cookie"), " "), "relay_set_up=") {
		t.Errorf("who joins is answered %d %v %s", joined.status, joined.header, joined.body)
	}
}
