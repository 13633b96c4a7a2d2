package server_test

import (
	"strings"
	"testing"

	"github.com/relay-chat/relay/server/chat"
)

// TestCommands: what operators tell relay at the console reaches no visitor,
// mistyped or not; programs may send any text.
func TestCommands(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		form := s.call("POST", "/console/login", "", "name=Olga&key="+secretKey, "Content-Type", "application/x-www-form-urlencoded")
		cookie, _, _ := strings.Cut(form.header.Get("Set-Cookie"), ";")
		id := s.open("v")
		s.say(id, "hello")
		session := "/api/admin/sessions/" + id
		m := s.must("POST", session+"/messages", "", object{"content": "hi"}, "Cookie", cookie).text("id")
		command := func(body any) answer { return s.call("POST", session+"/commands", "", body, "Cookie", cookie) }
		for _, c := range []struct{ command, answer string }{
			{"!help", "!unblock"}, {"!clsoe", "Did you mean !close?"}, {"!info", chat.Nickname("v")}, {"!online", "12 hours"}, {"!close", "is closed"}, {"!delete", "as a reply"},
		} {
			if a := command(object{"command": c.command}); a.status != 200 || !strings.Contains(a.text("answer"), c.answer) {
				t.Errorf("%s: %d %s", c.command, a.status, a.body)
			}
		}
		if a := command(object{"command": "!delete", "replyTo": m}); a.text("answer") != "The message is deleted." {
			t.Errorf("!delete: %s", a.body)
		}
		if status := s.must("GET", session, secretKey, nil).text("status"); status != "closed" {
			t.Errorf("the session is %s", status)
		}
		if a := command(object{"command": "!note she is angry"}); !strings.Contains(a.text("answer"), "The note is stored") {
			t.Errorf("!note: %d %s", a.status, a.body)
		}
		s.refused(command(object{"command": "hello"}), 400, "command must begin")
		s.refused(command(object{}), 400, "command is required")
		s.refused(s.call("POST", "/api/admin/sessions/none/commands", secretKey, object{"command": "!help"}), 404, "Session not found")
		s.refused(s.call("POST", session+"/messages", "", object{"content": "!clsoe"}, "Cookie", cookie), 409, "command")
		s.refused(s.call("PATCH", session+"/messages/"+m, "", object{"content": "// angry"}, "Cookie", cookie), 409, "command")
		s.must("POST", session+"/messages", secretKey, object{"content": "!important"})
	})
}
