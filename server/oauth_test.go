package server_test

import (
	"context"
	"html"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/auth"
	protocol "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/modelcontextprotocol/go-sdk/oauthex"
	"golang.org/x/oauth2"

	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
)

const callback = "http://127.0.0.1:7777/callback"

// form sends a form.
func (s *site) form(path string, values url.Values, header ...string) answer {
	s.t.Helper()
	return s.call("POST", path, "", values.Encode(), append([]string{"Content-Type", "application/x-www-form-urlencoded"}, header...)...)
}

var hidden = regexp.MustCompile(`name="(request|consent)" value="([^"]*)"`)

// asked opens the page that asks about a program, and returns its form.
func (s *site) asked(query, cookie string) url.Values {
	s.t.Helper()
	begun := s.call("GET", "/oauth/authorize?"+query, "", nil)
	_, to, leads := strings.Cut(begun.header.Get("Refresh"), "url=")
	if begun.status != 200 || !leads {
		s.t.Fatalf("/oauth/authorize answers %d %s", begun.status, begun.body)
	}
	page := s.call("GET", to, "", nil, "Cookie", cookie)
	if page.status != 200 || !strings.Contains(page.header.Get("Content-Security-Policy"), "frame-ancestors 'none'") {
		s.t.Fatalf("the page answers %d with %s", page.status, page.header)
	}
	form := url.Values{"answer": {"allow"}}
	for _, field := range hidden.FindAllStringSubmatch(string(page.body), -1) {
		form.Set(field[1], html.UnescapeString(field[2]))
	}
	return form
}

// consent lets a program in with some scopes, and returns what the browser brings back to it.
func (s *site) consent(query, cookie string, scopes ...string) url.Values {
	s.t.Helper()
	form := s.asked(query, cookie)
	form["scope"] = scopes
	return s.back(s.form("/console/connect", form, "Cookie", cookie))
}

// back is the query with which the browser is led back to a program.
func (s *site) back(a answer) url.Values {
	s.t.Helper()
	_, to, _ := strings.Cut(a.header.Get("Refresh"), "url=")
	u, err := url.Parse(to)
	if err != nil || to == "" || a.status != 200 {
		s.t.Fatalf("the browser is not led back: %d %s", a.status, a.body)
	}
	return u.Query()
}

// stored changes the store behind relay's back.
func (s *site) stored(change func(chat.Tx) error) {
	s.t.Helper()
	if err := s.store.Apply(s.t.Context(), change); err != nil {
		s.t.Fatal(err)
	}
}

// program is one that does by hand what a library does.
type program struct {
	*site
	id, verifier string
}

func (s *site) program(redirects ...string) *program {
	s.t.Helper()
	a := s.call("POST", "/oauth/register", "", object{"client_name": "Helper", "redirect_uris": redirects})
	if a.status != 201 {
		s.t.Fatalf("registering answers %d %s", a.status, a.body)
	}
	return &program{s, a.text("client_id"), oauth2.GenerateVerifier()}
}

// query is what it asks for, with changes.
func (p *program) query(change ...string) string {
	q := url.Values{"client_id": {p.id}, "redirect_uri": {callback}, "response_type": {"code"}, "state": {"s1"}, "code_challenge_method": {"S256"},
		"code_challenge": {oauth2.S256ChallengeFromVerifier(p.verifier)}, "resource": {p.url + "/mcp"}, "scope": {"read note settings"}}
	for i := 0; i < len(change); i += 2 {
		q.Set(change[i], change[i+1])
	}
	return q.Encode()
}

// redeem asks for tokens, with changes; "" takes a field away.
func (p *program) redeem(code string, change ...string) answer {
	p.t.Helper()
	return p.tokens(append([]string{"grant_type", "authorization_code", "code", code, "redirect_uri", callback, "code_verifier", p.verifier, "resource", p.url + "/mcp"}, change...)...)
}

func (p *program) refresh(token string, change ...string) answer {
	p.t.Helper()
	return p.tokens(append([]string{"grant_type", "refresh_token", "refresh_token", token}, change...)...)
}

func (p *program) tokens(fields ...string) answer {
	p.t.Helper()
	form := url.Values{"client_id": {p.id}}
	for i := 0; i < len(fields); i += 2 {
		if form.Set(fields[i], fields[i+1]); fields[i+1] == "" {
			form.Del(fields[i])
		}
	}
	return p.form("/oauth/token", form)
}

// connected is a program that somebody has let in.
func (p *program) connected(cookie string, scopes ...string) (access, refresh string) {
	p.t.Helper()
	a := p.redeem(p.consent(p.query(), cookie, scopes...).Get("code"))
	if a.status != 200 {
		p.t.Fatalf("redeeming answers %d %s", a.status, a.body)
	}
	return a.text("access_token"), a.text("refresh_token")
}

// opens reports what a token gets at the address of assistants.
func (s *site) opens(token string) int {
	s.t.Helper()
	return s.call("POST", "/mcp", token, object{"jsonrpc": "2.0", "id": 1, "method": "ping"}).status
}

func (s *site) refusedWith(a answer, code string) {
	s.t.Helper()
	if a.status != 400 || a.text("error") != code {
		s.t.Errorf("answered %d %s, want %s", a.status, a.body, code)
	}
}

// TestForeignClientConnects: the official client finds out by itself how to connect, asks a person,
// and works with relay.
func TestForeignClientConnects(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		session := s.victim(true).id
		mia := s.personNamed("Mia", chat.RoleOperator)
		asks := 0
		handler, err := auth.NewAuthorizationCodeHandler(&auth.AuthorizationCodeHandlerConfig{
			DynamicClientRegistrationConfig: &auth.DynamicClientRegistrationConfig{Metadata: &oauthex.ClientRegistrationMetadata{ClientName: "Official",
				RedirectURIs: []string{callback}, GrantTypes: []string{"authorization_code", "refresh_token"}, TokenEndpointAuthMethod: "none"}},
			AuthorizationCodeFetcher: func(_ context.Context, args *auth.AuthorizationArgs) (*auth.AuthorizationResult, error) {
				asks++
				u, err := url.Parse(args.URL)
				if err != nil {
					return nil, err
				}
				got := s.consent(u.RawQuery, s.cookieFor(mia.ID), "read", "note")
				return &auth.AuthorizationResult{Code: got.Get("code"), State: got.Get("state"), Iss: got.Get("iss")}, nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		client := protocol.NewClient(&protocol.Implementation{Name: "test", Version: "1"}, nil)
		connected, err := client.Connect(t.Context(), &protocol.StreamableClientTransport{Endpoint: s.url + "/mcp", OAuthHandler: handler, DisableStandaloneSSE: true}, nil)
		if err != nil {
			t.Fatal(err)
		}
		defer connected.Close()
		h := &helper{ClientSession: connected, t: t}
		h.must("note", object{"conversation": session, "text": "VIP"})
		if _, refused := h.use("reply", object{"conversation": session, "text": "Hello"}); !strings.Contains(refused, "write") {
			t.Errorf("without the scope it is told %q", refused)
		}
		keys := s.must("GET", "/api/admin/api-keys?person="+mia.ID, secretKey, nil)
		if keys.first("keys", "name") != "Official" || keys.first("keys", "redirectHost") != "127.0.0.1" || asks != 1 {
			t.Errorf("listed is %s after %d questions", keys.body, asks)
		}
		if e := s.must("GET", "/api/admin/audit?action=key_made", secretKey, nil); e.first("entries", "name") != "Mia" || e.first("entries", "target") != "Official" {
			t.Errorf("recorded is %s", e.body)
		}
		id := keys.first("keys", "id")
		s.must("DELETE", "/api/admin/api-keys/"+id, "", nil, "Cookie", s.cookieFor(mia.ID))
		source, err := handler.TokenSource(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		token, err := source.Token()
		if err != nil || s.opens(token.AccessToken) != 401 {
			t.Errorf("an ended connection still opens something: %v", err)
		}
	})
}

// TestDiscovery: what a program is told, it needs to know no more.
func TestDiscovery(t *testing.T) {
	s := newSite(t, dbtest.Memory(t), func(c *config.Config) { c.PublicURL = "https://chat.example.com" })
	for _, sent := range []string{"", "roa_wrong", "rk_wrong"} {
		got := s.call("POST", "/mcp", sent, object{"jsonrpc": "2.0", "id": 1, "method": "ping"}).header.Get("WWW-Authenticate")
		want := `Bearer resource_metadata="https://chat.example.com/.well-known/oauth-protected-resource/mcp"`
		if sent != "" {
			want += `, error="invalid_token"`
		}
		if got != want {
			t.Errorf("with %q: %s", sent, got)
		}
	}
	resource := s.must("GET", "/.well-known/oauth-protected-resource/mcp", "", nil)
	server := s.must("GET", "/.well-known/oauth-authorization-server", "", nil)
	if resource.text("resource") != "https://chat.example.com/mcp" || server.text("issuer") != "https://chat.example.com" || server.get("jwks_uri") != nil {
		t.Errorf("%s %s", resource.body, server.body)
	}
}

// TestRefreshing: each refresh token works once; one that comes again ends the connection, and the
// list of what was done says so.
func TestRefreshing(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		p, other := s.program(callback), s.program(callback)
		_, first := p.connected(s.signIn("Boss"), "read", "note")
		s.refusedWith(p.refresh(first, "client_id", other.id), "invalid_grant")
		s.refusedWith(p.refresh(first, "scope", "write"), "invalid_grant")
		narrow := p.refresh(first, "scope", "read")
		if narrow.text("scope") != "read" {
			t.Fatalf("narrower tokens: %s", narrow.body)
		}
		second := narrow.text("refresh_token")
		third := p.refresh(second)
		access := third.text("access_token")
		if third.text("scope") != "read note" || s.opens(access) != 200 {
			t.Fatalf("the connection keeps its scopes: %s", third.body)
		}
		s.refusedWith(p.refresh(access), "invalid_grant")
		if s.opens(third.text("refresh_token")) != 401 {
			t.Error("a refresh token opens something")
		}
		s.refusedWith(p.refresh(first), "invalid_grant") // a thief's, or the program's after a thief's
		s.refusedWith(p.refresh(third.text("refresh_token")), "invalid_grant")
		if s.opens(access) != 401 {
			t.Error("the family lives on")
		}
		if e := s.must("GET", "/api/admin/audit?action=key_ended", secretKey, nil); !strings.Contains(e.first("entries", "detail"), "twice") {
			t.Errorf("recorded is %s", e.body)
		}
		p.connected(s.signIn("Boss"), "read")
		id := s.must("GET", "/api/admin/api-keys", secretKey, nil).first("keys", "id")
		late := func(kind string) (token string) {
			token = chat.AccessTokenPrefix + chat.NewToken()
			s.stored(func(tx chat.Tx) error {
				return tx.PutOAuthToken(&chat.OAuthToken{Hash: chat.Hash(token), Key: id, Kind: kind, Scopes: chat.AllScopes, Until: chat.Now()})
			})
			return token
		}
		if a := s.opens(late(chat.TokenAccess)); a != 401 {
			t.Errorf("an access token that is over gets %d", a)
		}
		s.refusedWith(p.refresh(late(chat.TokenRefresh)), "invalid_grant")
	})
}

// TestSignInComesFirst: whoever is not signed in does that, in any way, and comes back to the question.
func TestSignInComesFirst(t *testing.T) {
	s := newSite(t, dbtest.Memory(t))
	p := s.program(callback)
	jar, err := cookiejar.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	browser := &http.Client{Jar: jar}
	read := func(resp *http.Response, err error) string {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		defer resp.Body.Close()
		return resp.Request.URL.Path + " " + resp.Status
	}
	if at := read(browser.Get(s.url + "/console/connect?" + p.query())); at != "/console 200 OK" {
		t.Fatalf("first it leads to %s", at)
	}
	if at := read(browser.PostForm(s.url+"/console/login", url.Values{"name": {"Boss"}, "key": {secretKey}})); at != "/console/connect 200 OK" {
		t.Errorf("signed in, it leads to %s", at)
	}
	if at := read(browser.Get(s.url + "/console")); at != "/console 200 OK" {
		t.Errorf("the console leads to %s once more", at)
	}
}

// TestConnectionsEndWithTheirPerson: whatever ends a token, ends a connection.
func TestConnectionsEndWithTheirPerson(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		s.personNamed("Bea", chat.RoleAdministrator)
		ada := s.personNamed("Ada", chat.RoleAdministrator)
		p := s.program(callback)
		fresh := func(scopes ...string) (access, refresh string) { return p.connected(s.cookieFor(ada.ID), scopes...) }
		access, _ := fresh("read", "settings")
		if _, refused := s.assistant(access).use("doctor", object{}); refused != "" {
			t.Errorf("an administrator's: %s", refused)
		}
		s.must("PATCH", "/api/admin/people/"+ada.ID, secretKey, object{"role": "operator"})
		if _, refused := s.assistant(access).use("doctor", object{}); !strings.Contains(refused, "dministrators") {
			t.Errorf("after the demotion: %q", refused)
		}
		for name, end := range map[string]func(access, refresh string){
			"revoking": func(access, _ string) {
				if a := s.form("/oauth/revoke", url.Values{"token": {access}, "client_id": {p.id}}); a.status != 200 {
					t.Errorf("revoking: %s", a.body)
				}
			},
			"revoking the other": func(_, refresh string) {
				s.refusedWith(s.form("/oauth/revoke", url.Values{"token": {refresh}, "client_id": {s.program(callback).id}}), "invalid_grant")
				s.form("/oauth/revoke", url.Values{"token": {refresh}, "client_id": {p.id}})
				s.form("/oauth/revoke", url.Values{"token": {refresh}, "client_id": {p.id}})
			},
			"signing out everywhere": func(string, string) { s.must("DELETE", "/api/admin/sign-ins", "", nil, "Cookie", s.cookieFor(ada.ID)) },
		} {
			access, refresh := fresh("read")
			if end(access, refresh); s.opens(access) != 401 || p.refresh(refresh).status != 400 {
				t.Errorf("after %s the connection works", name)
			}
		}
		access, refresh := fresh("read")
		s.must("DELETE", "/api/admin/people/"+ada.ID, secretKey, nil)
		if s.opens(access) != 401 || p.refresh(refresh).status != 400 {
			t.Error("after the removal the connection works")
		}
	})
}
