package server_test

import (
	"testing"

	"github.com/relay-chat/relay/server/chat"
)

// TestKeysChangeTheirOwnWords: what an API key wrote, another one neither changes nor deletes, whatever
// its scopes; people and the secret key may.
func TestKeysChangeTheirOwnWords(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		path := "/api/admin/sessions/" + s.victim(true).id + "/messages"
		_, mine := s.newKey(administers, chat.APIKey{Name: "CRM", Scopes: chat.AllScopes})
		_, other := s.newKey(administers, chat.APIKey{Name: "CRM", Scopes: chat.AllScopes}) // of the same name
		write := func(key string, more object) string {
			more["content"] = "words"
			return s.must("POST", path, key, more).text("id")
		}
		for name, more := range map[string]object{"a message": {}, "a note": {"internal": true}, "an assistant's": {"assistant": true}, "under another name": {"operatorName": "Ada"}} {
			id := write(mine, more)
			s.refused(s.call("PATCH", path+"/"+id, other, object{"content": "forged"}), 403, "Another API key")
			s.refused(s.call("DELETE", path+"/"+id, other, nil), 403, "Another API key")
			if got := s.must("PATCH", path+"/"+id, mine, object{"content": "mended"}).text("content"); got != "mended" {
				t.Errorf("%s: its own key makes it %q", name, got)
			}
			s.must("PATCH", path+"/"+id, secretKey, object{"content": "by the owner"})
			s.must("DELETE", path+"/"+id, mine, nil)
		}
		for who, key := range map[string]string{"the secret key": secretKey, "a person": ""} {
			id := ""
			if key != "" {
				id = write(key, object{})
			} else {
				id = s.must("POST", path, "", object{"content": "words"}, "Cookie", s.cookieOf("Ada", chat.RoleAdministrator)).text("id")
			}
			if a := s.call("PATCH", path+"/"+id, mine, object{"content": "forged"}); a.status != 403 {
				t.Errorf("a key changes what %s wrote: %s", who, a.body)
			}
		}
	})
}
