package server_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// TestEventDataIsLimited sends events whose data is as large as it may be, and larger.
func TestEventDataIsLimited(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id := s.open("v")
		s.say(id, "hello")
		fields := func(n int) object {
			data := object{}
			for i := range n {
				data[fmt.Sprint("f", i)] = 1
			}
			return data
		}
		text := func(n int) object { return object{"x": strings.Repeat("a", n-len(`{"x":""}`))} }
		spaced := `{"sessionId":"` + id + `","name":"e","data":{` + strings.Repeat(" ", 5000) + `"x":1}}`
		for name, tt := range map[string]struct {
			body    any
			refusal string
		}{
			"50 fields":    {fields(50), ""},
			"51 fields":    {fields(51), "data must have at most 50 fields; it has 51"},
			"4,096 bytes":  {text(4096), ""},
			"4,097 bytes":  {text(4097), "data must be at most 4096 bytes of JSON; it has 4097"},
			"many spaces":  {spaced, ""},
			"fields twice": {`{"sessionId":"` + id + `","name":"e","data":{"a":1,"a":2}}`, ""},
		} {
			body := tt.body
			if data, isData := body.(object); isData {
				body = object{"sessionId": id, "name": "e", "data": data}
			}
			a := s.call("POST", "/api/widget/events", publicKey, body)
			if tt.refusal == "" && a.status != 200 {
				t.Errorf("%s: %d %s", name, a.status, a.body)
			} else if tt.refusal != "" {
				s.refused(a, 400, tt.refusal)
			}
		}
		s.refused(s.call("POST", "/api/admin/sessions/"+id+"/events", secretKey, object{"name": "e", "data": fields(51)}), 400, "data must have")
		s.refused(s.call("POST", "/api/widget/events", publicKey, `{"sessionId":"`+id+`","name":"e","data":[1]}`), 400, "data must be an object")
	})
}

// historyPage is an answer with messages and what happened between them.
type historyPage struct {
	Messages []struct{ ID, Content string }
	Timeline []json.RawMessage
	HasMore  bool
}

func (s *site) historyPage(method, path, key string, body any) (p historyPage, size int) {
	s.t.Helper()
	a := s.must(method, path, key, body)
	if err := json.Unmarshal(a.body, &p); err != nil {
		s.t.Fatal(err)
	}
	return p, len(a.body)
}

// TestPagesAreLimitedInBytes reads a conversation of the longest messages and events page by
// page: each is small, and none is left out.
func TestPagesAreLimitedInBytes(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id := s.open("v")
		s.say(id, "hello")
		const long, events = 60, 100
		for i := range long {
			s.must("POST", "/api/admin/sessions/"+id+"/messages", secretKey, object{"content": fmt.Sprintf("%02d", i) + strings.Repeat("ж", 39_998)})
		}
		for range events {
			s.must("POST", "/api/widget/events", publicKey, object{"sessionId": id, "name": "cart", "data": object{"x": strings.Repeat("a", 4000)}})
		}
		first, size := s.historyPage("POST", "/api/widget/init", publicKey, object{"visitorId": "v"})
		if !first.HasMore || len(first.Messages) == 0 || size > 1200<<10 {
			t.Errorf("init has %d messages in %d bytes, more: %v", len(first.Messages), size, first.HasMore)
		}
		path := "/api/admin/sessions/" + id + "/messages?limit=100"
		var contents []string
		before := ""
		for {
			p, size := s.historyPage("GET", path+before, secretKey, nil)
			if size > 1500<<10 || len(p.Messages) == 0 {
				t.Fatalf("a page has %d messages in %d bytes", len(p.Messages), size)
			}
			if before == "" && (len(p.Timeline) < 50 || len(p.Timeline) >= events) {
				t.Errorf("%d events came with the newest page", len(p.Timeline))
			}
			for i := len(p.Messages) - 1; i >= 0; i-- {
				contents = append(contents, p.Messages[i].Content[:2])
			}
			before = "&before=" + p.Messages[0].ID
			if !p.HasMore {
				break
			}
		}
		checkCountdown(t, contents, long)
		oldest, _ := s.historyPage("GET", "/api/widget/messages?sessionId="+id+"&limit=1", publicKey, nil)
		if len(oldest.Messages) != 1 || !oldest.HasMore {
			t.Errorf("a page of one has %d messages", len(oldest.Messages))
		}
		after, size := s.historyPage("GET", path+"&after="+first.Messages[0].ID, secretKey, nil)
		if len(after.Messages) == 0 || after.Messages[0].ID != first.Messages[1].ID || size > 1500<<10 {
			t.Errorf("after: %d messages in %d bytes", len(after.Messages), size)
		}
	})
}

// checkCountdown checks that contents begin with the numbers from n-1 to 0, and end with the hello.
func checkCountdown(t *testing.T, contents []string, n int) {
	t.Helper()
	if len(contents) != n+1 || contents[n] != "he" {
		t.Fatalf("%d messages were read, want %d", len(contents), n+1)
	}
	for i, c := range contents[:n] {
		if c != fmt.Sprintf("%02d", n-1-i) {
			t.Fatalf("message %d is %q", i, c)
		}
	}
}
