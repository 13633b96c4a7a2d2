package e2e

import (
	"encoding/json"
	"testing"

	"github.com/relay-chat/relay/db/dbtest"
)

// TestSitesBesideRunningRelay: a relay that runs serves the site that a command adds beside
// it, and no longer when a command closes or erases it, also after a kill.
func TestSitesBesideRunningRelay(t *testing.T) {
	t.Chdir(t.TempDir())
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
		if code, _, stderr := runCommand(t, environ, "sites", "close", "shop-berlin"); code != 0 {
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
