package server_test

import "testing"

// TestMarkUnread: a conversation is unread again for the whole team until somebody reads it,
// and its visitor does not notice.
func TestMarkUnread(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id := s.open("v1")
		s.say(id, "hello")
		path := "/api/admin/sessions/" + id
		s.must("POST", path+"/read", secretKey, nil)
		active := s.must("GET", path, secretKey, nil).text("lastActivity")
		team := s.stream("/api/admin/stream", secretKey)
		visitor := s.stream("/api/widget/stream?sessionId="+id, publicKey)
		visitor() // connected
		for range 2 {
			s.must("POST", path+"/unread", secretKey, nil)
		}
		unread := func(want float64) {
			t.Helper()
			f := team()
			for f.event != "session_unread" {
				f = team()
			}
			if f.get("sessionId") != id || f.get("unread") != want {
				t.Errorf("the stream got %s", f.data)
			}
		}
		unread(1)
		unread(1)
		view := s.must("GET", path, secretKey, nil)
		if view.get("unread") != 1.0 || view.text("lastActivity") != active {
			t.Errorf("the session is %s", view.body)
		}
		s.must("POST", path+"/read", secretKey, nil)
		unread(0)
		s.must("POST", path+"/read", secretKey, nil) // nothing to tell
		s.say(id, "more")
		if got := s.must("GET", path, secretKey, nil).get("unread"); got != 1.0 {
			t.Errorf("%v are unread behind one more message", got)
		}
		s.must("POST", path+"/unread", secretKey, nil) // stays what it is
		unread(1)
		if f := visitor(); f.event != "message" {
			t.Errorf("the visitor got %s %s", f.event, f.data)
		}
		s.refused(s.call("POST", "/api/admin/sessions/none/unread", secretKey, nil), 404, "Session not found")
	})
}
