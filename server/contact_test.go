package server_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
	"github.com/relay-chat/relay/server/engine"
)

// handsOver lets the AI hand a session over, and returns whether the visitor's stream then
// asks for a name or an e-mail address.
func (s *site) handsOver(id string) (asks bool) {
	s.t.Helper()
	next := s.stream("/api/widget/stream?sessionId="+id, publicKey)
	out, err := s.HandBack(s.t.Context(), engine.AIReply{SessionID: id, ClientID: "d1", Name: "AI", Content: "A colleague will answer here.", Late: true}, chat.AIEndUnsure)
	if out != engine.AIStored || err != nil {
		s.t.Fatal(out, err)
	}
	f := next()
	for f.event != "ai_takeover" {
		f = next()
	}
	var data struct{ Active, AskContact bool }
	if err := json.Unmarshal([]byte(f.data), &data); err != nil || data.Active || data.AskContact != strings.Contains(f.data, "askContact") {
		s.t.Errorf("%v: %s", err, f.data)
	}
	return data.AskContact
}

// asks reports whether init asks a visitor who comes back.
func (s *site) asks(visitorID string) bool {
	s.t.Helper()
	session := s.must("POST", "/api/widget/init", publicKey, object{"visitorId": visitorID}).get("session").(map[string]any)
	asks, given := session["askContact"]
	if given && asks != true {
		s.t.Errorf("askContact is %v", asks)
	}
	return given
}

func (s *site) operators(online bool) {
	s.t.Helper()
	s.must("POST", "/api/admin/operator/status", secretKey, object{"online": online})
}

// TestContactIsAsked: visitors are asked only when nobody is there, nothing is known of
// them, and what they claim would be kept.
func TestContactIsAsked(t *testing.T) {
	identify := func(identity object) func(s *site, id string) {
		return func(s *site, id string) {
			s.must("POST", "/api/widget/identify", publicKey, object{"sessionId": id, "identity": identity})
		}
	}
	always := object{}
	for _, day := range []string{"monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"} {
		always[day] = []string{"00:00-24:00"}
	}
	for _, tt := range []struct {
		name   string
		before func(s *site, id string)
		want   bool
		change func(*config.Config)
	}{
		{"nobody is there", func(*site, string) {}, true, nil},
		{"away by the switch", func(s *site, _ string) { s.operators(false) }, true, nil},
		{"an operator is there", func(s *site, _ string) { s.operators(true) }, false, nil},
		{"within business hours", func(s *site, _ string) {
			s.must("PATCH", "/api/admin/settings", secretKey, object{"businessHours": object{"timezone": "UTC", "weekly": always}})
		}, false, nil},
		{"the name is known", identify(object{"name": "Ada"}), false, nil},
		{"the address is known", identify(object{"email": "ada@example.com"}), false, nil},
		{"the number is known", identify(object{"phone": "+43 1"}), false, nil},
		{"only the rest is known", identify(object{"id": "42", "plan": "gold", "name": ""}), true, nil},
		{"the form has told it", func(s *site, id string) {
			s.must("POST", "/api/widget/prechat", publicKey, object{"sessionId": id, "fields": object{"name": "Ada"}})
		}, false, nil},
		{"the visitor is verified", func(s *site, id string) {
			s.must("POST", "/api/widget/identify", publicKey, object{"sessionId": id, "identity": object{"id": "42"}, "userHash": userHash("42")})
		}, false, identitySecret},
		{"claims are refused", func(*site, string) {}, false, func(c *config.Config) { identitySecret(c); c.IdentityRequired = true }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var changes []func(*config.Config)
			if tt.change != nil {
				changes = append(changes, tt.change)
			}
			s := newSite(t, dbtest.Memory(t), changes...)
			id := s.open("v")
			s.say(id, "a question")
			tt.before(s, id)
			if s.asks("v") {
				t.Error("it asks before the AI has handed over")
			}
			if got := s.handsOver(id); got != tt.want {
				t.Errorf("the stream asks: %v, want %v", got, tt.want)
			}
			if got := s.asks("v"); got != tt.want {
				t.Errorf("init asks: %v, want %v", got, tt.want)
			}
		})
	}
}

// TestContactIsAskedNoLonger: what ends the question for those who come back.
func TestContactIsAskedNoLonger(t *testing.T) {
	for _, tt := range []struct {
		name string
		then func(s *site, id, admin string)
		want bool
	}{
		{"nothing", func(*site, string, string) {}, true},
		{"the visitor writes on", func(s *site, id, _ string) { s.say(id, "hello?") }, true},
		{"a note", func(s *site, _, admin string) {
			s.must("POST", admin+"/messages", secretKey, object{"content": "mine", "internal": true})
			s.operators(false)
		}, true},
		{"an answer, and the next question", func(s *site, id, admin string) {
			s.must("POST", admin+"/messages", secretKey, object{"content": "hi"})
			s.operators(false)
			s.wrote(id, "thanks, and one more thing")
		}, false},
		{"somebody comes", func(s *site, _, _ string) { s.operators(true) }, false},
		{"closing", func(s *site, _, admin string) {
			s.must("POST", admin+"/close", secretKey, nil)
			s.operators(false)
		}, false},
		{"the visitor's answer", func(s *site, id, admin string) {
			s.must("POST", "/api/widget/identify", publicKey, object{"sessionId": id, "identity": object{"email": "ada@example.com"}})
			kept := s.must("GET", admin, secretKey, nil)
			if kept.get("verified") != false || !strings.Contains(string(kept.body), `"identity":{"email":"ada@example.com"}`) {
				s.t.Errorf("kept as %s", kept.body)
			}
		}, false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			eachSite(t, func(t *testing.T, s *site) {
				id := s.open("v")
				s.say(id, "a question")
				if !s.handsOver(id) {
					t.Fatal("it does not ask")
				}
				tt.then(s, id, "/api/admin/sessions/"+id)
				if got := s.asks("v"); got != tt.want {
					t.Errorf("init asks: %v, want %v", got, tt.want)
				}
			})
		})
	}
}

// TestContactAfterOperator: an operator who takes the conversation over from the AI has it.
func TestContactAfterOperator(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id := s.open("v")
		s.say(id, "a question")
		if out, err := s.AIAnswer(t.Context(), engine.AIReply{SessionID: id, ClientID: "d1", Name: "AI", Content: "An answer.", Late: true}); out != engine.AIStored || err != nil {
			t.Fatal(out, err)
		}
		s.must("POST", "/api/admin/sessions/"+id+"/messages", secretKey, object{"content": "hi"})
		s.operators(false)
		s.wrote(id, "one more thing")
		if s.asks("v") {
			t.Error("it asks")
		}
	})
}

// TestContactByMail: where answers go out by e-mail and no AI gives one, a visitor is asked at once
// while nobody is there.
func TestContactByMail(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		s.operators(false)
		if s.must("POST", "/api/widget/init", publicKey, object{"visitorId": "x"}); s.asks("x") {
			t.Error("it asks where no e-mail goes out")
		}
		s.must("PATCH", "/api/admin/settings", secretKey, object{"smtpUrl": "smtp://127.0.0.1:1", "mailFrom": "Shop <chat@shop.example>"})
		id := s.open("v")
		if !s.asks("v") {
			t.Error("it does not ask at once")
		}
		s.say(id, "a question")
		if !s.asks("v") {
			t.Error("it does not ask who waits")
		}
		s.operators(true)
		if s.asks("v") {
			t.Error("it asks while somebody is there")
		}
		s.operators(false)
		s.must("POST", "/api/admin/sessions/"+id+"/messages", secretKey, object{"content": "hi"})
		s.operators(false)
		if s.asks("v") {
			t.Error("it asks who has an answer")
		}
	})
}
