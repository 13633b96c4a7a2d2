package server_test

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
	"github.com/relay-chat/relay/server/passkey/passkeytest"
)

// keyOrigin is where the tests' passkeys work.
const (
	keyHost   = "relay.example.com"
	keyOrigin = "https://" + keyHost
)

func withPasskeys(c *config.Config) { c.PublicURL = keyOrigin }

func coded(data []byte) string { return base64.RawURLEncoding.EncodeToString(data) }

func newDevice(t testing.TB) *passkeytest.Device {
	t.Helper()
	d, err := passkeytest.New(keyHost, keyOrigin, passkeytest.ES256)
	if err != nil {
		t.Fatal(err)
	}
	return d
}

// challenged asks for a challenge and returns it with its cookie.
func (s *site) challenged(path string, header ...string) (asked answer, challenge []byte, cookie string) {
	s.t.Helper()
	asked = s.must("POST", path, "", object{}, header...)
	challenge, err := base64.RawURLEncoding.DecodeString(asked.text("challenge"))
	if err != nil || len(challenge) < 16 {
		s.t.Fatalf("the challenge is %s", asked.body)
	}
	cookie, _, _ = strings.Cut(asked.header.Get("Set-Cookie"), ";")
	return asked, challenge, cookie
}

// made is what a browser sends about a new passkey.
func made(d *passkeytest.Device, challenge []byte, name string) object {
	client, attestation := d.Create(challenge)
	return object{"name": name, "credential": object{"id": coded(d.ID), "type": "public-key", "response": object{"clientDataJSON": coded(client), "attestationObject": coded(attestation)}}}
}

// addKey adds a device's passkey to who has the cookie.
func (s *site) addKey(d *passkeytest.Device, name, cookie string) answer {
	s.t.Helper()
	_, challenge, asked := s.challenged("/api/admin/passkey-challenge", "Cookie", cookie)
	return s.call("POST", "/api/admin/passkeys", "", made(d, challenge, name), "Cookie", cookie+"; "+asked)
}

// signed is what a browser sends to sign in.
func (s *site) signed(d *passkeytest.Device, challenge []byte, person string) object {
	s.t.Helper()
	client, data, signature, err := d.Sign(challenge)
	if err != nil {
		s.t.Fatal(err)
	}
	return object{"id": coded(d.ID), "response": object{"clientDataJSON": coded(client), "authenticatorData": coded(data), "signature": coded(signature), "userHandle": coded([]byte(person))}}
}

// enter signs in with a device and returns the console's cookie.
func (s *site) enter(d *passkeytest.Device, person string) (a answer, cookie string) {
	s.t.Helper()
	_, challenge, asked := s.challenged("/console/passkey/challenge")
	a = s.call("POST", "/console/passkey/sign-in", "", s.signed(d, challenge, person), "Cookie", asked)
	return a, consoleCookie(a)
}

// consoleCookie is the cookie of a sign-in that an answer sets.
func consoleCookie(a answer) string {
	for _, c := range a.header.Values("Set-Cookie") {
		if value, _, _ := strings.Cut(c, ";"); strings.HasPrefix(value, "relay_console=person.") {
			return value
		}
	}
	return ""
}

// A passkey is added with the password, signs in without an address, is renamed, and is
// refused once it is removed.
func TestPasskeys(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		_, link := s.invite(object{"role": "operator"})
		s.accept(link, "Mia", "mia@example.com", goodPassword)
		mia := s.personNamed("Mia", chat.RoleOperator)
		_, cookie := s.signInAs(mia.Email, goodPassword)
		s.refused(s.call("POST", "/api/admin/passkey-challenge", "", object{}, "Cookie", cookie), 400, "currentPassword is required")
		s.refused(s.call("POST", "/api/admin/passkey-challenge", "", object{"currentPassword": "wrong"}, "Cookie", cookie), 403, "current password is wrong")
		d := newDevice(t)
		options := s.must("POST", "/api/admin/passkey-challenge", "", object{"currentPassword": goodPassword}, "Cookie", cookie)
		set := options.header.Get("Set-Cookie")
		if !strings.Contains(set, "HttpOnly") || !strings.Contains(set, "SameSite=Strict") || !strings.Contains(set, "Max-Age=300") {
			t.Errorf("the challenge's cookie is %q", set)
		}
		asked, _, _ := strings.Cut(set, ";")
		challenge, _ := base64.RawURLEncoding.DecodeString(options.text("challenge"))
		key := s.must("POST", "/api/admin/passkeys", "", made(d, challenge, " MacBook\n"), "Cookie", cookie+"; "+asked)
		if key.text("name") != "MacBook" || key.text("usedAt") != "" || strings.Contains(string(key.body), coded(d.ID)) {
			t.Errorf("added %s", key.body)
		}
		s.refused(s.call("POST", "/api/admin/passkeys", "", made(newDevice(t), challenge, "Again"), "Cookie", cookie+"; "+asked), 400, "used already")

		a, entered := s.enter(d, mia.ID)
		if me := s.must("GET", "/api/admin/me", "", nil, "Cookie", entered); a.status != 200 || me.text("name") != "Mia" {
			t.Errorf("signed in with %d %s, is %s", a.status, a.body, me.body)
		}
		path := "/api/admin/passkeys/" + key.text("id")
		s.must("PATCH", path, "", object{"name": "Phone"}, "Cookie", entered)
		s.refused(s.call("PATCH", path, "", object{"name": " "}, "Cookie", entered), 400, "name must be")
		list := s.must("GET", "/api/admin/passkeys", "", nil, "Cookie", entered)
		keys, _ := list.get("passkeys").([]any)
		if len(keys) != 1 || keys[0].(map[string]any)["name"] != "Phone" || keys[0].(map[string]any)["usedAt"] == nil || list.text("origin") != keyOrigin {
			t.Errorf("the list is %s", list.body)
		}
		max := s.cookieOf("Max", chat.RoleOperator)
		s.refused(s.call("DELETE", path, "", nil, "Cookie", max), 404, "Passkey not found")
		s.refused(s.call("GET", "/api/admin/passkeys?person="+mia.ID, "", nil, "Cookie", max), 403, "administrators")
		ada := s.cookieOf("Ada", chat.RoleAdministrator)
		s.must("GET", "/api/admin/passkeys?person="+mia.ID, "", nil, "Cookie", ada)
		s.must("DELETE", path, "", nil, "Cookie", ada)
		a, _ = s.enter(d, mia.ID)
		s.refused(a, 401, "does not open this console")
		audit := string(s.must("GET", "/api/admin/audit", secretKey, nil).body)
		for _, want := range []string{`"passkey_added"`, `"passkey_removed"`, "with the passkey MacBook", `"sign_in_failed"`} {
			if !strings.Contains(audit, want) {
				t.Errorf("the audit list misses %s: %s", want, audit)
			}
		}
	}, withPasskeys)
}

// An answer that is wrong, replayed, or of somebody else signs nobody in.
func TestHostilePasskeys(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		mia, max := s.personNamed("Mia", chat.RoleOperator), s.personNamed("Max", chat.RoleOperator)
		cookie := s.cookieFor(mia.ID)
		d := newDevice(t)
		d.Count = 3
		s.added(s.addKey(d, "", cookie))
		enter := "/console/passkey/sign-in"
		d.Count = 4
		_, challenge, asked := s.challenged("/console/passkey/challenge")
		good := s.signed(d, challenge, mia.ID)
		s.refused(s.call("POST", enter, "", good), 400, "took too long")
		s.refused(s.call("POST", enter, "", good, "Cookie", asked[:len(asked)-2]), 400, "took too long")
		_, _, another := s.challenged("/console/passkey/challenge")
		s.refused(s.call("POST", enter, "", good, "Cookie", another), 401, "does not open")
		s.refused(s.call("POST", enter, "", good, "Cookie", asked, "Sec-Fetch-Site", "cross-site"), 403, "Forbidden")
		s.added(s.call("POST", enter, "", good, "Cookie", asked))
		d.Count = 5
		s.refused(s.call("POST", enter, "", s.signed(d, challenge, mia.ID), "Cookie", asked), 400, "used already")
		s.refused(s.call("POST", enter, "", good, "Cookie", asked), 403, "may have been copied")

		for name, change := range map[string]func(*passkeytest.Device){
			"another page": func(d *passkeytest.Device) { d.Origin = "https://evil.test" }, "another site": func(d *passkeytest.Device) { d.Host = "evil.test" },
			"nobody verified": func(d *passkeytest.Device) { d.Flags = 1 }, "unknown": func(d *passkeytest.Device) { d.ID = []byte("unknown") },
			"another key": func(d *passkeytest.Device) { d.Key = newDevice(t).Key },
		} {
			forged := *d
			change(&forged)
			if a, signedIn := s.enter(&forged, mia.ID); a.status != 401 || signedIn != "" {
				t.Errorf("%s: %d %s", name, a.status, a.body)
			}
		}
		a, _ := s.enter(d, max.ID)
		s.refused(a, 401, "does not open")
		a, _ = s.enter(d, "")
		s.refused(a, 401, "does not open")
		s.refused(s.addKey(d, "mine", s.cookieFor(max.ID)), 409, "in use already")
		_, challenge, asked = s.challenged("/api/admin/passkey-challenge", "Cookie", cookie)
		s.refused(s.call("POST", "/api/admin/passkeys", "", made(newDevice(t), challenge, ""), "Cookie", s.cookieFor(mia.ID)+"; "+asked), 400, "took too long")
		_, challenge, asked = s.challenged("/console/passkey/challenge")
		s.refused(s.call("POST", "/api/admin/passkeys", "", made(newDevice(t), challenge, ""), "Cookie", cookie+"; "+asked), 400, "took too long")
		if audit := string(s.must("GET", "/api/admin/audit", secretKey, nil).body); !strings.Contains(audit, `"passkey_refused"`) {
			t.Errorf("the audit list is %s", audit)
		}
		if d.Count = 6; true {
			a, signedIn := s.enter(d, mia.ID)
			if s.added(a); signedIn == "" {
				t.Error("the right passkey does not sign in afterwards")
			}
		}
	}, withPasskeys)
}

func (s *site) added(a answer) {
	s.t.Helper()
	if a.status != http.StatusOK {
		s.t.Errorf("answered %d %s", a.status, a.body)
	}
}

// People have ten passkeys at most, are asked for each once per device, and lose all with
// a new password by link or when they are removed.
func TestPasskeysGo(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		mia := s.personNamed("Mia", chat.RoleOperator)
		cookie := s.cookieFor(mia.ID)
		devices := make([]*passkeytest.Device, 11)
		for i := range devices {
			devices[i] = newDevice(t)
			if a := s.addKey(devices[i], fmt.Sprint(i), cookie); i < 10 {
				s.added(a)
			} else {
				s.refused(a, 409, "which is the most")
			}
		}
		options, _, _ := s.challenged("/api/admin/passkey-challenge", "Cookie", cookie)
		if known, _ := options.get("excludeCredentials").([]any); len(known) != 10 {
			t.Errorf("the options are %s", options.body)
		}
		reset := s.must("POST", "/api/admin/people/"+mia.ID+"/reset", secretKey, nil)
		_, link, _ := strings.Cut(reset.text("url"), "#")
		s.added(s.accept(link, "", "", goodPassword))
		a, _ := s.enter(devices[0], mia.ID)
		s.refused(a, 401, "does not open")
		max := s.personNamed("Max", chat.RoleOperator)
		s.added(s.addKey(devices[1], "", s.cookieFor(max.ID)))
		s.must("DELETE", "/api/admin/people/"+max.ID, secretKey, nil)
		a, _ = s.enter(devices[1], max.ID)
		s.refused(a, 401, "does not open")
	}, withPasskeys)
}

// Where browsers allow no passkeys, relay says why.
func TestNoPasskeys(t *testing.T) {
	for address, want := range map[string]string{"http://relay.example.com": "need https", "https://192.0.2.1": "need a host name", "": "need https"} {
		s := newSite(t, dbtest.Memory(t), func(c *config.Config) { c.PublicURL = address })
		cookie := s.cookieOf("Mia", chat.RoleOperator)
		if list := s.must("GET", "/api/admin/passkeys", "", nil, "Cookie", cookie); !strings.Contains(list.text("problem"), want) || list.text("origin") != "" {
			t.Errorf("%s: %s", address, list.body)
		}
		s.refused(s.call("POST", "/api/admin/passkey-challenge", "", object{}, "Cookie", cookie), 409, want)
		s.refused(s.call("POST", "/console/passkey/challenge", "", nil), 409, want)
	}
	s := newSite(t, dbtest.Memory(t), withPasskeys)
	s.refused(s.call("POST", "/api/admin/passkey-challenge", secretKey, object{}), 409, "no account")
}

// Attempts are counted by address.
func TestPasskeyAttempts(t *testing.T) {
	s := newSite(t, dbtest.Memory(t), limited(t), withPasskeys)
	d := newDevice(t)
	for i := range 12 {
		_, challenge, asked := s.challenged("/console/passkey/challenge")
		a := s.call("POST", "/console/passkey/sign-in", "", s.signed(d, challenge, "x"), "Cookie", asked, "X-Forwarded-For", "203.0.113.9")
		if want := map[bool]int{true: 401, false: 429}[i < 10]; a.status != want {
			t.Errorf("attempt %d is answered %d, want %d", i, a.status, want)
		}
	}
}

// Administrators see where others are signed in, and end one or all of it.
func TestOthersSignIns(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		mia, admin, operator := s.personNamed("Mia", chat.RoleOperator), s.cookieOf("Ada", chat.RoleAdministrator), s.cookieOf("Max", chat.RoleOperator)
		cookies := []string{s.cookieFor(mia.ID), s.cookieFor(mia.ID), s.cookieFor(mia.ID)}
		path := "/api/admin/sign-ins?person=" + mia.ID
		s.refused(s.call("GET", path, "", nil, "Cookie", operator), 403, "administrators")
		s.refused(s.call("DELETE", path, "", nil, "Cookie", operator), 403, "administrators")
		list, _ := s.must("GET", path, "", nil, "Cookie", admin).get("signIns").([]any)
		if len(list) != 3 {
			t.Fatalf("Mia is signed in %d times", len(list))
		}
		s.must("DELETE", "/api/admin/sign-ins/"+list[0].(map[string]any)["id"].(string), "", nil, "Cookie", admin)
		s.must("DELETE", path, "", nil, "Cookie", admin)
		for _, cookie := range cookies {
			s.refused(s.call("GET", "/api/admin/me", "", nil, "Cookie", cookie), 401, "Unauthorized")
		}
		s.refused(s.call("DELETE", "/api/admin/sign-ins?person=x", "", nil, "Cookie", admin), 404, "Person not found")
		audit := string(s.must("GET", "/api/admin/audit?action=sign_in_ended", secretKey, nil).body)
		if !strings.Contains(audit, `"target":"Mia","detail":"all"`) || strings.Count(audit, `"target":"Mia"`) != 2 {
			t.Errorf("the audit list is %s", audit)
		}
	})
}
