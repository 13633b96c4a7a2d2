package e2e

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/relay-chat/relay/db/dbtest"
)

// TestSitesBesideRunningRelay: a relay that runs serves the site that a command adds beside
// it, and no longer when a command closes or erases it, also after a kill.
func TestSitesBesideRunningRelay(t *testing.T) {
	t.Parallel()
	dbtest.EachURL(t, func(t *testing.T, url string) {
		environ := []string{"DATABASE_URL=" + url}
		in := boot(t, environ...)
		if code, shown, stderr := runCommand(t, environ, "sites", "add", "Shop Berlin"); code != 0 {
			t.Fatalf("sites add answers %d:\n%s%s", code, shown, stderr)
		}
		_, shown, _ := runCommand(t, environ, "sites", "list", "--json")
		var sites []struct{ ID, PublicKey string }
		if err := json.Unmarshal([]byte(shown), &sites); err != nil || len(sites) != 2 {
			t.Fatalf("sites list shows %s (%v)", shown, err)
		}
		key := sites[1].PublicKey
		answers := func(key string, code int) func() bool {
			return func() bool { return in.get(t, in.base+"/api/widget/config", key, nil) == code }
		}
		eventually(t, "the new site's key works", answers(key, 200))
		if code, _, stderr := runCommand(t, environ, "sites", "archive", "shop-berlin"); code != 0 {
			t.Fatal(stderr)
		}
		eventually(t, "the closed site's key does not", answers(key, 403))
		in.kill()
		if code, _, stderr := runCommand(t, environ, "sites", "erase", "shop-berlin", "--yes"); code != 0 {
			t.Fatal(stderr)
		}
		in.restart()
		eventually(t, "the erased site is gone", answers(key, 401))
		if code := in.get(t, in.base+"/api/widget/config", in.public, nil); code != 200 {
			t.Errorf("the first site's key answers %d", code)
		}
	})
}

// TestSitesFile: what a file declares wins over API and commands, and a mistake in it ends
// relay before anything has changed.
func TestSitesFile(t *testing.T) {
	t.Chdir(t.TempDir())
	write := func(text string) {
		t.Helper()
		if err := os.WriteFile("sites.yaml", []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const file = "sites:\n  - id: shop-berlin\n    name: Shop Berlin\n    publicKey: pk_berlin_1\n    settings: {welcomeMessage: Servus}\n"
	write(file)
	environ := []string{"SITES_FILE=sites.yaml"}
	in := boot(t, environ...)
	var config struct{ WelcomeMessage string }
	if code := in.get(t, in.base+"/api/widget/config", "pk_berlin_1", &config); code != 200 || config.WelcomeMessage != "Servus" {
		t.Errorf("the declared site answers %d with %q", code, config.WelcomeMessage)
	}
	var list struct {
		Sites []struct{ ID, DeclaredIn string }
	}
	in.get(t, in.base+"/api/admin/sites", in.secret, &list)
	if len(list.Sites) != 2 || list.Sites[0].DeclaredIn != "" || list.Sites[1].DeclaredIn != "sites.yaml" {
		t.Errorf("the sites are %+v", list.Sites)
	}
	one := in.base + "/api/admin/sites/shop-berlin"
	for _, tt := range []struct {
		method, url string
		body        map[string]any
		code        int
		want        string
	}{
		{"PATCH", one, map[string]any{"name": "Berlin"}, 409, "name of the site “Shop Berlin” is set in sites.yaml"},
		{"PATCH", one, map[string]any{"name": "Shop Berlin", "color": "#0b7285"}, 200, ""},
		{"POST", one + "/key", nil, 409, "publicKey of the site “Shop Berlin” is set in sites.yaml"},
		{"PATCH", one + "/settings", map[string]any{"welcomeMessage": "Hi"}, 409, "welcomeMessage of the site “Shop Berlin” is set in sites.yaml"},
		{"PATCH", one + "/settings", map[string]any{"welcomeMessage": nil}, 409, "change it there and restart relay"},
		{"PATCH", one + "/settings", map[string]any{"welcomeMessage": "Servus", "theme": "dark"}, 200, ""},
		{"DELETE", one + "?name=Shop+Berlin", nil, 409, "is declared in sites.yaml; remove it there"},
	} {
		var answer struct {
			Error   string
			Sources map[string]string
		}
		if code := in.call(t, tt.method, tt.url, in.secret, tt.body, &answer); code != tt.code || !strings.Contains(answer.Error, tt.want) {
			t.Errorf("%s %s %v answers %d: %s", tt.method, tt.url, tt.body, code, answer.Error)
		}
		if s := answer.Sources; s != nil && (s["welcomeMessage"] != "file" || s["theme"] != "site") {
			t.Errorf("the sources are %v", s)
		}
	}
	// A command without SITES_FILE knows, too.
	for _, args := range [][]string{{"set", "shop-berlin", "name=X"}, {"settings", "shop-berlin", "welcomeMessage="}, {"key", "shop-berlin"}, {"erase", "shop-berlin", "--yes"}} {
		if code, _, stderr := runCommand(t, nil, append([]string{"sites"}, args...)...); code != 1 || !strings.Contains(stderr, "in sites.yaml") {
			t.Errorf("sites %v answers %d: %s", args, code, stderr)
		}
	}
	in.stop()
	write(file + "    theme: dark\n")
	if code, _, stderr := runCommand(t, environ, "serve", "--port", "0"); code != 2 || !strings.Contains(stderr, "sites.yaml line 6: unknown field “theme”") {
		t.Errorf("with a mistake relay answers %d: %s", code, stderr)
	}
	write("sites:\n  - {id: other, name: Other}\n")
	in.restart()
	var settings struct {
		WelcomeMessage string
		Sources        map[string]string
	}
	in.get(t, one+"/settings", in.secret, &settings)
	if settings.WelcomeMessage != "Servus" || settings.Sources["welcomeMessage"] != "site" {
		t.Errorf("out of the file, the site has %q from %q", settings.WelcomeMessage, settings.Sources["welcomeMessage"])
	}
	if code, shown, stderr := runCommand(t, nil, "sites", "erase", "shop-berlin", "--name", "Shop Berlin"); code != 0 || !strings.Contains(shown, "Everything of it is erased.") {
		t.Errorf("erasing answers %d: %s%s", code, shown, stderr)
	}
}

// TestSitesMove: commands export a site of one relay and import it into another one that runs,
// whose visitors go on there; what is no export is refused and changes nothing.
func TestSitesMove(t *testing.T) {
	t.Parallel()
	dbtest.EachURL(t, func(t *testing.T, url string) {
		from, to := bootIn(t, t.TempDir()), bootIn(t, t.TempDir(), "DATABASE_URL="+url)
		var berlin struct{ PublicKey string }
		from.call(t, "POST", from.base+"/api/admin/sites", from.secret, map[string]any{"name": "Shop Berlin"}, &berlin)
		session := from.sayAt(t, berlin.PublicKey, "v-ben", "Where is my umbrella?")
		packed := filepath.Join(t.TempDir(), "berlin.zip")
		run := func(environ []string, code int, want string, words ...string) {
			t.Helper()
			got, shown, stderr := runCommand(t, environ, words...)
			if got != code || !strings.Contains(shown+stderr, want) {
				t.Errorf("%s answers %d:\n%s%s\nwant %d and %q", strings.Join(words, " "), got, shown, stderr, code, want)
			}
		}
		there := []string{"DATABASE_URL=" + url}
		here := []string{"DATABASE_URL=sqlite://" + filepath.Join(from.dir, "relay.db")}
		run(here, 0, "with 1 conversation, 1 message and 0 files", "sites", "export", "shop-berlin", packed)
		run(here, 1, "file exists", "sites", "export", "shop-berlin", packed)
		run(there, 1, "is no zip that relay sites export wrote", "sites", "import", filepath.Join(from.dir, "relay.db"))
		run(there, 0, "Added Shop Berlin (shop-berlin) with 1 conversation", "sites", "import", packed)
		run(there, 0, "1 conversation had been imported before", "sites", "import", packed)
		eventually(t, "the visitor finds the conversation", func() bool {
			var answer struct{ Messages []struct{ Content string } }
			return to.get(t, to.base+"/api/widget/messages?sessionId="+session, berlin.PublicKey, &answer) == 200 && len(answer.Messages) == 1
		})
		var found struct{ Messages []struct{ ID string } }
		if to.get(t, to.base+"/api/admin/search?site=shop-berlin&q=umbrella", to.secret, &found); len(found.Messages) != 1 {
			t.Errorf("the search finds %v", found)
		}
	})
}
