package server_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
)

// history reads messages and timeline in the order in which they are shown.
func (s *site) history(path, key string, header ...string) []string {
	s.t.Helper()
	var page struct {
		Messages []struct{ ID, Content string }
		Timeline []struct {
			Type, After string
			Data        map[string]any
		}
	}
	if err := json.Unmarshal(s.must("GET", path, key, nil, header...).body, &page); err != nil {
		s.t.Fatal(err)
	}
	shown := []string{}
	entriesAfter := func(id string) {
		for _, e := range page.Timeline {
			if e.After == id {
				shown = append(shown, e.Type)
			}
		}
	}
	entriesAfter("")
	for _, m := range page.Messages {
		shown = append(shown, m.Content)
		entriesAfter(m.ID)
	}
	return shown
}

// TestTimeline: what happened beside the messages stands in order, for operators
// all of it, for the visitor what concerns it, also after a restart.
func TestTimeline(t *testing.T) {
	dbtest.EachLasting(t, func(t *testing.T, store *db.DB) {
		s := newSite(t, store)
		id := s.open("v")
		session := "/api/admin/sessions/" + id
		s.say(id, "hello")
		s.must("POST", "/api/widget/events", publicKey, object{"sessionId": id, "name": "added_to_basket", "data": object{"sku": "SH-42"}})
		s.must("POST", "/api/widget/init", publicKey, object{"visitorId": "v", "url": "https://shop.example.com/shoes"})
		s.must("POST", session+"/messages", secretKey, object{"content": "hi"})
		s.must("POST", session+"/close", secretKey, nil)
		s.must("POST", "/api/widget/csat", publicKey, object{"sessionId": id, "score": 4, "comment": "thanks"})
		s.say(id, "one more thing")
		s = newSite(t, store)
		all := []string{"hello", "custom_event", "page_view", "hi", "session_closed", "csat_submitted", "session_reopened", "one more thing"}
		if got := s.history(session+"/messages", secretKey); !slices.Equal(got, all) {
			t.Errorf("operators see %q, want %q", got, all)
		}
		want := []string{"hello", "hi", "session_closed", "csat_submitted", "session_reopened", "one more thing"}
		if got := s.history("/api/widget/messages?sessionId="+id, publicKey); !slices.Equal(got, want) {
			t.Errorf("the visitor sees %q, want %q", got, want)
		}
		body := string(s.must("GET", session+"/messages", secretKey, nil).body)
		for _, part := range []string{`"sku":"SH-42"`, `"comment":"thanks"`, `"url":"https://shop.example.com/shoes"`} {
			if !strings.Contains(body, part) {
				t.Errorf("%s is missing in %s", part, body)
			}
		}
		if init := string(s.must("POST", "/api/widget/init", publicKey, object{"visitorId": "v", "url": "https://shop.example.com/shoes"}).body); strings.Contains(init, "custom_event") || !strings.Contains(init, "session_closed") {
			t.Errorf("init answers %s", init)
		}
	})
}

// TestTimelineInPages: pages of the history share the timeline without loss or repeat.
func TestTimelineInPages(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id := s.open("v")
		session := "/api/admin/sessions/" + id
		var want []string
		for i := range 7 {
			text := fmt.Sprint("message ", i)
			s.say(id, text)
			s.must("POST", "/api/widget/events", publicKey, object{"sessionId": id, "name": "x"})
			want = append(want, text, "custom_event")
		}
		var got []string
		for query := "?limit=3"; ; {
			path := session + "/messages" + query
			page := s.must("GET", path, secretKey, nil)
			got = append(s.history(path, secretKey), got...)
			if page.get("hasMore") != true {
				break
			}
			var list struct{ Messages []struct{ ID string } }
			if err := json.Unmarshal(page.body, &list); err != nil {
				t.Fatal(err)
			}
			query = "?limit=3&before=" + list.Messages[0].ID
		}
		if !slices.Equal(got, want) {
			t.Errorf("backwards: %q, want %q", got, want)
		}
		var first struct{ Messages []struct{ ID string } }
		if err := json.Unmarshal(s.must("GET", session+"/messages?limit=100", secretKey, nil).body, &first); err != nil {
			t.Fatal(err)
		}
		after := s.history(session+"/messages?limit=2&after="+first.Messages[1].ID, secretKey)
		if len(after) == 0 || after[0] != "message 2" && after[0] != "custom_event" || slices.Contains(after, "message 4") {
			t.Errorf("after the second: %q", after)
		}
	})
}
