package server_test

import (
	"strings"
	"testing"

	"github.com/relay-chat/relay/server/config"
)

// TestPagesAreFilled: wherever a page is built with a place for a value, relay
// has one.
func TestPagesAreFilled(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		expectFilled := func(a answer) {
			t.Helper()
			if i := strings.Index(string(a.body), "${"); i >= 0 || !strings.Contains(string(a.body), "</html>") {
				t.Errorf("%d: a page with %.30q", a.status, string(a.body)[max(i, 0):])
			}
		}
		html, form := []string{"Accept", "text/html"}, []string{"Content-Type", "application/x-www-form-urlencoded"}
		locked := s.call("GET", "/", "", nil, html...)
		wrong := s.call("GET", "/?setup=AAAA-BBBB-CCCC", "", nil, html...)
		const problem = "not the set-up code"
		if strings.Contains(string(locked.body), problem) || !strings.Contains(string(wrong.body), problem) {
			t.Error("only who brought a wrong code is told so")
		}
		setup := s.call("GET", "/?setup="+s.code(), "", nil, html...)
		_, secret, _ := s.ring.Show(t.Context())
		signedIn := s.call("POST", "/console/login", "", "name=%3CO%27Hara%3E&key="+secret, form...)
		cookie, _, _ := strings.Cut(signedIn.header.Get("Set-Cookie"), ";")
		console := s.call("GET", "/console", "", nil, "Cookie", cookie)
		if !strings.Contains(string(console.body), "&lt;O&#39;Hara&gt;") {
			t.Error("the console does not greet the operator, escaped")
		}
		for path, title := range map[string]string{"/": "Set up relay", "/demo": "Aro table lamp", "/docs": "Documentation"} {
			if a := s.call("GET", path, "", nil, html...); !strings.Contains(string(a.body), "<title>"+title) {
				t.Errorf("%s is not called %s", path, title)
			}
		}
		for _, page := range []answer{
			locked, wrong, setup, console,
			s.call("GET", "/demo", "", nil),
			s.call("GET", "/docs", "", nil),
			s.call("GET", "/console", "", nil),
			s.call("POST", "/console/login", "", "name=Olga&key=wrong", form...),
			s.call("POST", "/setup/done", "", nil, "Sec-Fetch-Site", "cross-site"),
			s.call("GET", "/nowhere", "", nil, html...),
		} {
			expectFilled(page)
		}
		s.ring.CloseSetup("the test has seen it")
		expectFilled(s.call("GET", "/", "", nil, html...))
	}, unset, func(c *config.Config) { c.Setup = config.SetupCode })
}
