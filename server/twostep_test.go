package server_test

import (
	"encoding/base64"
	"errors"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/pquerna/otp/totp"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
	"github.com/relay-chat/relay/server/onetime"
	"github.com/relay-chat/relay/server/team"
)

// shown is the code that an app shows some periods from now.
func shown(t *testing.T, secret string, periods int) string {
	t.Helper()
	code, err := totp.GenerateCode(secret, time.Now().Add(time.Duration(periods)*30*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	return code
}

// newMia adds a person with a password.
func (s *site) newMia() chat.Person {
	s.t.Helper()
	s.must("POST", "/api/admin/people", secretKey, object{"name": "Mia", "email": "mia@example.com", "password": goodPassword, "role": "operator"})
	return s.personNamed("Mia", chat.RoleOperator)
}

// withApp turns two-step sign-in on for a person, none of whose codes was used.
func (s *site) withApp(person string) (secret string, recovery []string) {
	s.t.Helper()
	secret, _, err := onetime.New("relay", "somebody")
	if err == nil {
		err = s.team.TwoSteps.Begin(s.t.Context(), person, secret)
	}
	var hashes []string
	for _, code := range onetime.Recovery() {
		recovery, hashes = append(recovery, code), append(hashes, chat.Hash(onetime.Plain(code)))
	}
	if err == nil {
		err = s.team.TwoSteps.Confirm(s.t.Context(), &chat.TwoStep{Person: person, Secret: secret}, 0, hashes, "")
	}
	if err != nil {
		s.t.Fatal(err)
	}
	return secret, recovery
}

// firstStep gives the right password and returns the cookie with which the code is asked for.
func (s *site) firstStep(password string, header ...string) string {
	s.t.Helper()
	a, cookie := s.signInAs("mia@example.com", password, header...)
	if a.status != http.StatusSeeOther || !strings.HasPrefix(cookie, "relay_code=") || consoleCookie(a) != "" {
		s.t.Fatalf("the first step answers %d %v", a.status, a.header)
	}
	return cookie
}

// giveCode gives a code and returns the console's cookie, "" if it is refused.
func (s *site) giveCode(cookie, code string, header ...string) (answer, string) {
	s.t.Helper()
	a := s.call("POST", "/console/code", "", url.Values{"code": {code}}.Encode(), append(header, "Cookie", cookie, "Content-Type", "application/x-www-form-urlencoded")...)
	in := consoleCookie(a)
	if (a.status == http.StatusSeeOther) != (in != "") {
		s.t.Errorf("a code is answered %d with the cookie %q", a.status, in)
	}
	return a, in
}

// TestTwoStep: an app is set up with the password and a code, asked for after the password, and
// turned off with the password. No secret is seen again.
func TestTwoStep(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		mia := s.newMia()
		_, cookie := s.signInAs(mia.Email, goodPassword)
		own := func(path string, in object) answer {
			return s.call("POST", "/api/admin/two-step"+path, "", in, "Cookie", cookie)
		}
		password := object{"currentPassword": goodPassword}
		s.refused(own("", object{}), 400, "currentPassword is required")
		s.refused(own("", object{"currentPassword": "wrong wrong wrong"}), 403, "current password is wrong")
		s.refused(own("/confirm", object{"code": "123456"}), 409, "Begin again")
		s.refused(own("/off", password), 409, "is not on")
		first := own("", password)
		app := own("", password) // the first is replaced
		secret := app.text("secret")
		if first.text("secret") == secret || !strings.Contains(app.text("url"), "secret="+secret) || !strings.HasPrefix(app.text("qr"), "M0 0h7v1h-7z") {
			t.Fatalf("the app is %s", app.body)
		}
		if a, in := s.signInAs(mia.Email, goodPassword); !strings.HasPrefix(in, "relay_console=") {
			t.Errorf("an app that waits is asked for: %d", a.status)
		}
		s.refused(own("/off", password), 409, "is not on")
		s.refused(own("/confirm", object{"code": ""}), 400, "code is required")
		wrong := own("/confirm", object{"code": shown(t, first.text("secret"), 0)})
		if s.refused(wrong, 403, "code is wrong"); wrong.text("fields.code") == "" {
			t.Errorf("the field is not named: %s", wrong.body)
		}
		used := shown(t, secret, 0)
		codes, _ := own("/confirm", object{"code": used[:3] + " " + used[3:]}).get("recoveryCodes").([]any)
		if len(codes) != 10 {
			t.Fatalf("there are %d recovery codes", len(codes))
		}
		s.refused(own("/confirm", object{"code": used}), 409, "is on already")
		s.refused(own("", password), 409, "is on already")

		step := s.firstStep(goodPassword)
		page := s.call("GET", "/console", "", nil, "Cookie", step)
		if !strings.Contains(string(page.body), "Enter your code") || !strings.Contains(string(page.body), mia.Email) {
			t.Errorf("the second step is %s", page.body)
		}
		a, _ := s.giveCode(step, used)
		if a.status != 401 || !strings.Contains(string(a.body), "used already") {
			t.Errorf("the code of the set-up answers %d", a.status)
		}
		_, in := s.giveCode(step, shown(t, secret, 1))
		if s.must("GET", "/api/admin/me", "", nil, "Cookie", in).text("name") != "Mia" {
			t.Error("the code does not sign in")
		}
		recovery := codes[3].(string)
		if _, in := s.giveCode(step, " "+strings.ToLower(strings.ReplaceAll(recovery, "-", " "))); in == "" {
			t.Error("a recovery code does not sign in")
		}
		if a, _ := s.giveCode(s.firstStep(goodPassword), recovery); a.status != 401 {
			t.Errorf("a recovery code answers %d the second time", a.status)
		}
		if state := s.must("GET", "/api/admin/two-step", "", nil, "Cookie", in); state.get("on") != true || state.get("recoveryCodes") != float64(9) {
			t.Errorf("the state is %s", state.body)
		}
		s.refused(own("/recovery-codes", object{}), 400, "currentPassword is required")
		fresh := own("/recovery-codes", password)
		if _, in := s.giveCode(step, codes[4].(string)); in != "" {
			t.Error("an earlier recovery code works")
		}
		s.refused(own("/off", object{"currentPassword": "wrong wrong wrong"}), 403, "current password is wrong")

		for _, path := range []string{"/api/admin/audit?limit=100", "/api/admin/people", "/api/admin/export", "/api/admin/two-step?person=" + mia.ID, "/api/admin/system"} {
			seen := string(s.must("GET", path, secretKey, nil).body)
			if strings.Contains(seen, secret) || strings.Contains(seen, recovery) || strings.Contains(seen, chat.Hash(onetime.Plain(recovery))) {
				t.Errorf("%s has a secret", path)
			}
		}
		audit := string(s.must("GET", "/api/admin/audit?limit=100", secretKey, nil).body)
		for _, want := range []string{`"two_step_on"`, `"recovery_codes_made"`, `"code_refused"`, "with the password and a code", "a recovery code, 9 left"} {
			if !strings.Contains(audit, want) {
				t.Errorf("the audit log lacks %s", want)
			}
		}
		if logs := s.logs.String(); strings.Contains(logs, secret) || strings.Contains(logs, recovery) {
			t.Error("the log has a secret")
		}
		if a := own("/off", password); a.status != 200 {
			t.Errorf("turning it off answers %d %s", a.status, a.body)
		}
		if _, in := s.giveCode(step, fresh.get("recoveryCodes").([]any)[0].(string)); in != "" {
			t.Error("a recovery code outlives two-step sign-in")
		}
		if _, in := s.signInAs(mia.Email, goodPassword); !strings.HasPrefix(in, "relay_console=") {
			t.Error("a code is asked for after it was turned off")
		}
	})
}

// The clock of a phone may be one period off. No code is accepted twice, nor one before it.
func TestCodesWorkOnce(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		mia := s.newMia()
		secret, _ := s.withApp(mia.ID)
		step := s.firstStep(goodPassword)
		now, next := shown(t, secret, 0), shown(t, secret, 1)
		for i, try := range []struct {
			code string
			want bool
		}{{shown(t, secret, 4), false}, {shown(t, secret, -4), false}, {"", false}, {strings.Repeat("7", 4000), false}, {"\xff\x00", false},
			{now, true}, {now, false}, {next, true}, {next, false}, {now, false}} {
			if a, in := s.giveCode(step, try.code); (in != "") != try.want || !try.want && a.status != 401 {
				t.Errorf("code %d answers %d", i, a.status)
			}
		}
	})
}

// A link to a new password does not skip the code, and ends what the password before began.
func TestResetAsksForTheCode(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		mia := s.newMia()
		secret, _ := s.withApp(mia.ID)
		before := s.firstStep(goodPassword)
		_, link, _ := strings.Cut(s.must("POST", "/api/admin/people/"+mia.ID+"/reset", secretKey, nil).text("url"), "#")
		a := s.accept(link, "Mia", mia.Email, goodPassword+"!")
		step, _, _ := strings.Cut(a.header.Get("Set-Cookie"), ";")
		if a.status != 200 || consoleCookie(a) != "" || !strings.HasPrefix(step, "relay_code=") {
			t.Fatalf("the link answers %d %v", a.status, a.header)
		}
		if late, _ := s.giveCode(before, shown(t, secret, 0)); late.status != 401 || !strings.Contains(string(late.body), "sign in again") {
			t.Errorf("the password before still signs in: %d", late.status)
		}
		if _, in := s.giveCode(step, shown(t, secret, 0)); in == "" {
			t.Error("the code does not sign in after the reset")
		}
		known := ""
		for _, c := range s.accepted("Max").header.Values("Set-Cookie") { // the cookie of another purpose
			if value, _, _ := strings.Cut(c, ";"); strings.HasPrefix(value, "relay_known=") {
				known = "relay_code=" + strings.TrimPrefix(value, "relay_known=")
			}
		}
		for _, cookie := range []string{"", "relay_code=", "relay_code=1.2.3", known, step + "x", strings.Replace(step, ".", ".A", 1), strings.Replace(step, "=1", "=2", 1)} {
			if a, in := s.giveCode(cookie, shown(t, secret, 1)); in != "" || a.status != 401 || !strings.Contains(string(a.body), "sign in again") {
				t.Errorf("the cookie %q answers %d", cookie, a.status)
			}
		}
		if a := s.call("POST", "/console/code", "", "code="+shown(t, secret, 1), "Cookie", step, "Content-Type", "application/x-www-form-urlencoded", "Sec-Fetch-Site", "cross-site"); a.status != 401 || consoleCookie(a) != "" {
			t.Errorf("another site's form answers %d", a.status)
		}
	})
}

// accepted has somebody join.
func (s *site) accepted(name string) answer {
	s.t.Helper()
	_, link := s.invite(object{"role": "operator"})
	return s.accept(link, name, strings.ToLower(name)+"@example.com", goodPassword)
}

// Passkeys, personal tokens and open sign-ins do not ask. The row goes with the person.
func TestTwoStepIsForPasswords(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		mia := s.newMia()
		_, cookie := s.signInAs(mia.Email, goodPassword)
		d := newDevice(t)
		challenge, asked := s.challengedWith(object{"currentPassword": goodPassword}, "Cookie", cookie)
		s.added(s.call("POST", "/api/admin/passkeys", "", made(d, challenge, ""), "Cookie", cookie+"; "+asked))
		s.withApp(mia.ID)
		s.must("GET", "/api/admin/me", "", nil, "Cookie", cookie)
		_, token := s.tokenOf(mia, chat.ScopeRead)
		s.must("GET", "/api/admin/sessions", token, nil)
		s.refused(s.call("POST", "/api/admin/two-step/off", token, object{"currentPassword": goodPassword}), 403, "key")
		if _, in := s.enter(d, mia.ID); in == "" {
			t.Error("a passkey does not sign in")
		}
		s.must("PATCH", "/api/admin/me", "", object{"email": "mia@example.net", "currentPassword": goodPassword}, "Cookie", cookie)
		s.must("DELETE", "/api/admin/people/"+mia.ID, secretKey, nil)
		if _, err := s.team.TwoSteps.Find(t.Context(), mia.ID); !errors.Is(err, chat.ErrTwoStepOff) {
			t.Errorf("the removed person's app is there: %v", err)
		}
	}, withPasskeys)
}

// challengedWith asks for a new passkey with a password.
func (s *site) challengedWith(in object, header ...string) (challenge []byte, cookie string) {
	s.t.Helper()
	asked := s.must("POST", "/api/admin/passkey-challenge", "", in, header...)
	cookie, _, _ = strings.Cut(asked.header.Get("Set-Cookie"), ";")
	challenge, err := base64.RawURLEncoding.DecodeString(asked.text("challenge"))
	if err != nil {
		s.t.Fatal(err)
	}
	return challenge, cookie
}

// Administrators turn it off for others, not for themselves.
func TestAdministratorsTakeTwoStep(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		mia, ada := s.newMia(), s.personNamed("Ada", chat.RoleAdministrator)
		path := "/api/admin/people/" + mia.ID + "/two-step"
		admin, operator := s.cookieFor(ada.ID), s.cookieOf("Max", chat.RoleOperator)
		s.refused(s.call("DELETE", path, "", nil, "Cookie", admin), 409, "is not on")
		s.withApp(mia.ID)
		s.withApp(ada.ID)
		s.refused(s.call("DELETE", path, "", nil, "Cookie", operator), 403, "administrators")
		s.refused(s.call("GET", "/api/admin/two-step?person="+mia.ID, "", nil, "Cookie", operator), 403, "administrators")
		s.refused(s.call("DELETE", "/api/admin/people/"+ada.ID+"/two-step", "", nil, "Cookie", admin), 409, "with your password")
		_, token := s.tokenOf(ada, chat.ScopePeople)
		s.refused(s.call("DELETE", "/api/admin/people/"+ada.ID+"/two-step", token, nil), 409, "with your password")
		s.must("DELETE", path, "", nil, "Cookie", admin)
		if _, in := s.signInAs(mia.Email, goodPassword); !strings.HasPrefix(in, "relay_console=") {
			t.Error("a code is still asked for")
		}
		if audit := string(s.must("GET", "/api/admin/audit?action=two_step_off", secretKey, nil).body); !strings.Contains(audit, "by an administrator") || !strings.Contains(audit, `"target":"Mia"`) {
			t.Errorf("the audit log says %s", audit)
		}
	})
}

// TestCodeAtTwoNodes: whichever node is asked, a code and a recovery code sign in once.
func TestCodeAtTwoNodes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d)
		other := newSite(t, d)
		mia := s.newMia()
		secret, recovery := s.withApp(mia.ID)
		step := s.firstStep(goodPassword)
		for _, code := range []string{shown(t, secret, 0), recovery[0], shown(t, secret, 1)} {
			var all sync.WaitGroup
			var worked atomic.Int64
			for n := range 6 { // three a node: ten are looked at in an hour
				at := []*site{s, other}[n%2]
				all.Go(func() {
					if a := at.call("POST", "/console/code", "", "code="+url.QueryEscape(code), "Cookie", step, "Content-Type", "application/x-www-form-urlencoded"); consoleCookie(a) != "" {
						worked.Add(1)
					}
				})
			}
			if all.Wait(); worked.Load() != 1 {
				t.Errorf("a code signs in %d times", worked.Load())
			}
		}
	})
}

// TestCodeAttempts: ten codes an hour are looked at, from whatever addresses, and also where
// requests are not counted; a browser that the person has signed in with is counted by itself.
func TestCodeAttempts(t *testing.T) {
	for _, configure := range []func(*config.Config){limited(t), func(*config.Config) {}} {
		codeAttempts(t, newSite(t, dbtest.Memory(t), configure))
	}
}

func codeAttempts(t *testing.T, s *site) {
	mia := s.newMia()
	known := ""
	a, _ := s.signInAs(mia.Email, goodPassword, "X-Forwarded-For", "198.51.100.1")
	for _, c := range a.header.Values("Set-Cookie") {
		if value, _, _ := strings.Cut(c, ";"); strings.HasPrefix(value, "relay_known=") {
			known = value
		}
	}
	secret, _ := s.withApp(mia.ID)
	step := s.firstStep(goodPassword, "X-Forwarded-For", "198.51.100.1")
	try := func(code, cookie string, n int) int {
		a, _ := s.giveCode(cookie, code, "X-Forwarded-For", "203.0.113."+string(rune('0'+n%10)))
		if a.status == 429 && (a.header.Get("Retry-After") != "3600" || !strings.Contains(string(a.body), "Too many")) {
			t.Errorf("429 without Retry-After or words: %v %s", a.header, a.body)
		}
		return a.status
	}
	for n := range 10 {
		if status := try("000000", step, n); status != 401 {
			t.Errorf("attempt %d answers %d", n, status)
		}
	}
	if status := try(shown(t, secret, 0), step, 5); status != 429 {
		t.Errorf("the right code answers %d after ten wrong ones", status)
	}
	if status := try(shown(t, secret, 0), step+"; "+known, 5); status != 303 {
		t.Errorf("the known browser is answered %d", status)
	}
}

// What opened an account ends when a provider's person gets it: the app, too.
func TestLinkedAccountHasNoApp(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSite(t, d)
		mia := s.newMia()
		s.withApp(mia.ID)
		who := team.Joining{Identity: chat.Identity{Issuer: "https://id.example.com", Subject: "42", Email: mia.Email, Verified: true}, Role: chat.RoleOperator}
		if j, err := s.team.People.SignInBy(t.Context(), who, chat.SignOnGrant{}, []byte("used"), "", ""); err != nil || !j.Linked {
			t.Fatalf("linked %+v, %v", j, err)
		}
		if _, err := s.team.TwoSteps.Find(t.Context(), mia.ID); !errors.Is(err, chat.ErrTwoStepOff) {
			t.Errorf("the app is there: %v", err)
		}
	})
}
