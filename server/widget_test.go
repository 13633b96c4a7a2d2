package server_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
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
		_, err := s.Send(t.Context(), chat.Author{Sender: chat.SenderVisitor, Source: chat.SourceWidget}, chat.Post{SessionID: id, Content: fmt.Sprint(i)})
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

func TestClientIDMakesSendingIdempotent(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id := s.open("v")
		ids := make([]string, 6)
		var all sync.WaitGroup
		for i := range ids {
			all.Go(func() {
				a := s.call("POST", "/api/widget/messages", publicKey, object{"sessionId": id, "content": "once", "clientId": "c1"})
				ids[i] = a.text("id") + a.text("clientId")
			})
		}
		all.Wait()
		for _, got := range ids {
			if got == "" || got != ids[0] {
				t.Fatalf("the same clientId made %v", ids)
			}
		}
		// Repeating it later changes nothing either, whatever it says then.
		if again := s.must("POST", "/api/widget/messages", publicKey, object{"sessionId": id, "content": "twice", "clientId": "c1", "replyTo": "unknown"}); again.text("id")+"c1" != ids[0] || again.text("content") != "once" {
			t.Errorf("repeated with another body: %s", again.body)
		}
		s.must("POST", "/api/admin/sessions/"+id+"/close", secretKey, nil)
		if again := s.must("POST", "/api/widget/messages", publicKey, object{"sessionId": id, "content": "once", "clientId": "c1"}); again.text("id")+"c1" != ids[0] {
			t.Errorf("repeated when the session is closed: %s", again.body)
		}
		if session := s.must("GET", "/api/admin/sessions/"+id, secretKey, nil); session.text("status") != "closed" {
			t.Errorf("a repeated message reopened the session: %s", session.body)
		}
		// An operator's message is never taken for a visitor's.
		own := s.must("POST", "/api/admin/sessions/"+id+"/messages", secretKey, object{"content": "answer", "clientId": "c1"})
		if own.text("content") != "answer" {
			t.Errorf("an operator's message with a visitor's clientId: %s", own.body)
		}
		list := s.must("GET", "/api/admin/sessions/"+id+"/messages", secretKey, nil)
		if n := len(list.get("messages").([]any)); n != 2 {
			t.Errorf("%d messages are stored", n)
		}
		if n := strings.Count(string(list.body), "clientId"); n != 1 {
			t.Errorf("operators see %d clientIds, want their own: %s", n, list.body)
		}
	})
}

// TestOperatorsSendOnce: an operator's message whose answer was lost can be sent
// again, and its visitor gets it once.
func TestOperatorsSendOnce(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id := s.open("v")
		s.say(id, "hello")
		visitor := s.stream("/api/widget/stream?sessionId="+id, publicKey)
		visitor()
		ids := make([]string, 6)
		var all sync.WaitGroup
		for i := range ids {
			all.Go(func() {
				body := object{"content": "Your refund is on its way", "clientId": "op-1"}
				if i == 5 {
					body = object{"content": "in other words", "clientId": "op-1", "replyTo": "unknown", "internal": true}
				}
				ids[i] = s.call("POST", "/api/admin/sessions/"+id+"/messages", secretKey, body).text("id")
			})
		}
		all.Wait()
		for _, got := range ids[:5] {
			if got == "" || got != ids[0] {
				t.Fatalf("the same clientId made %v", ids)
			}
		}
		s.refused(s.call("POST", "/api/admin/sessions/"+id+"/messages", secretKey, object{"content": "x", "clientId": strings.Repeat("x", 129)}), 400, "clientId")
		s.must("POST", "/api/admin/sessions/"+id+"/messages", secretKey, object{"content": "bye", "clientId": "op-2"})
		told := ""
		for f := visitor(); ; f = visitor() {
			if told += f.data; f.get("content") == "bye" {
				break
			}
		}
		told += string(s.must("GET", "/api/widget/messages?sessionId="+id, publicKey, nil).body)
		if n := strings.Count(told, "Your refund is on its way"); n != 2 || strings.Contains(told, "op-") {
			t.Errorf("the visitor is told %s", told)
		}
	})
}

func TestEditAndDelete(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id := s.open("v")
		mine := s.say(id, "secret word")
		theirs := s.must("POST", "/api/admin/sessions/"+id+"/messages", secretKey, object{"content": "hi", "operatorName": "Olga"})
		if theirs.text("operatorName") != "Olga" || theirs.text("sourceBridge") != "api" || theirs.text("sender") != "operator" {
			t.Errorf("operator's message: %s", theirs.body)
		}
		edited := s.must("PATCH", "/api/widget/messages/"+mine, publicKey, object{"sessionId": id, "content": "other word"})
		if edited.text("content") != "other word" || edited.text("editedAt") == "" {
			t.Errorf("edited: %s", edited.body)
		}
		s.refused(s.call("PATCH", "/api/widget/messages/"+theirs.text("id"), publicKey, object{"sessionId": id, "content": "x"}), 403, "own messages")
		s.refused(s.call("DELETE", "/api/widget/messages/"+theirs.text("id")+"?sessionId="+id, publicKey, nil), 403, "own messages")
		s.refused(s.call("PATCH", "/api/widget/messages/unknown", publicKey, object{"sessionId": id, "content": "x"}), 404, "Message not found")
		for range 2 {
			s.must("DELETE", "/api/widget/messages/"+mine+"?sessionId="+id, publicKey, nil)
		}
		s.refused(s.call("PATCH", "/api/widget/messages/"+mine, publicKey, object{"sessionId": id, "content": "x"}), 409, "deleted")
		next := s.stream("/api/widget/stream?lastEventId=0&sessionId="+id, publicKey)
		for range 5 {
			if f := next(); strings.Contains(f.data, "word") {
				t.Errorf("a deleted message's content is still in the stream: %s", f.data)
			}
		}
	})
}

// TestReceipts: a visitor's read marks the operators' messages once, and never
// its own; an operator's answer leaves nothing unread.
func TestReceipts(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id := s.open("v")
		admin := "/api/admin/sessions/" + id
		own := s.say(id, "hello")
		answer := s.must("POST", admin+"/messages", secretKey, object{"content": "hi"}).text("id")
		if unread := s.must("GET", admin, secretKey, nil).get("unread"); unread != 0.0 {
			t.Errorf("%v are unread behind an answer", unread)
		}
		for range 2 {
			s.must("POST", "/api/widget/read", publicKey, object{"sessionId": id, "messageIds": []string{own, answer}})
		}
		history := s.must("GET", "/api/widget/messages?sessionId="+id, publicKey, nil)
		messages := history.get("messages").([]any)
		if messages[0].(map[string]any)["readAt"] != nil || messages[1].(map[string]any)["readAt"] == nil || history.text("lastEventId") != "4" {
			t.Errorf("after it was read: %s", history.body)
		}
		s.refused(s.call("POST", "/api/widget/read", publicKey, object{"sessionId": id}), 400, "messageIds is required")
		s.refused(s.call("POST", "/api/widget/read", publicKey, object{"sessionId": id, "messageIds": slices.Repeat([]string{own}, 501)}), 400, "at most 500")
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

// TestBlockedVisitor: who is shut out is so in all its sessions, and comes back
// in all of them.
func TestBlockedVisitor(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		one := s.open("v")
		bound := s.must("POST", "/api/widget/init", publicKey, object{"visitorId": "v", "useSessionToken": true})
		two, token := bound.text("sessionId"), bound.text("sessionToken")
		stranger := s.open("w")
		write := func(id string) answer {
			return s.call("POST", "/api/widget/messages", publicKey, object{"sessionId": id, "content": "x"}, "X-Session-Token", token)
		}
		next := s.stream("/api/admin/stream", secretKey)
		next() // connected
		stream := s.stream("/api/widget/stream?sessionId="+two, publicKey, "X-Session-Token", token)
		stream() // connected
		s.must("POST", "/api/admin/sessions/"+one+"/block", secretKey, nil)
		for _, id := range []string{one, two} {
			s.refused(write(id), 403, "Blocked")
			if s.must("GET", "/api/admin/sessions/"+id, secretKey, nil).get("blocked") != true {
				t.Errorf("session %s of a blocked visitor is not shown as blocked", id)
			}
		}
		for _, in := range []object{{"visitorId": "v"}, {"visitorId": "v", "newSession": true}, {"visitorId": "x", "sessionToken": token}} {
			s.refused(s.call("POST", "/api/widget/init", publicKey, in), 403, "Blocked")
		}
		if a := write(stranger); a.status != 200 {
			t.Errorf("another visitor: %d %s", a.status, a.body)
		}
		eventually(t, "the stream of the other session is closed", func() bool { return s.Hub.Watched(two) == 0 })
		told := map[any]bool{}
		for len(told) < 2 {
			if f := next(); f.event == "session_blocked" {
				told[f.get("sessionId")] = true
			}
		}
		s.must("POST", "/api/admin/sessions/"+two+"/unblock", secretKey, nil)
		for _, id := range []string{one, two} {
			if a := write(id); a.status != 200 {
				t.Errorf("unblocked: %d %s", a.status, a.body)
			}
		}
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
		s.refused(s.call("POST", "/api/widget/init", publicKey, object{"visitorId": "v", "useSessionToken": true}), 403, "Blocked")
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
