package server_test

import (
	"fmt"
	"io"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/keyring"
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
		s.must("POST", "/api/widget/read", publicKey, object{"sessionId": id, "messageIds": []string{answer.text("id"), "unknown", answer.text("id")}})
		if f := next(); f.event != "message_read" || f.id != "4" || f.get("status") != "read" || !strings.Contains(f.data, answer.text("id")) || strings.Contains(f.data, "unknown") ||
			strings.Count(f.data, answer.text("id")) != 1 {
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
		if f := next(); f.event != "connected" || f.id != "0" { // the id brings who comes back its resync
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
		for _, active := range []any{nil, true, false} {
			s.must("POST", "/api/widget/typing", publicKey, object{"sessionId": id, "active": active})
			if f := next(); f.event != "typing" || f.get("sender") != "visitor" || f.get("active") != (active != false) {
				t.Errorf("then came %+v", f)
			}
		}
		s.must("POST", "/api/widget/identify", publicKey, object{"sessionId": id, "identity": object{"id": "7", "name": "Ada"}})
		if f := next(); f.event != "identity_update" || f.get("identity.name") != "Ada" || f.get("verified") != false {
			t.Errorf("then came %+v", f)
		}
		for _, verb := range []string{"block", "unblock"} {
			s.must("POST", "/api/admin/sessions/"+id+"/"+verb, secretKey, nil)
			if verb == "block" {
				next() // an operator is here now
			}
			if f := next(); f.event != "session_blocked" || f.get("sessionId") != id || f.get("blocked") != (verb == "block") {
				t.Errorf("then came %+v", f)
			}
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

// TestStreamOfALongHistory: a visitor far behind gets all of it, in order.
func TestStreamOfALongHistory(t *testing.T) {
	s := newSite(t, dbtest.Memory(t))
	id := s.open("v")
	const messages = 130
	for i := range messages {
		_, err := s.Send(t.Context(), chat.Author{Sender: chat.SenderVisitor, Source: chat.SourceWidget}, engine.Post{SessionID: id, Content: fmt.Sprint(i)})
		if err != nil {
			t.Fatal(err)
		}
	}
	next := s.stream("/api/widget/stream?lastEventId=1&sessionId="+id, publicKey)
	next() // connected
	for i := range messages {
		if f := next(); f.event != "message" || f.get("content") != fmt.Sprint(i) {
			t.Fatalf("message %d came as %+v", i, f)
		}
	}
}

// TestBlockEndsStreams: a blocked visitor hears no more and cannot come back.
func TestBlockEndsStreams(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id := s.open("v")
		body := s.body("/api/widget/stream?sessionId="+id, publicKey)
		s.must("POST", "/api/admin/sessions/"+id+"/block", secretKey, nil)
		_, _ = io.Copy(io.Discard, body) // ends
		s.refused(s.call("GET", "/api/widget/stream?sessionId="+id, publicKey, nil), 403, "Blocked")
	})
}

// TestRotationEndsAdminStreams, wherever the key was rotated.
func TestRotationEndsAdminStreams(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		public, secret := s.keys()
		body := s.body("/api/admin/stream", secret)
		other, err := keyring.Open(t.Context(), s.store, config.Config{}, discard) // the command line
		if err != nil {
			t.Fatal(err)
		}
		if _, err := other.RotateSecret(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(1100 * time.Millisecond) // how old the known keys may be
		id := s.must("POST", "/api/widget/init", public, object{"visitorId": "v"}).text("sessionId")
		s.must("POST", "/api/widget/typing", public, object{"sessionId": id})
		if heard, _ := io.ReadAll(body); strings.Contains(string(heard), "typing") {
			t.Errorf("the old key still hears %s", heard)
		}
	}, unset)
}
