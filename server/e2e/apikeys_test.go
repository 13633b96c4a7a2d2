package e2e

import (
	"encoding/json"
	"regexp"
	"strings"
	"testing"

	"github.com/relay-chat/relay/db/dbtest"
)

// TestAPIKeysBesideRunningRelay: commands make, list and end keys of a relay that runs, which
// knows them at once.
func TestAPIKeysBesideRunningRelay(t *testing.T) {
	t.Parallel()
	dbtest.EachURL(t, func(t *testing.T, url string) {
		environ := []string{"DATABASE_URL=" + url}
		in := boot(t, environ...)
		run := func(code int, want string, words ...string) (shown string) {
			t.Helper()
			got, shown, stderr := runCommand(t, environ, append([]string{"keys"}, words...)...)
			if got != code || !strings.Contains(shown+stderr, want) {
				t.Errorf("keys %v answers %d:\n%s%s\nwant %d and %q", words, got, shown, stderr, code, want)
			}
			return shown
		}
		run(0, "No program has a key", "list")
		shown := run(0, "not shown again", "add", "CRM sync", "--scope", "read", "--scope", "note", "--expires", "2999-01-31")
		key := regexp.MustCompile(`rk_\S+`).FindString(shown)
		sessions := in.base + "/api/admin/sessions"
		if code := in.get(t, sessions, key, nil); code != 200 {
			t.Errorf("the new key answers %d", code)
		}
		if code := in.get(t, in.base+"/api/admin/settings", key, nil); code != 403 {
			t.Errorf("without the scope it answers %d", code)
		}
		if list := run(0, "CRM sync", "list"); strings.Contains(list, key) || !containsAll(list, "read, note", "all", "relay", "2999-01-31") {
			t.Errorf("listed is\n%s", list)
		}
		var list struct{ Keys []struct{ ID, Name string } }
		if err := json.Unmarshal([]byte(run(0, "", "list", "--json")), &list); err != nil || len(list.Keys) != 1 || list.Keys[0].Name != "CRM sync" {
			t.Errorf("listed is %+v: %v", list, err)
		}
		run(0, `"key": "rk_`, "add", "crm SYNC", "--scope", "read", "--json")
		run(0, "No key has ended", "ended")
		run(1, "several keys have this name", "end", "CRM sync")
		run(0, "opens nothing any more", "end", list.Keys[0].ID)
		if code := in.get(t, sessions, key, nil); code != 401 {
			t.Errorf("the ended key answers %d", code)
		}
		run(0, "opens nothing any more", "end", "crm sync")
		if shown := run(0, "CRM sync", "ended"); !containsAll(shown, list.Keys[0].ID, "read, note", "by hand", "relay") || strings.Contains(shown, key) {
			t.Errorf("ended are\n%s", shown)
		}
		run(0, `"endedFor": "ended"`, "ended", "--json")
		run(1, "there is no such key", "end", "crm sync")
		run(2, "scopes must name one or more", "add", "x")
		run(2, `there is no scope "all"`, "add", "x", "--scope", "all")
		run(2, "in the future", "add", "x", "--scope", "read", "--expires", "2001-01-31")
		run(1, "no site", "add", "x", "--scope", "read", "--site", "nowhere")
		run(1, "name must be", "add", " ", "--scope", "read")
		run(2, "--scope is a flag of relay keys add", "list", "--scope", "read")
		if code, _, stderr := runCommand(t, append(environ, "RELAY_MODE=bridge"), "keys", "list"); code != 1 || !strings.Contains(stderr, "API_KEY") {
			t.Errorf("in bridge mode: %d, %s", code, stderr)
		}
	})
}
