package server_test

import (
	"strings"
	"testing"
)

// TestLimitsAreInCharacters sends what is as long as it may be, and one
// character more.
func TestLimitsAreInCharacters(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id := s.open("v")
		answers := "/api/admin/sessions/" + id + "/messages"
		escaped := func(n int) string { return `{"content":"` + strings.Repeat(`\ud83d\ude00`, n) + `"}` }
		for _, tt := range []struct {
			name, path, key string
			body            func(text string) any
			most            int
		}{
			{"visitorId", "/api/widget/init", publicKey, func(text string) any { return object{"visitorId": text} }, 200},
			{"clientId", "/api/widget/messages", publicKey, func(text string) any { return object{"sessionId": id, "content": "x", "clientId": text} }, 128},
			{"an operator's content", answers, secretKey, func(text string) any { return object{"content": text} }, 40000},
			{"an operator's escaped content", answers, secretKey, func(text string) any { return escaped(len([]rune(text))) }, 40000},
			{"operatorName", answers, secretKey, func(text string) any { return object{"content": "x", "operatorName": text} }, 100},
			{"a name in fields", "/api/widget/prechat", publicKey, func(text string) any { return object{"sessionId": id, "fields": object{text: "x"}} }, 100},
		} {
			t.Run(tt.name, func(t *testing.T) {
				if a := s.call("POST", tt.path, tt.key, tt.body(strings.Repeat("😀", tt.most))); a.status != 200 {
					t.Errorf("%d characters: %d %s", tt.most, a.status, a.body)
				}
				if a := s.call("POST", tt.path, tt.key, tt.body(strings.Repeat("😀", tt.most+1))); a.status != 400 {
					t.Errorf("%d characters: %d %s", tt.most+1, a.status, a.body)
				}
			})
		}
		s.refused(s.call("POST", answers, secretKey, object{"content": strings.Repeat("x", 600<<10)}), 413, "too large")
	})
}

// TestConfigHasNoHoles stores settings that leave things out.
func TestConfigHasNoHoles(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		s.must("PATCH", "/api/admin/settings", secretKey, `{"attachments":{"types":null}}`)
		if types, isList := s.must("GET", "/api/widget/config", publicKey, nil).get("attachments.types").([]any); !isList || len(types) != 0 {
			t.Errorf("types is %v, want []", types)
		}
		for _, form := range []string{`{"timing":"before_first_message"}`, `{"timing":"before_first_message","fields":null}`} {
			s.refused(s.call("PATCH", "/api/admin/settings", secretKey, `{"preChatForm":`+form+`}`), 400, "preChatForm must")
		}
	})
}

// TestAnnouncedLeaveIsNotPublished keeps an announced leave from operators until it counts.
func TestAnnouncedLeaveIsNotPublished(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id := s.open("v")
		s.say(id, "hi")
		next := s.stream("/api/admin/stream", secretKey)
		next() // connected
		s.must("POST", "/api/widget/disconnect", publicKey, object{"sessionId": id})
		s.must("POST", "/api/widget/typing", publicKey, object{"sessionId": id})
		if f := next(); f.event != "typing" {
			t.Errorf("the operators got %+v", f)
		}
	})
}
