package server_test

import (
	"strings"
	"testing"
)

// Pages learn the messages that are switched on, whether somebody is there, and how
// the widget looks, without a session.
func TestProactiveMessages(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		if a := s.must("GET", "/api/widget/proactive", publicKey, nil); !strings.HasPrefix(string(a.body), `{"online":false,"messages":[],"config":{`) {
			t.Errorf("without messages: %s", a.body)
		}
		asks := func() bool {
			return strings.Contains(s.must("GET", "/api/admin/widget", secretKey, nil).text("snippet"), " data-proactive>")
		}
		if asks() {
			t.Error("the snippet asks for messages, and there are none")
		}
		s.must("PATCH", "/api/admin/settings", secretKey, object{"proactive": []object{
			{"id": "prices", "text": "Questions?", "pages": []string{"/pricing"}, "seconds": 5, "onlyOnline": true},
			{"id": "later", "text": "Not yet", "disabled": true},
		}})
		a := s.must("GET", "/api/widget/proactive", publicKey, nil)
		if !strings.Contains(string(a.body), `[{"id":"prices","text":"Questions?","pages":["/pricing"],"seconds":5,"exitIntent":false,"onlyOnline":true}]`) {
			t.Errorf("with messages: %s", a.body)
		}
		if !asks() {
			t.Error("the snippet does not ask for the messages")
		}
	})
}

// A visitor ends a conversation as an operator closes it, and not one in which
// nothing was said.
func TestVisitorEndsConversation(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id := s.open("v")
		end := func() { s.must("POST", "/api/widget/close", publicKey, object{"sessionId": id}) }
		status := func() string { return s.must("GET", "/api/admin/sessions/"+id, secretKey, nil).text("status") }
		end()
		if got := status(); got != "open" {
			t.Errorf("an empty conversation is %s", got)
		}
		s.say(id, "hi")
		end()
		end()
		if got := status(); got != "closed" {
			t.Errorf("the ended conversation is %s", got)
		}
		history := string(s.must("GET", "/api/widget/messages?sessionId="+id, publicKey, nil).body)
		if strings.Count(history, `"type":"session_closed","at"`) != 1 {
			t.Errorf("the timeline is %s", history)
		}
		s.say(id, "one more thing")
		if got := status(); got != "open" {
			t.Errorf("after another message it is %s", got)
		}
		s.refused(s.call("POST", "/api/widget/close", publicKey, object{}), 400, "sessionId is required")
		s.refused(s.call("POST", "/api/widget/close", publicKey, object{"sessionId": "nobody"}), 404, "Session not found")
	})
}

// Visitors learn the business hours of the coming week as moments.
func TestHoursAreTold(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		if in := s.must("POST", "/api/widget/init", publicKey, object{"visitorId": "v"}); strings.Contains(string(in.body), `"hours"`) {
			t.Errorf("without hours: %s", in.body)
		}
		s.must("PATCH", "/api/admin/settings", secretKey, object{"businessHours": object{"timezone": "Europe/Berlin", "weekly": everyDay("09:00-17:00")}})
		in := s.must("POST", "/api/widget/init", publicKey, object{"visitorId": "v"})
		hours, _ := in.get("hours").([]any)
		if len(hours) < 6 || len(hours) > 8 {
			t.Errorf("hours: %v", hours)
		}
	})
}
