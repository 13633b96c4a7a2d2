package server_test

import (
	"runtime"
	"testing"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// waits returns since when a conversation waits, "" if it does not, after it has
// compared what the session, the list, the counts and the statistics say of it.
func (s *site) waits(id string) string {
	s.t.Helper()
	since := s.must("GET", "/api/admin/sessions/"+id, secretKey, nil).text("waitingSince")
	listed := s.must("GET", "/api/admin/sessions?status=waiting", secretKey, nil).get("sessions").([]any)
	counted := s.must("GET", "/api/admin/counts", secretKey, nil).get("waiting").(float64)
	now := s.must("GET", "/api/admin/statistics", secretKey, nil).get("waiting").(map[string]any)
	want := 0
	if since != "" {
		want = 1
	}
	if len(listed) != want || int(counted) != want || now["count"] != float64(want) {
		s.t.Errorf("waits since %q; %d listed, %v counted, statistics have %v", since, len(listed), counted, now)
	}
	if got, _ := now["since"].(string); got != since {
		s.t.Errorf("it waits since %q, says the session, since %q, say the statistics", since, got)
	}
	return since
}

// wrote sends a visitor's message at a time of its own, and returns it.
func (s *site) wrote(id, content string) answer {
	s.t.Helper()
	for start := chat.Now(); chat.Now() == start; {
		runtime.Gosched()
	}
	return s.must("POST", "/api/widget/messages", publicKey, object{"sessionId": id, "content": content})
}

// unread is how many messages of a session are unread.
func (s *site) unread(id string) float64 {
	s.t.Helper()
	return s.must("GET", "/api/admin/sessions/"+id, secretKey, nil).get("unread").(float64)
}

// TestWaitingSurvives: reading, a note, closing and reopening by an operator, and the AI's
// hand-over do not end a wait or begin it anew; an answer ends it.
func TestWaitingSurvives(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id := s.open("v")
		admin := "/api/admin/sessions/" + id
		first := s.wrote(id, "hello").text("timestamp")
		is := func(after, want string) {
			t.Helper()
			if got := s.waits(id); got != want {
				t.Errorf("after %s it waits since %q, want %q", after, got, want)
			}
		}
		is("the first message", first)
		s.wrote(id, "anybody?")
		s.must("POST", admin+"/read", secretKey, nil)
		is("a read", first)
		s.must("POST", admin+"/messages", secretKey, object{"content": "a note", "internal": true})
		s.must("POST", admin+"/close", secretKey, nil)
		is("closing", "")
		s.must("POST", admin+"/reopen", secretKey, nil)
		is("reopening", first)
		s.must("POST", admin+"/block", secretKey, nil)
		is("blocking", "")
		s.must("POST", admin+"/unblock", secretKey, nil)
		is("unblocking", first)
		if out, err := s.HandBack(t.Context(), engine.AIReply{SessionID: id, ClientID: "d1", Name: "AI", Content: "A colleague will answer here.", Late: true}, chat.AIEndAsked); out != engine.AIStored || err != nil {
			t.Fatal(out, err)
		}
		is("the AI's hand-over", first)
		s.must("POST", admin+"/messages", secretKey, object{"content": "hi"})
		is("an answer", "")
		second := s.wrote(id, "thanks").text("timestamp")
		is("the next message", second)
		s.must("POST", admin+"/close", secretKey, nil)
		third := s.wrote(id, "one more thing").text("timestamp")
		is("a message into the closed conversation", third)
	})
}

// TestWaitingAfterDeletion: a deleted message does not wait, and a deleted answer is none.
func TestWaitingAfterDeletion(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id := s.open("v")
		admin := "/api/admin/sessions/" + id
		remove := func(message string) {
			t.Helper()
			s.must("DELETE", "/api/widget/messages/"+message+"?sessionId="+id, publicKey, nil)
		}
		first := s.wrote(id, "hello")
		second := s.wrote(id, "anybody?")
		remove(first.text("id"))
		if got, n := s.waits(id), s.unread(id); got != second.text("timestamp") || n != 1 {
			t.Errorf("without the first message it waits since %q, %v unread", got, n)
		}
		remove(second.text("id"))
		if got, n := s.waits(id), s.unread(id); got != "" || n != 0 {
			t.Errorf("without any message it waits since %q, %v unread", got, n)
		}
		third := s.wrote(id, "now really").text("timestamp")
		if out, err := s.HandBack(t.Context(), engine.AIReply{SessionID: id, ClientID: "d1", Name: "AI", Content: "A colleague will answer here.", Late: true}, chat.AIEndAsked); out != engine.AIStored || err != nil {
			t.Fatal(out, err)
		}
		answer := s.must("POST", admin+"/messages", secretKey, object{"content": "of another conversation"})
		if got := s.waits(id); got != "" {
			t.Errorf("answered, it waits since %q", got)
		}
		s.must("DELETE", admin+"/messages/"+answer.text("id"), secretKey, nil)
		if got := s.waits(id); got != third {
			t.Errorf("without the answer it waits since %q, want %q", got, third)
		}
	})
}

// TestWaitingForLaterMessage: what the visitor wrote while the AI wrote its answer still waits.
func TestWaitingForLaterMessage(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id := s.open("v")
		seen, _ := chat.SeqOf(s.wrote(id, "hello").text("id"))
		second := s.wrote(id, "and this?").text("timestamp")
		reply := engine.AIReply{SessionID: id, ClientID: "d1", Name: "AI", Content: "Hello!", Seen: seen, Late: true}
		if out, err := s.AIAnswer(t.Context(), reply); out != engine.AIStored || err != nil {
			t.Fatal(out, err)
		}
		if got := s.waits(id); got != second {
			t.Errorf("after an answer to the first message it waits since %q, want %q", got, second)
		}
	})
}

// TestUnread: what was not marked as read stays unread.
func TestUnread(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id := s.open("v")
		admin := "/api/admin/sessions/" + id
		first := s.wrote(id, "one").text("id")
		s.wrote(id, "two")
		for _, step := range []struct {
			ids  []string
			want float64
		}{{[]string{"unknown"}, 2}, {[]string{first}, 1}, {[]string{first}, 1}, {nil, 0}} {
			body := object{}
			if step.ids != nil {
				body["messageIds"] = step.ids
			}
			s.must("POST", admin+"/read", secretKey, body)
			if got := s.unread(id); got != step.want {
				t.Errorf("%v read: %v unread, want %v", step.ids, got, step.want)
			}
		}
	})
}
