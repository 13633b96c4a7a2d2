package server_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/relay-chat/relay/server/chat"
)

// TestLiveVisitors: open pages are listed where the website wants it, to those of the website,
// with nothing in them that is no address, until they are left.
func TestLiveVisitors(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		w := newSitesWithPeople(s)
		visit := func(more ...any) object {
			body := object{"visit": "0123456789abcdef", "url": "https://shop.test/lamps?secret=1", "pages": []string{"https://shop.test/", "javascript:alert(1)", "https://shop.test/lamps\u202e?x"}, "seconds": 60}
			for i := 0; i < len(more); i += 2 {
				body[more[i].(string)] = more[i+1]
			}
			return body
		}
		listed := func(key string, header ...string) answer {
			return s.must("GET", "/api/admin/live-visitors", key, nil, header...)
		}
		s.refused(s.call("POST", "/api/widget/live", publicKey, visit()), 404, "liveVisitors")
		if a := listed(secretKey); a.get("enabled") != false || a.get("total") != 0.0 {
			t.Errorf("at first %s", a.body)
		}
		s.must("PATCH", "/api/admin/sites/main/settings", secretKey, object{"liveVisitors": true})
		for _, wrong := range []object{{"visit": "short"}, {}, visit("seconds", -1), visit("seconds", 1e9)} {
			s.refused(s.call("POST", "/api/widget/live", publicKey, wrong), 400, "")
		}
		s.must("POST", "/api/widget/live", publicKey, visit("referrer", "file:///etc/passwd"))
		s.must("POST", "/api/widget/live", publicKey, visit("visit", "fedcba9876543210", "seconds", 5, "sessionId", w.here))
		s.must("POST", "/api/widget/live", publicKey, visit("visit", "other-0123456789", "seconds", 90, "sessionId", w.berlin))
		a := listed(secretKey)
		list := a.get("visitors").([]any)
		if len(list) != 3 || a.get("total") != 3.0 || a.get("enabled") != true {
			t.Fatalf("there are %s", a.body)
		}
		first, second, third := list[0].(map[string]any), list[1].(map[string]any), list[2].(map[string]any)
		if first["sessionId"] != w.here || second["sessionId"] != nil || third["sessionId"] != nil {
			t.Errorf("conversations of %s", a.body)
		}
		if second["url"] != "https://shop.test/lamps" || second["referrer"] != nil || fmt.Sprint(second["pages"]) != "[https://shop.test/ https://shop.test/lamps]" {
			t.Errorf("shown is %v", second)
		}
		if strings.Contains(string(a.body), "0123456789abcdef") {
			t.Error("the page's own number is shown")
		}
		if a := listed("", "Cookie", w.operator); a.get("total") != 0.0 || a.get("enabled") != false {
			t.Errorf("people of another site see %s", a.body)
		}
		s.refused(s.call("POST", "/api/admin/live-visitors/"+second["id"].(string)+"/messages", "", object{"content": "hi"}, "Cookie", w.operator), 404, "has left")
	})
}

// TestWriteToLiveVisitor: an operator's first message begins one conversation, with which the page
// goes on by a token of its own; in a conversation that the page has, it is one more message.
func TestWriteToLiveVisitor(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		s.must("PATCH", "/api/admin/settings", secretKey, object{"liveVisitors": true})
		page := object{"visit": "0123456789abcdef", "url": "https://shop.test/lamps"}
		says := func(header ...string) answer { return s.must("POST", "/api/widget/live", publicKey, page, header...) }
		says()
		id := s.must("GET", "/api/admin/live-visitors", secretKey, nil).get("visitors").([]any)[0].(map[string]any)["id"].(string)
		write := func(text string) answer {
			return s.must("POST", "/api/admin/live-visitors/"+id+"/messages", secretKey, object{"content": text, "operatorName": "Ada"})
		}
		s.refused(s.call("POST", "/api/admin/live-visitors/"+id+"/messages", secretKey, object{"content": " "}), 400, "content")
		begun := write("Can I help?")
		if again := write("We have it in blue."); again.text("id") != begun.text("id") {
			t.Error("the second message began another conversation")
		}
		got := says().get("conversation").(map[string]any)
		if got["sessionId"] != begun.text("id") {
			t.Fatalf("the page goes on with %v", got)
		}
		token := got["sessionToken"].(string)
		history := s.must("GET", "/api/widget/messages?sessionId="+begun.text("id"), publicKey, nil, "X-Session-Token", token)
		if n := len(history.get("messages").([]any)); n != 2 {
			t.Errorf("the visitor reads %s", history.body)
		}
		s.refused(s.call("GET", "/api/widget/messages?sessionId="+begun.text("id"), publicKey, nil, "X-Session-Token", token+"x"), 404, "")
		page["sessionId"] = begun.text("id")
		if next := says("X-Session-Token", token); next.get("conversation") != nil {
			t.Errorf("the page that goes on with it is told again: %s", next.body)
		}
		if third := write("Still there?"); third.text("id") != begun.text("id") {
			t.Error("who has a conversation got another")
		}
		entry := s.must("GET", "/api/admin/live-visitors", secretKey, nil).get("visitors").([]any)[0].(map[string]any)
		if entry["sessionId"] != begun.text("id") || entry["name"] != begun.text("nickname") {
			t.Errorf("listed is %v, of %s", entry, begun.text("nickname"))
		}
	})
}

// TestLiveID: operators know visitors by what leads to no page's own number.
func TestLiveID(t *testing.T) {
	if id := chat.LiveID("0123456789abcdef"); len(id) != 26 || strings.Contains(id, "012345") {
		t.Errorf("the id is %s", id)
	}
}
