package server_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// Ids and times differ from run to run. No time is that of an event without one.
var (
	idForm   = regexp.MustCompile(`"[A-Z2-7]{26}[0-9A-V]*"`)
	timeForm = regexp.MustCompile(`"20[2-9]\d-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z"`)
	linkForm = regexp.MustCompile(`/files/[A-Z2-7]{26}/([^?]*)\?exp=0&sig=[\w-]+`)
)

func normalised(body []byte) string {
	text := linkForm.ReplaceAllString(string(body), "/files/ID/$1?exp=0&sig=SIG")
	text = strings.ReplaceAll(text, `\u0026`, "&")
	text = linkForm.ReplaceAllString(text, "/files/ID/$1?exp=0&sig=SIG")
	return timeForm.ReplaceAllString(idForm.ReplaceAllString(text, `"ID"`), `"TIME"`)
}

// askWithFile sends a visitor's message with a file, edits it and returns its id.
func (s *site) askWithFile(id string) string {
	s.t.Helper()
	file := s.upload(uploads, publicKey, "a b.txt", []byte("x"), "sessionId", id, "file", "")
	first := s.must("POST", "/api/widget/messages", publicKey, object{"sessionId": id, "content": "Hello <b>", "attachmentIds": []string{file.text("id")}}).text("id")
	s.must("PATCH", "/api/widget/messages/"+first, publicKey, object{"sessionId": id, "content": "Hello"})
	return first
}

// TestWebhookPayloads lets every event happen and compares what the receiver
// gets with the golden files, byte for byte but for ids and times.
func TestWebhookPayloads(t *testing.T) {
	url, posts := receiver(t, nil)
	eachSite(t, func(t *testing.T, s *site) {
		s.serveWebhook()
		id := s.open("visitor-1")
		admin := "/api/admin/sessions/" + id
		first := s.askWithFile(id)
		s.must("POST", "/api/widget/identify", publicKey, object{"sessionId": id, "identity": object{"id": "7", "email": "ada@example.com", "name": "Ada"}})
		answer := s.must("POST", admin+"/messages", secretKey, object{"content": "Hi Ada", "replyTo": first, "operatorName": "Olga"}).text("id")
		s.must("PATCH", admin+"/messages/"+answer, secretKey, object{"content": "Hi!"})
		s.must("POST", "/api/widget/read", publicKey, object{"sessionId": id, "messageIds": []string{answer}})
		s.must("DELETE", admin+"/messages/"+answer, secretKey, nil)
		s.must("DELETE", "/api/widget/messages/"+first+"?sessionId="+id, publicKey, nil)
		s.must("POST", "/api/widget/events", publicKey, object{"sessionId": id, "name": "cart", "data": object{"sum": 42}})
		s.must("POST", "/api/widget/csat", publicKey, object{"sessionId": id, "score": 5, "comment": "great"})
		s.must("POST", "/api/widget/disconnect", publicKey, object{"sessionId": id, "duration": 12.5, "reason": "page_unload"})
		s.leave(id)
		s.must("POST", admin+"/close", secretKey, nil)
		for _, want := range []string{"new_session", "visitor_message", "visitor_message_edited", "identity_update", "operator_message",
			"operator_message_edited", "message_read", "operator_message_deleted", "visitor_message_deleted", "custom_event", "csat_submitted", "visitor_disconnect", "session_closed"} {
			p := <-posts
			p.verify(t)
			if got := p.header.Get("X-Service-Event"); got != want {
				t.Fatalf("%s came, want %s: %s", got, want, p.body)
			}
			if want == "visitor_message" || want == "operator_message" || want == "visitor_message_edited" || want == "operator_message_edited" {
				continue // redacted or not, as the deletion came before or after: see TestWebhookMessages
			}
			golden(t, want, p.body)
		}
	}, webhookTo(url))
}

// TestWebhookMessages holds the payloads of messages, before they are deleted.
func TestWebhookMessages(t *testing.T) {
	url, posts := receiver(t, nil)
	eachSite(t, func(t *testing.T, s *site) {
		s.serveWebhook()
		id := s.open("visitor-1")
		admin := "/api/admin/sessions/" + id
		first := s.askWithFile(id)
		answer := s.must("POST", admin+"/messages", secretKey, object{"content": "Hi Ada", "replyTo": first, "operatorName": "Olga"}).text("id")
		s.must("PATCH", admin+"/messages/"+answer, secretKey, object{"content": "Hi!"})
		sentID := ""
		for _, name := range []string{"new_session", "visitor_message", "visitor_message_edited", "operator_message", "operator_message_edited"} {
			p := <-posts
			p.verify(t)
			golden(t, name, p.body)
			sentID = p.header.Get("webhook-id")
		}
		newest := s.must("GET", "/api/admin/deliveries?limit=1", secretKey, nil).get("deliveries").([]any)[0].(map[string]any)
		if newest["webhookId"] != sentID || newest["type"] != "operator_message_edited" {
			t.Errorf("the log has %v, the receiver got %s", newest, sentID)
		}
		eventually(t, "the log shows the attempt", func() bool {
			tries, _ := s.must("GET", "/api/admin/deliveries?limit=1", secretKey, nil).get("deliveries").([]any)[0].(map[string]any)["tries"].([]any)
			return len(tries) == 1 && tries[0].(map[string]any)["status"] == 200.0
		})
		for _, online := range []bool{true, true, false} { // the second says nothing new
			s.must("POST", "/api/admin/operator/status", secretKey, object{"online": online})
		}
		for _, online := range []string{"true", "false"} {
			p := <-posts
			p.verify(t)
			golden(t, "operator_status", bytes.Replace(p.body, []byte(`"online":`+online), []byte(`"online":true`), 1))
		}
		if a := s.must("POST", "/api/admin/webhooks/test", secretKey, nil); a.get("ok") != true || a.get("status") != 200.0 {
			t.Errorf("test event: %s", a.body)
		}
		p := <-posts
		p.verify(t)
		golden(t, "test", p.body)
	}, webhookTo(url))
}

// golden compares a body with the file of its type.
func golden(t *testing.T, name string, body []byte) {
	t.Helper()
	path := filepath.Join("..", "testdata", "webhook", name+".json")
	got := normalised(body) + "\n"
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("%s is\n%swant\n%s", name, got, want)
	}
	var envelope map[string]json.RawMessage
	if json.Unmarshal(body, &envelope) != nil || len(envelope) != 3 || envelope["type"] == nil || envelope["data"] == nil || envelope["sentAt"] == nil {
		t.Errorf("the envelope of %s has other keys than type, data, sentAt: %s", name, body)
	}
}
