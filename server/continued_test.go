package server_test

import (
	"testing"
)

// TestBeginAnother: each of a visitor's devices goes on once with the conversation that the team
// began, by a token of its own, and can still read the one before; trying again begins no other.
func TestBeginAnother(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		init := func(token string) answer {
			return s.must("POST", "/api/widget/init", publicKey, object{"visitorId": "ann", "useSessionToken": true, "sessionToken": token})
		}
		first := init("")
		id, token := first.text("sessionId"), first.text("sessionToken")
		begin := func(text, client string) answer {
			return s.call("POST", "/api/admin/sessions/"+id+"/next", secretKey, object{"content": text, "clientId": client, "operatorName": "Ada"})
		}
		s.refused(begin("hi", "c0"), 409, "Nothing was said")
		s.must("POST", "/api/widget/messages", publicKey, object{"sessionId": id, "content": "hello"}, "X-Session-Token", token)
		s.must("POST", "/api/widget/identify", publicKey, object{"sessionId": id, "email": "ann@example.com"}, "X-Session-Token", token)
		s.refused(begin("", "c0"), 400, "content")
		stream := s.stream("/api/widget/stream?sessionId="+id, publicKey, "X-Session-Token", token)
		stream() // connected
		begun := begin("Your lamp has arrived.", "c1")
		if begun.status != 200 || begun.text("id") == id {
			t.Fatalf("began %d %s", begun.status, begun.body)
		}
		if again := begin("Your lamp has arrived.", "c1"); again.text("id") != begun.text("id") {
			t.Errorf("trying again began %s", again.text("id"))
		}
		s.refused(s.call("GET", "/api/widget/stream?sessionId="+id, publicKey, nil, "X-Session-Token", token), 404, "")
		next := init(token)
		if next.text("sessionId") != begun.text("id") || next.text("sessionToken") == token || len(next.get("messages").([]any)) != 1 {
			t.Fatalf("the page goes on with %s", next.body)
		}
		if email := next.get("session").(map[string]any)["identity"].(map[string]any)["email"]; email != "ann@example.com" {
			t.Errorf("its visitor is %v", email)
		}
		own := next.text("sessionToken")
		if again := init(own); again.text("sessionId") != begun.text("id") {
			t.Errorf("its own token leads to %s", again.text("sessionId"))
		}
		if back := init(token); back.text("sessionId") != id {
			t.Errorf("who goes back to the one before gets %s", back.text("sessionId"))
		}
		s.stream("/api/widget/stream?sessionId="+id, publicKey, "X-Session-Token", token)()
		s.must("DELETE", "/api/admin/sessions/"+begun.text("id"), secretKey, nil)
		if back := init(token); back.text("sessionId") != id {
			t.Errorf("once that is deleted, the page goes on with %s", back.text("sessionId"))
		}
	})
}

// TestBeginAnotherWithoutToken: a client that resumes by its visitor's id finds the new one.
func TestBeginAnotherWithoutToken(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id := s.open("ann")
		s.say(id, "hello")
		begun := s.must("POST", "/api/admin/sessions/"+id+"/next", secretKey, object{"content": "Your lamp has arrived."})
		if got := s.open("ann"); got != begun.text("id") {
			t.Errorf("the visitor goes on with %s, not with %s", got, begun.text("id"))
		}
		s.refused(s.call("POST", "/api/admin/sessions/"+id+"/next", secretKey, object{"content": "and more"}), 409, "later conversation")
	})
}
