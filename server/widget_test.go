package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

func TestHealth(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		if a := s.must("GET", "/health", "", nil); string(a.body) != `{"bridges":[],"status":"ok"}` {
			t.Errorf("GET /health: %s", a.body)
		}
		s.must("GET", "/ready", "", nil)
		if a := s.call("HEAD", "/health", "", nil); a.status != http.StatusOK {
			t.Errorf("HEAD /health: %d", a.status)
		}
	})
}

// TestDocumentedClient is a client written from the documented API alone.
func TestDocumentedClient(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		first := s.must("POST", "/api/widget/init", publicKey, object{"visitorId": "v1", "url": "https://shop.test/a", "userAgent": "Mozilla/5.0 Firefox/130.0"})
		id := first.text("sessionId")
		if len(id) < 26 || first.get("messages") == nil || first.get("config") == nil {
			t.Fatalf("init answered %s", first.body)
		}
		sent := s.must("POST", "/api/widget/messages", publicKey, object{"sessionId": id, "content": "Hello"})
		if sent.text("content") != "Hello" || sent.text("sender") != "visitor" || sent.text("sessionId") != id || sent.get("attachments") == nil {
			t.Errorf("message answered %s", sent.body)
		}
		list := s.must("GET", "/api/widget/messages?sessionId="+id, publicKey, nil)
		if got := fmt.Sprint(list.get("messages")); !strings.Contains(got, "Hello") {
			t.Errorf("history answered %s", list.body)
		}
		s.must("POST", "/api/widget/identify", publicKey, object{"sessionId": id, "name": "Ada", "email": "ada@example.com"})
		again := s.must("POST", "/api/widget/init", publicKey, object{"visitorId": "v1", "url": "https://shop.test/b", "userAgent": ""})
		if again.text("sessionId") != id || again.text("session.identity.name") != "Ada" || again.text("lastEventId") != "3" || !strings.Contains(fmt.Sprint(again.get("messages")), "Hello") {
			t.Errorf("the second init answered %s", again.body)
		}
	})
}

// TestInitNotesTheVisit: the newest init's facts about page and browser replace
// older ones; facts that it does not name stay.
func TestInitNotesTheVisit(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		init := func(body object, header ...string) (id string) {
			body["visitorId"] = "v"
			return s.must("POST", "/api/widget/init", publicKey, body, header...).text("sessionId")
		}
		id := init(object{"url": "https://shop.test/a", "referrer": "https://search.test/", "language": "nl", "userAgent": "Mozilla/5.0 (iPhone) Firefox/130.0", "timezone": "Europe/Amsterdam"}, "Cf-Ipcountry", "NL")
		noted := func(want string) {
			t.Helper()
			if got, _ := json.Marshal(s.must("GET", "/api/admin/sessions/"+id, secretKey, nil).get("metadata")); string(got) != want {
				t.Errorf(" got %s\nwant %s", got, want)
			}
		}
		noted(`{"browser":"Firefox","country":"NL","deviceType":"mobile","language":"nl","referrer":"https://search.test/","timezone":"Europe/Amsterdam","url":"https://shop.test/a","userAgent":"Mozilla/5.0 (iPhone) Firefox/130.0"}`)
		init(object{"url": "https://shop.test/b", "timezone": "../etc/passwd"}, "User-Agent", "Mozilla/5.0 (X11) Chrome/130.0")
		noted(`{"browser":"Chrome","country":"NL","deviceType":"desktop","language":"nl","referrer":"https://search.test/","timezone":"Europe/Amsterdam","url":"https://shop.test/b","userAgent":"Mozilla/5.0 (X11) Chrome/130.0"}`)
	})
}

// TestNewestMessages: init answers the newest 50, the history 100 at most, both
// the oldest first.
func TestNewestMessages(t *testing.T) {
	s := newSite(t, dbtest.Memory(t))
	id := s.open("v")
	for i := range 120 {
		_, err := s.Send(t.Context(), chat.Author{Sender: chat.SenderVisitor, Source: chat.SourceWidget}, engine.Post{SessionID: id, Content: fmt.Sprint(i)})
		if err != nil {
			t.Fatal(err)
		}
	}
	history := "/api/widget/messages?sessionId=" + id
	for name, tt := range map[string]struct {
		answer answer
		count  int
	}{
		"init":           {s.must("POST", "/api/widget/init", publicKey, object{"visitorId": "v"}), 50},
		"history":        {s.must("GET", history, publicKey, nil), 100},
		"more than 100":  {s.must("GET", history+"&limit=1000", publicKey, nil), 100},
		"as many as 101": {s.must("GET", history+"&limit=101", publicKey, nil), 100},
	} {
		list := tt.answer.get("messages").([]any)
		for i, m := range list {
			if got, want := m.(map[string]any)["content"], fmt.Sprint(120-tt.count+i); len(list) != tt.count || got != want {
				t.Fatalf("%s: %d messages, the one at %d is %s, want %s", name, len(list), i, got, want)
			}
		}
		if last := tt.answer.text("lastEventId"); last != "121" {
			t.Errorf("%s: the last event is %s", name, last)
		}
	}
}

func TestParallelInitsMakeOneSession(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		ids := make([]string, 8)
		var all sync.WaitGroup
		for i := range ids {
			all.Go(func() {
				ids[i] = s.call("POST", "/api/widget/init", publicKey, object{"visitorId": "same"}).text("sessionId")
			})
		}
		all.Wait()
		for _, id := range ids {
			if id == "" || id != ids[0] {
				t.Fatalf("eight inits made %v", ids)
			}
		}
	})
}

// TestParallelNewSessions: visits of one visitor that each want a new session
// wait for each other, and the last one's is resumed.
func TestParallelNewSessions(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		s.open("same")
		made := make([]answer, 24)
		var all sync.WaitGroup
		for i := range made {
			all.Go(func() {
				made[i] = s.call("POST", "/api/widget/init", publicKey, object{"visitorId": "same", "newSession": true})
			})
		}
		all.Wait()
		ids := map[string]bool{}
		for _, a := range made {
			if a.status != http.StatusOK {
				t.Fatalf("a new session: %d %s", a.status, a.body)
			}
			ids[a.text("sessionId")] = true
		}
		if len(ids) != len(made) || !ids[s.open("same")] {
			t.Errorf("%d visits made %d sessions", len(made), len(ids))
		}
	})
}

func TestSessionTokens(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		bound := s.must("POST", "/api/widget/init", publicKey, object{"visitorId": "v", "useSessionToken": true})
		id, token := bound.text("sessionId"), bound.text("sessionToken")
		if len(token) < 43 {
			t.Fatalf("the token %q is too short", token)
		}
		post := object{"sessionId": id, "content": "hi"}
		s.refused(s.call("POST", "/api/widget/messages", publicKey, post), 404, "Session not found")
		s.refused(s.call("POST", "/api/widget/messages", publicKey, post, "X-Session-Token", "wrong"), 404, "Session not found")
		s.refused(s.call("GET", "/api/widget/stream?sessionId="+id, publicKey, nil), 404, "Session not found")
		s.must("POST", "/api/widget/messages", publicKey, post, "X-Session-Token", token)
		if plain := s.must("POST", "/api/widget/init", publicKey, object{"visitorId": "v"}); plain.text("sessionId") == id || plain.get("sessionToken") != nil {
			t.Errorf("a visitorId alone resumed a bound session: %s", plain.body)
		}
		if back := s.must("POST", "/api/widget/init", publicKey, object{"visitorId": "other", "sessionToken": token}); back.text("sessionId") != id || back.text("sessionToken") != token {
			t.Errorf("the token did not resume its session: %s", back.body)
		}
		if fresh := s.must("POST", "/api/widget/init", publicKey, object{"visitorId": "v", "sessionToken": "unknown"}); fresh.text("sessionId") == id || fresh.text("sessionToken") == "" {
			t.Errorf("an unknown token: %s", fresh.body)
		}
		if next := s.must("POST", "/api/widget/init", publicKey, object{"visitorId": "v", "sessionToken": token, "newSession": true}); next.text("sessionId") == id || next.text("sessionToken") == token {
			t.Errorf("newSession resumed: %s", next.body)
		}
	})
}

func TestHistoryPages(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id := s.open("v")
		ids := make([]string, 7)
		for i := range ids {
			ids[i] = s.say(id, fmt.Sprint(i))
		}
		for _, tt := range []struct {
			query string
			want  string
			more  bool
		}{
			{"", "0 1 2 3 4 5 6", false},
			{"&limit=3", "4 5 6", true},
			{"&limit=3&before=" + ids[4], "1 2 3", true},
			{"&limit=3&before=" + ids[3], "0 1 2", false},
			{"&limit=3&after=" + ids[1], "2 3 4", true},
			{"&limit=3&after=" + ids[6], "", false},
		} {
			a := s.must("GET", "/api/widget/messages?sessionId="+id+tt.query, publicKey, nil)
			var got []string
			for _, m := range a.get("messages").([]any) {
				got = append(got, m.(map[string]any)["content"].(string))
			}
			if strings.Join(got, " ") != tt.want || a.get("hasMore") != tt.more {
				t.Errorf("%s: %v, more %v; want %s, %v", tt.query, got, a.get("hasMore"), tt.want, tt.more)
			}
		}
		s.refused(s.call("GET", "/api/widget/messages", publicKey, nil), 400, "sessionId is required")
		s.refused(s.call("GET", "/api/widget/messages?limit=x&sessionId="+id, publicKey, nil), 400, "limit")
		s.refused(s.call("GET", "/api/widget/messages?before=nope&sessionId="+id, publicKey, nil), 404, "Message not found")
	})
}

// TestBlockedVisitor: who is shut out is so in all sessions of the browser, also in those
// begun later with its token, and comes back in all of them. Others are who only say the
// same visitor's id.
func TestBlockedVisitor(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		first := s.bound("v", "")
		second := s.bound("v", first.token)
		third := s.bound("w", second.token) // the visitor's id does not matter
		victim, stranger := s.bound("v", ""), s.open("v")
		write := func(v boundSession) answer {
			return s.call("POST", "/api/widget/messages", publicKey, object{"sessionId": v.id, "content": "x"}, "X-Session-Token", v.token)
		}
		next := s.stream("/api/admin/stream", secretKey)
		next() // connected
		stream := s.stream("/api/widget/stream?sessionId="+third.id, publicKey, "X-Session-Token", third.token)
		stream() // connected
		s.must("POST", "/api/admin/sessions/"+second.id+"/block", secretKey, nil)
		for _, v := range []boundSession{first, second, third} {
			s.refused(write(v), 403, "Blocked")
			s.refused(s.call("POST", "/api/widget/init", publicKey, object{"visitorId": "v", "sessionToken": v.token, "newSession": true}), 403, "Blocked")
			if s.must("GET", "/api/admin/sessions/"+v.id, secretKey, nil).get("blocked") != true {
				t.Errorf("session %s of a blocked visitor is not shown as blocked", v.id)
			}
		}
		for _, v := range []boundSession{victim, {id: stranger}} {
			if a := write(v); a.status != 200 {
				t.Errorf("another visitor: %d %s", a.status, a.body)
			}
		}
		eventually(t, "the stream of the other session is closed", func() bool { return s.Hub.Watched(third.id) == 0 })
		told := map[any]bool{}
		for len(told) < 3 {
			if f := next(); f.event == "session_blocked" {
				told[f.get("sessionId")] = true
			}
		}
		s.must("POST", "/api/admin/sessions/"+first.id+"/unblock", secretKey, nil)
		for _, v := range []boundSession{first, second, third} {
			if a := write(v); a.status != 200 {
				t.Errorf("unblocked: %d %s", a.status, a.body)
			}
		}
	})
}

// TestBlockedWithoutToken: sessions without a token are one visitor's by its id.
func TestBlockedWithoutToken(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		one := s.open("v")
		two := s.must("POST", "/api/widget/init", publicKey, object{"visitorId": "v", "newSession": true}).text("sessionId")
		bound := s.bound("v", "")
		s.must("POST", "/api/admin/sessions/"+two+"/block", secretKey, nil)
		for _, id := range []string{one, two} {
			s.refused(s.call("POST", "/api/widget/messages", publicKey, object{"sessionId": id, "content": "x"}), 403, "Blocked")
		}
		for _, in := range []object{{"visitorId": "v"}, {"visitorId": "v", "newSession": true}} {
			s.refused(s.call("POST", "/api/widget/init", publicKey, in), 403, "Blocked")
		}
		s.must("POST", "/api/widget/messages", publicKey, object{"sessionId": bound.id, "content": "x"}, "X-Session-Token", bound.token)
		s.must("POST", "/api/admin/sessions/"+one+"/unblock", secretKey, nil)
		s.must("POST", "/api/widget/init", publicKey, object{"visitorId": "v"})
	})
}

func TestLifeOfASession(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id := s.open("v")
		admin := "/api/admin/sessions/" + id
		next := s.stream("/api/widget/stream?sessionId="+id, publicKey)
		next() // connected
		s.say(id, "one")
		s.must("POST", admin+"/close", secretKey, nil)
		s.must("POST", admin+"/close", secretKey, nil)
		resumed := s.must("POST", "/api/widget/init", publicKey, object{"visitorId": "v"})
		if status := s.must("GET", admin, secretKey, nil).text("status"); status != "closed" || resumed.text("session.status") != status || resumed.text("sessionId") != id {
			t.Errorf("status is %s; init answered %s", status, resumed.body)
		}
		if f := s.stream("/api/widget/stream?sessionId="+id, publicKey)(); f.get("status") != "closed" || f.get("operatorOnline") != true {
			t.Errorf("a stream of a closed session, whose operator is there, begins with %+v", f)
		}
		s.say(id, "two")
		s.must("POST", admin+"/block", secretKey, nil)
		s.refused(s.call("POST", "/api/widget/messages", publicKey, object{"sessionId": id, "content": "x"}), 403, "Blocked")
		s.refused(s.call("POST", "/api/widget/init", publicKey, object{"visitorId": "v"}), 403, "Blocked")
		s.must("POST", "/api/widget/init", publicKey, object{"visitorId": "v", "useSessionToken": true}) // who only says the same id
		s.must("POST", admin+"/unblock", secretKey, nil)
		s.say(id, "three")
		for _, want := range []string{"message 2", "session_closed 3", "operator_status ", "session_reopened 4", "message 5", "connected ", "message 6"} {
			if want == "connected " { // blocking ended the stream
				next = s.stream("/api/widget/stream?sessionId="+id, publicKey, "Last-Event-ID", "5")
			}
			if f := next(); f.event+" "+f.id != want || f.get("type") != f.event || f.get("sessionId") != id {
				t.Errorf("got %s %s %s, want %s", f.event, f.id, f.data, want)
			}
		}
		s.must("DELETE", admin, secretKey, nil)
		s.refused(s.call("GET", admin, secretKey, nil), 404, "Session not found")
		s.refused(s.call("POST", "/api/widget/messages", publicKey, object{"sessionId": id, "content": "x"}), 404, "Session not found")
	})
}
