package server_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/relay-chat/relay/server/chat"
)

// TestMergeAtOnce: merging, parting, writing and the pages' beginnings at the same time lock nothing for good, no
// message is lost, and a conversation that somebody writes in stays open for the team.
func TestMergeAtOnce(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		for round := range 6 {
			a, b, c := s.talk(fmt.Sprint("a-", round), "first"), s.talk(fmt.Sprint("b-", round), "first"), s.talk(fmt.Sprint("c-", round), "first")
			var all sync.WaitGroup
			for _, pair := range [][2]boundSession{{a, b}, {b, a}, {b, c}, {c, a}} {
				all.Go(func() {
					if got := s.merge(pair[0].id, pair[1].id); got.status != 200 && got.status != 409 {
						t.Errorf("%d %s", got.status, got.body)
					}
				})
			}
			for _, v := range []boundSession{a, b, c} {
				all.Go(func() {
					s.writes(v, "meanwhile")
					s.must("POST", "/api/widget/init", publicKey, object{"visitorId": "x", "useSessionToken": true, "sessionToken": v.token})
				})
			}
			all.Go(func() { s.must("DELETE", mergePath(a.id), secretKey, nil) })
			all.Wait()
			open := 0
			for _, v := range []boundSession{a, b, c} {
				if texts := s.reads(v); len(texts) != 2 {
					t.Errorf("%v were read", texts)
				}
				if s.answers(v, "hi").status == 200 {
					open++
				}
			}
			if open == 0 {
				t.Error("the team can write nowhere")
			}
		}
	})
}

// TestMergedAreErased: what is left of merged conversations is right, and can be written in.
func TestMergedAreErased(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		old, last := s.bound("ann", ""), s.bound("bob", "")
		s.says(old, object{"email": "ann@example.com"})
		tick()
		s.says(last, object{"email": "bob@example.com", "name": "Bob Secret"})
		s.merged(old.id, last.id, last.id)
		if one := s.must("GET", "/api/admin/sessions/"+old.id+"/export", secretKey, nil); strings.Contains(string(one.body), "Bob Secret") {
			t.Errorf("the export names somebody else: %s", one.body)
		}
		s.must("DELETE", "/api/admin/visitors?visitor=bob@example.com&conversation="+last.id, secretKey, nil)
		if a := s.sessionOf(old.id); a.get("mergedWith") != nil || a.get("goesOnIn") != nil {
			t.Errorf("it leads to what is gone: %s", a.body)
		}
		if a := s.answers(old, "hi"); a.status != 200 || len(s.reads(old)) != 2 {
			t.Errorf("%s", a.body)
		}
		s.must("DELETE", mergePath(old.id), secretKey, nil)
		s.is(old, "open", 0, "")
	})
}

// TestMergeByKey: a key that only writes sees nothing of what it merges.
func TestMergeByKey(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		one, two := s.talk("ann", "hello"), s.talk("bob", "secret")
		_, key := s.newKey(chat.Author{Name: "Ada", Role: chat.RoleAdministrator}, chat.APIKey{Name: "writer", Scopes: chat.KeyScopes{chat.ScopeWrite}})
		a := s.call("POST", mergePath(one.id), key, object{"with": two.id, "samePerson": true})
		if a.status != 200 || strings.Contains(string(a.body), "secret") {
			t.Errorf("%d %s", a.status, a.body)
		}
		_, key = s.newKey(chat.Author{Name: "Ada", Role: chat.RoleAdministrator}, chat.APIKey{Name: "reader", Scopes: chat.KeyScopes{chat.ScopeRead}})
		s.refused(s.call("DELETE", mergePath(one.id), key, nil), 403, "")
	})
}
