package server_test

import (
	"strings"
	"testing"

	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/config"
)

// TestInvitationWithoutOwnHost: a public address with a path leads to no console, so the
// link has the address by which the administrator opened it.
func TestInvitationWithoutOwnHost(t *testing.T) {
	for public, want := range map[string]string{"https://chat.test": "https://chat.test/console/", "https://shop.test/chat": "http://127.0.0.1"} {
		s := newSite(t, dbtest.Memory(t), func(c *config.Config) { c.PublicURL = public })
		link := s.must("POST", "/api/admin/invitations", secretKey, object{"role": "operator"})
		if got := link.text("url"); !strings.HasPrefix(got, want) || !strings.Contains(got, "/console/invitation#") {
			t.Errorf("%s: the link is %s, want %s…", public, got, want)
		}
	}
}
