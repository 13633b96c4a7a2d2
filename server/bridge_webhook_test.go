package server_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

// TestBridgeRelaysEveryEvent: what a backend says, times of every form of
// ISO 8601 too, reaches the receiver as it was said. What it leaves out is made up.
func TestBridgeRelaysEveryEvent(t *testing.T) {
	url, posts := receiver(t, nil)
	s := newBridgeSite(t, webhookTo(url))
	s.serveWebhook()
	for _, tt := range []struct {
		kind string
		body object
		want string
	}{
		{"new_session", object{"session": object{"id": "s1", "visitorId": "v1", "createdAt": "2026-01-31T12:00:00+01:00", "lastActivity": "2026-01-31T12:00:01Z", "operatorOnline": true, "aiActive": true,
			"metadata": object{"url": "https://example.com", "country": "NL", "browser": "Firefox", "deviceType": "desktop"},
			"identity": object{"id": "7", "email": "ada@example.com", "name": "Ada"}}},
			`"session":{"id":"s1","visitorId":"v1","createdAt":"2026-01-31T11:00:00.000Z","lastActivity":"NOW","aiActive":true,` +
				`"metadata":{"url":"https://example.com","country":"NL","browser":"Firefox","deviceType":"desktop"},"identity":{"email":"ada@example.com","id":"7","name":"Ada"}}}`},
		{"visitor_message", object{"session": reduced, "message": without(hello, "replyTo", "m0")}, `"message":{"id":"m1","content":"Hello","replyTo":"m0"}`},
		{"visitor_message_edited", object{"sessionId": "s1", "messageId": "m1", "content": "Hi", "editedAt": "2026-01-31T12:00:00.1234Z"}, `"editedAt":"2026-01-31T12:00:00.123Z"`},
		{"visitor_message_edited", object{"sessionId": "s1", "messageId": "m1", "content": "Hi!"}, `"editedAt":"NOW"`},
		{"visitor_message_deleted", object{"sessionId": "s1", "messageId": "m1", "deletedAt": "2026-01-31T12:00"}, `"deletedAt":"2026-01-31T12:00:00.000Z"`},
		{"visitor_message_deleted", object{"sessionId": "s1", "messageId": "m2"}, `"deletedAt":"NOW"`},
		{"message_read", object{"sessionId": "s1", "messageIds": []string{"m3"}}, `"messageIds":["m3"],"status":"read","at":"NOW"`},
		{"custom_event", object{"session": reduced, "event": object{"name": "cart", "data": nil, "timestamp": "2026-01-31 12:00:00"}}, `"event":{"name":"cart","timestamp":"2026-01-31T12:00:00.000Z","sessionId":"s1"}`},
		{"custom_event", object{"session": reduced, "event": object{"name": "cart", "data": object{"sum": 42}}}, `"event":{"name":"cart","data":{"sum":42},"timestamp":"NOW","sessionId":"s1"}`},
		{"ai_takeover", object{"session": reduced, "reason": "nobody is there"}, `"active":true,"reason":"nobody is there"`},
		{"ai_takeover", object{"session": object{"id": "s2"}}, `"sessionId":"s2","visitorId":"","session":{"id":"s2","visitorId":""},"active":true}`},
		{"new_session", object{"session": object{"id": "s2"}}, `"aiActive":true`},
		{"csat_submitted", object{"sessionId": "s1", "score": 4, "respondedAt": "2026-01-31"}, `"score":4,"comment":"","respondedAt":"2026-01-31T00:00:00.000Z"`},
		{"csat_submitted", object{"sessionId": "s1", "score": 5}, `"score":5,"comment":"","respondedAt":"NOW"`},
		{"visitor_disconnect", object{"session": reduced, "duration": 1.5, "reason": "manual"}, `"duration":1.5,"reason":"manual"`},
		{"visitor_disconnect", object{"session": reduced}, `"duration":0,"reason":"page_unload"`},
		{"operator_status", object{"online": true}, `"online":true,"at":"NOW"`},
	} {
		began := chat.Now()
		s.must("POST", "/api/events", "", without(tt.body, "type", tt.kind))
		p := arrived(t, posts)
		p.verify(t)
		got := timeForm.ReplaceAllStringFunc(string(p.body), func(quoted string) string {
			var at chat.Time
			if at.UnmarshalJSON([]byte(quoted)) == nil && at >= began {
				return `"NOW"`
			}
			return quoted
		})
		if !strings.HasPrefix(got, `{"type":"`+tt.kind+`"`) || !strings.Contains(got, tt.want) || !strings.HasSuffix(got, `,"sentAt":"NOW"}`) {
			t.Errorf(" got %s\nwant %s", got, tt.want)
		}
	}
	if m, err := s.message("s1", "m1"); err != nil || m.Timestamp.String() != hello["timestamp"] {
		t.Errorf("the message is of %s, %v", m.Timestamp, err)
	}
}

// message is a message as it is stored.
func (s *site) message(sessionID, id string) (m chat.Message, err error) {
	err = s.store.Read(s.t.Context(), func(r chat.Reader) (err error) {
		m, err = r.Message(sessionID, id)
		return err
	})
	return m, err
}

// TestBridgeChangesUnknownMessages: a backend edits and deletes messages that
// were sent before relay was there, whatever keeps what relay knows.
func TestBridgeChangesUnknownMessages(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, store *db.DB) {
		s := newBridgeSiteOn(t, store)
		for _, body := range []object{
			{"type": "visitor_message_edited", "sessionId": "s1", "messageId": "old", "content": "Edited"},
			{"type": "visitor_message_edited", "sessionId": "s1", "messageId": "old", "content": "Edited again"},
			{"type": "visitor_message_deleted", "sessionId": "s1", "messageId": "old"},
			{"type": "visitor_message_deleted", "sessionId": "s1", "messageId": "older"},
		} {
			if a := s.call("POST", "/api/events", "", body); a.status != 200 {
				t.Errorf("%v: %d %s", body, a.status, a.body)
			}
		}
	})
}

// Presence is what the backend says, whatever operators do.
func TestBridgePresence(t *testing.T) {
	s := newBridgeSite(t)
	s.must("POST", "/api/sessions", "", reduced)
	s.operatorWrites("s1", "tg:1:1", "Hi")
	if s.OperatorOnline() {
		t.Error("online, though the backend has not said so")
	}
	s.must("POST", "/api/operator/status", "", object{"online": true})
	if !s.OperatorOnline() {
		t.Error("offline, though the backend said online")
	}
	s.must("POST", "/api/events", "", object{"type": "operator_status", "online": false})
	if s.OperatorOnline() {
		t.Error("online, though the backend said offline")
	}
}

// An event posted once, twice, early or late arrives once, also about messages
// that relay does not know.
func TestBridgeWebhook(t *testing.T) {
	url, posts := receiver(t, nil)
	s := newBridgeSite(t, webhookTo(url))
	s.serveWebhook()
	event := func(kind string, body object) { s.must("POST", "/api/events", "", without(body, "type", kind)) }
	for range 2 {
		s.must("POST", "/api/messages", "", object{"message": without(hello, "attachments", []object{{"url": "https://cdn.example.com/a.png", "filename": "a.png", "mimeType": "image/png", "size": 7}}), "session": reduced})
		s.must("POST", "/api/sessions", "", reduced)
		event("visitor_message_edited", object{"sessionId": "s1", "messageId": "unknown", "content": "New"})
		event("visitor_message_deleted", object{"sessionId": "s1", "messageId": "gone"})
		event("visitor_message_edited", object{"sessionId": "s1", "messageId": "gone", "content": "It stays deleted"})
		s.must("POST", "/api/messages", "", object{"message": without(without(hello, "id", "ai1"), "sender", "ai"), "session": reduced})
		s.must("POST", "/api/messages", "", object{"message": without(without(hello, "id", "op1"), "sender", "operator"), "session": reduced})
		event("message_read", object{"sessionId": "s1", "messageIds": []string{"ai1", "op1"}, "status": "delivered"})
		event("message_read", object{"sessionId": "s1", "messageIds": []string{"op1"}})
		event("csat_submitted", object{"sessionId": "s1", "score": 5, "comment": "good"})
	}
	for _, want := range []string{
		`{"type":"visitor_message","data":{"sessionId":"s1","visitorId":"v1","session":{"id":"s1","visitorId":"v1"},"message":{"id":"m1","content":"Hello","attachments":[{"filename":"a.png","mimeType":"image/png","size":7,"url":"https://cdn.example.com/a.png"}]}}`,
		`{"type":"new_session","data":{"sessionId":"s1","visitorId":"v1","session":{"id":"s1"`,
		`{"type":"visitor_message_edited","data":{"sessionId":"s1","visitorId":"v1","session":{"id":"s1","visitorId":"v1"},"message":{"id":"unknown","content":"New","editedAt":`,
		`{"type":"visitor_message_deleted","data":{"sessionId":"s1","visitorId":"v1","session":{"id":"s1","visitorId":"v1"},"message":{"id":"gone","deletedAt":`,
		`{"type":"ai_message","data":{"sessionId":"s1","visitorId":"v1","session":{"id":"s1","visitorId":"v1"},"message":{"id":"ai1","content":"Hello"}`,
		`{"type":"operator_message","data":{"sessionId":"s1","visitorId":"v1","session":{"id":"s1","visitorId":"v1"},"message":{"id":"op1","content":"Hello"}`,
		`{"type":"message_read","data":{"sessionId":"s1","visitorId":"v1","session":{"id":"s1","visitorId":"v1"},"messageIds":["ai1","op1"],"status":"delivered"`,
		`{"type":"message_read","data":{"sessionId":"s1","visitorId":"v1","session":{"id":"s1","visitorId":"v1"},"messageIds":["op1"],"status":"read"`,
		`{"type":"csat_submitted","data":{"sessionId":"s1","visitorId":"v1","session":{"id":"s1","visitorId":"v1"},"score":5,"comment":"good"`,
	} {
		p := arrived(t, posts)
		p.verify(t)
		if !strings.HasPrefix(string(p.body), want) {
			t.Errorf(" got %s\nwant %s…", p.body, want)
		}
	}
	s.must("POST", "/api/custom-events", "", object{"event": object{"name": "last"}, "session": reduced})
	if p := arrived(t, posts); !strings.Contains(string(p.body), `"event":{"name":"last","timestamp":`) {
		t.Errorf("something came twice: %s", p.body)
	}
}

// A receiver that wants no more events gets none until the next start: nobody
// could switch the webhook on again before.
func TestBridgeWebhookGone(t *testing.T) {
	url, _ := receiver(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGone) })
	dbtest.Each(t, func(t *testing.T, store *db.DB) {
		s := newBridgeSiteOn(t, store, webhookTo(url))
		s.must("POST", "/api/sessions", "", reduced)
		if _, err := s.webhook.Deliver(t.Context(), s.head("s1")); !errors.Is(err, chat.ErrPermanent) {
			t.Errorf("410 is %v", err)
		}
		if s.webhook.Off() == nil || !strings.Contains(s.logs.String(), "until relay is restarted") {
			t.Errorf("the webhook is on, or the log is %s", s.logs)
		}
		if again := newBridgeSiteOn(t, store, webhookTo(url)); again.webhook.Off() != nil {
			t.Error("the webhook is off after the next start")
		}
	})
}

// A stop loses nothing that was acknowledged and can be delivered.
func TestBridgeStopDeliversTheRest(t *testing.T) {
	url, posts := receiver(t, nil)
	s := newBridgeSite(t, webhookTo(url))
	_, stop := s.serve(func(ctx context.Context) error { return s.Outbox.Serve(ctx, s.webhook) })
	const n = 300
	for i := range n {
		s.must("POST", "/api/messages", "", object{"message": without(hello, "id", fmt.Sprint(i)), "session": object{"id": "s1"}})
	}
	stop()
	if len(posts) != n {
		t.Errorf("%d of %d arrived before the end", len(posts), n)
	}
}

// A receiver that is away holds up nobody.
func TestBridgeAnswersDespiteFailingReceiver(t *testing.T) {
	release := make(chan struct{})
	url, posts := receiver(t, func(http.ResponseWriter, *http.Request) { <-release })
	defer close(release)
	s := newBridgeSite(t, webhookTo(url))
	s.serveWebhook()
	for i := range 100 {
		s.must("POST", "/api/messages", "", object{"message": without(hello, "id", fmt.Sprint(i)), "session": reduced})
	}
	arrived(t, posts)
}

// arrived waits for the next post.
func arrived(t *testing.T, posts chan post) post {
	t.Helper()
	select {
	case p := <-posts:
		return p
	case <-time.After(30 * time.Second):
		t.Fatal("nothing arrived")
		return post{}
	}
}

// The payloads are those of the community server, byte for byte: the same
// golden files hold.
func TestBridgeWebhookPayloads(t *testing.T) {
	url, posts := receiver(t, nil)
	s := newBridgeSite(t, webhookTo(url))
	s.serveWebhook()
	id, first, answer := chat.NewID(), chat.NewID(), chat.NewID()
	session := object{"id": id, "visitorId": "visitor-1", "metadata": object{"deviceType": "desktop", "userAgent": "Go-http-client/1.1"}}
	file := object{"id": chat.NewID(), "filename": "a b.txt", "mimeType": "text/plain", "size": 1,
		"url": "https://backend.example.com/files/" + chat.NewID() + "/a%20b.txt?exp=0&sig=abc"}
	message := func(id, content, sender string) object { return object{"id": id, "content": content, "sender": sender} }
	for _, body := range []object{
		{"type": "new_session", "session": session},
		{"type": "visitor_message", "session": session, "message": without(message(first, "Hello <b>", "visitor"), "attachments", []object{file})},
		{"type": "visitor_message_edited", "session": session, "message": object{"id": first, "content": "Hello"}},
		{"type": "identity_update", "session": object{"id": id, "identity": object{"id": "7", "email": "ada@example.com", "name": "Ada"}}},
		{"type": "visitor_message", "session": session, "message": without(without(message(answer, "Hi Ada", "operator"), "replyTo", first), "operatorName", "Olga")},
		{"type": "message_read", "session": session, "messageIds": []string{answer}},
		{"type": "visitor_message_deleted", "session": session, "messageId": first},
		{"type": "custom_event", "session": session, "event": object{"name": "cart", "data": object{"sum": 42}}},
		{"type": "csat_submitted", "session": session, "score": 5, "comment": "great"},
		{"type": "visitor_disconnect", "session": session, "duration": 12.5, "reason": "page_unload"},
		{"type": "ai_takeover", "session": session, "reason": "no operator answered"},
		{"type": "operator_status", "online": true},
	} {
		s.must("POST", "/api/events", "", body)
		p := arrived(t, posts)
		p.verify(t)
		kind := p.header.Get("X-Service-Event")
		golden(t, kind, bytes.ReplaceAll(p.body, []byte("https://backend.example.com/"), []byte("/")))
		if want := body["type"]; kind != want && kind != "operator_message" {
			t.Errorf("%s came of %s", kind, want)
		}
	}
}

// Platforms' pushes are never key-protected, and have no effect as long as no
// bridge can prove where it comes from.
func TestBridgeWebhooksOfPlatforms(t *testing.T) {
	s := newBridgeSite(t, withKey)
	for _, name := range []string{"telegram", "discord", "slack"} {
		s.refused(s.call("POST", "/webhooks/"+name, "", object{"update_id": 1}), 503, "not set up")
	}
	s.refused(s.call("POST", "/webhooks/other", "", object{}), 404, "Not found")
	s.refused(s.call("GET", "/webhooks/telegram", "", nil), 405, "not allowed")
}
