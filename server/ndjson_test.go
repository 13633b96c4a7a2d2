package server_test

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

func TestExport(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		const sessions, each = 3, 120
		for i := range sessions {
			id := s.open(fmt.Sprint(i))
			for n := range each {
				if _, err := s.Send(t.Context(), chat.Author{Sender: chat.SenderVisitor, Source: chat.SourceWidget}, engine.Post{SessionID: id, Content: fmt.Sprint(n)}); err != nil {
					t.Fatal(err)
				}
			}
		}
		a := s.must("GET", "/api/admin/export", secretKey, nil)
		count, want := map[string]int{}, ""
		for lines := bufio.NewScanner(bytes.NewReader(a.body)); lines.Scan(); {
			var line struct{ Type, Content string }
			if err := json.Unmarshal(lines.Bytes(), &line); err != nil {
				t.Fatalf("%v: %s", err, lines.Text())
			}
			if line.Type == "session" {
				want = "0"
			} else if line.Content != want {
				t.Fatalf("message %s came instead of %s", line.Content, want)
			} else {
				want = fmt.Sprint(count["message"]%each + 1)
			}
			count[line.Type]++
		}
		if count["session"] != sessions || count["message"] != sessions*each {
			t.Errorf("exported %v", count)
		}
	})
}

// bumped is a reader of an export during which something happens.
type bumped struct {
	*httptest.ResponseRecorder
	happen func()
}

func (b *bumped) Write(data []byte) (int, error) {
	b.happen()
	return b.ResponseRecorder.Write(data)
}

func (b *bumped) SetWriteDeadline(time.Time) error { return nil }

// TestExportOfABusySite: a session that becomes active during the export is
// in it all the same, and only once.
func TestExportOfABusySite(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		const sessions = 130
		visitor := chat.Author{Sender: chat.SenderVisitor, Source: chat.SourceWidget}
		var ids []string
		say := func(id string) {
			if _, err := s.Send(t.Context(), visitor, engine.Post{SessionID: id, Content: "hi"}); err != nil {
				t.Error(err)
			}
		}
		for i := range sessions {
			ids = append(ids, s.open(fmt.Sprint(i)))
			say(ids[i])
		}
		s.open("never wrote")
		r := httptest.NewRequestWithContext(t.Context(), "GET", "/api/admin/export", nil)
		r.Header.Set("Authorization", "Bearer "+secretKey)
		w := &bumped{ResponseRecorder: httptest.NewRecorder(), happen: sync.OnceFunc(func() {
			time.Sleep(2 * time.Millisecond) // activity is told apart by milliseconds
			for _, i := range []int{0, 10, 120} {
				say(ids[i])
			}
		})}
		s.server.HTTPServer().Handler.ServeHTTP(w, r)
		for _, id := range ids {
			if n := strings.Count(w.Body.String(), `"type":"session","id":"`+id); n != 1 {
				t.Errorf("session %s is exported %d times", id, n)
			}
		}
		if n := strings.Count(w.Body.String(), `"type":"session"`); n != sessions {
			t.Errorf("%d sessions are exported, want %d", n, sessions)
		}
	})
}
