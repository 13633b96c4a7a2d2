package server_test

import (
	"strings"
	"testing"
)

// TestTranscript: a conversation as a page, a text and JSON. No words of a visitor are markup, and
// notes stay with the team unless they are asked for.
func TestTranscript(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id := s.open("v1")
		s.must("POST", "/api/widget/identify", publicKey, object{"sessionId": id, "identity": object{"id": "7", "name": "Eve <b>"}})
		s.say(id, "Hello <script>alert(1)</script>\nsecond line")
		path := "/api/admin/sessions/" + id
		s.must("POST", path+"/messages", secretKey, object{"content": "a secret", "internal": true, "operatorName": "Ada"})
		s.must("POST", path+"/messages", secretKey, object{"content": "Hi Eve", "operatorName": "Ada"})
		s.must("POST", path+"/close", secretKey, nil)
		page := s.must("GET", path+"/transcript", secretKey, nil)
		for _, text := range []string{"<h1 dir=\"auto\">Conversation with Eve &lt;b&gt;</h1>", "Hello &lt;script&gt;alert(1)&lt;/script&gt;\nsecond line", "<b dir=\"auto\">Ada</b>", "Hi Eve", "times are those of UTC", "</html>"} {
			if !strings.Contains(string(page.body), text) {
				t.Errorf("the page does not have %q: %s", text, page.body)
			}
		}
		if strings.Contains(string(page.body), "a secret") || !strings.Contains(page.header.Get("Content-Security-Policy"), "default-src 'none'") || page.header.Get("Content-Type") != "text/html; charset=utf-8" {
			t.Errorf("the page is %v %s", page.header, page.body)
		}
		text := s.must("GET", path+"/transcript?format=text&notes=true&timezone=Asia/Tokyo", secretKey, nil)
		for _, want := range []string{"Conversation with Eve <b>\n", "Eve <b>: Hello <script>alert(1)</script>\n       second line\n", "Ada, internal note: a secret\n", "times are those of Asia/Tokyo"} {
			if !strings.Contains(string(text.body), want) {
				t.Errorf("the text does not have %q: %s", want, text.body)
			}
		}
		if !strings.HasPrefix(text.header.Get("Content-Disposition"), "attachment; filename=\"relay-conversation-") {
			t.Errorf("the text is %v", text.header)
		}
		all := s.must("GET", path+"/export", secretKey, nil)
		messages, timeline := all.get("messages").([]any), all.get("timeline").([]any)
		if len(messages) != 3 || len(timeline) != 1 || all.get("session.id") != id || timeline[0].(map[string]any)["after"] != messages[2].(map[string]any)["id"] {
			t.Errorf("the export is %s", all.body)
		}
		for query, why := range map[string]string{"format=pdf": "format must be html or text", "notes=1": "notes must be true or false", "timezone=Mars": "timezone must be a name", "timezone=Local": "timezone must be a name"} {
			s.refused(s.call("GET", path+"/transcript?"+query, secretKey, nil), 400, why)
		}
		for _, what := range []string{"export", "transcript"} {
			s.refused(s.call("GET", "/api/admin/sessions/none/"+what, secretKey, nil), 404, "Session not found")
		}
		if entries := s.must("GET", "/api/admin/audit?action=exported", secretKey, nil).get("entries").([]any); len(entries) != 3 {
			t.Errorf("the audit list has %v", entries)
		}
	})
}
