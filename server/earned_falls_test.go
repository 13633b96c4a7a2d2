package server_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges/ai/aitest"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

// falling is a relay whose AI answers one topic by itself, and has answered a visitor.
type falling struct {
	*site
	model  *aitest.Model
	source string // of the page that it answers from
	v      boundSession
	answer string // the id of its message
}

const rehearsalPath = "/api/admin/ai/rehearsal"

func newFalling(t *testing.T) *falling {
	model := aitest.New(t, aitest.Says("We ship within 5 days."))
	f := &falling{site: newSite(t, dbtest.Memory(t), withModel(model)), model: model}
	f.must("PATCH", "/api/admin/settings", secretKey, object{"aiMode": "rehearse", "aiTakeoverDelay": 0, "aiTopicRow": 2})
	f.must("POST", "/api/admin/operator/status", secretKey, object{"online": false})
	f.source = f.must("POST", knowledgePath, secretKey, object{"title": "Shipping", "text": "We ship within 5 days."}).text("id")
	for _, town := range []string{"Rome", "Bern"} {
		v := f.bound(chat.NewID(), "")
		f.asks(v, "How long does shipping take to "+town+"?")
		f.must("POST", "/api/admin/sessions/"+v.id+"/messages", secretKey, object{"content": "Within 5 days."})
	}
	f.must("POST", rehearsalPath, secretKey, object{})
	f.until("it has earned the topic", func() bool { return f.topic("state") == "offered" })
	if row := f.topic("needed"); row != 2.0 {
		t.Errorf("a topic needs %v", row)
	}
	f.must("PATCH", "/api/admin/ai/topics/"+f.topic("id").(string), secretKey, object{"answers": true})
	f.v = f.bound(chat.NewID(), "")
	f.asks(f.v, "How long does shipping take to Oslo?")
	f.until("it answers", func() bool {
		for _, m := range f.must("GET", "/api/admin/sessions/"+f.v.id+"/messages", secretKey, nil).get("messages").([]any) {
			if m := m.(map[string]any); m["sender"] == "ai" && strings.Contains(m["content"].(string), "within 5 days") {
				f.answer = m["id"].(string)
			}
		}
		return f.answer != ""
	})
	return f
}

func (f *falling) asks(v boundSession, text string) {
	f.t.Helper()
	f.must("POST", "/api/widget/messages", publicKey, object{"sessionId": v.id, "content": text}, "X-Session-Token", v.token)
}

func (f *falling) until(what string, holds func() bool) {
	f.t.Helper()
	for deadline := time.Now().Add(time.Minute); !holds(); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			f.t.Fatalf("not in time: %s\n%s", what, f.must("GET", rehearsalPath, secretKey, nil).body)
		}
	}
}

// topic is a field of the only topic.
func (f *falling) topic(field string) any {
	var at struct{ Topics []map[string]any }
	if err := json.Unmarshal(f.must("GET", rehearsalPath, secretKey, nil).body, &at); err != nil || len(at.Topics) != 1 {
		return nil
	}
	return at.Topics[0][field]
}

// TestTopicFalls: a topic falls back by each thing that speaks against what the AI said, and people are
// told why, once.
func TestTopicFalls(t *testing.T) {
	for name, tt := range map[string]struct {
		against func(f *falling)
		why     string
	}{
		"a bad rating": {func(f *falling) {
			f.must("POST", "/api/widget/csat", publicKey, object{"sessionId": f.v.id, "score": 2}, "X-Session-Token", f.v.token)
		}, "the visitor gave 2 of 5"},
		"its answer is deleted": {func(f *falling) {
			f.must("DELETE", "/api/admin/sessions/"+f.v.id+"/messages/"+f.answer, secretKey, nil)
		}, "somebody deleted its answer"},
		"its answer is changed": {func(f *falling) {
			f.must("PATCH", "/api/admin/sessions/"+f.v.id+"/messages/"+f.answer, secretKey, object{"content": "We ship within 5 days, mostly."})
		}, "somebody changed its answer"},
		"a page is changed": {func(f *falling) {
			f.model.Script(aitest.Says("We ship within 9 days."))
			f.must("POST", knowledgePath, secretKey, object{"title": "Delivery", "text": "We ship within 9 days."})
			f.must("DELETE", knowledgePath+"/sources/"+f.source, secretKey, nil)
		}, "the page “Shipping” changed"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFalling(t)
			if f.topic("state") != "answers" {
				t.Fatal("it falls without a reason")
			}
			tt.against(f)
			f.until("it falls back", func() bool { return f.topic("state") == "learning" })
			if why, _ := f.topic("reason").(string); !strings.Contains(why, tt.why) {
				t.Errorf("it falls because %q, want %q", why, tt.why)
			}
			f.until("people are told", func() bool {
				read := string(f.must("GET", "/api/admin/sessions/"+f.topic("sessionId").(string)+"/messages", secretKey, nil).body)
				return strings.Count(read, "I no longer answer questions about") == 1 && strings.Contains(read, tt.why)
			})
			if audit := string(f.must("GET", "/api/admin/audit", secretKey, nil).body); strings.Count(audit, `"ai_topic_fell"`) != 1 {
				t.Errorf("the audit has %s", audit)
			}
		})
	}
}
