package server_test

import (
	"strings"
	"testing"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
)

// TestNotes: operators read internal notes wherever they read messages; a
// visitor and a webhook's receiver find them nowhere.
func TestNotes(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id := s.open("v")
		admin, widget := "/api/admin/sessions/"+id, "/api/widget/messages?sessionId="+id
		all := s.stream("/api/admin/stream", secretKey)
		stream := func() frame { // presence is not of interest
			f := all()
			for f.event == "operator_status" || f.event == "connected" {
				f = all()
			}
			return f
		}
		visitor := s.stream("/api/widget/stream?sessionId="+id, publicKey)
		visitor()
		s.say(id, "hello")
		for f := stream(); f.event != "message"; f = stream() {
		}
		note := s.must("POST", admin+"/messages", secretKey, object{"content": "//secret\n!close", "internal": true, "operatorName": "Mia"})
		n := note.text("id")
		if note.get("internal") != true || note.text("sender") != "operator" || note.text("content") != "//secret\n!close" {
			t.Errorf("the note is %s", note.body)
		}
		if f := stream(); f.event != "note" || f.get("internal") != true || f.get("id") != n || f.get("type") != "note" {
			t.Errorf("the operators' stream got %+v", f)
		}
		if view := s.must("GET", admin, secretKey, nil); view.get("unread") != 1.0 || view.text("lastMessage.content") != "hello" {
			t.Errorf("a note is no answer: %s", view.body)
		}
		s.must("PATCH", admin+"/messages/"+n, secretKey, object{"content": "still secret"})
		if f := stream(); f.event != "note_edited" || f.get("content") != "still secret" || f.get("internal") != true {
			t.Errorf("the operators' stream got %+v", f)
		}
		second := s.must("POST", admin+"/messages", secretKey, object{"content": "secret, too", "internal": true, "replyTo": n}).text("id")
		stream()
		s.must("DELETE", admin+"/messages/"+second, secretKey, nil)
		if f := stream(); f.event != "note_deleted" || f.get("content") != "" {
			t.Errorf("the operators' stream got %+v", f)
		}
		s.must("POST", admin+"/messages", secretKey, object{"content": "hi"})

		if list := string(s.must("GET", admin+"/messages", secretKey, nil).body); !strings.Contains(list, "still secret") {
			t.Errorf("operators read %s", list)
		}
		if export := string(s.must("GET", "/api/admin/export", secretKey, nil).body); !strings.Contains(export, "still secret") {
			t.Errorf("the export is %s", export)
		}
		seen := ""
		for f := visitor(); ; f = visitor() {
			if seen += f.event + " " + f.data + "\n"; strings.Contains(f.data, `"hi"`) {
				break
			}
		}
		seen += string(s.must("POST", "/api/widget/init", publicKey, object{"visitorId": "v"}).body)
		seen += string(s.must("GET", widget, publicKey, nil).body)
		seen += string(s.must("GET", widget+"&limit=2", publicKey, nil).body)
		if strings.Contains(seen, "secret") || strings.Contains(seen, "note") || strings.Contains(seen, n) {
			t.Errorf("the visitor was told of a note: %s", seen)
		}
		if page := s.must("GET", widget+"&limit=2", publicKey, nil); page.get("hasMore") != false || strings.Count(string(page.body), `"content"`) != 2 {
			t.Errorf("notes count in the visitor's history: %s", page.body)
		}
		s.refused(s.call("GET", widget+"&after="+n, publicKey, nil), 404, "Message not found")
		s.refused(s.call("POST", "/api/widget/messages", publicKey, object{"sessionId": id, "content": "?", "replyTo": n}), 404, "Message not found")
		s.refused(s.call("POST", admin+"/messages", secretKey, object{"content": "?", "replyTo": n}), 404, "Message not found")
		s.refused(s.call("PATCH", "/api/widget/messages/"+n, publicKey, object{"sessionId": id, "content": "?"}), 404, "Message not found")
		s.refused(s.call("DELETE", "/api/widget/messages/"+n+"?sessionId="+id, publicKey, nil), 404, "Message not found")
		s.must("POST", "/api/widget/read", publicKey, object{"sessionId": id, "messageIds": []string{n}})
		if f := stream(); f.event != "message" {
			t.Errorf("a note was read: %+v", f)
		}
		if m := s.must("POST", "/api/widget/messages", publicKey, object{"sessionId": id, "content": "mine", "internal": true}); m.get("internal") != nil {
			t.Errorf("a visitor wrote a note: %s", m.body)
		}
		err := s.store.Read(t.Context(), func(r chat.Reader) error {
			list, err := r.Deliveries(chat.DeliveryQuery{Dest: "webhook", Limit: 100})
			for _, d := range list {
				if strings.Contains(string(d.Event.Payload), "secret") {
					t.Errorf("the webhook gets %s", d.Event.Payload)
				}
			}
			if len(list) < 3 {
				t.Errorf("%d deliveries to the webhook", len(list))
			}
			return err
		})
		if err != nil {
			t.Error(err)
		}
	}, func(c *config.Config) {
		c.Settings = map[string]chat.Raw{"eventsWebhookUrl": chat.Raw(`"http://127.0.0.1:9/"`)}
	})
}
