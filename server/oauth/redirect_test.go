package oauth

import (
	"net/url"
	"strings"
	"testing"

	"github.com/relay-chat/relay/server/chat"
)

// TestMatches: an address is the one that was registered, but for the port on one's own machine.
func TestMatches(t *testing.T) {
	for _, tt := range []struct {
		registered, asked string
		want              bool
	}{
		{"https://a.test/cb", "https://a.test/cb", true},
		{"https://a.test/cb", "https://a.test/cb/", false},
		{"https://a.test/cb", "https://a.test:8443/cb", false},
		{"https://a.test/cb", "https://a.test/cb?x=1", false},
		{"https://a.test/cb", "http://a.test/cb", false},
		{"https://localhost/cb", "https://localhost:99/cb", false},
		{"http://127.0.0.1/cb", "http://127.0.0.1:51234/cb", true},
		{"http://127.0.0.1:1/cb?x=1", "http://127.0.0.1:2/cb?x=1", true},
		{"http://[::1]/cb", "http://[::1]:51234/cb", true},
		{"http://127.0.0.1/cb", "http://127.0.0.2:51234/cb", false},
		{"http://127.0.0.1/cb", "http://localhost:51234/cb", false},
		{"http://127.0.0.1/cb", "http://127.0.0.1:51234/other", false},
		{"http://127.0.0.1/cb", "http://127.0.0.1:51234@evil.test/cb", false},
		{"http://127.0.0.1/cb", "https://127.0.0.1/cb", false},
		{"http://127.0.0.1/cb", "", false},
		{"cursor://anysphere.cursor-mcp/oauth/callback", "cursor://anysphere.cursor-mcp/oauth/callback", true},
		{"cursor://anysphere.cursor-mcp/oauth/callback", "cursor://evil/oauth/callback", false},
		{"com.example.app:/cb", "com.example.app:/cb", true},
		{"com.example.app:/cb", "com.example.app:/other", false},
	} {
		if got := matches(chat.Addresses{tt.registered}, tt.asked); got != tt.want {
			t.Errorf("registered %s, asked %s: %v", tt.registered, tt.asked, got)
		}
	}
}

// TestOwnSchemes: a program on the person's machine may have a scheme, but none that a browser
// would read itself.
func TestOwnSchemes(t *testing.T) {
	for address, want := range map[string]bool{
		"cursor://anysphere.cursor-mcp/oauth/callback": true, "vscode://host/cb": true, "com.example.app:/cb": true, "com.example.app://host/cb": true,
		"com.example.app:cb": false, "com.example.app:": false, "javascript:alert(1)": false, "javascript:/alert(1)": false, "javascript://a.test/%0aalert(1)": false,
		"data:text/html,x": false, "data:/x": false, "file:///etc/passwd": false, "blob:https://a.test/x": false, "ftp://a.test/": false, "ws://a.test/": false,
		"intent://scan/#Intent;end": false, "com.example.app://a@b/cb": false, "com.example.app:/cb#x": false, "com.example.app:/cb?code=1": false, "mailto:a@b.test": false,
		"ms-settings:/x": false, "search-ms:/x": false,
	} {
		if refused := checkRedirect(address); (refused == nil) != want {
			t.Errorf("%s: %v", address, refused)
		}
	}
}

// FuzzRedirect: whatever is accepted leads to the host that people are shown, with relay's own
// parameters once each.
func FuzzRedirect(f *testing.F) {
	for _, seed := range []string{"https://claude.ai/api/mcp/auth_callback", "http://127.0.0.1:7777/cb?x=1", "http://[::1]/", "https://a.test@b.test/", `https://a.test\@b.test/`,
		"https://a.test/%2f..", "https://a.test/cb?code=1", "javascript:alert(1)", "https://a.test:0443/cb", "https://a.test./cb", "HTTPS://a.test/", "cursor://a.b/cb", "com.example.app:/cb"} {
		f.Add(seed, "state")
	}
	f.Fuzz(func(t *testing.T, address, state string) {
		if checkRedirect(address) != nil {
			return
		}
		q := &Request{Client: &chat.OAuthClient{}, Redirect: address, State: state}
		u, err := url.Parse(q.Answer("https://relay.test", "c"))
		if err != nil || u.User != nil || u.Fragment != "" || chat.RedirectHost(u.String()) != chat.RedirectHost(address) || strings.ContainsAny(u.String(), "\r\n \t") {
			t.Fatalf("%q leads to %v: %v", address, u, err)
		}
		if u.Scheme != "https" && !isLoopback(u.Hostname()) && !isOwnScheme(u.Scheme) {
			t.Fatalf("%q leads to %v", address, u)
		}
		query := u.Query()
		if len(query["code"]) != 1 || query.Get("code") != "c" || query.Get("iss") != "https://relay.test" || query.Get("state") != state || len(query["state"]) > 1 {
			t.Fatalf("%q leads to %v", address, u)
		}
	})
}

// TestProves: only the verifier of a challenge proves anything, and only one of the right length.
func TestProves(t *testing.T) {
	const verifier, challenge = "dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk", "E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM" // RFC 7636, appendix B
	for given, want := range map[string]bool{verifier: true, verifier + "x": false, "": false, challenge: false, strings.Repeat("x", 129): false} {
		if Proves(given, challenge) != want {
			t.Errorf("%q: %v", given, !want)
		}
	}
}
