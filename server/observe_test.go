package server_test

import (
	"net/netip"
	"regexp"
	"strings"
	"testing"

	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/config"
)

// TestRequestIDs: every answer has an id, a trusted proxy's own if it is fit for
// a log line.
func TestRequestIDs(t *testing.T) {
	own := regexp.MustCompile(`^[0-9a-f]{16}$`)
	for _, trusted := range []bool{true, false} {
		s := newSite(t, dbtest.Memory(t), func(c *config.Config) {
			if trusted {
				c.TrustedProxies = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
			}
		})
		seen := map[string]bool{}
		for _, given := range []string{"", "proxy-7.A_b", strings.Repeat("a", 65), `a" b`, "ä"} {
			for _, path := range []string{"/health", "/api/admin/sessions", "/none", "/"} {
				got := s.call("GET", path, "", nil, "X-Request-Id", given).header.Get("X-Request-Id")
				if kept := trusted && given == "proxy-7.A_b"; kept != (got == given) || !kept && (!own.MatchString(got) || seen[got]) {
					t.Errorf("trusted: %t, %q at %s becomes %q", trusted, given, path, got)
				}
				seen[got] = true
			}
		}
	}
}

// TestFailuresAreLoggedWithTheirRequest: the id of an answer leads to its lines.
func TestFailuresAreLoggedWithTheirRequest(t *testing.T) {
	s := newSite(t, dbtest.Memory(t))
	if err := s.store.Close(); err != nil {
		t.Fatal(err)
	}
	a := s.call("GET", "/api/admin/sessions", secretKey, nil)
	if id := a.header.Get("X-Request-Id"); a.status != 500 || !strings.Contains(s.logs.String(), "request="+id) {
		t.Errorf("the answer %d has the id %q, the log says %s", a.status, id, s.logs)
	}
}
