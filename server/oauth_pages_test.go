package server_test

import (
	"strings"
	"testing"

	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

// TestPagesOfOthersConnect: an assistant that runs in a page of another origin connects and uses
// the tools. No page gets an answer to the cookies of its reader, and no key counts in one.
func TestPagesOfOthersConnect(t *testing.T) {
	s := newSite(t, dbtest.Memory(t))
	elsewhere := []string{"Origin", "https://inspector.test", "Sec-Fetch-Site", "cross-site"}
	open := func(a answer, status int) answer {
		t.Helper()
		if a.status != status || a.header.Get("Access-Control-Allow-Origin") != "*" || a.header.Get("Access-Control-Allow-Credentials") != "" ||
			!strings.Contains(a.header.Get("Access-Control-Expose-Headers"), "WWW-Authenticate, Retry-After, Mcp-Session-Id") {
			t.Fatalf("it answers %d %v %s", a.status, a.header, a.body)
		}
		return a
	}
	for _, path := range []string{"/mcp", "/oauth/register", "/oauth/token", "/oauth/revoke", "/.well-known/oauth-protected-resource/mcp", "/.well-known/oauth-authorization-server"} {
		a := open(s.call("OPTIONS", path, "", nil, append(elsewhere, "Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "authorization,mcp-protocol-version")...), 204)
		if a.header.Get("Access-Control-Allow-Headers") != "Authorization, *" || !strings.Contains(a.header.Get("Access-Control-Allow-Methods"), "POST") {
			t.Errorf("%s allows %v", path, a.header)
		}
	}
	open(s.call("GET", "/mcp", "", nil, elsewhere...), 405) // which says that there is no stream
	open(s.call("GET", "/.well-known/openid-configuration", "", nil, elsewhere...), 404)
	open(s.call("GET", "/.well-known/oauth-authorization-server", "", nil, elsewhere...), 200)
	open(s.call("POST", "/oauth/token", "", "x=y", append(elsewhere, "Content-Type", "application/x-www-form-urlencoded")...), 400)
	open(s.call("POST", "/oauth/register", "", object{"redirect_uris": []string{"https://inspector.test/back"}}, elsewhere...), 201)

	cookie := s.signIn("Ada")
	list := object{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": object{"name": "list_conversations", "arguments": object{}}}
	for _, header := range [][]string{nil, {"Cookie", cookie}} {
		a := open(s.call("POST", "/mcp", "", list, append(header, elsewhere...)...), 401)
		if !strings.HasPrefix(a.header.Get("WWW-Authenticate"), "Bearer resource_metadata=") {
			t.Errorf("with %v it is told %v", header, a.header)
		}
	}
	access, _ := s.program(callback).connected(cookie, "read")
	if a := open(s.call("POST", "/mcp", access, list, elsewhere...), 200); !strings.Contains(string(a.body), `"structuredContent"`) {
		t.Errorf("its token is answered %s", a.body)
	}
	_, key := s.newKey(administers, chat.APIKey{})
	for _, secret := range []string{key, secretKey} {
		open(s.call("POST", "/mcp", secret, list, elsewhere...), 401)
	}
	for _, path := range []string{"/oauth/authorize", "/console/connect", "/api/admin/sessions"} {
		if a := s.call("GET", path, access, nil, elsewhere...); a.header.Get("Access-Control-Allow-Origin") != "" {
			t.Errorf("pages may read %s: %v", path, a.header)
		}
	}
}
