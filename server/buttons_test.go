package server_test

import (
	"strings"
	"testing"
)

// TestButtons: what an operator offers the visitor is in every answer that has the message,
// a tap is a message, and what may not be offered is refused beside its field.
func TestButtons(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id := s.open("v")
		admin, widget := "/api/admin/sessions/"+id+"/messages", "/api/widget/messages?sessionId="+id
		s.say(id, "Is it in stock?")
		visitor := s.stream("/api/widget/stream?sessionId="+id, publicKey)
		visitor()
		visitor() // its own message
		offered := []object{{"text": "Red & blue"}, {"text": "All", "url": "https://shop.example/c?a=1&b=2"}}
		const want = `"buttons":[{"text":"Red \u0026 blue"},{"text":"All","url":"https://shop.example/c?a=1\u0026b=2"}]`
		sent := s.must("POST", admin, secretKey, object{"content": "Which one?", "clientId": "c1", "buttons": offered})
		again := s.must("POST", admin, secretKey, object{"content": "Which one?", "clientId": "c1", "buttons": offered})
		if !strings.Contains(string(sent.body), want) || again.text("id") != sent.text("id") {
			t.Errorf("sent %s, again %s", sent.body, again.body)
		}
		if f := visitor(); f.event != "message" || !strings.Contains(f.data, want) {
			t.Errorf("the visitor's stream got %+v", f)
		}
		s.must("PATCH", admin+"/"+sent.text("id"), secretKey, object{"content": "Which one is it?"})
		for _, body := range [][]byte{
			s.must("GET", widget, publicKey, nil).body, s.must("POST", "/api/widget/init", publicKey, object{"visitorId": "v"}).body,
			s.must("GET", admin, secretKey, nil).body, s.must("GET", "/api/admin/export", secretKey, nil).body,
		} {
			if !strings.Contains(string(body), want) {
				t.Errorf("no buttons in %s", body)
			}
		}
		tap := s.must("POST", "/api/widget/messages", publicKey, object{"sessionId": id, "content": "Red & blue", "buttons": offered})
		if strings.Contains(string(tap.body), "buttons") {
			t.Errorf("a visitor offers %s", tap.body)
		}
		s.must("DELETE", admin+"/"+sent.text("id"), secretKey, nil)
		if list := s.must("GET", widget, publicKey, nil).body; strings.Contains(string(list), "buttons") {
			t.Errorf("of the deleted message is left %s", list)
		}
		for _, wrong := range []object{
			{"content": "a", "buttons": []object{{"text": ""}}},
			{"content": "a", "buttons": []object{{"text": strings.Repeat("x", 81)}}},
			{"content": "a", "buttons": []object{{"text": "x", "url": "javascript:alert(1)"}}},
			{"content": "a", "buttons": []object{{"text": "x", "url": "https://bank.example@evil.example/"}}},
			{"content": "a", "buttons": []object{{}, {}, {}, {}, {}, {}, {}}},
			{"content": "a", "buttons": "x"},
			{"content": "a", "buttons": []object{{"text": 1}}},
			{"content": "a", "internal": true, "buttons": []object{{"text": "x"}}},
		} {
			if got := s.call("POST", admin, secretKey, wrong); got.status != 400 || !strings.Contains(got.text("error"), "buttons") {
				t.Errorf("%v: %d %s", wrong, got.status, got.body)
			}
		}
		if got := s.call("POST", admin, secretKey, object{"content": " ", "buttons": offered}); got.status != 400 {
			t.Errorf("buttons without a text: %d", got.status)
		}
	})
}

// TestWrittenButtons: at the console the last lines of a message can be buttons, in a note and
// for a program they are text.
func TestWrittenButtons(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id := s.open("v")
		admin, cookie := "/api/admin/sessions/"+id+"/messages", s.signIn("Mia")
		s.say(id, "Is it in stock?")
		const lines = "Shall I put one aside?\n\n[[Yes]] [[No]]\n[[Our shop | https://shop.example/]]"
		got := s.must("POST", admin, "", object{"content": lines}, "Cookie", cookie)
		if want := `"buttons":[{"text":"Yes"},{"text":"No"},{"text":"Our shop","url":"https://shop.example/"}]`; got.text("content") != "Shall I put one aside?" || !strings.Contains(string(got.body), want) {
			t.Errorf("sent %s", got.body)
		}
		note := s.must("POST", admin, "", object{"content": lines, "internal": true}, "Cookie", cookie)
		if program := s.must("POST", admin, secretKey, object{"content": lines}); note.text("content") != lines || program.text("content") != lines {
			t.Errorf("a note %s, a program's %s", note.body, program.body)
		}
	})
}
