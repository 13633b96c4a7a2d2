package server_test

import (
	"strings"
	"testing"

	"github.com/relay-chat/relay/server/chat"
)

// Operators change their own words and the AI's; administrators those of all, and each
// change of somebody else's stands in the audit list until the conversation is erased.
func TestWordsOfOthers(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		ada, olga, bea := s.cookieOf("Ada", chat.RoleOperator), s.cookieOf("Olga", chat.RoleOperator), s.cookieOf("Bea", chat.RoleAdministrator)
		session := s.open("v1")
		s.say(session, "How much is it?")
		path := "/api/admin/sessions/" + session + "/messages"
		said := s.must("POST", path, "", object{"content": "It costs 100 euros."}, "Cookie", ada).text("id")
		note := s.must("POST", path, "", object{"content": "Ada's note", "internal": true}, "Cookie", ada).text("id")
		for _, id := range []string{said, note} {
			s.refused(s.call("PATCH", path+"/"+id, "", object{"content": "It is free."}, "Cookie", olga), 403, "Only your own")
			s.refused(s.call("DELETE", path+"/"+id, "", nil, "Cookie", olga), 403, "Only your own")
		}
		s.must("PATCH", path+"/"+said, "", object{"content": "It costs 110 euros."}, "Cookie", ada)
		audit := func() string { return string(s.must("GET", "/api/admin/audit", secretKey, nil).body) }
		if strings.Contains(audit(), "euros") {
			t.Errorf("own words are audited: %s", audit())
		}
		s.must("PATCH", path+"/"+said, "", object{"content": "It costs 120 euros."}, "Cookie", bea)
		s.must("DELETE", path+"/"+note, "", nil, "Cookie", bea)
		for _, want := range []string{`"action":"message_edited","target":"` + session + `","detail":"Ada: “It costs 110 euros.” → “It costs 120 euros.”"`,
			`"action":"message_deleted","target":"` + session + `","detail":"Ada: “Ada's note”"`} {
			if !strings.Contains(audit(), want) {
				t.Errorf("%s is missing in %s", want, audit())
			}
		}
		if history := string(s.must("GET", path, secretKey, nil).body); !strings.Contains(history, `"id":"`+note+`"`) || !strings.Contains(history, "deletedAt") {
			t.Errorf("the removed note is gone without a trace: %s", history)
		}
		s.must("DELETE", "/api/admin/sessions/"+session, secretKey, nil)
		if strings.Contains(audit(), "euros") || strings.Contains(audit(), "Ada's note") {
			t.Errorf("the words outlive their conversation: %s", audit())
		}
	})
}

// A program with the secret key changes what it wrote itself without an entry, and what a
// person wrote with one.
func TestWordsOfPrograms(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		session := s.open("v1")
		s.say(session, "Hello")
		path := "/api/admin/sessions/" + session + "/messages"
		own := s.must("POST", path, secretKey, object{"content": "one", "operatorName": "Robot"}).text("id")
		s.must("PATCH", path+"/"+own, secretKey, object{"content": "two"})
		ada := s.must("POST", path, "", object{"content": "three"}, "Cookie", s.cookieOf("Ada", chat.RoleOperator)).text("id")
		s.must("PATCH", path+"/"+ada, secretKey, object{"content": "four"})
		list := string(s.must("GET", "/api/admin/audit", secretKey, nil).body)
		if strings.Contains(list, "“one”") || !strings.Contains(list, "Ada: “three” → “four”") || !strings.Contains(list, `"name":"Secret key"`) {
			t.Errorf("the audit list is %s", list)
		}
	})
}
