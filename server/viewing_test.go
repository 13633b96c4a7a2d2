package server_test

import (
	"fmt"
	"io"
	"testing"

	"github.com/relay-chat/relay/server/chat"
)

// TestViewing: operators see who has a conversation on the screen, of their own sites only,
// until that person leaves it or closes the console.
func TestViewing(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		w := newSitesWithPeople(s)
		ada := s.cookieFor(s.personNamed("Ada", chat.RoleAdministrator).ID)
		views := func(id string) {
			s.must("POST", "/api/admin/operator/activity", "", object{"viewing": id}, "Cookie", ada)
		}
		all, berlin := s.stream("/api/admin/stream", secretKey), s.stream("/api/admin/stream", "", "Cookie", w.operator)
		visitor := s.stream("/api/widget/stream?sessionId="+w.here, publicKey)
		visitor() // connected
		is := func(next func() frame, want ...string) {
			t.Helper()
			for _, what := range want {
				f := next()
				for f.event != "operator_viewing" {
					f = next()
				}
				if got := fmt.Sprint(f.get("sessionId"), " ", f.get("operatorName"), " ", f.get("active")); got != what {
					t.Errorf("the stream says %q, want %q", got, what)
				}
			}
		}
		listed := func(header ...string) string {
			key := ""
			if len(header) == 0 {
				key = secretKey
			}
			return fmt.Sprint(s.must("GET", "/api/admin/operator/status", key, nil, header...).get("viewing"))
		}
		console := s.seat(ada).(io.Closer)
		views(w.here)
		views("never")
		views(w.here)
		if got := listed(); got != fmt.Sprint([]any{map[string]any{"sessionId": w.here, "operatorName": "Ada"}}) {
			t.Errorf("on the screen are %v", got)
		}
		if got := listed("Cookie", w.operator); got != "<nil>" {
			t.Errorf("people of another site read %v", got)
		}
		views(w.berlin)
		is(all, w.here+" Ada true", w.here+" Ada true", w.here+" Ada false", w.berlin+" Ada true")
		is(berlin, w.berlin+" Ada true")
		_ = console.Close()
		is(all, w.berlin+" Ada false")
		is(berlin, w.berlin+" Ada false")
		if got := listed(); got != "<nil>" {
			t.Errorf("behind the end of the console %v are on the screen", got)
		}
		s.say(w.here, "hello")
		if f := visitor(); f.event != "message" {
			t.Errorf("the visitor got %s %s", f.event, f.data)
		}
	})
}
