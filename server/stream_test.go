package server_test

import (
	"strings"
	"testing"
)

func TestWidgetStream(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id := s.open("v")
		next := s.stream("/api/widget/stream?sessionId="+id+"&apiKey="+publicKey, "")
		if f := next(); f.event != "connected" || f.id != "" || f.get("lastEventId") != "0" || f.get("operatorOnline") != false || f.get("status") != "open" {
			t.Errorf("first came %+v", f)
		}
		s.must("POST", "/api/widget/messages", publicKey, object{"sessionId": id, "content": "a\nb", "clientId": "c"})
		if f := next(); f.event != "message" || f.id != "2" || f.get("content") != "a\nb" || f.get("clientId") != "c" || f.get("type") != "message" {
			t.Errorf("then came %+v", f)
		}
		admin := "/api/admin/sessions/" + id
		s.must("POST", admin+"/typing", secretKey, object{"active": true, "operatorName": "Olga"})
		if f := next(); f.event != "typing" || f.id != "" || f.get("active") != true || f.get("operatorName") != "Olga" {
			t.Errorf("then came %+v", f)
		}
		answer := s.must("POST", admin+"/messages", secretKey, object{"content": "hello"})
		if f := next(); f.event != "message" || f.id != "3" || f.get("id") != answer.text("id") {
			t.Errorf("then came %+v", f)
		}
		if f := next(); f.event != "operator_status" || f.get("online") != true || f.get("sessionId") != id {
			t.Errorf("then came %+v", f)
		}
		s.must("POST", "/api/widget/read", publicKey, object{"sessionId": id, "messageIds": []string{answer.text("id"), "unknown"}})
		if f := next(); f.event != "message_read" || f.id != "4" || f.get("status") != "read" || !strings.Contains(f.data, answer.text("id")) || strings.Contains(f.data, "unknown") {
			t.Errorf("then came %+v", f)
		}
		s.must("PATCH", "/api/admin/settings", secretKey, object{"primaryColor": "#112233"})
		if f := next(); f.event != "config" || f.get("config.primaryColor") != "#112233" {
			t.Errorf("then came %+v", f)
		}
	})
}

func TestStreamResumes(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id := s.open("v")
		for _, text := range []string{"one", "two", "three"} {
			s.say(id, text)
		}
		for _, tt := range []struct{ cursor, want string }{
			{"2", "message 3,message 4"}, {"4", ""}, {"99", "resync 4"}, {"nonsense", "resync 4"},
		} {
			next := s.stream("/api/widget/stream?sessionId="+id, publicKey, "Last-Event-ID", tt.cursor)
			var got []string
			next()
			if tt.want != "" {
				for range strings.Split(tt.want, ",") {
					f := next()
					got = append(got, f.event+" "+f.id)
				}
			}
			if strings.Join(got, ",") != tt.want {
				t.Errorf("behind %s came %v, want %s", tt.cursor, got, tt.want)
			}
		}
		s.must("POST", "/api/widget/init", publicKey, object{"visitorId": "v"})
		next := s.stream("/api/widget/stream?sessionId="+id, publicKey)
		next()
		s.say(id, "four")
		if f := next(); f.id != "5" {
			t.Errorf("a stream without a cursor began with %+v, want what came after init", f)
		}
	})
}

func TestAdminStream(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		next := s.stream("/api/admin/stream", secretKey)
		if f := next(); f.event != "connected" {
			t.Errorf("first came %+v", f)
		}
		id := s.open("v")
		s.must("POST", "/api/widget/messages", publicKey, object{"sessionId": id, "content": "hi", "clientId": "mine"})
		if f := next(); f.event != "new_session" || f.get("session.visitorId") != "v" || f.get("sessionId") != id {
			t.Errorf("then came %+v", f)
		}
		if f := next(); f.event != "message" || f.get("content") != "hi" || strings.Contains(f.data, "mine") {
			t.Errorf("then came %+v", f)
		}
		s.must("POST", "/api/widget/typing", publicKey, object{"sessionId": id, "active": true})
		if f := next(); f.event != "typing" || f.get("sender") != "visitor" {
			t.Errorf("then came %+v", f)
		}
		s.must("POST", "/api/widget/identify", publicKey, object{"sessionId": id, "identity": object{"id": "7", "name": "Ada"}})
		if f := next(); f.event != "identity_update" || f.get("identity.name") != "Ada" || f.get("verified") != false {
			t.Errorf("then came %+v", f)
		}
		back := s.stream("/api/admin/stream", secretKey, "Last-Event-ID", "4")
		back()
		if f := back(); f.event != "resync" {
			t.Errorf("who comes back got %+v, want a resync", f)
		}
		s.must("DELETE", "/api/admin/sessions/"+id, secretKey, nil)
		if f := next(); f.event != "session_erased" || f.get("sessionId") != id {
			t.Errorf("then came %+v", f)
		}
	})
}
