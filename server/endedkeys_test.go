package server_test

import (
	"strings"
	"testing"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/team"
)

// TestEndedKeys: who ended a key, when and why stays to be read, within the reach of who reads.
func TestEndedKeys(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		ada, mia := s.cookieOf("Ada", chat.RoleAdministrator), s.newMia()
		_, cookie := s.signInAs(mia.Email, goodPassword)
		made := func(name, cookie string, personal bool) string {
			t.Helper()
			a := s.call("POST", "/api/admin/api-keys", "", object{"name": name, "scopes": []string{"read", "people"}, "personal": personal}, "Cookie", cookie)
			if a.status != 200 {
				t.Fatalf("%s: %d %s %s", name, a.status, a.body, s.logs)
			}
			return a.text("id") + " " + a.text("key")
		}
		id, key, _ := strings.Cut(made("by hand", ada, false), " ")
		child := s.must("POST", "/api/admin/api-keys", key, object{"name": "child", "scopes": []string{"read"}}).text("id")
		if s.call("DELETE", "/api/admin/api-keys/"+id, "", nil, "Cookie", ada).status != 200 {
			t.Fatal("it is not ended")
		}
		made("signed out", cookie, true)
		s.call("DELETE", "/api/admin/sign-ins", "", nil, "Cookie", cookie)
		made("removed", cookie, true)
		k := chat.APIKey{Name: "expired", Scopes: chat.KeyScopes{chat.ScopeRead}, ExpiresAt: chat.Now().Add(20e6)}
		relay := chat.Author{Sender: chat.SenderOperator, Role: chat.RoleAdministrator}
		if _, _, err := s.team.Keys.Add(t.Context(), relay, k, func(team.Reader) error { return nil }); err != nil {
			t.Fatal(err)
		}
		eventually(t, "it has expired", func() bool { return chat.Now() > k.ExpiresAt })
		own := s.call("GET", "/api/admin/api-keys?ended=1", "", nil, "Cookie", cookie)
		if strings.Contains(string(own.body), "by hand") || !strings.Contains(string(own.body), "signed out") {
			t.Errorf("an operator sees %s", own.body)
		}
		s.must("DELETE", "/api/admin/people/"+mia.ID, secretKey, nil)
		list := s.must("GET", "/api/admin/api-keys?ended=1", secretKey, nil)
		got := map[string]string{}
		for _, one := range list.get("keys").([]any) {
			k := one.(map[string]any)
			by, _ := k["endedBy"].(string)
			owner, _ := k["owner"].(string)
			got[k["name"].(string)] = k["endedFor"].(string) + "/" + by + "/" + owner
			if k["endedAt"] == nil || k["key"] != nil {
				t.Errorf("it is %v", k)
			}
		}
		for name, want := range map[string]string{"by hand": "ended/Ada/", "child": "maker/Ada/", "signed out": "signed_out/Mia/Mia", "removed": "removed/Secret key/Mia", "expired": "expired//"} {
			if got[name] != want {
				t.Errorf("%s: %q, want %q\n%s", name, got[name], want, list.body)
			}
		}
		live := string(s.must("GET", "/api/admin/api-keys", secretKey, nil).body)
		if strings.Contains(live, child) || strings.Contains(live, "endedAt") || !strings.Contains(live, "expired") {
			t.Errorf("the keys that were not ended are %s", live)
		}
		s.refused(s.call("GET", "/api/admin/api-keys?ended=maybe", secretKey, nil), 400, "ended must be 1")
	})
}
