package e2e

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/relay-chat/relay/db/dbtest"
)

func TestKeysBesideRunningRelay(t *testing.T) {
	t.Parallel()
	dbtest.EachURL(t, func(t *testing.T, url string) { testKeys(t, []string{"DATABASE_URL=" + url}) })
}

func testKeys(t *testing.T, environ []string) {
	in := boot(t, environ...)
	settings := in.base + "/api/admin/settings"
	code, shown, _ := runCommand(t, environ, "keys")
	if code != 0 || !strings.Contains(shown, in.public) || !strings.Contains(shown, in.secret) {
		t.Errorf("keys answers %d:\n%s", code, shown)
	}
	code, shown, _ = runCommand(t, environ, "keys", "rotate", "secret")
	secret := regexp.MustCompile(`sk_\S+`).FindString(shown)
	if code != 0 || secret == "" || secret == in.secret {
		t.Fatalf("keys rotate secret answers %d:\n%s", code, shown)
	}
	eventually(t, "the new secret key works", func() bool { return in.get(t, settings, secret, nil) == 200 })
	if code := in.get(t, settings, in.secret, nil); code != 401 {
		t.Errorf("the old secret key answers %d", code)
	}
	code, shown, _ = runCommand(t, environ, "keys", "rotate", "public")
	public := regexp.MustCompile(`pk_\S+`).FindString(shown)
	if code != 0 || public == "" || public == in.public {
		t.Fatalf("keys rotate public answers %d:\n%s", code, shown)
	}
	eventually(t, "the new public key works", func() bool { return in.get(t, in.base+"/api/widget/config", public, nil) == 200 })
	runCommand(t, environ, "keys", "add", "CRM", "--scope", "read")
	code, shown, _ = runCommand(t, environ, "keys", "rotate", "secret", "--end-keys")
	secret = regexp.MustCompile(`sk_\S+`).FindString(shown)
	_, left, _ := runCommand(t, environ, "keys", "list")
	if code != 0 || secret == "" || !strings.Contains(shown, "have ended") || strings.Contains(left, "CRM") {
		t.Errorf("keys rotate secret --end-keys answers %d:\n%s; the keys that are left: %s", code, shown, left)
	}
	_, shown, _ = runCommand(t, environ, "keys", "show")
	if !strings.Contains(shown, public) || strings.Contains(shown, secret) || !strings.Contains(shown, "relay keys rotate secret") {
		t.Errorf("keys show after the window has closed:\n%s", shown)
	}
}

// TestKeysOfPresets: a command that is run without the settings that relay runs
// with knows which keys they give, until relay runs without them.
func TestKeysOfPresets(t *testing.T) {
	t.Chdir(t.TempDir())
	in := boot(t, "RELAY_PUBLIC_KEY=pk_preset_1", "RELAY_SECRET_KEY=sk_preset_1")
	if _, shown, _ := runCommand(t, nil, "keys"); !containsAll(shown, "pk_preset_1", "is set by RELAY_SECRET_KEY") {
		t.Errorf("keys shows\n%s", shown)
	}
	for _, key := range []string{"public", "secret"} {
		want := "is set by RELAY_" + strings.ToUpper(key) + "_KEY; change it there"
		if code, shown, stderr := runCommand(t, nil, "keys", "rotate", key); code != 1 || !strings.Contains(stderr, want) {
			t.Errorf("keys rotate %s answers %d:\n%s%s", key, code, shown, stderr)
		}
	}
	in.stop()
	again := boot(t)
	if code, shown, stderr := runCommand(t, nil, "keys", "rotate", "public"); code != 0 || again.public == "pk_preset_1" {
		t.Errorf("without presets: %d, %s%s", code, shown, stderr)
	}
}

func TestKeysWithoutDatabase(t *testing.T) {
	t.Chdir(t.TempDir())
	code, _, stderr := runCommand(t, nil, "keys")
	if code != 1 || stderr == "" {
		t.Errorf("code %d, %q", code, stderr)
	}
	if _, err := os.Stat("relay.db"); err == nil {
		t.Error("a command made a database")
	}
}

// Presets are never generated over, shown or logged.
func TestPresetKeysStayQuiet(t *testing.T) {
	t.Chdir(t.TempDir())
	in := boot(t, "RELAY_PUBLIC_KEY=pk_preset_canary", "RELAY_SECRET_KEY=sk_preset_canary_secret", "LOG_LEVEL=debug",
		"IDENTITY_SECRET=canary-of-identities", "SLACK_BOT_TOKEN=xoxb-canary", "RELAY_SETPU=off")
	if in.public != "pk_preset_canary" || in.secret != "" || strings.Contains(in.start, "setup") {
		t.Errorf("start %s shows %q and %q", in.start, in.public, in.secret)
	}
	if code := in.get(t, in.base+"/api/admin/settings", "sk_preset_canary_secret", nil); code != 200 {
		t.Errorf("the preset secret key answers %d", code)
	}
	_, keys, _ := runCommand(t, []string{"RELAY_SECRET_KEY=sk_preset_canary_secret"}, "keys")
	in.stop()
	logged := in.stdout.String() + in.stderr.String()
	for _, secret := range []string{"canary_secret", "canary-of", "xoxb-canary"} {
		if strings.Contains(logged+keys, secret) {
			t.Errorf("%s is shown:\n%s%s", secret, logged, keys)
		}
	}
	if !containsAll(logged, "did you mean RELAY_SETUP?", "slack is half set up: SLACK_CHANNEL_ID is missing") {
		t.Errorf("warnings are missing:\n%s", logged)
	}
}
