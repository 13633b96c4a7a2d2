package e2e

import (
	"net/http"
	"strings"
	"testing"

	"github.com/relay-chat/relay/bridges/signon/signontest"
)

// TestDoctor: it works beside a running relay and without one, and reads what was
// set there.
func TestDoctor(t *testing.T) {
	t.Chdir(t.TempDir())
	if code, stdout, _ := runCommand(t, nil, "doctor"); code != 0 || !strings.Contains(stdout, "there is none yet") {
		t.Errorf("before the first start: code %d\n%s", code, stdout)
	}
	in := boot(t)
	if code, stdout, stderr := runCommand(t, nil, "doctor"); code != 0 || !strings.Contains(stdout, "it can be read and written") || !strings.Contains(stdout, "single sign-on\n  ok    settings: not set up") {
		t.Errorf("beside a running relay: code %d\n%s%s", code, stdout, stderr)
	}
	in.call(t, http.MethodPatch, in.base+"/api/admin/settings", in.secret, map[string]any{"discordBotToken": "a-token-of-discord-canary"}, nil)
	provider := signontest.New(t)
	in.call(t, http.MethodPatch, in.base+"/api/admin/settings", in.secret, map[string]any{"oidcIssuer": provider.URL, "oidcClient": "other", "oidcSecret": "a-canary", "oidcDomains": []string{"example.com"}}, nil)
	in.stop()
	code, stdout, stderr := runCommand(t, nil, "doctor")
	for _, want := range []string{"ok    provider: " + provider.URL + " answers", "warn  redirect address: it is http://localhost:", "fail  client: single sign-on does not accept relay's client ID", "ok    clock: "} {
		if !strings.Contains(stdout, want) {
			t.Errorf("it does not say %q:\n%s", want, stdout)
		}
	}
	if code != 1 || !strings.Contains(stdout, "discordChannelId is missing") || !strings.Contains(stderr, "2 of the checks failed") || strings.Contains(stdout, "canary") {
		t.Errorf("with half a bridge: code %d\n%s%s", code, stdout, stderr)
	}
}
