package server_test

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/go-jose/go-jose/v4"

	"github.com/relay-chat/relay/bridges/signon/signontest"
	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
)

// signOn is a relay whose team signs in at a provider.
type signOn struct {
	*site
	provider *signontest.Provider
}

func newSignOn(t *testing.T, d *db.DB, patch object, configure ...func(*config.Config)) *signOn {
	t.Helper()
	s := &signOn{newSite(t, d, configure...), signontest.New(t)}
	s.provider.Claims = map[string]any{"sub": "ada-1", "email": "ada@example.com", "email_verified": true, "name": "Ada"}
	settings := object{"oidcIssuer": s.provider.URL, "oidcClient": signontest.Client, "oidcSecret": signontest.Secret, "oidcDomains": []string{"example.com"}}
	for name, value := range patch {
		settings[name] = value
	}
	s.must("PATCH", "/api/admin/settings", secretKey, settings)
	return s
}

// begin presses the button, and returns the state's cookie and where the provider leads back to.
func (s *signOn) begin() (cookie, back string) {
	s.t.Helper()
	begun := s.visit("/console/sign-on", "")
	if begun.StatusCode != http.StatusSeeOther {
		s.t.Fatalf("the button answers %d", begun.StatusCode)
	}
	for _, c := range begun.Cookies() {
		cookie = c.Name + "=" + c.Value
		if !c.HttpOnly || c.SameSite != http.SameSiteLaxMode {
			s.t.Errorf("the cookie is %+v", c)
		}
	}
	there := s.fetch(begun.Header.Get("Location"), "")
	at, err := there.Location()
	if err != nil {
		s.t.Fatalf("the provider answers %d", there.StatusCode)
	}
	return cookie, at.RequestURI()
}

func (s *signOn) visit(path, cookie string) *http.Response { return s.fetch(s.url+path, cookie) }

// fetch follows no redirect.
func (s *signOn) fetch(address, cookie string) *http.Response {
	s.t.Helper()
	req, err := http.NewRequestWithContext(s.t.Context(), "GET", address, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	if cookie != "" {
		req.Header.Set("Cookie", cookie)
	}
	client := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	answer, err := client.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	answer.Body.Close()
	return answer
}

// signedBy is the sign-in that an answer has, "" for none.
func signedBy(a *http.Response) string {
	for _, c := range a.Cookies() {
		if c.Name == "relay_console" && c.Value != "" {
			return c.Name + "=" + c.Value
		}
	}
	return ""
}

// signIn signs in at the provider and returns the console's cookie, "" if relay refuses.
func (s *signOn) signIn() string {
	s.t.Helper()
	cookie, back := s.begin()
	return signedBy(s.visit(back, cookie))
}

func (s *signOn) me(cookie string) answer {
	return s.call("GET", "/api/admin/me", "", nil, "Cookie", cookie)
}

// TestSignOn: who comes first joins, and is the same person later whatever else changes there.
func TestSignOn(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSignOn(t, d, nil)
		first := s.signIn()
		me := s.me(first)
		if me.text("email") != "ada@example.com" || me.text("role") != "operator" {
			t.Fatalf("it is %d %s", me.status, me.body)
		}
		s.provider.Set(func(p *signontest.Provider) { p.Claims["email"], p.Claims["name"] = "countess@example.com", "Countess" })
		if again := s.me(s.signIn()); again.text("id") != me.text("id") || again.text("email") != "ada@example.com" {
			t.Errorf("later it is %s", again.body)
		}
		s.must("DELETE", "/api/admin/people/"+me.text("id"), secretKey, nil)
		if s.me(first).status != 401 || s.signIn() != "" {
			t.Error("a removed person signs in")
		}
		s.provider.Set(func(p *signontest.Provider) { p.Claims["sub"], p.Claims["email"] = "ada-2", "ada@example.com" })
		if s.signIn() != "" {
			t.Error("a removed address joins again under another subject")
		}
		s.must("POST", "/api/admin/people", secretKey, object{"name": "Ada", "email": "ada@example.com", "password": "correct horse battery", "role": "operator"})
		if s.me(s.signIn()).text("email") != "ada@example.com" {
			t.Error("who was added again does not sign in")
		}
		for _, secret := range []string{signontest.Secret, "code_verifier"} {
			if strings.Contains(s.logs.String(), secret) {
				t.Errorf("the log has %s", secret)
			}
		}
	})
}

// TestSignOnAttacks: nothing that a provider or a browser makes up signs anybody in.
func TestSignOnAttacks(t *testing.T) {
	other, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	claim := func(name string, value any) func(*signontest.Provider) {
		return func(p *signontest.Provider) { p.Lie = func(c map[string]any) { c[name] = value } }
	}
	s := newSignOn(t, dbtest.Memory(t), nil)
	for name, lie := range map[string]func(*signontest.Provider){
		"alg none": func(p *signontest.Provider) { p.Sign = signontest.Unsigned },
		"HS256": func(p *signontest.Provider) {
			p.Sign = func(b []byte) string {
				return signontest.SignWith(jose.HS256, []byte(signontest.Secret+"-and-more-bytes"), b)
			}
		},
		"another key": func(p *signontest.Provider) {
			p.Sign = func(b []byte) string { return signontest.SignWith(jose.ES256, other, b) }
		},
		"aud":              claim("aud", "other"),
		"azp":              claim("azp", "other"),
		"two aud, no azp":  claim("aud", []string{signontest.Client, "other"}),
		"iss":              claim("iss", "https://evil.example"),
		"expired":          claim("exp", time.Now().Add(-time.Minute).Unix()),
		"nonce":            claim("nonce", "other"),
		"no nonce":         claim("nonce", ""),
		"at_hash":          claim("at_hash", "AAAAAAAAAAAAAAAAAAAAAA"),
		"no subject":       claim("sub", ""),
		"long subject":     claim("sub", strings.Repeat("x", 300)),
		"unverified":       claim("email_verified", false),
		"other domain":     claim("email", "eve@evil.example"),
		"domain's suffix":  claim("email", "eve@notexample.com"),
		"two @":            claim("email", "eve@example.com@evil.example"),
		"no address":       claim("email", ""),
		"wrong state":      func(p *signontest.Provider) { p.Answer = func(q url.Values) { q.Set("state", "other") } },
		"mix-up":           func(p *signontest.Provider) { p.Answer = func(q url.Values) { q.Set("iss", "https://evil.example") } },
		"another's code":   func(p *signontest.Provider) { p.Answer = func(q url.Values) { q.Set("code", "other") } },
		"refused there":    func(p *signontest.Provider) { p.Answer = func(q url.Values) { q.Set("error", "access_denied") } },
		"a huge ID token":  claim("pad", strings.Repeat("x", 2<<20)),
		"email of objects": claim("email", []string{"ada@example.com"}),
	} {
		s.provider.Set(func(p *signontest.Provider) { p.Lie, p.Sign, p.Answer = nil, nil, nil; lie(p) })
		if s.signIn() != "" {
			t.Errorf("%s signs in", name)
		}
		s.server.ForgetRates()
	}
	s.provider.Set(func(p *signontest.Provider) { p.Lie, p.Sign, p.Answer = nil, nil, nil })
	cookie, back := s.begin()
	if signedBy(s.visit(back, "")) != "" {
		t.Error("a browser without the cookie finishes")
	}
	mine, _ := s.begin()
	if signedBy(s.visit(back, mine)) != "" {
		t.Error("another browser finishes")
	}
	if signedBy(s.visit(back, cookie)) == "" {
		t.Error("who has begun does not finish")
	}
	if signedBy(s.visit(back, cookie)) != "" {
		t.Error("it finishes twice")
	}
	if people := s.must("GET", "/api/admin/people", secretKey, nil); strings.Count(string(people.body), `"role"`) != 1 {
		t.Errorf("the people are %s", people.body)
	}
}

// TestSignOnLinks: an account of the same address is linked only if the provider has verified it,
// and whoever set it up before has no way in any more.
func TestSignOnLinks(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSignOn(t, d, object{"oidcDomains": []string{}, "oidcGroups": []object{{"group": "team", "role": "administrator"}}})
		s.provider.Set(func(p *signontest.Provider) {
			p.Claims["groups"], p.Claims["email_verified"] = []string{"all", "team"}, false
		})
		before := s.cookieOf("Ada", chat.RoleOperator)
		if s.signIn() != "" {
			t.Error("an unverified address takes an account over")
		}
		s.provider.Set(func(p *signontest.Provider) { p.Claims["email_verified"] = "true" })
		cookie := s.signIn()
		if me := s.me(cookie); me.text("role") != "administrator" || s.me(before).status != 401 {
			t.Errorf("then it is %s, and the other sign-in answers %d", me.body, s.me(before).status)
		}
		s.provider.Set(func(p *signontest.Provider) { p.Claims["sub"] = "ada-2" })
		if s.signIn() != "" {
			t.Error("a second subject takes the account over")
		}
		s.provider.Set(func(p *signontest.Provider) { p.Claims["sub"], p.Claims["groups"] = "ada-1", []string{"all"} })
		if s.signIn() != "" {
			t.Error("who left the group signs in")
		}
	})
}

// TestSignOnKeepsLastAdministrator: no group takes the last one away.
func TestSignOnKeepsLastAdministrator(t *testing.T) {
	s := newSignOn(t, dbtest.Memory(t), object{"oidcGroups": []object{{"group": "admins", "role": "administrator"}, {"group": "team", "role": "operator"}}})
	role := func(group string) string {
		s.provider.Set(func(p *signontest.Provider) { p.Claims["groups"] = group })
		return s.me(s.signIn()).text("role")
	}
	if role("admins") != "administrator" || role("team") != "administrator" {
		t.Error("the last administrator is lost")
	}
	s.personNamed("Bea", chat.RoleAdministrator)
	if role("team") != "operator" {
		t.Error("the group does not decide")
	}
}

// TestSignOnEnds: who is ended at the provider is ended here, within the life of its tokens; and
// who is not stays, on whatever node.
func TestSignOnEnds(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		s := newSignOn(t, d, nil)
		renew := func() {
			t.Helper()
			if err := s.server.RenewDue(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		s.provider.Set(func(p *signontest.Provider) { p.Life = 3 * time.Second }) // a token says whole seconds: 2 to 3
		cookie := s.signIn()
		s.provider.Leave(true)
		time.Sleep(1600 * time.Millisecond) // half of its life
		renew()
		if s.me(cookie).status != 200 {
			t.Error("an outage signs people out")
		}
		eventually(t, "its time is over", func() bool { return s.me(cookie).status == 401 })
		s.provider.Leave(false)
		cookie = s.signIn()
		s.provider.Set(func(p *signontest.Provider) { p.Life = time.Hour })
		time.Sleep(1600 * time.Millisecond)
		renew()
		time.Sleep(1600 * time.Millisecond)
		if s.me(cookie).status != 200 {
			t.Error("it was not renewed")
		}
		s.provider.Set(func(p *signontest.Provider) { p.Life = 3 * time.Second })
		cookie = s.signIn()
		s.provider.End()
		time.Sleep(1600 * time.Millisecond)
		renew()
		if s.me(cookie).status != 401 {
			t.Error("who is ended there is signed in here")
		}
	})
}

// TestSignOnRenewsTogether: a provider is asked about several sign-ins at the same time, but not
// about all.
func TestSignOnRenewsTogether(t *testing.T) {
	s := newSignOn(t, dbtest.Memory(t), nil)
	s.provider.Set(func(p *signontest.Provider) { p.Life = 3 * time.Second })
	var cookies []string
	for range 12 {
		cookies = append(cookies, s.signIn())
	}
	var now, most, all atomic.Int32
	var once sync.Once
	full := make(chan struct{})
	s.provider.Set(func(p *signontest.Provider) {
		p.Life = time.Hour
		p.Asked = func() {
			all.Add(1)
			n := now.Add(1)
			if most.Store(max(n, most.Load())); n >= 5 {
				once.Do(func() { close(full) })
			}
			select {
			case <-full:
			case <-time.After(time.Second):
			}
			now.Add(-1)
		}
	})
	time.Sleep(1600 * time.Millisecond) // half of their life
	if err := s.server.RenewDue(t.Context()); err != nil {
		t.Fatal(err)
	}
	if most.Load() != 5 || all.Load() != 12 {
		t.Errorf("%d were asked about, at most %d at the same time", all.Load(), most.Load())
	}
	time.Sleep(1600 * time.Millisecond)
	for _, cookie := range cookies {
		if s.me(cookie).status != 200 {
			t.Fatal("a sign-in was not renewed")
		}
	}
}

// TestSignOnOnly: passwords and passkeys may be switched off; the secret key works always, and a
// provider that is away does not keep anybody from the page.
func TestSignOnOnly(t *testing.T) {
	s := newSignOn(t, dbtest.Memory(t), nil)
	s.must("POST", "/api/admin/people", secretKey, object{"name": "Bea", "email": "bea@example.com", "password": "correct horse battery", "role": "operator"})
	bea := s.cookieOf("Bea", chat.RoleOperator)
	login := func() int {
		return s.call("POST", "/console/login", "", "email=bea%40example.com&password=correct+horse+battery", "Content-Type", "application/x-www-form-urlencoded").status
	}
	if status := login(); status != 200 && status != 303 {
		t.Errorf("the password answers %d", status)
	}
	s.must("PATCH", "/api/admin/settings", secretKey, object{"oidcOnly": true})
	if status := login(); status != 403 || s.me(bea).status != 401 {
		t.Errorf("the password answers %d, its sign-in %d", status, s.me(bea).status)
	}
	s.refused(s.call("POST", "/console/passkey/sign-in", "", object{}), 403, "Only single sign-on")
	s.refused(s.call("POST", "/console/invitation/accept", "", object{"token": "x"}), 403, "Only single sign-on")
	if s.me(s.signIn()).status != 200 {
		t.Error("single sign-on does not work")
	}
	s.must("GET", "/api/admin/me", secretKey, nil)
	test := func() answer { return s.must("POST", "/api/admin/sign-on/test", secretKey, nil) }
	if a := test(); a.get("ok") != true || !strings.HasSuffix(a.text("redirectUrl"), "/console/sign-on/return") {
		t.Errorf("the test ends with %s", a.body)
	}
	s.provider.Leave(true)
	if a := test(); a.get("ok") != false || !strings.Contains(a.text("error"), "cannot be reached") {
		t.Errorf("the test ends with %s", a.body)
	}
	if away := s.call("GET", "/console/sign-on", "", nil); away.status != 503 || !strings.Contains(string(away.body), "cannot be reached at the moment") {
		t.Errorf("the button answers %d", away.status)
	}
	key := s.must("POST", "/api/admin/api-keys", secretKey, object{"name": "settings", "scopes": []string{"settings"}}).text("key")
	s.refused(s.call("PATCH", "/api/admin/settings", key, object{"oidcIssuer": "https://evil.example"}), 403, "Keys of programs")
	for name, value := range map[string]any{"oidcIssuer": "http://id.example.com", "oidcDomains": []string{"*"}, "oidcGroups": []object{{"group": "x", "role": "owner"}}, "oidcOnly": "yes"} {
		if a := s.call("PATCH", "/api/admin/settings", secretKey, object{name: value}); a.status != 400 {
			t.Errorf("%s answers %d", name, a.status)
		}
	}
}

// TestSignOnNodes: the provider may lead back to another node than the one that asked, and no two
// nodes use an answer.
func TestSignOnNodes(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		public := func(c *config.Config) { c.PublicURL = "http://relay.example" }
		s := newSignOn(t, d, nil, public)
		other := &signOn{newSite(t, d, public), s.provider}
		cookie, back := s.begin()
		if !strings.HasPrefix(back, "/console/sign-on/return?") {
			t.Errorf("it leads back to %s", back)
		}
		if in := signedBy(other.visit(back, cookie)); in == "" || s.me(in).status != 200 {
			t.Error("another node does not finish")
		}
		if signedBy(s.visit(back, cookie)) != "" {
			t.Error("the first node finishes once more")
		}
	})
}
