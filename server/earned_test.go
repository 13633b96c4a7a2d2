package server_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges/ai/aitest"
	"github.com/relay-chat/relay/server/chat"
)

// TestEarnedTopic: where the AI rehearses it answers nobody, asks for a topic after ten right answers,
// answers that topic alone after a person's yes, and loses it by one correction, which is in the audit.
func TestEarnedTopic(t *testing.T) {
	model := aitest.New(t, aitest.Says("We ship within 5 days."))
	eachSite(t, func(t *testing.T, s *site) {
		path := "/api/admin/ai/rehearsal"
		s.must("PATCH", "/api/admin/settings", secretKey, object{"aiMode": "rehearse", "aiTakeoverDelay": 0})
		s.must("POST", "/api/admin/operator/status", secretKey, object{"online": false})
		s.must("POST", knowledgePath, secretKey, object{"title": "Shipping", "text": "We ship within 5 days."})
		ask := func(text string) string {
			t.Helper()
			session := s.open(chat.NewID())
			s.must("POST", "/api/widget/messages", publicKey, object{"sessionId": session, "content": text})
			return session
		}
		answer := func(session, text string) {
			t.Helper()
			s.must("POST", "/api/admin/sessions/"+session+"/messages", secretKey, object{"content": text})
		}
		read := func(session string) string {
			t.Helper()
			return string(s.must("GET", "/api/admin/sessions/"+session+"/messages", secretKey, nil).body)
		}
		until := func(what string, holds func() bool) {
			t.Helper()
			for deadline := time.Now().Add(30 * time.Second); !holds(); time.Sleep(20 * time.Millisecond) {
				if time.Now().After(deadline) {
					t.Fatalf("not in time: %s\n%s", what, s.must("GET", path, secretKey, nil).body)
				}
			}
		}
		topic := func(field string) any {
			var at struct{ Topics []map[string]any }
			if err := json.Unmarshal(s.must("GET", path, secretKey, nil).body, &at); err != nil || len(at.Topics) == 0 {
				return nil
			}
			return at.Topics[0][field]
		}
		var last string
		for i := range 10 {
			last = ask(fmt.Sprintf("How long does shipping take to town %d?", i))
			answer(last, "Within 5 days.")
			if i == 0 {
				s.must("POST", path, secretKey, object{})
				until("one is rehearsed", func() bool { return topic("asked") == 1.0 })
				id := topic("id").(string)
				s.refused(s.call("PATCH", "/api/admin/ai/topics/"+id, secretKey, object{"answers": true}), 409, "1 of 10 answers in a row are right")
			}
		}
		s.must("POST", path, secretKey, object{})
		until("it asks", func() bool { return topic("state") == "offered" })
		offered := topic("sessionId").(string)
		visitors := string(s.must("GET", "/api/widget/messages?sessionId="+offered, publicKey, nil).body)
		if text := read(offered); !strings.Contains(text, "I matched your last 10 answers about") || strings.Contains(visitors, "I matched") || strings.Contains(visitors, "We ship") {
			t.Errorf("the thread reads %s\nand the visitor %s", text, visitors)
		}
		yes := func(session string) {
			s.must("POST", "/api/admin/sessions/"+session+"/commands", secretKey, object{"command": "!yes"})
		}
		other := ask("!yes") // a visitor's yes is a message
		yes(other)
		until("nothing was asked there", func() bool { return strings.Contains(read(other), "The AI has asked nothing here") })
		if topic("state") != "offered" {
			t.Error("a yes elsewhere, or a visitor's, promotes it")
		}
		yes(offered)
		until("it answers", func() bool { return topic("state") == "answers" })
		third, strange := ask("How long does shipping take to town 77?"), ask("Can I get a refund?")
		until("it answers a visitor", func() bool { return strings.Contains(read(third), "We ship within 5 days.") })
		answer(third, "Sorry, it takes 7 days.")
		until("it falls back", func() bool { return topic("state") == "learning" && topic("reason") != nil })
		until("it says why", func() bool { return strings.Contains(read(third), "I no longer answer questions about") })
		if strings.Contains(read(strange), "We ship") {
			t.Error("it answers what it has not earned")
		}
		again := ask("How long does shipping take to town 78?")
		id := topic("id").(string)
		s.refused(s.call("PATCH", "/api/admin/ai/topics/"+id, secretKey, object{"answers": true}), 409, "0 of 10 answers in a row are right")
		if strings.Contains(read(again), "We ship") {
			t.Error("it answers after it fell")
		}
		audit := string(s.must("GET", "/api/admin/audit", secretKey, nil).body)
		if !strings.Contains(audit, "ai_topic_answers") || !strings.Contains(audit, "ai_topic_fell") {
			t.Errorf("the audit has %s", audit)
		}
	}, withModel(model))
}

// TestChangedPage: an answer is rehearsed again once the page goes that it rested on, and the page is
// named if that made it worse.
func TestChangedPage(t *testing.T) {
	model := aitest.New(t, aitest.Says("We ship within 5 days."))
	eachSite(t, func(t *testing.T, s *site) {
		path := "/api/admin/ai/rehearsal"
		s.must("PATCH", "/api/admin/settings", secretKey, object{"aiMode": "draft"})
		source := s.must("POST", knowledgePath, secretKey, object{"title": "Delivery", "text": "We ship within 5 days."}).text("id")
		s.must("POST", knowledgePath, secretKey, object{"title": "Gifts", "text": "We sell gift cards."})
		session := s.open("v")
		s.must("POST", "/api/widget/messages", publicKey, object{"sessionId": session, "content": "How long does shipping take?"})
		s.must("POST", "/api/admin/sessions/"+session+"/messages", secretKey, object{"content": "Within 5 days."})
		until := func(what, want string) {
			t.Helper()
			for deadline := time.Now().Add(40 * time.Second); ; time.Sleep(50 * time.Millisecond) {
				body := string(s.must("GET", path, secretKey, nil).body)
				if strings.Contains(body, want) {
					return
				}
				if time.Now().After(deadline) {
					t.Fatalf("not in time: %s\n%s", what, body)
				}
			}
		}
		s.must("POST", path, secretKey, object{})
		until("it is right", `"right":1`)
		until("no page changed", `"changed":[]`)
		s.must("DELETE", knowledgePath+"/sources/"+source, secretKey, nil)
		until("the page is named", `"changed":[{"page":"Delivery","asked":1,"worse":1}]`)
		if s.must("GET", path, secretKey, nil).get("waiting") != 0.0 {
			t.Error("it is asked for ever")
		}
	}, withModel(model))
}
