package server_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/oauth2"

	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/team"
)

// TestRegistrationIsBounded: what is no program is refused in the protocol's words.
func TestRegistrationIsBounded(t *testing.T) {
	s := newSite(t, dbtest.Memory(t))
	one := func(address string) object { return object{"redirect_uris": []string{address}} }
	for _, tt := range []struct {
		name string
		body any
		want string
	}{
		{"nothing", object{}, "invalid_redirect_uri"},
		{"six addresses", object{"redirect_uris": slices.Repeat([]string{callback}, 6)}, "invalid_redirect_uri"},
		{"plain http", one("http://example.com/cb"), "invalid_redirect_uri"},
		{"http to a private network", one("http://192.168.0.1/cb"), "invalid_redirect_uri"},
		{"a host that only begins like it", one("http://localhost.evil.test/cb"), "invalid_redirect_uri"},
		{"a script", one("javascript:alert(1)"), "invalid_redirect_uri"},
		{"data", one("data:text/html,x"), "invalid_redirect_uri"},
		{"a scheme that is nobody's", one("myapp://oauth/callback"), "invalid_redirect_uri"},
		{"a #", one("https://a.test/cb#x"), "invalid_redirect_uri"},
		{"an empty #", one("https://a.test/cb#"), "invalid_redirect_uri"},
		{"a name before the host", one("https://good.test@evil.test/cb"), "invalid_redirect_uri"},
		{"a backslash", one(`https://evil.test\@good.test/cb`), "invalid_redirect_uri"},
		{"a tab", one("https://a.test/c\tb"), "invalid_redirect_uri"},
		{"letters that look like others", one("https://clаude.ai/cb"), "invalid_redirect_uri"},
		{"capital letters in the host", one("https://A.test/cb"), "invalid_redirect_uri"},
		{"no host", one("https:///cb"), "invalid_redirect_uri"},
		{"a code in it", one("https://a.test/cb?code=x"), "invalid_redirect_uri"},
		{"a long one", one("https://a.test/" + strings.Repeat("x", 500)), "invalid_redirect_uri"},
		{"a name that nobody sees", object{"redirect_uris": []string{callback}, "client_name": "a\u202eb"}, "invalid_client_metadata"},
		{"a wrong type", object{"redirect_uris": 7}, "invalid_client_metadata"},
		{"another way", object{"redirect_uris": []string{callback}, "grant_types": []string{"implicit"}}, "invalid_client_metadata"},
		{"no JSON", "{", "invalid_client_metadata"},
		{"no text", "{\"client_name\":\"\xff\"}", "invalid_client_metadata"},
	} {
		t.Run(tt.name, func(t *testing.T) { s.refusedWith(s.call("POST", "/oauth/register", "", tt.body), tt.want) })
	}
	if a := s.call("POST", "/oauth/register", "", object{"client_name": strings.Repeat("x", 20_000)}); a.status != 413 {
		t.Errorf("a large one: %d", a.status)
	}
	for _, address := range []string{"https://claude.ai/api/mcp/auth_callback", "http://localhost/cb", "http://[::1]:8080/cb?x=1", "http://127.0.0.1"} {
		if a := s.call("POST", "/oauth/register", "", one(address)); a.status != 201 {
			t.Errorf("%s: %s", address, a.body)
		}
	}
}

// TestThousandRegistrations: a flood is bounded, drives out nobody who is being asked about, and
// never anybody who was let in; what nobody lets in is gone after a day.
func TestThousandRegistrations(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		p := s.program(callback)
		access, refresh := p.connected(s.signIn("Boss"), "read")
		fill := func(n int, at chat.Time) {
			t.Helper()
			for range n {
				s.stored(func(tx chat.Tx) error {
					return tx.PutOAuthClient(&chat.OAuthClient{ID: chat.NewID(), Name: "flood", Redirects: chat.Addresses{callback}, CreatedAt: at})
				})
			}
		}
		register := func() answer {
			return s.call("POST", "/oauth/register", "", object{"redirect_uris": []string{callback}})
		}
		fill(998, chat.Now().Add(-5*time.Minute))
		if a := register(); a.status != 201 {
			t.Errorf("the thousandth is answered %d", a.status)
		}
		if a := register(); a.status != 503 || a.text("error") != "temporarily_unavailable" || a.header.Get("Retry-After") == "" {
			t.Errorf("one more is answered %d %s", a.status, a.body)
		}
		s.stored(func(tx chat.Tx) error { return tx.DropUnusedClient(chat.Now()) })
		fill(1, chat.Now().Add(-25*time.Hour))
		if a := register(); a.status != 201 {
			t.Errorf("where an old one can go: %d %s", a.status, a.body)
		}
		s.stored(func(tx chat.Tx) error { return team.Prune(tx, chat.Now().Add(25*time.Hour)) })
		left := 0
		s.stored(func(tx chat.Tx) (err error) { left, err = tx.CountOAuthClients(); return err })
		if left != 1 || s.opens(access) != 401 { // its token, too, was pruned a day later
			t.Errorf("%d programs are left, and the connection's answers %d", left, s.opens(access))
		}
		if a := p.refresh(refresh); a.status != 200 || s.opens(a.text("access_token")) != 200 {
			t.Errorf("the connection of who was let in: %s", a.body)
		}
	})
}

// TestCodes: a code is for one program, one address, one resource, one verifier, and one use.
func TestCodes(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		cookie := s.signIn("Boss")
		p, other := s.program(callback), s.program(callback)
		for _, tt := range []struct{ name, field, value, want string }{
			{"a wrong verifier", "code_verifier", oauth2.GenerateVerifier(), "invalid_grant"},
			{"no verifier", "code_verifier", "", "invalid_request"},
			{"a short verifier", "code_verifier", "x", "invalid_grant"},
			{"another program", "client_id", other.id, "invalid_grant"},
			{"no program", "client_id", "", "invalid_request"},
			{"another address", "redirect_uri", "http://127.0.0.1:8888/callback", "invalid_grant"},
			{"another resource", "resource", "https://evil.test/mcp", "invalid_target"},
			{"another way", "grant_type", "password", "unsupported_grant_type"},
		} {
			t.Run(tt.name, func(t *testing.T) {
				code := p.consent(p.query(), cookie, "read").Get("code")
				s.refusedWith(p.redeem(code, tt.field, tt.value), tt.want)
				if again := p.redeem(code); tt.want == "invalid_grant" && again.status != 400 {
					t.Errorf("after a wrong attempt the code still works: %s", again.body)
				}
			})
		}
		code := p.consent(p.query(), cookie, "read").Get("code")
		a := p.redeem(code)
		if a.status != 200 || a.text("scope") != "read" || a.header.Get("Cache-Control") != "no-store" || s.opens(a.text("access_token")) != 200 {
			t.Fatalf("a right one: %d %s", a.status, a.body)
		}
		s.refusedWith(p.redeem(code), "invalid_grant")
		if s.opens(a.text("access_token")) != 401 {
			t.Error("a code that was used twice leaves its connection open")
		}
		s.refusedWith(p.refresh(a.text("refresh_token")), "invalid_grant")
		old := chat.NewToken()
		s.stored(func(tx chat.Tx) error {
			return tx.PutOAuthCode(&chat.OAuthCode{Hash: chat.Hash(old), Client: p.id, Redirect: callback, Challenge: oauth2.S256ChallengeFromVerifier(p.verifier),
				Resource: s.url + "/mcp", Scopes: chat.AllScopes, MadeBy: "Boss", Until: chat.Now()})
		})
		s.refusedWith(p.redeem(old), "invalid_grant")
		for _, secret := range []string{code, old, a.text("access_token"), a.text("refresh_token"), p.verifier} {
			if strings.Contains(s.logs.String(), secret) {
				t.Error("the log has a secret")
			}
		}
	})
}

// TestTokensOpenNothingElse: the token of a connection is for assistants, at relay's own address.
func TestTokensOpenNothingElse(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		access, _ := s.program(callback).connected(s.signIn("Boss"), "read")
		for _, path := range []string{"/api/admin/sessions", "/api/admin/me", "/api/admin/stream"} {
			if a := s.call("GET", path, access, nil); a.status != 401 {
				t.Errorf("%s answers %d", path, a.status)
			}
		}
		if a := s.call("POST", "/mcp?access_token="+access, "", object{"jsonrpc": "2.0", "id": 1, "method": "ping"}); a.status != 401 {
			t.Errorf("in the address: %d", a.status)
		}
		elsewhere := chat.APIKey{ID: chat.NewID(), Hash: "x", Name: "x", Scopes: chat.AllScopes, Client: "x", Host: "x", Resource: "https://elsewhere.test/mcp"}
		s.stored(func(tx chat.Tx) error { return tx.PutAPIKey(&elsewhere) })
		access = chat.AccessTokenPrefix + chat.NewToken()
		s.stored(func(tx chat.Tx) error {
			return tx.PutOAuthToken(&chat.OAuthToken{Hash: chat.Hash(access), Key: elsewhere.ID, Kind: chat.TokenAccess, Scopes: chat.AllScopes, Until: chat.Now().Add(time.Hour)})
		})
		if got := s.opens(access); got != 401 {
			t.Errorf("for another address: %d", got)
		}
	})
}

// TestConsentIsAPersons: nobody but who was asked answers, for nothing but what was asked, and
// gives no more than what that person has.
func TestConsentIsAPersons(t *testing.T) {
	s := newSite(t, dbtest.Memory(t))
	p := s.program(callback)
	mia, tom := s.personNamed("Mia", chat.RoleOperator), s.personNamed("Tom", chat.RoleAdministrator)
	own, others := s.cookieFor(mia.ID), s.cookieFor(tom.ID)
	form := s.asked(p.query(), own)
	form["scope"] = []string{"read", "settings", "erase"}
	without, another, forged := copyOf(form), copyOf(form), copyOf(form)
	without.Del("consent")
	another.Set("request", p.query("state", "s2"))
	forged.Set("consent", form.Get("consent")+"x")
	for name, a := range map[string]answer{
		"somebody else":     s.form("/console/connect", form, "Cookie", others),
		"nobody":            s.form("/console/connect", form),
		"a foreign site":    s.form("/console/connect", form, "Cookie", own, "Sec-Fetch-Site", "cross-site"),
		"without the proof": s.form("/console/connect", without, "Cookie", own),
		"another question":  s.form("/console/connect", another, "Cookie", own),
		"a forged proof":    s.form("/console/connect", forged, "Cookie", own),
	} {
		if a.status != 403 || a.header.Get("Refresh") != "" {
			t.Errorf("%s is answered %d", name, a.status)
		}
	}
	got := s.back(s.form("/console/connect", form, "Cookie", own))
	if got.Get("state") != "s1" || got.Get("iss") != s.url {
		t.Errorf("led back with %s", got)
	}
	if a := p.redeem(got.Get("code")); a.text("scope") != "read" {
		t.Errorf("an operator gives %s", a.body)
	}
	form.Set("answer", "cancel")
	if got := s.back(s.form("/console/connect", form, "Cookie", own)); got.Get("error") != "access_denied" || got.Has("code") {
		t.Errorf("cancelling leads back with %s", got)
	}
	form.Set("answer", "allow")
	form.Del("scope")
	if a := s.form("/console/connect", form, "Cookie", own); a.status != 400 || !strings.Contains(string(a.body), "Tick what the program may do") {
		t.Errorf("without a tick: %d", a.status)
	}
	code := s.consent(p.query(), own, "read").Get("code")
	s.must("DELETE", "/api/admin/people/"+mia.ID, secretKey, nil)
	s.refusedWith(p.redeem(code), "invalid_grant")
}

func copyOf(v url.Values) url.Values {
	out, err := url.ParseQuery(v.Encode())
	if err != nil {
		panic(err)
	}
	return out
}

// TestOddRequests: what is wrong is told to the person, and leads nobody anywhere by itself.
func TestOddRequests(t *testing.T) {
	s := newSite(t, dbtest.Memory(t))
	p := s.program("http://127.0.0.1/callback")
	for name, query := range map[string]string{
		"nothing":              "",
		"an unknown program":   p.query("client_id", "x"),
		"another address":      p.query("redirect_uri", "http://127.0.0.1:7777/other"),
		"a foreign address":    p.query("redirect_uri", "https://evil.test/callback"),
		"another host":         p.query("redirect_uri", "http://localhost:7777/callback"),
		"a name in it":         p.query("redirect_uri", "http://a@127.0.0.1:7777/callback"),
		"another resource":     p.query("resource", "https://evil.test/mcp"),
		"plain challenges":     p.query("code_challenge_method", "plain"),
		"no challenge":         p.query("code_challenge", ""),
		"a token at once":      p.query("response_type", "token"),
		"an unknown scope":     p.query("scope", "everything"),
		"two addresses":        p.query() + "&redirect_uri=https://evil.test",
		"two programs":         p.query() + "&client_id=x",
		"two states":           p.query() + "&state=s2",
		"no text":              p.query() + "&x=%ff",
		"a NUL":                p.query() + "&x=%00",
		"a broken escape":      p.query() + "&x=%zz",
		"a line break":         p.query("state", strings.Repeat("\r\n", 2000)),
		"a very long one":      p.query("state", strings.Repeat("x", 3000)),
		"markup for a program": p.query("client_id", "<script>"),
	} {
		for _, path := range []string{"/oauth/authorize?", "/console/connect?"} {
			if a := s.call("GET", path+query, "", nil); a.status != 400 || a.header.Get("Refresh") != "" || a.header.Get("Location") != "" || strings.Contains(string(a.body), "<script>") && !strings.Contains(string(a.body), "<script defer") {
				t.Errorf("%s is answered %d %s", name, a.status, a.header)
			}
		}
	}
	for name, body := range map[string]string{"no text": "token=%ff", "a broken escape": "token=%zz", "two": "client_id=a&client_id=b&token=x", "nothing": ""} {
		for _, path := range []string{"/oauth/token", "/oauth/revoke"} {
			if a := s.call("POST", path, "", body, "Content-Type", "application/x-www-form-urlencoded"); a.status != 400 || a.text("error") == "" {
				t.Errorf("%s at %s: %d %s", name, path, a.status, a.body)
			}
		}
	}
	s.refusedWith(s.call("POST", "/oauth/token", "", object{"grant_type": "refresh_token"}), "invalid_request")
}
