package server_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/relay-chat/relay/server/config"
)

func TestBridgeKeys(t *testing.T) {
	s := newBridgeSite(t, withKey)
	calls := []struct{ method, path string }{{"POST", "/api/sessions"}, {"POST", "/api/messages"}, {"POST", "/api/operator/status"},
		{"POST", "/api/custom-events"}, {"POST", "/api/disconnect"}, {"POST", "/api/events"}, {"GET", "/api/events/stream"}}
	for _, c := range calls {
		s.refused(s.call(c.method, c.path, "", object{}), 401, "Unauthorized")
		s.refused(s.call(c.method, c.path, "wrong", object{}), 401, "Unauthorized")
		s.refused(s.call(c.method, c.path+"?apiKey="+backendKey, "", object{}), 401, "Unauthorized")
	}
	s.refused(s.call("POST", "/api/events", backendKey, object{}), 400, "type is required")
	s.must("POST", "/api/operator/status", "", object{"online": true}, "X-API-Key", backendKey)
	s.must("GET", "/health", "", nil)
	s.must("GET", "/ready", "", nil)
}

// Without a key only programs may speak: a page of another website in the
// operator's browser may not.
func TestBridgeWithoutKeyRefusesWebPages(t *testing.T) {
	s := newBridgeSite(t, func(c *config.Config) { c.AllowedOrigins = []string{"https://dashboard.example.com"} })
	s.must("POST", "/api/sessions", "", reduced)
	for _, header := range [][]string{{"Origin", "https://evil.example.com"}, {"Sec-Fetch-Site", "cross-site"}} {
		s.refused(s.call("POST", "/api/sessions", "", reduced, append(header, "Content-Type", "text/plain")...), 403, "Forbidden")
	}
	preflight := s.call("OPTIONS", "/api/events/stream", "", nil, "Origin", "https://dashboard.example.com", "Access-Control-Request-Method", "GET")
	if preflight.status != 204 || preflight.header.Get("Access-Control-Allow-Origin") != "https://dashboard.example.com" {
		t.Errorf("preflight: %d %v", preflight.status, preflight.header)
	}
	if other := s.call("OPTIONS", "/api/events/stream", "", nil, "Origin", "https://evil.example.com"); other.header.Get("Access-Control-Allow-Origin") != "" {
		t.Error("any page may read the stream")
	}
}

func TestBridgeFiltersAgents(t *testing.T) {
	s := newBridgeSite(t, func(c *config.Config) {
		filter, _, err := config.Declare(nil).Load(config.Flags{}, []string{"UA_FILTER_ENABLED=true", "UA_FILTER_BLOCKLIST=BadBot"})
		if err != nil {
			t.Fatal(err)
		}
		c.UAFilterEnabled, c.UAFilterMode, c.UAFilterBlocklist = true, filter.UAFilterMode, filter.UAFilterBlocklist
	})
	s.refused(s.call("POST", "/api/sessions", "", reduced, "User-Agent", "badbot/1.0"), 403, "Forbidden")
	s.must("POST", "/api/sessions", "", reduced)
	s.must("GET", "/health", "", nil, "User-Agent", "badbot/1.0")
}

// Without a key a page that reaches relay under a name of its own is foreign,
// too, also when it only reads: then browsers name the page to addresses that
// they trust only. Backends may call relay what they like.
func TestBridgeRefusesRebinding(t *testing.T) {
	s := newBridgeSite(t)
	post := []string{"POST", "/api/sessions", `{"id":"s1"}`, "Sec-Fetch-Site", "same-origin"}
	read := []string{"GET", "/api/events/stream", "", "User-Agent", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36"}
	listen := []string{"GET", "/api/events/stream", "", "User-Agent", "acme-backend/1.0"}
	tests := []struct {
		request []string
		host    string
		status  int
	}{
		{post, "evil.example", 403}, {post, "localhost:3001", 200}, {post, "127.0.0.1:3001", 200}, {post, "[::1]:3001", 200},
		{read, "evil.example", 403}, {read, "localhost:3001", 200}, {read, "192.168.1.5:3001", 200}, {read, "relay:3001", 200},
		{listen, "relay.internal:3001", 200},
	}
	for _, tt := range tests {
		req, err := http.NewRequestWithContext(t.Context(), tt.request[0], s.url+tt.request[1], strings.NewReader(tt.request[2]))
		if err != nil {
			t.Fatal(err)
		}
		req.Host = tt.host
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set(tt.request[3], tt.request[4])
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != tt.status {
			t.Errorf("%s under the name %s answered %d, want %d", tt.request[:2], tt.host, resp.StatusCode, tt.status)
		}
	}
}
