package e2e

import (
	"encoding/json"
	"html"
	"io"
	"net/http"
	"net/url"
	"os/exec"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/oauth2"

	"github.com/relay-chat/relay/db/dbtest"
)

// TestAssistantOfOthersConnects: the SDK for TypeScript finds out how to connect, is let in, and
// renews its tokens by itself.
func TestAssistantOfOthersConnects(t *testing.T) {
	if testing.Short() {
		t.Skip("the race detector has nothing to find in other programs")
	}
	t.Parallel()
	if _, err := exec.LookPath("node"); err != nil {
		t.Skip("this machine has no node")
	}
	packages := foreignPackages(t)
	in := boot(t, "DATABASE_URL=sqlite://"+t.TempDir()+"/relay.db")
	out := node(t, nil, []string{"PACKAGES=" + packages}, "testdata/oauth.mjs", in.base, in.secret)
	var got struct {
		Tools       int
		Said, Scope string
		Renewed     bool
	}
	if err := json.Unmarshal([]byte(out), &got); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if got.Tools != 17 || !got.Renewed || got.Scope != "read note" || !strings.Contains(got.Said, "people") {
		t.Errorf("the assistant says %s", out)
	}
}

const (
	connectedAt = "https://chat.example.com"
	calledBack  = "http://127.0.0.1:7777/callback"
)

// connecting is a program that connects step by step, each at the relay that next returns.
type connecting struct {
	t            *testing.T
	next         func() *instance
	id, verifier string
	cookie       *http.Cookie
}

// do makes a request and returns the answer with its body.
func (c *connecting) do(method, path, contentType, body string, change func(*http.Request)) (*http.Response, string) {
	c.t.Helper()
	req, err := http.NewRequestWithContext(c.t.Context(), method, c.next().base+path, strings.NewReader(body))
	if err != nil {
		c.t.Fatal(err)
	}
	if req.Header.Set("Content-Type", contentType); change != nil {
		change(req)
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		c.t.Fatal(err)
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	if err != nil {
		c.t.Fatal(err)
	}
	return resp, string(text)
}

func (c *connecting) signedIn(r *http.Request) { r.AddCookie(c.cookie) }

func (c *connecting) form(path string, values url.Values, change func(*http.Request)) (*http.Response, string) {
	c.t.Helper()
	return c.do("POST", path, "application/x-www-form-urlencoded", values.Encode(), change)
}

var questionFields = regexp.MustCompile(`name="(request|consent)" value="([^"]*)"`)

// letIn registers the program and has somebody let it in.
func (c *connecting) letIn() (code string) {
	c.t.Helper()
	_, body := c.do("POST", "/oauth/register", "application/json", `{"client_name":"Helper","redirect_uris":["`+calledBack+`"]}`, nil)
	var registered struct {
		ID string `json:"client_id"`
	}
	if json.Unmarshal([]byte(body), &registered) != nil || registered.ID == "" {
		c.t.Fatal(body)
	}
	c.id, c.verifier = registered.ID, oauth2.GenerateVerifier()
	query := url.Values{"client_id": {c.id}, "redirect_uri": {calledBack}, "response_type": {"code"}, "code_challenge_method": {"S256"},
		"code_challenge": {oauth2.S256ChallengeFromVerifier(c.verifier)}, "resource": {connectedAt + "/mcp"}}
	_, page := c.do("GET", "/console/connect?"+query.Encode(), "", "", c.signedIn)
	form := url.Values{"answer": {"allow"}, "scope": {"read"}}
	for _, field := range questionFields.FindAllStringSubmatch(page, -1) {
		form.Set(field[1], html.UnescapeString(field[2]))
	}
	resp, body := c.form("/console/connect", form, c.signedIn)
	_, to, _ := strings.Cut(resp.Header.Get("Refresh"), "url=")
	back, err := url.Parse(to)
	if err != nil || back.Query().Get("code") == "" {
		c.t.Fatalf("led back to %q: %s", to, body)
	}
	return back.Query().Get("code")
}

type gotTokens struct {
	Access  string `json:"access_token"`
	Refresh string `json:"refresh_token"`
	Error   string `json:"error"`
}

func (c *connecting) tokens(fields ...string) (got gotTokens) {
	c.t.Helper()
	form := url.Values{"client_id": {c.id}}
	for i := 0; i < len(fields); i += 2 {
		form.Set(fields[i], fields[i+1])
	}
	_, body := c.form("/oauth/token", form, nil)
	if err := json.Unmarshal([]byte(body), &got); err != nil {
		c.t.Fatalf("%v: %s", err, body)
	}
	return got
}

func (c *connecting) opens(token string) int {
	c.t.Helper()
	resp, _ := c.do("POST", "/mcp", "application/json", `{"jsonrpc":"2.0","id":1,"method":"ping"}`, func(r *http.Request) { r.Header.Set("Authorization", "Bearer "+token) })
	return resp.StatusCode
}

// through connects, refreshes, and lets a thief use an old refresh token.
func (c *connecting) through() {
	t := c.t
	t.Helper()
	first := c.tokens("grant_type", "authorization_code", "code", c.letIn(), "code_verifier", c.verifier)
	if got := c.opens(first.Access); got != 200 {
		t.Fatalf("connected, it is answered %d %s", got, first.Error)
	}
	second := c.tokens("grant_type", "refresh_token", "refresh_token", first.Refresh)
	if got := c.opens(second.Access); got != 200 {
		t.Fatalf("refreshed, it is answered %d %s", got, second.Error)
	}
	if again := c.tokens("grant_type", "refresh_token", "refresh_token", first.Refresh); again.Error != "invalid_grant" {
		t.Errorf("an old refresh token is answered %+v", again)
	}
	if got := c.opens(second.Access); got != 401 {
		t.Errorf("afterwards the connection is answered %d", got)
	}
	if got := c.tokens("grant_type", "refresh_token", "refresh_token", second.Refresh); got.Error != "invalid_grant" {
		t.Errorf("and refreshed with %+v", got)
	}
}

// TestConnectingThroughKills kills relay before every step: nothing that was answered is forgotten,
// and nothing that was used up works again.
func TestConnectingThroughKills(t *testing.T) {
	t.Parallel()
	environ := []string{"DATABASE_URL=" + dbtest.FileURL(t), "PUBLIC_URL=" + connectedAt, "RELAY_PUBLIC_KEY=" + crashPublicKey, "RELAY_SECRET_KEY=" + crashSecretKey}
	in := launchAt(t, freePort(t), t.TempDir(), environ)
	in.secret = crashSecretKey
	c := &connecting{t: t, cookie: login(t, in, url.Values{"name": {"Ada"}, "key": {crashSecretKey}}).cookie, next: func() *instance {
		in.kill()
		in.stdout = &buffer{}
		in.run(in.port())
		return in
	}}
	c.through()
}

// TestNodesConnectTogether takes every step at another node than the one before.
func TestNodesConnectTogether(t *testing.T) {
	t.Parallel()
	environ := []string{"DATABASE_URL=" + dbtest.PostgresURL(t), "PUBLIC_URL=" + connectedAt, "RELAY_PUBLIC_KEY=" + crashPublicKey, "RELAY_SECRET_KEY=" + crashSecretKey}
	nodes, steps := []*instance{launchAt(t, freePort(t), t.TempDir(), environ), launchAt(t, freePort(t), t.TempDir(), environ)}, 0
	c := &connecting{t: t, cookie: login(t, nodes[0], url.Values{"name": {"Ada"}, "key": {crashSecretKey}}).cookie, next: func() *instance {
		steps++
		return nodes[steps%2]
	}}
	c.through()
}
