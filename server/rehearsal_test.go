package server_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges/ai/aitest"
	"github.com/relay-chat/relay/server/chat"
)

// TestRehearsal: what people answered is answered by the AI in the background; what it said the time
// before stands beside it, a person's judgement counts, and it can be stopped.
func TestRehearsal(t *testing.T) {
	model := aitest.New(t, aitest.Says("We ship within 5 days."))
	eachSite(t, func(t *testing.T, s *site) {
		path := "/api/admin/ai/rehearsal"
		s.must("PATCH", "/api/admin/settings", secretKey, object{"aiMode": "off", "aiTokenPrice": "1 €"})
		s.must("POST", knowledgePath, secretKey, object{"title": "Shipping", "text": "We ship within 5 days."})
		if none := s.must("POST", path, secretKey, object{"dryRun": true}); none.get("questions") != 0.0 {
			t.Errorf("without answers it costs %s", none.body)
		}
		session := s.open("v")
		s.must("POST", "/api/widget/messages", publicKey, object{"sessionId": session, "content": "How long does shipping take?"})
		s.must("POST", "/api/admin/sessions/"+session+"/messages", secretKey, object{"content": "Within 5 days."})
		if plan := s.must("POST", path, secretKey, object{"dryRun": true}); plan.get("questions") != 1.0 || plan.text("cost") != "0.01 €" {
			t.Errorf("it costs %s", plan.body)
		}
		s.refused(s.call("POST", path, secretKey, object{"count": 201}), 400, "count must be from 1 to 200")
		read := func() (one chat.Rehearsal, worse, right float64) {
			t.Helper()
			a := s.must("GET", path, secretKey, nil)
			var list struct{ Rehearsals []chat.Rehearsal }
			if err := json.Unmarshal(a.body, &list); err != nil || len(list.Rehearsals) != 1 {
				t.Fatalf("%v: %s", err, a.body)
			}
			worse, _ = a.get("worse").(float64)
			right, _ = a.get("right").(float64)
			return list.Rehearsals[0], worse, right
		}
		rehearsed := func(verdict string) chat.Rehearsal {
			t.Helper()
			s.must("POST", path, secretKey, object{})
			var one chat.Rehearsal
			for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
				if one, _, _ = read(); !one.Waiting {
					break
				}
			}
			if one.Verdict != verdict {
				t.Fatalf("it came to %+v", one)
			}
			return one
		}
		one := rehearsed("same")
		s.must("PATCH", "/api/admin/settings", secretKey, object{"aiTopics": []string{"shipping"}})
		two := rehearsed("handover")
		if _, worse, right := read(); two.BeforeVerdict != "same" || two.BeforeSaid != one.Said || worse != 1 || right != 0 {
			t.Errorf("after a change for the worse: %+v", two)
		}
		s.refused(s.call("PATCH", path+"/"+two.ID, secretKey, object{"judged": "perfect"}), 400, "judged must be good, wrong or null")
		s.must("PATCH", path+"/"+two.ID, secretKey, object{"judged": "good"})
		if _, worse, right := read(); worse != 0 || right != 1 {
			t.Error("a person's judgement does not count")
		}
		s.must("DELETE", path, secretKey, nil)
		s.must("DELETE", "/api/admin/sessions/"+session, secretKey, nil)
		if a := s.must("GET", path, secretKey, nil); a.get("right") != 0.0 {
			t.Errorf("its conversation is erased, and it is left: %s", a.body)
		}
	}, withModel(model))
}

// TestTopics: alike questions stand in one topic, with how often the AI was right and what it cost; a
// topic has the name of its questions or a person's, and can be put into another one.
func TestTopics(t *testing.T) {
	model := aitest.New(t, aitest.Says("We ship within 5 days."))
	eachSite(t, func(t *testing.T, s *site) {
		path, topics := "/api/admin/ai/rehearsal", "/api/admin/ai/topics/"
		s.must("PATCH", "/api/admin/settings", secretKey, object{"aiMode": "off", "aiTokenPrice": "100 €"})
		s.must("POST", knowledgePath, secretKey, object{"title": "Shipping", "text": "We ship within 5 days."})
		for _, said := range [][2]string{{"How long does shipping take?", "Within 5 days."}, {"shipping time?", "3 days."}, {"Can you repair a clock?", "5 days."}} {
			session := s.open("v")
			s.must("POST", "/api/widget/messages", publicKey, object{"sessionId": session, "content": said[0]})
			s.must("POST", "/api/admin/sessions/"+session+"/messages", secretKey, object{"content": said[1]})
		}
		s.must("POST", path, secretKey, object{})
		type state struct {
			Waiting int
			Tokens  int
			Cost    string
			Topics  []struct {
				ID, Name, Cost       string
				Asked, Right, InARow int
				Tokens               int
			}
		}
		read := func() (at state) {
			t.Helper()
			for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(10 * time.Millisecond) {
				at = state{}
				if err := json.Unmarshal(s.must("GET", path, secretKey, nil).body, &at); err != nil {
					t.Fatal(err)
				}
				if at.Waiting == 0 {
					break
				}
			}
			return at
		}
		at := read()
		if len(at.Topics) != 2 || at.Topics[0].Name != "shipping" || at.Topics[0].Asked != 2 || at.Topics[0].Right != 1 || at.Topics[0].InARow != 0 ||
			at.Topics[0].Tokens != 400 || at.Topics[0].Cost != "0.04 €" || at.Topics[1].InARow != 1 || at.Tokens != 600 || at.Cost != "0.06 €" {
			t.Fatalf("the topics are %+v", at)
		}
		one, two := topics+at.Topics[0].ID, topics+at.Topics[1].ID
		for _, tt := range []struct {
			path string
			body object
			code int
			want string
		}{
			{topics + "x", object{"name": "x"}, 404, "Topic not found"},
			{one, object{}, 400, "name, into or answers is required"},
			{one, object{"name": "x", "into": at.Topics[1].ID}, 400, "name, into or answers is required"},
			{one, object{"answers": true}, 409, "only while it rehearses"},
			{one, object{"into": at.Topics[0].ID}, 400, "into must be the id of another topic"},
			{one, object{"into": "x"}, 400, "into must be the id of another topic"},
			{one, object{"name": strings.Repeat("x", 61)}, 400, "name must be at most 60 characters"},
		} {
			s.refused(s.call("PATCH", tt.path, secretKey, tt.body), tt.code, tt.want)
		}
		s.must("PATCH", two, secretKey, object{"name": " Far\naway "})
		if at = read(); at.Topics[1].Name != "Far away" {
			t.Errorf("it is called %q", at.Topics[1].Name)
		}
		s.must("PATCH", one, secretKey, object{"into": at.Topics[1].ID})
		if at = read(); len(at.Topics) != 1 || at.Topics[0].Name != "Far away" || at.Topics[0].Asked != 3 || at.Topics[0].Right != 2 {
			t.Errorf("merged they are %+v", at.Topics)
		}
		entries := string(s.must("GET", "/api/admin/audit?action=ai_topic_changed", secretKey, nil).body)
		if strings.Count(entries, `"target":"`+at.Topics[0].ID+`"`) != 2 || !strings.Contains(entries, `"shipping is part of Far away"`) {
			t.Errorf("the audit list has %s", entries)
		}
	}, withModel(model))
}
