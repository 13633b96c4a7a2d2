package server_test

import (
	"encoding/json"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/config"
)

// TestWebhooksOfSites: a site's events go to its own receiver, or else to that of all sites,
// and say whose they are; what one receiver does concerns no other.
func TestWebhooksOfSites(t *testing.T) {
	shared, sharedPosts := receiver(t, nil)
	own, ownPosts := receiver(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGone) })
	s := newSite(t, dbtest.Memory(t), webhookTo(shared), func(c *config.Config) {
		c.WebhookAllowCIDRs = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	})
	berlin, paris := s.addSite("Berlin"), s.addSite("Paris")
	s.must("PATCH", "/api/admin/sites/berlin/settings", secretKey, object{"eventsWebhookUrl": own})
	s.serveWebhook()
	got := func(posts chan post, kind, site string) {
		t.Helper()
		for {
			select {
			case p := <-posts:
				var body struct {
					Type string
					Data struct{ Site string }
				}
				if err := json.Unmarshal(p.body, &body); err != nil {
					t.Fatal(err)
				}
				if body.Data.Site != site {
					t.Errorf("%s, want site %q", p.body, site)
				}
				if body.Type == kind {
					return
				}
			case <-time.After(10 * time.Second):
				t.Fatalf("nothing of %s came", site)
			}
		}
	}
	say := func(key string) {
		t.Helper()
		s.must("POST", "/api/widget/messages", key, object{"sessionId": s.openAt(key, "v"), "content": "hi"})
	}
	say(berlin)
	got(ownPosts, "new_session", "berlin")
	say(paris)
	got(sharedPosts, "visitor_message", "paris")
	say(publicKey)
	got(sharedPosts, "visitor_message", "main")
	for deadline := time.Now().Add(10 * time.Second); ; time.Sleep(10 * time.Millisecond) { // 410 switched Berlin's off
		if s.must("GET", "/api/admin/sites/berlin/settings", secretKey, nil).get("eventsWebhookEnabled") == false {
			break
		}
		if time.Now().After(deadline) {
			t.Fatal("a receiver that is gone is still asked")
		}
	}
	if s.must("GET", "/api/admin/sites/paris/settings", secretKey, nil).get("eventsWebhookEnabled") != true {
		t.Error("one receiver that is gone switched another's off")
	}
	say(publicKey)
	got(sharedPosts, "visitor_message", "main")
	if a := s.must("POST", "/api/admin/webhooks/test?site=paris", secretKey, nil); a.get("ok") != true {
		t.Errorf("the test: %s", a.body)
	}
	s.refused(s.call("POST", "/api/admin/webhooks/test?site=berlin", secretKey, nil), 409, "The webhook is switched off")
}

// TestWebhookOutageOfASite: a receiver that never answers, whatever waits for it, holds up no
// other's events; one that asks for time gets it alone.
func TestWebhookOutageOfASite(t *testing.T) {
	hang := make(chan struct{})
	slow, asked := receiver(t, func(_ http.ResponseWriter, r *http.Request) {
		select {
		case <-hang:
		case <-r.Context().Done():
		}
	})
	busy, _ := receiver(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "600")
		w.WriteHeader(http.StatusServiceUnavailable)
	})
	well, posts := receiver(t, nil)
	s := newSite(t, dbtest.Memory(t), webhookTo(well), func(c *config.Config) {
		c.WebhookAllowCIDRs = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8"), netip.MustParsePrefix("::1/128")}
	})
	berlin, paris := s.addSite("Berlin"), s.addSite("Paris")
	s.must("PATCH", "/api/admin/sites/berlin/settings", secretKey, object{"eventsWebhookUrl": slow})
	s.must("PATCH", "/api/admin/sites/paris/settings", secretKey, object{"eventsWebhookUrl": busy})
	s.serveWebhook()
	t.Cleanup(func() { close(hang) })
	say := func(key, visitor string) {
		s.must("POST", "/api/widget/messages", key, object{"sessionId": s.openAt(key, visitor), "content": "hi"})
	}
	for _, visitor := range strings.Split("abcdefghijklmnopqrst", "") { // more than are served at once
		say(berlin, visitor)
		say(paris, visitor)
	}
	<-asked
	began := time.Now()
	for i := range 2 { // the second after the busy one has asked for time
		say(publicKey, string(rune('a'+i)))
		select {
		case <-posts:
		case <-time.After(8 * time.Second):
			t.Fatal("nothing came to the receiver that works")
		}
	}
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("it came after %s", took)
	}
}
