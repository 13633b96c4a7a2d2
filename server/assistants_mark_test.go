package server_test

import (
	"strings"
	"testing"

	"github.com/relay-chat/relay/server/chat"
)

// TestAssistantsAreMarked: operators see that an assistant wrote; visitors see it nowhere, and
// nobody else can put the mark on.
func TestAssistantsAreMarked(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		v := s.victim(true)
		own := []string{"X-Session-Token", v.token}
		visitors, operators := s.stream("/api/widget/stream?sessionId="+v.id, publicKey, own...), s.stream("/api/admin/stream", secretKey)
		_, key := s.newKey(administers, chat.APIKey{Name: "Robin", Scopes: chat.KeyScopes{chat.ScopeRead, chat.ScopeWrite, chat.ScopeNote}})
		h := s.assistant(key)
		said := h.must("reply", object{"conversation": v.id, "text": "By an assistant."})
		h.must("note", object{"conversation": v.id, "text": "For the team."})
		until := func(next func() frame, content string) frame {
			for {
				if f := next(); f.get("content") == content {
					return f
				}
			}
		}
		if f := until(operators, "By an assistant."); f.get("sourceBridge") != "assistant" || f.get("operatorName") != "Robin" {
			t.Errorf("operators get %+v", f)
		}
		if f := until(operators, "For the team."); f.get("sourceBridge") != "assistant" || f.get("internal") != true {
			t.Errorf("operators get %+v", f)
		}
		if f := until(visitors, "By an assistant."); f.get("sourceBridge") != "api" || strings.Contains(f.data, "assistant\"") {
			t.Errorf("the visitor gets %+v", f)
		}
		path := "/api/admin/sessions/" + v.id + "/messages"
		if all := string(s.must("GET", path, secretKey, nil).body); strings.Count(all, `"sourceBridge":"assistant"`) != 2 {
			t.Errorf("operators read %s", all)
		}
		if all := string(s.must("GET", "/api/widget/messages?sessionId="+v.id, publicKey, nil, own...).body); strings.Contains(all, `"assistant"`) || !strings.Contains(all, "By an assistant.") {
			t.Errorf("the visitor reads %s", all)
		}
		id, _ := at(said, "message.id").(string)
		if at(said, "message.byAssistant") != true || id == "" {
			t.Errorf("it answers %v", said)
		}
		s.must("PATCH", path+"/"+id, key, object{"content": "By an assistant, mended."}) // its own message, as before
		if f := until(visitors, "By an assistant, mended."); f.get("sourceBridge") == "assistant" {
			t.Errorf("the visitor gets %+v", f)
		}
		mine := s.must("POST", "/api/widget/messages", publicKey, object{"sessionId": v.id, "content": "me too", "assistant": true}, own...)
		if strings.Contains(string(mine.body), "assistant") {
			t.Errorf("a visitor's message is %s", mine.body)
		}
		if plain := s.must("POST", path, secretKey, object{"content": "by a program"}); plain.text("sourceBridge") != "api" {
			t.Errorf("a program's message is %s", plain.body)
		}
	})
}

// TestVisitorsAreTold: a site may say above an assistant's words that it is one, and for whom.
func TestVisitorsAreTold(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		v := s.victim(true)
		own := []string{"X-Session-Token", v.token}
		_, key := s.newKey(administers, chat.APIKey{Name: "Robin", Scopes: chat.KeyScopes{chat.ScopeRead, chat.ScopeWrite, chat.ScopeNote}})
		h := s.assistant(key)
		path := "/api/admin/sessions/" + v.id + "/messages"
		for told, want := range map[string]string{"{name}’s assistant": "Robin’s assistant", "A machine": "A machine", "": "Robin"} {
			s.must("PATCH", "/api/admin/settings", secretKey, object{"assistantName": told})
			h.must("reply", object{"conversation": v.id, "text": "Told: " + told})
			h.must("note", object{"conversation": v.id, "text": "Noted: " + told})
			if all := string(s.must("GET", "/api/widget/messages?sessionId="+v.id, publicKey, nil, own...).body); strings.Count(all, `"operatorName":"`+want+`"`) != 1 {
				t.Errorf("%q: the visitor reads %s", told, all)
			}
		}
		if all := string(s.must("GET", path, secretKey, nil).body); strings.Count(all, `"operatorName":"Robin"`) != 4 {
			t.Errorf("operators read %s", all)
		}
		s.must("PATCH", "/api/admin/settings", secretKey, object{"assistantName": "A machine"})
		s.must("POST", path, key, object{"content": "by a program"})
		if all := string(s.must("GET", path, secretKey, nil).body); strings.Count(all, `"operatorName":"A machine"`) != 1 {
			t.Errorf("a program that is none: %s", all)
		}
		s.refused(s.call("PATCH", "/api/admin/settings", secretKey, object{"assistantName": strings.Repeat("a", 101)}), 400, "assistantName")
	})
}
