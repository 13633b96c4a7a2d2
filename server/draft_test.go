package server_test

import (
	"strings"
	"testing"

	"github.com/relay-chat/relay/server/chat"
)

// TestTypingPreview: what a visitor is writing is shown to the console alone, where the website
// wants it and somebody has the conversation open; of long texts the end.
func TestTypingPreview(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		w := newSitesWithPeople(s)
		writes := func(id, text string) {
			s.must("POST", "/api/widget/typing", publicKey, object{"sessionId": id, "text": text})
		}
		_, ada := s.someOf("Ann", chat.RoleOperator, "main")
		elsewhere := s.stream("/api/admin/stream", "", "Cookie", w.admin)
		console, program := s.stream("/api/admin/stream", "", "Cookie", ada), s.stream("/api/admin/stream", secretKey)
		// shown returns the drafts that a stream has before the next end of the typing.
		shown := func(next func() frame) (texts []string) {
			for {
				switch f := next(); {
				case f.event == "visitor_draft" && f.get("sessionId") == w.here:
					texts = append(texts, f.get("text").(string))
				case f.event == "typing" && f.get("active") == false:
					return texts
				}
			}
		}
		look := func(id string) {
			s.must("POST", "/api/admin/operator/activity", "", object{"ago": 0, "viewing": id}, "Cookie", ada)
		}
		stops := func() {
			s.must("POST", "/api/widget/typing", publicKey, object{"sessionId": w.here, "active": false, "text": "no more"})
		}
		look(w.here)
		writes(w.here, "where it is not wanted")
		s.must("PATCH", "/api/admin/sites/main/settings", secretKey, object{"typingPreview": true})
		look("")
		writes(w.here, "where nobody looks")
		look(w.here)
		writes(w.here, "  My card is 1234 ")
		writes(w.here, "   ")
		writes(w.here, "begin"+strings.Repeat("<é\x01", 200))
		stops()
		got := shown(console)
		if len(got) != 2 || got[0] != "My card is 1234" || len([]rune(got[1])) != 500 || !strings.HasSuffix(got[1], "<é\x01") {
			t.Errorf("the console shows %q", got)
		}
		if got := shown(program); len(got) != 0 {
			t.Errorf("a program gets %q", got)
		}
		s.must("POST", "/api/admin/sessions/"+w.berlin+"/typing", secretKey, object{"active": false})
		if got := shown(elsewhere); len(got) != 0 {
			t.Errorf("people of another site get %q", got)
		}
		s.refused(s.call("POST", "/api/widget/typing", publicKey, object{"sessionId": w.here, "text": 7}), 400, "text must be")
		if a := s.must("GET", "/api/admin/sessions/"+w.here+"/messages", secretKey, nil); strings.Contains(string(a.body), "1234") {
			t.Errorf("it is stored: %s", a.body)
		}
	})
}
