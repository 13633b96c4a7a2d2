package server_test

import (
	"net/netip"
	"strings"
	"testing"

	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/config"
)

func TestUserAgentFilter(t *testing.T) {
	list := func(mode config.FilterMode, variable, text string) func(*config.Config) {
		return func(c *config.Config) {
			cfg, _, err := config.Declare(nil).Load(config.Flags{}, []string{"UA_FILTER_ENABLED=true", "UA_FILTER_MODE=" + string(mode), variable + "=" + text})
			if err != nil {
				t.Fatal(err)
			}
			c.UAFilterEnabled, c.UAFilterMode, c.UAFilterBlocklist, c.UAFilterAllowlist = cfg.UAFilterEnabled, cfg.UAFilterMode, cfg.UAFilterBlocklist, cfg.UAFilterAllowlist
		}
	}
	for _, tt := range []struct {
		name      string
		configure func(*config.Config)
		agent     string
		status    int
	}{
		{"blocked part", list("blocklist", "UA_FILTER_BLOCKLIST", "curl, wget"), "CURL/8.0", 403},
		{"blocked expression with a comma", list("blocklist", "UA_FILTER_BLOCKLIST", "/^bo{1,2}t/,x"), "Boot 1", 403},
		{"not blocked", list("blocklist", "UA_FILTER_BLOCKLIST", "curl"), "Mozilla/5.0", 401},
		{"allowed", list("allowlist", "UA_FILTER_ALLOWLIST", "mozilla"), "Mozilla/5.0", 401},
		{"not allowed", list("allowlist", "UA_FILTER_ALLOWLIST", "mozilla"), "curl", 403},
		{"empty list", list("allowlist", "UA_FILTER_ALLOWLIST", ""), "curl", 401},
		{"both, blocked", list("both", "UA_FILTER_BLOCKLIST", "curl"), "curl", 403},
		{"both, on no list", list("both", "UA_FILTER_ALLOWLIST", "mozilla"), "curl", 401},
		{"both, on either list", func(c *config.Config) {
			list("both", "UA_FILTER_BLOCKLIST", "bot")(c)
			both := c.UAFilterBlocklist
			list("both", "UA_FILTER_ALLOWLIST", "acme-bot")(c)
			c.UAFilterBlocklist = both
		}, "acme-bot/1", 401},
		{"off", func(c *config.Config) {
			list("blocklist", "UA_FILTER_BLOCKLIST", "curl")(c)
			c.UAFilterEnabled = false
		}, "curl", 401},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSite(t, dbtest.Memory(t), tt.configure)
			a := s.call("GET", "/api/admin/settings", "", nil, "User-Agent", tt.agent)
			if a.status != tt.status || (a.status == 403 && string(a.body) != `{"error":"Forbidden"}`) {
				t.Errorf("%d %s, want %d", a.status, a.body, tt.status)
			}
			s.must("GET", "/health", "", nil, "User-Agent", tt.agent)
			s.refused(s.call("POST", "/api/webhooks/telegram", "", object{}, "User-Agent", tt.agent), 503, "not set up")
			if a := s.call("OPTIONS", "/api/widget/init", "", nil, "User-Agent", tt.agent); a.status != 204 {
				t.Errorf("a preflight was answered %d", a.status)
			}
		})
	}
}

// TestProxyNotTrusted: all who come through a proxy that is not in
// TRUSTED_PROXIES are one client, like behind one beside relay's container. The
// log reports it once.
func TestProxyNotTrusted(t *testing.T) {
	for _, tt := range []struct {
		name    string
		trusted []netip.Prefix
		header  []string
		logged  int
	}{
		{"another one is trusted", []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, []string{"X-Forwarded-For", "203.0.113.7"}, 1},
		{"it is trusted", []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}, []string{"X-Forwarded-For", "203.0.113.7"}, 0},
		{"none is meant to be", nil, []string{"X-Forwarded-For", "203.0.113.7"}, 0},
		{"there is none", []netip.Prefix{netip.MustParsePrefix("10.0.0.0/8")}, nil, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s := newSite(t, dbtest.Memory(t), func(c *config.Config) { c.RateLimit, c.TrustedProxies = true, tt.trusted })
			for range 3 {
				s.must("POST", "/api/widget/init", publicKey, object{"visitorId": "v"}, tt.header...)
			}
			if got := s.logs.String(); strings.Count(got, "TRUSTED_PROXIES") != tt.logged || strings.Contains(got, "203.0.113.7") {
				t.Errorf("the log reports it other than %d times:\n%s", tt.logged, got)
			}
		})
	}
}

func TestRateLimits(t *testing.T) {
	s := newSite(t, dbtest.Memory(t), limited(t))
	burst := func(n int, header []string, call func(header []string) answer) (refused int) {
		for range n {
			if a := call(header); a.status == 429 {
				refused++
				if a.header.Get("Retry-After") == "" || !strings.Contains(string(a.body), "oo many ") {
					t.Fatalf("429 without Retry-After or words: %v %s", a.header, a.body)
				}
			}
		}
		return refused
	}
	init := func(header []string) answer {
		return s.call("POST", "/api/widget/init", publicKey, object{"visitorId": "v"}, header...)
	}
	wrongKey := func(header []string) answer { return s.call("GET", "/api/admin/settings", "wrong", nil, header...) }
	rightKey := func(header []string) answer { return s.call("GET", "/api/admin/settings", secretKey, nil, header...) }
	signIn := func(key string) func(header []string) answer {
		return func(header []string) answer {
			return s.call("POST", "/console/login", "", "name=Olga&key="+key, append(header, "Content-Type", "application/x-www-form-urlencoded")...)
		}
	}
	from := func(addr string) []string { return []string{"X-Forwarded-For", addr} }
	for _, tt := range []struct {
		name    string
		header  []string
		call    func([]string) answer
		refused int
	}{
		{"inits of an address", from("203.0.113.1"), init, 10},
		{"inits of the same address behind a lie", from("1.2.3.4, 203.0.113.1"), init, 40},
		{"inits of the same address with its port", from("203.0.113.1:4711"), init, 40},
		{"inits of another address", from("203.0.113.2"), init, 10},
		{"inits of one IPv6 network", from("2001:db8::1"), init, 10},
		{"inits of the same IPv6 network", from("2001:db8::2"), init, 40},
		{"inits from this machine", nil, init, 0},
		{"wrong keys", from("203.0.113.3"), wrongKey, 30},
		{"the right key is never refused", from("203.0.113.3"), rightKey, 0},
		{"wrong keys at the console", from("203.0.113.4"), signIn("wrong"), 30},
		{"the right key at the console", from("203.0.113.4"), signIn(secretKey), 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s.t = t
			if n := burst(40, tt.header, tt.call); n != tt.refused {
				t.Errorf("%d of 40 were refused, want %d", n, tt.refused)
			}
		})
	}
}
