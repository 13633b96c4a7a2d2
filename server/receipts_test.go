package server_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// TestDelivered: a message is delivered once the other side's client has it, from
// the stream or from the history, and both sides get it once.
func TestDelivered(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		cookie := s.signedIn()
		id := s.open("v")
		admin := "/api/admin/sessions/" + id
		delivered := func(messageID string) (at string) {
			s.StoreReceipts(t.Context())
			for _, m := range s.must("GET", admin+"/messages", secretKey, nil).get("messages").([]any) {
				if m := m.(map[string]any); m["id"] == messageID {
					at, _ = m["deliveredAt"].(string)
				}
			}
			return at
		}
		answer := func(text string) string {
			return s.must("POST", admin+"/messages", secretKey, object{"content": text}).text("id")
		}

		asked := s.say(id, "is anybody there?")
		s.must("GET", "/api/widget/messages?sessionId="+id, publicKey, nil) // its own
		s.must("GET", admin+"/messages", secretKey, nil)                    // a program
		if at := delivered(asked); at != "" {
			t.Errorf("a visitor's message that nobody has read was delivered at %s", at)
		}
		s.must("GET", admin+"/messages", "", nil, "Cookie", cookie)
		first := delivered(asked)
		if first == "" {
			t.Error("a visitor's message that the console has is not delivered")
		}

		waiting := answer("yes")
		if at := delivered(waiting); at != "" {
			t.Errorf("an answer that nobody has read was delivered at %s", at)
		}
		s.open("v")
		if delivered(waiting) == "" {
			t.Error("an answer that init brought is not delivered")
		}
		next := s.stream("/api/widget/stream?sessionId="+id, publicKey)
		next() // connected
		streamed := answer("what is it?")
		for next().event != "message" { // before it comes the receipt of what init brought
		}
		eventually(t, "what the stream wrote is delivered", func() bool { return delivered(streamed) != "" })
		f := next()
		if ids := fmt.Sprint(f.get("messageIds")); f.event != "message_read" || f.get("status") != "delivered" || ids != "["+streamed+"]" {
			t.Errorf("the stream brings %+v", f)
		}

		console := s.stream("/api/admin/stream", "", "Cookie", cookie)
		console() // connected
		live := s.say(id, "my parcel")
		eventually(t, "what the console's stream wrote is delivered", func() bool { return delivered(live) != "" })
		s.open("v")
		s.must("GET", admin+"/messages", "", nil, "Cookie", cookie)
		if again := delivered(asked); again != first {
			t.Errorf("delivered at %s, and again at %s", first, again)
		}
	})
}

// TestReadIsDelivered: what was read has arrived.
func TestReadIsDelivered(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id := s.open("v")
		s.say(id, "hi")
		s.must("POST", "/api/admin/sessions/"+id+"/read", secretKey, object{})
		m := s.must("GET", "/api/widget/messages?sessionId="+id, publicKey, nil).get("messages").([]any)[0].(map[string]any)
		if m["readAt"] == nil || m["deliveredAt"] != m["readAt"] {
			t.Errorf("the message is %v", m)
		}
	})
}

// TestReadAll marks many messages as read, in portions.
func TestReadAll(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id := s.open("v")
		for n := range 1100 {
			by := chat.Author{Sender: chat.SenderVisitor, Source: chat.SourceWidget}
			if _, err := s.Send(t.Context(), by, engine.Post{SessionID: id, Content: fmt.Sprint(n)}); err != nil {
				t.Fatal(err)
			}
		}
		admin := "/api/admin/sessions/" + id
		s.must("POST", admin+"/read", secretKey, object{})
		receipts := 0
		err := s.store.Read(t.Context(), func(r chat.Reader) error {
			events, err := r.Events(id, 1100, 100)
			for _, e := range events {
				if e.Type == chat.EventMessageRead {
					receipts++
				}
			}
			return err
		})
		if err != nil || receipts != 3 {
			t.Errorf("there are %d receipts, %v", receipts, err)
		}
		unread := 0
		for before, more := "", true; more; {
			page := s.must("GET", admin+"/messages?limit=100"+before, secretKey, nil)
			list := page.get("messages").([]any)
			for _, m := range list {
				if m.(map[string]any)["readAt"] == nil {
					unread++
				}
			}
			before, more = "&before="+list[0].(map[string]any)["id"].(string), page.get("hasMore") == true
		}
		if view := s.must("GET", admin, secretKey, nil); unread != 0 || view.get("unread") != 0.0 {
			t.Errorf("%d messages are not marked as read, unread is %v", unread, view.get("unread"))
		}
	})
}

// signedIn signs in at the console and returns the cookie.
func (s *site) signedIn() string {
	s.t.Helper()
	a := s.call("POST", "/console/login", "", "name=Olga&key="+secretKey, "Content-Type", "application/x-www-form-urlencoded")
	cookie, _, _ := strings.Cut(a.header.Get("Set-Cookie"), ";")
	return cookie
}
