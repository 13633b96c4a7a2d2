package server_test

import (
	"fmt"
	"strings"
	"testing"
)

// Operators save answers by the API and by commands, and !name sends them once.
func TestSavedAnswers(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		cookie := s.signIn("Mia")
		id := s.open("v")
		asked := s.say(id, "When are you open?")
		run := func(body object) answer {
			return s.must("POST", "/api/admin/sessions/"+id+"/commands", "", body, "Cookie", cookie)
		}
		const list = "/api/admin/saved-answers"
		if a := s.must("GET", list, secretKey, nil); string(a.body) != `{"savedAnswers":[]}`+"\n" && string(a.body) != `{"savedAnswers":[]}` {
			t.Errorf("at first there are %s", a.body)
		}
		run(object{"command": "!save hours From 9 to 17."})
		s.must("PUT", list+"/%C3%B6ffnung", secretKey, object{"content": "Von 9 bis 17 Uhr."})
		s.must("PUT", list+"/hours", secretKey, object{"content": " From 9 to 18. "})
		a := s.must("GET", list, secretKey, nil)
		if !strings.Contains(string(a.body), `"name":"hours","content":"From 9 to 18."`) || !strings.Contains(string(a.body), `"name":"öffnung"`) {
			t.Errorf("they are %s", a.body)
		}
		for range 2 { // the answer got lost
			if a := run(object{"command": "!hours", "replyTo": asked, "clientId": "c1"}); a.text("answer") != "!hours is sent." {
				t.Errorf("!hours: %s", a.body)
			}
		}
		history := s.must("GET", "/api/widget/messages?sessionId="+id, publicKey, nil)
		if n := strings.Count(string(history.body), "From 9 to 18."); n != 1 || !strings.Contains(string(history.body), `"operatorName":"Mia"`) {
			t.Errorf("the visitor has it %d times: %s", n, history.body)
		}
		s.refused(s.call("POST", "/api/admin/sessions/"+id+"/messages", "", object{"content": "One moment.\n!hours"}, "Cookie", cookie), 409, "the visitor does not see this message")
		if a := run(object{"command": "!save asked", "replyTo": asked}); a.text("answer") != "Saved. !asked sends it to the visitor." {
			t.Errorf("!save as a reply: %s", a.body)
		}
		if a := run(object{"command": "!hous"}); !strings.Contains(a.text("answer"), "Did you mean !hours?") {
			t.Errorf("mistyped: %s", a.body)
		}
		s.must("PUT", list+"/sure", secretKey, object{"content": "Are you sure?\n[[Yes]] [[No]]"})
		run(object{"command": "!sure"})
		offered := s.must("GET", "/api/widget/messages?sessionId="+id, publicKey, nil)
		if !strings.Contains(string(offered.body), `"content":"Are you sure?"`) || !strings.Contains(string(offered.body), `"buttons":[{"text":"Yes"},{"text":"No"}]`) {
			t.Errorf("!sure offers %s", offered.body)
		}
		s.must("DELETE", list+"/hours", secretKey, nil)
		s.refused(s.call("DELETE", list+"/hours", secretKey, nil), 404, "Saved answer not found")
	})
}

func TestSavedAnswersAreChecked(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		for _, c := range []struct {
			name, content, want string
			status              int
		}{
			{"close", "x", "!close is a command; choose another name", 400},
			{"saved", "x", "!saved is a command", 400},
			{"Hours", "x", "the name of a saved answer must be", 400},
			{"9to5", "x", "the name of a saved answer must be", 400},
			{"a%20b", "x", "the name of a saved answer must be", 400},
			{"a%2Fb", "x", "the name of a saved answer must be", 400},
			{"a-", "x", "the name of a saved answer must be", 400},
			{strings.Repeat("a", 33), "x", "the name of a saved answer must be", 400},
			{"ok", "  ", "content is required", 400},
			{"ok", strings.Repeat("x", 40_001), "content must be at most 40000 characters", 400},
			{"ok", "Hi\n// secret", "a line of the content starts with //", 400},
		} {
			s.refused(s.call("PUT", "/api/admin/saved-answers/"+c.name, secretKey, object{"content": c.content}), c.status, c.want)
		}
		for i := range 500 {
			s.must("PUT", fmt.Sprint("/api/admin/saved-answers/a", i), secretKey, object{"content": "x"})
		}
		s.refused(s.call("PUT", "/api/admin/saved-answers/more", secretKey, object{"content": "x"}), 409, "There are 500 saved answers")
		s.must("PUT", "/api/admin/saved-answers/a7", secretKey, object{"content": "y"})
	})
}
