package server_test

import (
	"slices"
	"strings"
	"sync"
	"testing"
)

func TestClientIDMakesSendingIdempotent(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id := s.open("v")
		ids := make([]string, 6)
		var all sync.WaitGroup
		for i := range ids {
			all.Go(func() {
				a := s.call("POST", "/api/widget/messages", publicKey, object{"sessionId": id, "content": "once", "clientId": "c1"})
				ids[i] = a.text("id") + a.text("clientId")
			})
		}
		all.Wait()
		for _, got := range ids {
			if got == "" || got != ids[0] {
				t.Fatalf("the same clientId made %v", ids)
			}
		}
		// Repeating it later changes nothing either, whatever it says then.
		if again := s.must("POST", "/api/widget/messages", publicKey, object{"sessionId": id, "content": "twice", "clientId": "c1", "replyTo": "unknown"}); again.text("id")+"c1" != ids[0] || again.text("content") != "once" {
			t.Errorf("repeated with another body: %s", again.body)
		}
		s.must("POST", "/api/admin/sessions/"+id+"/close", secretKey, nil)
		if again := s.must("POST", "/api/widget/messages", publicKey, object{"sessionId": id, "content": "once", "clientId": "c1"}); again.text("id")+"c1" != ids[0] {
			t.Errorf("repeated when the session is closed: %s", again.body)
		}
		if session := s.must("GET", "/api/admin/sessions/"+id, secretKey, nil); session.text("status") != "closed" {
			t.Errorf("a repeated message reopened the session: %s", session.body)
		}
		// An operator's message is never taken for a visitor's.
		own := s.must("POST", "/api/admin/sessions/"+id+"/messages", secretKey, object{"content": "answer", "clientId": "c1"})
		if own.text("content") != "answer" {
			t.Errorf("an operator's message with a visitor's clientId: %s", own.body)
		}
		list := s.must("GET", "/api/admin/sessions/"+id+"/messages", secretKey, nil)
		if n := len(list.get("messages").([]any)); n != 2 {
			t.Errorf("%d messages are stored", n)
		}
		if n := strings.Count(string(list.body), "clientId"); n != 1 {
			t.Errorf("operators see %d clientIds, want their own: %s", n, list.body)
		}
	})
}

// TestOperatorsSendOnce: an operator's message whose answer was lost can be sent
// again, and its visitor gets it once.
func TestOperatorsSendOnce(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id := s.open("v")
		s.say(id, "hello")
		visitor := s.stream("/api/widget/stream?sessionId="+id, publicKey)
		visitor()
		ids := make([]string, 6)
		var all sync.WaitGroup
		for i := range ids {
			all.Go(func() {
				body := object{"content": "Your refund is on its way", "clientId": "op-1"}
				if i == 5 {
					body = object{"content": "in other words", "clientId": "op-1", "replyTo": "unknown", "internal": true}
				}
				ids[i] = s.call("POST", "/api/admin/sessions/"+id+"/messages", secretKey, body).text("id")
			})
		}
		all.Wait()
		for _, got := range ids[:5] {
			if got == "" || got != ids[0] {
				t.Fatalf("the same clientId made %v", ids)
			}
		}
		s.refused(s.call("POST", "/api/admin/sessions/"+id+"/messages", secretKey, object{"content": "x", "clientId": strings.Repeat("x", 129)}), 400, "clientId")
		s.must("POST", "/api/admin/sessions/"+id+"/messages", secretKey, object{"content": "bye", "clientId": "op-2"})
		told := ""
		for f := visitor(); ; f = visitor() {
			if told += f.data; f.get("content") == "bye" {
				break
			}
		}
		told += string(s.must("GET", "/api/widget/messages?sessionId="+id, publicKey, nil).body)
		if n := strings.Count(told, "Your refund is on its way"); n != 2 || strings.Contains(told, "op-") {
			t.Errorf("the visitor is told %s", told)
		}
	})
}

func TestEditAndDelete(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id := s.open("v")
		mine := s.say(id, "secret word")
		theirs := s.must("POST", "/api/admin/sessions/"+id+"/messages", secretKey, object{"content": "hi", "operatorName": "Olga"})
		if theirs.text("operatorName") != "Olga" || theirs.text("sourceBridge") != "api" || theirs.text("sender") != "operator" {
			t.Errorf("operator's message: %s", theirs.body)
		}
		edited := s.must("PATCH", "/api/widget/messages/"+mine, publicKey, object{"sessionId": id, "content": "other word"})
		if edited.text("content") != "other word" || edited.text("editedAt") == "" {
			t.Errorf("edited: %s", edited.body)
		}
		s.refused(s.call("PATCH", "/api/widget/messages/"+theirs.text("id"), publicKey, object{"sessionId": id, "content": "x"}), 403, "own messages")
		s.refused(s.call("DELETE", "/api/widget/messages/"+theirs.text("id")+"?sessionId="+id, publicKey, nil), 403, "own messages")
		s.refused(s.call("PATCH", "/api/widget/messages/unknown", publicKey, object{"sessionId": id, "content": "x"}), 404, "Message not found")
		for range 2 {
			s.must("DELETE", "/api/widget/messages/"+mine+"?sessionId="+id, publicKey, nil)
		}
		s.refused(s.call("PATCH", "/api/widget/messages/"+mine, publicKey, object{"sessionId": id, "content": "x"}), 409, "deleted")
		next := s.stream("/api/widget/stream?lastEventId=0&sessionId="+id, publicKey)
		for range 5 {
			if f := next(); strings.Contains(f.data, "word") {
				t.Errorf("a deleted message's content is still in the stream: %s", f.data)
			}
		}
	})
}

// TestReceipts: a visitor's read marks the operators' messages once, and never
// its own; an operator's answer leaves nothing unread.
func TestReceipts(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id := s.open("v")
		admin := "/api/admin/sessions/" + id
		own := s.say(id, "hello")
		answer := s.must("POST", admin+"/messages", secretKey, object{"content": "hi"}).text("id")
		if unread := s.must("GET", admin, secretKey, nil).get("unread"); unread != 0.0 {
			t.Errorf("%v are unread behind an answer", unread)
		}
		for range 2 {
			s.must("POST", "/api/widget/read", publicKey, object{"sessionId": id, "messageIds": []string{own, answer}})
		}
		history := s.must("GET", "/api/widget/messages?sessionId="+id, publicKey, nil)
		messages := history.get("messages").([]any)
		if messages[0].(map[string]any)["readAt"] != nil || messages[1].(map[string]any)["readAt"] == nil || history.text("lastEventId") != "4" {
			t.Errorf("after it was read: %s", history.body)
		}
		s.refused(s.call("POST", "/api/widget/read", publicKey, object{"sessionId": id}), 400, "messageIds is required")
		s.refused(s.call("POST", "/api/widget/read", publicKey, object{"sessionId": id, "messageIds": slices.Repeat([]string{own}, 501)}), 400, "at most 500")
	})
}
