package server_test

import (
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/relay-chat/relay/server/chat"
)

// prove lets a visitor say who it is, with the proof.
func (s *site) prove(v boundSession, id string) answer {
	s.t.Helper()
	return s.must("POST", "/api/widget/identify", publicKey, object{"sessionId": v.id, "identity": object{"id": id}, "userHash": userHash(id)}, "X-Session-Token", v.token)
}

// reads returns what a device reads of its conversation.
func (s *site) reads(v boundSession) (texts []string) {
	s.t.Helper()
	a := s.must("GET", "/api/widget/messages?sessionId="+v.id, publicKey, nil, "X-Session-Token", v.token)
	for _, m := range a.get("messages").([]any) {
		texts = append(texts, m.(map[string]any)["content"].(string))
	}
	return texts
}

func (s *site) writes(v boundSession, text string) {
	s.t.Helper()
	s.must("POST", "/api/widget/messages", publicKey, object{"sessionId": v.id, "content": text}, "X-Session-Token", v.token)
}

// others are what a visitor may go on with besides.
func (s *site) others(v boundSession) (list []boundSession) {
	s.t.Helper()
	a := s.must("POST", "/api/widget/conversations", publicKey, object{"sessionId": v.id}, "X-Session-Token", v.token)
	for _, c := range a.get("conversations").([]any) {
		c := c.(map[string]any)
		list = append(list, boundSession{c["id"].(string), c["token"].(string)})
	}
	return list
}

// link makes the link of a conversation and returns its secret part.
func (s *site) link(v boundSession) string {
	s.t.Helper()
	a := s.must("POST", "/api/widget/link", publicKey, object{"sessionId": v.id}, "X-Session-Token", v.token)
	_, link, found := strings.Cut(a.text("url"), "/c/")
	if !found || a.text("code") == "" {
		s.t.Fatalf("the link is %s", a.body)
	}
	return link
}

func (s *site) resume(link string) boundSession {
	s.t.Helper()
	a := s.must("POST", "/api/widget/resume", publicKey, object{"link": link})
	return boundSession{a.text("sessionId"), a.text("sessionToken")}
}

// ended requires that a link opens nothing.
func (s *site) ended(link string) {
	s.t.Helper()
	s.refused(s.call("POST", "/api/widget/resume", publicKey, object{"link": link}), 404, "does not work any more")
	if a := s.call("GET", "/c/"+url.PathEscape(link), "", nil); a.status != 404 {
		s.t.Errorf("the page of an ended link answers %d", a.status)
	}
}

// TestIdentityJoins: a proved identity brings a browser in which nothing was said to the
// person's open conversation; nothing else does.
func TestIdentityJoins(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		laptop := s.bound("laptop", "")
		if a := s.prove(laptop, "42"); a.text("sessionId") != "" {
			t.Errorf("with no other conversation: %s", a.body)
		}
		s.writes(laptop, "hello from the laptop")

		stranger := s.bound("laptop", "")
		for _, claim := range []object{{"sessionId": stranger.id, "identity": object{"id": "42", "email": "ann@example.com"}},
			{"sessionId": stranger.id, "id": "42"}} {
			a := s.must("POST", "/api/widget/identify", publicKey, claim, "X-Session-Token", stranger.token)
			if a.text("sessionId") != "" || a.get("verified") != false {
				t.Errorf("a claim joins: %s", a.body)
			}
		}
		wrong := object{"sessionId": stranger.id, "identity": object{"id": "42"}, "userHash": userHash("43")}
		s.refused(s.call("POST", "/api/widget/identify", publicKey, wrong, "X-Session-Token", stranger.token), 403, "userHash does not match identity.id")
		if list := s.others(stranger); len(list) != 0 {
			t.Errorf("a claim lists %v", list)
		}

		fresh := s.bound("phone", "")
		a := s.prove(fresh, "42")
		phone := boundSession{a.text("sessionId"), a.text("sessionToken")}
		if phone.id != laptop.id || phone.token == laptop.token {
			t.Fatalf("the phone got %s", a.body)
		}
		if again := s.prove(fresh, "42"); again.text("sessionToken") != phone.token {
			t.Error("asking twice gives two tokens")
		}
		s.writes(phone, "hello from the phone")
		expectLines(t, "the laptop reads", s.reads(laptop), "hello from the laptop", "hello from the phone")
		resumed := s.must("POST", "/api/widget/init", publicKey, object{"visitorId": "phone", "useSessionToken": true, "sessionToken": phone.token})
		if resumed.text("sessionId") != laptop.id || len(resumed.get("messages").([]any)) != 2 {
			t.Errorf("the phone's next page begins with %s", resumed.body)
		}
		for _, token := range []string{stranger.token, laptop.id + ".", laptop.id + "." + stranger.token, strings.Replace(phone.token, laptop.id, stranger.id, 1)} {
			s.refused(s.call("GET", "/api/widget/messages?sessionId="+laptop.id, publicKey, nil, "X-Session-Token", token), 404, "Session not found")
			begun := s.must("POST", "/api/widget/init", publicKey, object{"visitorId": "x", "useSessionToken": true, "sessionToken": token})
			if id := begun.text("sessionId"); id == laptop.id {
				t.Errorf("the token %s resumes it", token)
			}
		}

		second := s.bound("tablet", "")
		s.writes(second, "another matter")
		if a := s.prove(second, "42"); a.text("sessionId") != "" {
			t.Errorf("a conversation that was begun is left: %s", a.body)
		}
		if list := s.others(phone); len(list) != 1 || list[0].id != second.id {
			t.Fatalf("the phone lists %v", list)
		}
		expectLines(t, "the phone reads", s.reads(s.others(phone)[0]), "another matter")

		s.must("POST", "/api/admin/sessions/"+second.id+"/block", secretKey, nil)
		if list := s.others(phone); len(list) != 0 {
			t.Errorf("a blocked conversation is listed: %v", list)
		}
		s.must("DELETE", "/api/admin/sessions/"+laptop.id, secretKey, nil)
		s.refused(s.call("GET", "/api/widget/messages?sessionId="+laptop.id, publicKey, nil, "X-Session-Token", phone.token), 404, "Session not found")
	}, identitySecret)
}

// TestIdentityOfSite: a person's conversations at another site join nothing.
func TestIdentityOfSite(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		one := s.bound("v", "")
		s.prove(one, "42")
		s.writes(one, "hello")
		link := s.link(one)
		key := s.addSite("Shop", "id", "shop")
		a := s.must("POST", "/api/widget/init", key, object{"visitorId": "v", "useSessionToken": true})
		two := boundSession{a.text("sessionId"), a.text("sessionToken")}
		a = s.must("POST", "/api/widget/identify", key, object{"sessionId": two.id, "identity": object{"id": "42"}, "userHash": userHash("42")}, "X-Session-Token", two.token)
		if a.text("sessionId") != "" {
			t.Errorf("the other site joins: %s", a.body)
		}
		s.refused(s.call("POST", "/api/widget/resume", key, object{"link": link}), 404, "does not work any more")
	}, identitySecret)
}

// TestMostDevices: the eleventh device ends what the first one may.
func TestMostDevices(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		v := s.bound("v", "")
		s.writes(v, "hello")
		link := s.link(v)
		first := s.resume(link)
		for range 10 {
			s.reads(s.resume(link))
		}
		s.refused(s.call("GET", "/api/widget/messages?sessionId="+v.id, publicKey, nil, "X-Session-Token", first.token), 404, "Session not found")
		expectLines(t, "the first browser reads", s.reads(v), "hello")
	})
}

// TestConversationLink: the link of a conversation lets another device go on, until a newer
// one was made, the visitor ends the conversation, or it is erased.
func TestConversationLink(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		v := s.bound("v", "")
		ask := func() answer {
			return s.call("POST", "/api/widget/link", publicKey, object{"sessionId": v.id}, "X-Session-Token", v.token)
		}
		s.refused(ask(), 409, "Nothing was said")
		s.writes(v, "hello")
		s.refused(s.call("POST", "/api/widget/link", publicKey, object{"sessionId": v.id}), 404, "Session not found")

		link := s.link(v)
		page := s.must("GET", "/c/"+link, "", nil)
		if !strings.Contains(string(page.body), `data-link="`+link+`"`) || strings.Contains(string(page.body), "hello") {
			t.Errorf("the page is %s", page.body)
		}
		tablet := s.resume(link)
		s.writes(tablet, "from the tablet")
		expectLines(t, "the first device reads", s.reads(v), "hello", "from the tablet")

		newer := s.link(v)
		s.ended(link)
		s.writes(s.resume(newer), "by the newer one")
		id, rest, _ := strings.Cut(newer, ".")
		for _, forged := range []string{"", "x", id, id + ".", newer + "A", newer[:len(newer)-1], chat.NewID() + "." + rest, "a.b.c", strings.Repeat("x", 5000)} {
			if forged != "" {
				s.ended(forged)
			} else {
				s.refused(s.call("POST", "/api/widget/resume", publicKey, object{"link": ""}), 400, "link is required")
			}
		}
		s.must("POST", "/api/widget/close", publicKey, object{"sessionId": v.id}, "X-Session-Token", v.token)
		s.ended(newer)
		last := s.link(v)
		s.must("POST", "/api/admin/sessions/"+v.id+"/block", secretKey, nil)
		s.ended(last)
		s.must("POST", "/api/admin/sessions/"+v.id+"/unblock", secretKey, nil)
		s.resume(last)
		s.must("DELETE", "/api/admin/sessions/"+v.id, secretKey, nil)
		s.ended(last)

		without := s.open("w")
		s.must("POST", "/api/widget/messages", publicKey, object{"sessionId": without, "content": "hello"})
		s.refused(s.call("POST", "/api/widget/link", publicKey, object{"sessionId": without}), 409, "has no token")
	})
}

func expectLines(t *testing.T, what string, got []string, want ...string) {
	t.Helper()
	if !slices.Equal(got, want) {
		t.Errorf("%s %q, want %q", what, got, want)
	}
}
