package server_test

import (
	"strings"
	"testing"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
)

// TestChatPage: each site has a page with nothing but its chat, which a phone can install.
func TestChatPage(t *testing.T) {
	dbtest.EachLasting(t, func(t *testing.T, store *db.DB) {
		s := newSite(t, store)
		s.must("PATCH", "/api/admin/settings", secretKey, object{"operatorName": "Ada & Ben", "primaryColor": "#0b7285"})
		page := func(path string, want ...string) {
			t.Helper()
			a := s.must("GET", path, "", nil)
			for _, part := range want {
				if !strings.Contains(string(a.body), part) {
					t.Errorf("%s lacks %s:\n%s", path, part, a.body)
				}
			}
			if csp := a.header.Get("Content-Security-Policy"); !strings.Contains(csp, "frame-ancestors 'none'") || !strings.Contains(csp, "manifest-src 'self'") {
				t.Errorf("%s: %s", path, csp)
			}
		}
		page("/chat", "<title>Ada &amp; Ben</title>", `data-api-key="`+s.ring.Public()+`"`, `src="/static/chat.js"`, `href=/chat/main/app.webmanifest>`)
		key := s.addSite("Shop Berlin", "id", "berlin")
		page("/chat/berlin", "<title>Shop Berlin</title>", `data-api-key="`+key+`"`)
		page("/chat/main", `data-api-key="`+s.ring.Public()+`"`)
		manifest := s.must("GET", "/chat/berlin/app.webmanifest", "", nil)
		if manifest.text("name") != "Shop Berlin" || manifest.text("start_url") != "/chat/berlin" || manifest.text("theme_color") != "#0b7285" || manifest.header.Get("Content-Type") != "application/manifest+json" {
			t.Errorf("the manifest is %s", manifest.body)
		}
		for _, path := range []string{"/chat/nowhere", "/chat/all", "/chat/nowhere/app.webmanifest"} {
			if a := s.call("GET", path, "", nil); a.status != 404 {
				t.Errorf("%s answers %d", path, a.status)
			}
		}
	})
}
