package server_test

import (
	"bytes"
	"image"
	"image/png"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

// goodPassword is a password that is long enough.
const goodPassword = "correct horse battery"

// cookieOf adds a person once, signs the person in and returns the cookie.
func (s *site) cookieOf(name string, role chat.Role) (cookie string) {
	s.t.Helper()
	return s.cookieFor(s.personNamed(name, role).ID)
}

// personNamed adds a person once.
func (s *site) personNamed(name string, role chat.Role) chat.Person {
	s.t.Helper()
	email := strings.ToLower(strings.Fields(name)[0]) + "@example.com"
	p, err := s.team.People.ByEmail(s.t.Context(), email)
	if err != nil {
		p, err = s.team.People.Add(s.t.Context(), chat.Person{Name: name, Email: email, Role: role})
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return p
}

func (s *site) cookieFor(person string) string {
	s.t.Helper()
	secret, _, err := s.team.SignIns.SignIn(s.t.Context(), person, true, "test", "192.0.2.1")
	if err != nil {
		s.t.Fatal(err)
	}
	return "relay_console=person." + secret
}

// signInAs signs in at the page, and returns the cookie if that works.
func (s *site) signInAs(email, password string, header ...string) (answer, string) {
	s.t.Helper()
	form := url.Values{"email": {email}, "password": {password}}
	a := s.call("POST", "/console/login", "", form.Encode(), append(header, "Content-Type", "application/x-www-form-urlencoded")...)
	cookie, _, _ := strings.Cut(a.header.Get("Set-Cookie"), ";")
	return a, cookie
}

// invite makes an invitation and returns the secret of its link.
func (s *site) invite(body object, header ...string) (link answer, secret string) {
	s.t.Helper()
	link = s.must("POST", "/api/admin/invitations", secretKey, body)
	_, secret, _ = strings.Cut(link.text("url"), "#")
	return link, secret
}

func (s *site) accept(secret, name, email, password string) answer {
	s.t.Helper()
	return s.call("POST", "/console/invitation/accept", "", object{"token": secret, "name": name, "email": email, "password": password})
}

// Whoever is invited joins with the link, once, and signs in by e-mail and password from
// then on.
func TestInvitation(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		link, secret := s.invite(object{"role": "operator", "email": "Mia@Example.com"})
		if len(secret) < 40 || !strings.HasPrefix(link.text("qr"), "M0 0h7v1h-7z") || link.text("email") != "mia@example.com" {
			t.Errorf("the link is %s", link.body)
		}
		seen := s.must("POST", "/console/invitation/check", "", object{"token": secret})
		if seen.text("email") != "mia@example.com" || seen.text("role") != "operator" || seen.get("reset") != false {
			t.Errorf("the invitation is %s", seen.body)
		}
		s.refused(s.accept(secret, "Mia", "mia@example.com", "short"), 400, "at least 10 characters")
		s.refused(s.accept(secret, "Mia", "mia", goodPassword), 400, "e-mail address")
		s.refused(s.accept(secret, " ", "mia@example.com", goodPassword), 400, "name must be")
		s.refused(s.accept(secret, "Mia", "mia@example.com", "mia@example.com"), 400, "must not be")
		joined := s.accept(secret, "Mia", "mia@example.com", goodPassword)
		cookie, _, _ := strings.Cut(joined.header.Get("Set-Cookie"), ";")
		if me := s.must("GET", "/api/admin/me", "", nil, "Cookie", cookie); joined.status != 200 || me.text("name") != "Mia" || me.text("role") != "operator" || me.text("signedInBy") != "account" {
			t.Errorf("joined with %d, is %s", joined.status, me.body)
		}
		s.refused(s.accept(secret, "Max", "max@example.com", goodPassword), 404, "does not work any more")
		s.refused(s.call("POST", "/console/invitation/check", "", object{"token": secret}), 404, "does not work any more")
		if a, again := s.signInAs("MIA@example.com", goodPassword); a.status != http.StatusSeeOther || s.must("GET", "/api/admin/me", "", nil, "Cookie", again).text("name") != "Mia" {
			t.Errorf("signing in by password answers %d", a.status)
		}
		_, second := s.invite(object{"role": "operator"})
		s.refused(s.accept(second, "mia", "other@example.com", goodPassword), 409, "this name")
		s.refused(s.accept(second, "Mia B", "MIA@example.com", goodPassword), 409, "this e-mail")
		withdrawn, third := s.invite(object{"role": "administrator"})
		s.must("DELETE", "/api/admin/invitations/"+withdrawn.text("id"), secretKey, nil)
		s.refused(s.accept(third, "Max", "max@example.com", goodPassword), 404, "does not work any more")
		s.refused(s.call("POST", "/api/admin/invitations", secretKey, object{"role": "owner"}), 400, "role must be")
		s.refused(s.call("POST", "/api/admin/invitations", secretKey, object{"role": "operator", "email": "mia@example.com"}), 409, "this e-mail")
	})
}

// Nobody learns whether an address is known: wrong passwords and unknown addresses get the
// same answer, and too many attempts a pause.
func TestPasswordLogin(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		_, secret := s.invite(object{"role": "operator"})
		s.accept(secret, "Mia", "mia@example.com", goodPassword)
		wrong, cookie := s.signInAs("mia@example.com", goodPassword+"x")
		unknown, _ := s.signInAs("max@example.com", goodPassword)
		blind := strings.ReplaceAll(string(unknown.body), "max@", "mia@")
		if wrong.status != 401 || cookie != "" || unknown.status != 401 || string(wrong.body) != blind || !strings.Contains(blind, "do not belong together") {
			t.Errorf("a wrong password answers %d, an unknown address %d:\n%s\n%s", wrong.status, unknown.status, wrong.body, blind)
		}
		audit := s.must("GET", "/api/admin/audit?action=sign_in_failed", secretKey, nil)
		entries, _ := audit.get("entries").([]any)
		if len(entries) != 1 || entries[0].(map[string]any)["count"].(float64) < 2 {
			t.Errorf("the failed sign-ins are %s", audit.body)
		}
	})
}

// TestPasswordAttempts: attempts are counted before a password is checked, by address and
// by account. A browser that the person has signed in with is counted by itself.
func TestPasswordAttempts(t *testing.T) {
	s := newSite(t, dbtest.Memory(t), limited(t))
	_, invited := s.invite(object{"role": "operator"}, "X-Forwarded-For", "198.51.100.1")
	_, known, _ := strings.Cut(s.accept(invited, "Mia", "mia@example.com", goodPassword).header.Values("Set-Cookie")[1], "relay_known=")
	known, _, _ = strings.Cut("relay_known="+known, ";")
	try := func(password, address string, header ...string) int {
		a, _ := s.signInAs("mia@example.com", password, append(header, "X-Forwarded-For", address)...)
		if a.status == 429 && (a.header.Get("Retry-After") == "" || !strings.Contains(string(a.body), "Too many")) {
			t.Errorf("429 without Retry-After or words: %v %s", a.header, a.body)
		}
		return a.status
	}
	attempts := 0
	for ; attempts < 30; attempts++ {
		want := 401
		if attempts%15 >= 10 {
			want = 429
		}
		if got := try("wrong wrong wrong", []string{"203.0.113.1", "203.0.113.2"}[attempts/15]); got != want {
			t.Errorf("attempt %d is answered %d, want %d", attempts, got, want)
		}
	}
	if got := try(goodPassword, "198.51.100.7"); got != 303 {
		t.Errorf("who tries from two addresses locks Mia out: %d", got)
	}
	for n := range 100 {
		try("wrong wrong wrong", "203.0.113."+strconv.Itoa(10+n%20))
	}
	fresh := 0
	exhaust := func() { // relay forgets an attempt each 0.6 s, and checking a password takes as long on a busy machine
		for fresh < 250 {
			if fresh++; try("wrong wrong wrong", "192.0.2."+strconv.Itoa(fresh)) == 429 {
				return
			}
		}
		t.Fatal("the account is never tried too often")
	}
	exhaust()
	if got := try(goodPassword, "198.51.100.8"); got != 429 {
		t.Errorf("the account is tried for the 121st time in a minute: %d", got)
	}
	for _, address := range []string{"198.51.100.9", "203.0.113.1"} { // also from where many failed
		if got := try(goodPassword, address, "Cookie", known); got != 303 {
			t.Errorf("from a browser that Mia knows, at %s: %d", address, got)
		}
	}
	exhaust()
	if got := try(goodPassword, "198.51.100.8", "Cookie", known+"x"); got != 429 {
		t.Errorf("with a forged cookie: %d", got)
	}
	for n := range 10 {
		want := 401
		if n >= 8 {
			want = 429
		}
		if got := try("wrong wrong wrong", "198.51.100."+strconv.Itoa(20+n), "Cookie", known); got != want {
			t.Errorf("attempt %d from her browser is answered %d, want %d", n, got, want)
		}
	}
}

// A link of an administrator sets a new password and ends all sign-ins.
func TestPasswordReset(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		mia := s.personNamed("Mia", chat.RoleOperator)
		cookie := s.cookieFor(mia.ID)
		link := s.must("POST", "/api/admin/people/"+mia.ID+"/reset", secretKey, nil)
		_, secret, _ := strings.Cut(link.text("url"), "#")
		if seen := s.must("POST", "/console/invitation/check", "", object{"token": secret}); seen.get("reset") != true || seen.text("name") != "Mia" {
			t.Errorf("the link is for %s", seen.body)
		}
		if a := s.accept(secret, "Somebody", "else@example.com", goodPassword); a.status != 200 {
			t.Fatalf("the new password is answered %d %s", a.status, a.body)
		}
		s.refused(s.call("GET", "/api/admin/me", "", nil, "Cookie", cookie), 401, "Unauthorized")
		a, again := s.signInAs("mia@example.com", goodPassword)
		if me := s.must("GET", "/api/admin/me", "", nil, "Cookie", again); a.status != http.StatusSeeOther || me.text("name") != "Mia" || me.text("id") != mia.ID {
			t.Errorf("signed in as %s", me.body)
		}
	})
}

// The first account is made with the secret key; the console goes on as that person.
func TestFirstAccount(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		key := s.signIn("Ada")
		if me := s.must("GET", "/api/admin/me", "", nil, "Cookie", key); me.text("id") != "" || me.text("signedInBy") != "key" || me.text("role") != "administrator" || me.text("name") != "Ada" {
			t.Errorf("with the key: %s", me.body)
		}
		made := s.must("POST", "/api/admin/people", "", object{"name": "Ada", "email": "ada@example.com", "password": goodPassword, "role": "administrator", "signIn": true}, "Cookie", key)
		cookie, _, _ := strings.Cut(made.header.Get("Set-Cookie"), ";")
		if me := s.must("GET", "/api/admin/me", "", nil, "Cookie", cookie); me.text("id") != made.text("id") || me.text("email") != "ada@example.com" {
			t.Errorf("the console goes on as %s", me.body)
		}
		sessionID := s.open("v1")
		s.say(sessionID, "Hello")
		sent := s.must("POST", "/api/admin/sessions/"+sessionID+"/messages", "", object{"content": "Hi"}, "Cookie", cookie)
		if sent.text("operatorName") != "Ada" || sent.text("operatorId") != made.text("id") {
			t.Errorf("the message is %s", sent.body)
		}
		history := s.must("GET", "/api/widget/messages?sessionId="+sessionID, publicKey, nil)
		if !strings.Contains(string(history.body), `"operatorId":"`+made.text("id")+`"`) {
			t.Errorf("the history is %s", history.body)
		}
		s.refused(s.call("POST", "/api/admin/people", secretKey, object{"name": "Ada B", "email": "b@example.com", "password": "aaaaaaaaaaaa", "role": "operator"}), 400, "one character")
	})
}

// Removing a person ends the person's sign-ins and streams. The last administrator stays.
func TestRemovePerson(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		ada, mia := s.personNamed("Ada", chat.RoleAdministrator), s.personNamed("Mia", chat.RoleOperator)
		cookie := s.cookieFor(mia.ID)
		stream := s.seat(cookie)
		if p := s.presence(); !strings.Contains(string(p.body), `"Mia"`) {
			t.Errorf("present are %s", p.body)
		}
		s.must("DELETE", "/api/admin/people/"+mia.ID, secretKey, nil)
		if _, err := io.ReadAll(stream); err != nil {
			t.Errorf("the stream of who was removed: %v", err)
		}
		s.refused(s.call("GET", "/api/admin/me", "", nil, "Cookie", cookie), 401, "Unauthorized")
		if p := s.presence(); strings.Contains(string(p.body), `"Mia"`) {
			t.Errorf("present are still %s", p.body)
		}
		s.refused(s.call("DELETE", "/api/admin/people/"+ada.ID, secretKey, nil), 409, "last administrator")
		s.refused(s.call("PATCH", "/api/admin/people/"+ada.ID, secretKey, object{"role": "operator"}), 409, "last administrator")
		s.refused(s.call("DELETE", "/api/admin/people/"+mia.ID, secretKey, nil), 404, "Person not found")
	})
}

// A stream that ends long after its last event ends as a whole.
func TestIdleStreamEnds(t *testing.T) {
	t.Parallel()
	s := newSite(t, dbtest.Memory(t))
	mia := s.personNamed("Mia", chat.RoleOperator)
	stream := s.seat(s.cookieFor(mia.ID))
	time.Sleep(11 * time.Second) // longer than an event may take to be written
	s.must("DELETE", "/api/admin/people/"+mia.ID, secretKey, nil)
	if _, err := io.ReadAll(stream); err != nil {
		t.Errorf("the stream: %v", err)
	}
}

// Another process that removes somebody has no stream to end; the stream finds out by
// itself.
func TestStreamNoticesEndedSignIn(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		mia := s.personNamed("Mia", chat.RoleOperator)
		stream := s.seat(s.cookieFor(mia.ID))
		err := s.Store.Apply(t.Context(), func(tx chat.Tx) error { return tx.DeletePerson(mia.ID) })
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadAll(stream); err != nil {
			t.Errorf("the stream: %v", err)
		}
	})
}

// Everybody sees the own sign-ins and ends them; administrators those of all.
func TestSignIns(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		ada, mia := s.personNamed("Ada", chat.RoleAdministrator), s.personNamed("Mia", chat.RoleOperator)
		admin, first, second := s.cookieFor(ada.ID), s.cookieFor(mia.ID), s.cookieFor(mia.ID)
		own := s.must("GET", "/api/admin/sign-ins", "", nil, "Cookie", first)
		if n := strings.Count(string(own.body), `"id":`); n != 2 || strings.Count(string(own.body), `"current":true`) != 1 || strings.Contains(string(own.body), "hash") {
			t.Errorf("Mia's are %s", own.body)
		}
		if all := s.must("GET", "/api/admin/sign-ins?person=all", "", nil, "Cookie", admin); strings.Count(string(all.body), `"id":`) != 3 {
			t.Errorf("all are %s", all.body)
		}
		s.refused(s.call("GET", "/api/admin/sign-ins?person="+ada.ID, "", nil, "Cookie", first), 403, "administrators")
		theirs := s.must("GET", "/api/admin/sign-ins?person="+ada.ID, "", nil, "Cookie", admin)
		list, _ := theirs.get("signIns").([]any)
		id, _ := list[0].(map[string]any)["id"].(string)
		s.refused(s.call("DELETE", "/api/admin/sign-ins/"+id, "", nil, "Cookie", first), 404, "not found")
		s.must("DELETE", "/api/admin/sign-ins", "", nil, "Cookie", first)
		s.refused(s.call("GET", "/api/admin/me", "", nil, "Cookie", second), 401, "Unauthorized")
		s.must("GET", "/api/admin/me", "", nil, "Cookie", first)
		s.call("POST", "/console/logout", "", nil, "Cookie", first)
		s.refused(s.call("GET", "/api/admin/me", "", nil, "Cookie", first), 401, "Unauthorized")
	})
}

// People change their own account; what matters needs the current password.
func TestChangeMe(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		_, secret := s.invite(object{"role": "operator"})
		s.accept(secret, "Mia", "mia@example.com", goodPassword)
		_, cookie := s.signInAs("mia@example.com", goodPassword)
		_, other := s.signInAs("mia@example.com", goodPassword)
		patch := func(body object) answer { return s.call("PATCH", "/api/admin/me", "", body, "Cookie", cookie) }
		if a := patch(object{"name": " Mia  Maier ", "preferences": object{"notify": "mine", "sound": false}}); a.text("name") != "Mia Maier" || a.get("preferences.notify") != "mine" ||
			a.get("preferences.sound") != false || a.get("preferences.pushContent") != false {
			t.Errorf("changed to %s", a.body)
		}
		s.refused(patch(object{"preferences": object{"notify": "loud"}}), 400, "notify must be")
		s.refused(patch(object{"preferences": object{"firstSteps": "later"}}), 400, "preferences.firstSteps must be hidden, done or empty")
		if a := patch(object{"preferences": object{"firstSteps": "hidden"}}); a.get("preferences.firstSteps") != "hidden" || a.get("preferences.notify") != "mine" {
			t.Errorf("the steps are %s", a.body)
		}
		s.refused(patch(object{"name": "a\nb\x00"}), 400, "NUL")
		s.changesMails(patch)
		s.refused(patch(object{"email": "new@example.com"}), 400, "currentPassword is required")
		s.refused(patch(object{"email": "new@example.com", "currentPassword": "wrong wrong"}), 403, "current password is wrong")
		s.refused(patch(object{"password": "short", "currentPassword": goodPassword}), 400, "at least 10")
		if a := patch(object{"email": "New@example.com", "password": goodPassword + "2", "currentPassword": goodPassword}); a.status != 200 || a.text("email") != "new@example.com" {
			t.Errorf("changed to %s", a.body)
		}
		s.refused(s.call("GET", "/api/admin/me", "", nil, "Cookie", other), 401, "Unauthorized")
		s.must("GET", "/api/admin/me", "", nil, "Cookie", cookie)
		if a, _ := s.signInAs("new@example.com", goodPassword+"2"); a.status != http.StatusSeeOther {
			t.Errorf("the new password is answered %d", a.status)
		}
	})
}

// changesMails: when e-mails come is a choice like the others, and nobody chooses for sites that
// there are not.
func (s *site) changesMails(patch func(object) answer) {
	s.t.Helper()
	mails := func(p object) answer { return patch(object{"preferences": p}) }
	a := mails(object{"mail": object{"when": "unanswered"}, "mailSites": object{"main": object{"when": "now"}}, "dailyAt": "17:30"})
	if a.get("preferences.mail.minutes") != 15.0 || a.get("preferences.mailSites.main.when") != "now" || a.text("preferences.dailyAt") != "17:30" ||
		a.get("preferences.notify") != "mine" {
		s.t.Errorf("changed to %s", a.body)
	}
	for want, p := range map[string]object{
		"preferences.mail.when must be never, now, unanswered or daily": {"mail": object{"when": "hourly"}},
		"preferences.mail.minutes must be from 1 to 1440":               {"mail": object{"when": "unanswered", "minutes": 1441}},
		"preferences.dailyAt must be a time like 08:00":                 {"dailyAt": "8 o'clock"},
		"There is no site “elsewhere”":                                  {"mailSites": object{"elsewhere": object{"when": "now"}}},
		"preferences.mailSites.main.when must be":                       {"mailSites": object{"main": object{}}},
	} {
		s.refused(mails(p), 400, want)
	}
	if a = mails(object{"mail": object{"when": "never"}, "mailSites": object{}}); strings.Contains(string(a.body), "mail\":{") || a.get("preferences.dailyAt") != "17:30" {
		s.t.Errorf("changed to %s", a.body)
	}
	s.refused(s.call("PATCH", "/api/admin/me", secretKey, object{"preferences": object{"mail": object{"when": "now"}}}), 409, "has no account")
}

// A face is a small picture of a known kind; without one there are the initials.
func TestFaces(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		mia := s.personNamed("Mia Maier", chat.RoleOperator)
		cookie := s.cookieFor(mia.ID)
		drawn := s.call("GET", "/faces/"+mia.ID, "", nil)
		if drawn.status != 200 || drawn.header.Get("Content-Type") != "image/svg+xml" || !strings.Contains(string(drawn.body), ">MM<") {
			t.Errorf("without a picture: %d %s", drawn.status, drawn.body)
		}
		put := func(body string) answer {
			return s.call("PUT", "/api/admin/me/face", "", body, "Cookie", cookie, "Content-Type", "image/png")
		}
		picture := func(side int) string {
			var out bytes.Buffer
			if err := png.Encode(&out, image.NewGray(image.Rect(0, 0, side, side))); err != nil {
				t.Fatal(err)
			}
			return out.String()
		}
		s.refused(put("<svg xmlns='http://www.w3.org/2000/svg'/>"), 415, "PNG, JPEG or WebP")
		s.refused(put(picture(1025)), 413, "1024 by 1024")
		s.refused(put(picture(10)[:20]), 400, "damaged")
		s.refused(put(picture(10)+strings.Repeat("x", 256<<10)), 413, "256 KB")
		a := put(picture(64))
		shown := s.call("GET", a.text("avatar"), "", nil)
		if a.status != 200 || shown.header.Get("Content-Type") != "image/png" || !strings.Contains(shown.header.Get("Cache-Control"), "immutable") || string(shown.body) != picture(64) {
			t.Errorf("the picture at %q is %d %s", a.text("avatar"), shown.status, shown.header)
		}
		s.must("DELETE", "/api/admin/me/face", "", nil, "Cookie", cookie)
		if again := s.call("GET", a.text("avatar"), "", nil); again.header.Get("Content-Type") != "image/svg+xml" {
			t.Errorf("after its removal: %s", again.header)
		}
		s.refused(s.call("GET", "/faces/nobody", "", nil), 404, "Person not found")
	})
}

// Important acts are in the audit list, without secrets.
func TestAudit(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		ada := s.personNamed("Ada", chat.RoleAdministrator)
		cookie := s.cookieFor(ada.ID)
		sessionID := s.open("v1")
		s.must("PATCH", "/api/admin/settings", "", object{"eventsWebhookSecret": "very-secret-value", "aiMode": "off"}, "Cookie", cookie)
		s.must("POST", "/api/admin/sessions/"+sessionID+"/block", secretKey, nil)
		s.must("DELETE", "/api/admin/sessions/"+sessionID, "", nil, "Cookie", cookie)
		mia := s.personNamed("Mia", chat.RoleOperator)
		s.must("PATCH", "/api/admin/people/"+mia.ID, "", object{"role": "administrator"}, "Cookie", cookie)
		all := s.must("GET", "/api/admin/audit", secretKey, nil)
		text := string(all.body)
		var actions []string
		for _, e := range all.get("entries").([]any) {
			e := e.(map[string]any)
			actions = append(actions, e["action"].(string)+" "+e["name"].(string))
		}
		want := "role_changed Ada, conversation_erased Ada, visitor_blocked Secret key, settings_changed Ada"
		if got := strings.Join(actions, ", "); got != want || strings.Contains(text, "very-secret") || !strings.Contains(text, "aiMode, eventsWebhookSecret") {
			t.Errorf("the list is %s: %s", got, text)
		}
		first := s.must("GET", "/api/admin/audit?limit=3", secretKey, nil)
		rest := s.must("GET", "/api/admin/audit?limit=3&cursor="+first.text("nextCursor"), secretKey, nil)
		if n := len(rest.get("entries").([]any)); n != 1 || rest.text("nextCursor") != "" {
			t.Errorf("the second page is %s", rest.body)
		}
		if own := s.must("GET", "/api/admin/audit?action=settings_changed&person="+ada.ID, secretKey, nil); len(own.get("entries").([]any)) != 1 {
			t.Errorf("filtered: %s", own.body)
		}
		s.refused(s.call("GET", "/api/admin/audit?cursor=x", secretKey, nil), 400, "cursor")
	})
}

// Answers on a platform under a person's name there count as that person's.
func TestNamesOnPlatforms(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		ada := s.personNamed("Ada", chat.RoleOperator)
		as := func(bridge string, names ...string) string {
			by := s.team.People.Colleague(t.Context(), chat.Author{Source: bridge, Name: "somebody"}, names...)
			return by.Name + " " + by.Person
		}
		if got := as("telegram", "5501", "ada_l"); got != "somebody " {
			t.Errorf("before it is known: %q", got)
		}
		s.must("PATCH", "/api/admin/people/"+ada.ID, secretKey, object{"platformNames": []object{{"bridge": "telegram", "name": "@Ada_L"}, {"bridge": "slack", "name": "U012"}}})
		want := "Ada " + ada.ID
		if got := as("telegram", "5501", "ada_l"); got != want {
			t.Errorf("by the user name: %q", got)
		}
		if got := as("slack", "U012"); got != want {
			t.Errorf("by the id: %q", got)
		}
		if got := as("discord", "ada_l"); got != "somebody " {
			t.Errorf("on another platform: %q", got)
		}
		s.refused(s.call("PATCH", "/api/admin/people/"+ada.ID, secretKey, object{"platformNames": []object{{"bridge": "email", "name": "x"}}}), 400, "telegram, discord or slack")
	})
}

// A person's notifications are one choice; the users of the secret key share theirs.
func TestPreferences(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		mia := s.cookieOf("Mia", chat.RoleOperator)
		s.must("PATCH", "/api/admin/me", secretKey, object{"preferences": object{"notify": "nothing", "pushContent": true}})
		key, own := s.must("GET", "/api/admin/me", secretKey, nil), s.must("GET", "/api/admin/me", "", nil, "Cookie", mia)
		if !strings.Contains(string(key.body), `{"notify":"nothing","sound":true,"pushContent":true}`) || !strings.Contains(string(own.body), `{"notify":"everything","sound":true,"pushContent":false}`) {
			t.Errorf("the key has %s, Mia %s", key.body, own.body)
		}
		s.refused(s.call("PATCH", "/api/admin/me", secretKey, object{"preferences": object{"notify": "all"}}), 400, "preferences.notify must be")
		s.refused(s.call("PATCH", "/api/admin/me", secretKey, object{"name": "x", "preferences": object{}}), 409, "no account")
	})
}
