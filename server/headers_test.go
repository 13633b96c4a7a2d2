package server_test

import (
	"fmt"
	"maps"
	"net/netip"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/config"
)

// changing are the parts of headers that differ from answer to answer.
var changing = regexp.MustCompile(`relay_console=[^;]*|"[0-9a-f]{8,}[^"]*"|"[A-Z2-7]{26}"|\d{4}-\d\d-\d\d`)

// TestHeaders holds the headers of every page and every kind of answer to a golden
// file, so that a change of one is seen. -update rewrites it.
func TestHeaders(t *testing.T) {
	s := newSite(t, dbtest.Memory(t), func(c *config.Config) {
		c.AllowedOrigins, c.TrustedProxies = []string{"https://shop.test"}, []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	})
	id := s.open("v")
	upload := func(name, content string) string {
		return s.upload(uploads, publicKey, name, []byte(content), "sessionId", id, "file", "").text("url")
	}
	cookie := s.signIn("Olga")
	form := []string{"Content-Type", "application/x-www-form-urlencoded"}
	var got strings.Builder
	for _, q := range []struct {
		name, method, path, key string
		body                    any
		header                  []string
	}{
		{"first start", "GET", "/", "", nil, []string{"Accept", "text/html"}},
		{"first start, for programs", "GET", "/", "", nil, []string{"Accept", "application/json"}},
		{"first start, from elsewhere", "GET", "/", "", nil, []string{"Accept", "text/html", "X-Forwarded-For", "203.0.113.7"}},
		{"demo", "GET", "/demo", "", nil, nil},
		{"preview", "GET", "/preview", "", nil, nil},
		{"sign-in", "GET", "/console", "", nil, nil},
		{"console", "GET", "/console", "", nil, []string{"Cookie", cookie}},
		{"signing in", "POST", "/console/login", "", "name=Olga&key=" + secretKey, form},
		{"signing in by HTTPS", "POST", "/console/login", "", "name=Olga&key=" + secretKey, append(form, "X-Forwarded-Proto", "https")},
		{"wrong sign-in", "POST", "/console/login", "", "name=Olga&key=x", form},
		{"signing out", "POST", "/console/logout", "", nil, []string{"Cookie", cookie}},
		{"API documents", "GET", "/docs", "", nil, nil},
		{"guide", "GET", "/docs/widget", "", nil, nil},
		{"OpenAPI", "GET", "/openapi.yaml", "", nil, nil},
		{"widget loader", "GET", "/widget.js", "", nil, nil},
		{"console script", "GET", "/static/console.js", "", nil, nil},
		{"no such page", "GET", "/nothing", "", nil, []string{"Accept", "text/html"}},
		{"no such address", "GET", "/nothing", "", nil, nil},
		{"no such method", "PUT", "/health", "", nil, nil},
		{"health", "GET", "/health", "", nil, nil},
		{"widget's answer", "GET", "/api/widget/config", publicKey, nil, []string{"Origin", "https://shop.test"}},
		{"widget's answer to a program", "GET", "/api/widget/config", publicKey, nil, nil},
		{"widget's answer to a foreign page", "GET", "/api/widget/config", publicKey, nil, []string{"Origin", "https://evil.test"}},
		{"preflight", "OPTIONS", "/api/widget/messages", "", nil, []string{"Origin", "https://shop.test"}},
		{"foreign preflight", "OPTIONS", "/api/widget/messages", "", nil, []string{"Origin", "https://evil.test"}},
		{"preflight for operators", "OPTIONS", "/api/admin/sessions", "", nil, []string{"Origin", "https://shop.test"}},
		{"no key", "GET", "/api/admin/sessions", "", nil, nil},
		{"operator's answer", "GET", "/api/admin/sessions", secretKey, nil, nil},
		{"wrong JSON", "POST", "/api/widget/messages", publicKey, "{", nil},
		{"no session", "GET", "/api/widget/messages?sessionId=x", publicKey, nil, nil},
		{"export", "GET", "/api/admin/export", secretKey, nil, nil},
		{"platform that is off", "POST", "/api/webhooks/telegram", "", object{}, nil},
		{"picture", "GET", upload("a.png", string(pixels(1, 1))), "", nil, nil},
		{"text file", "GET", upload("a.txt", "hello"), "", nil, nil},
		{"HTML file", "GET", upload("a.html", "<script>alert(1)</script>"), "", nil, nil},
		{"part of a file", "GET", upload("a.txt", "hello"), "", nil, []string{"Range", "bytes=1-2"}},
		{"file without a signature", "GET", "/files/x/a.png", "", nil, nil},
	} {
		a := s.call(q.method, q.path, q.key, q.body, q.header...)
		fmt.Fprintf(&got, "%s: %d\n", q.name, a.status)
		for _, name := range slices.Sorted(maps.Keys(a.header)) {
			switch name {
			case "Date", "Content-Length", "X-Request-Id", "Last-Modified":
				continue
			}
			fmt.Fprintf(&got, "\t%s: %s\n", name, changing.ReplaceAllString(strings.Join(a.header[name], " | "), "…"))
		}
	}
	golden := filepath.Join("..", "testdata", "headers.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(got.String()), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got.String() != string(want) {
		t.Errorf("headers have changed; if that is right: go test ./server -run TestHeaders -update\n%s", got.String())
	}
}
