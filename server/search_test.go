package server_test

import (
	"fmt"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/relay-chat/relay/server/chat"
)

// indexed indexes all that was said.
func (s *site) indexed() {
	s.t.Helper()
	for more := true; more; {
		var err error
		if more, err = s.search.Step(s.t.Context()); err != nil {
			s.t.Fatal(err)
		}
	}
}

// searched returns the excerpts of what a search finds, matches in brackets.
func (s *site) searched(query string) (list []string, cursor string) {
	s.t.Helper()
	a := s.must("GET", "/api/admin/search?"+query, secretKey, nil)
	for _, m := range a.get("messages").([]any) {
		text := ""
		for _, p := range m.(map[string]any)["excerpt"].([]any) {
			part := p.(map[string]any)
			if part["match"] == true {
				text += "[" + part["text"].(string) + "]"
			} else {
				text += part["text"].(string)
			}
		}
		list = append(list, text)
	}
	cursor, _ = a.get("nextCursor").(string)
	return list, cursor
}

func (s *site) finds(search string, want ...string) {
	s.t.Helper()
	if got, _ := s.searched("q=" + url.QueryEscape(search)); !slices.Equal(got, want) {
		s.t.Errorf("%q finds %q, want %q", search, got, want)
	}
}

// TestSearch: what visitors and operators said is found, matches marked, until it is
// changed, deleted or erased.
func TestSearch(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id, other := s.open("v1"), s.open("v2")
		s.say(id, "Wo bleibt mein Päckchen von Søren <b>?")
		note := s.must("POST", "/api/admin/sessions/"+id+"/messages", secretKey, object{"content": "Note: the päckchen is lost", "internal": true})
		answer := s.must("POST", "/api/admin/sessions/"+other+"/messages", secretKey, object{"content": strings.Repeat("many words ", 60) + "then 東京都 " + strings.Repeat("and more ", 60)})
		for _, session := range []string{id, other} {
			s.search.Notice(&chat.Event{Type: chat.EventMessage, SessionID: session})
		}
		s.indexed()
		s.finds("packch", "Note: the [päckchen] is lost", "Wo bleibt mein [Päckchen] von Søren <b>?")
		s.finds("soren  PACKCHEN", "Wo bleibt mein [Päckchen] von [Søren] <b>?")
		s.finds("package")
		s.finds("!?")
		if got, _ := s.searched("q=" + url.QueryEscape("東京都")); len(got) != 1 || !strings.Contains(got[0], "then [東京都] and") || !strings.HasPrefix(got[0], "…") || !strings.HasSuffix(got[0], "…") || len(got[0]) > 330 {
			t.Errorf("the excerpt is %q", got)
		}
		a := s.must("GET", "/api/admin/search?q=lost", secretKey, nil)
		if m := a.get("messages").([]any)[0].(map[string]any); m["internal"] != true || m["id"] != note.text("id") || a.get("sessions").([]any)[0].(map[string]any)["id"] != id {
			t.Errorf("a note is found as %s", a.body)
		}
		s.must("PATCH", "/api/admin/sessions/"+id+"/messages/"+note.text("id"), secretKey, object{"content": "Note: found again"})
		s.finds("lost")
		s.finds("again", "Note: found [again]")
		s.must("DELETE", "/api/admin/sessions/"+other+"/messages/"+answer.text("id"), secretKey, nil)
		s.finds("東京")
		s.must("DELETE", "/api/admin/sessions/"+id, secretKey, nil)
		s.finds("again")
		s.finds("packchen")
	})
}

// TestSearchPages has no silent limit, and no hit twice.
func TestSearchPages(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id := s.open("v1")
		var want []string
		for i := range 45 {
			s.must("POST", "/api/admin/sessions/"+id+"/messages", secretKey, object{"content": fmt.Sprint("parcel ", i)})
			want = append(want, fmt.Sprint("[parcel] ", i))
		}
		s.search.Notice(&chat.Event{Type: chat.EventMessage, SessionID: id})
		s.indexed()
		list, cursor := s.searched("q=parcel")
		if len(list) != 20 {
			t.Errorf("the first page has %d", len(list))
		}
		for cursor != "" {
			var more []string
			more, cursor = s.searched("q=parcel&limit=7&cursor=" + cursor)
			list = append(list, more...)
		}
		slices.Sort(list)
		slices.Sort(want)
		if !slices.Equal(list, want) {
			t.Errorf("the pages have %q", list)
		}
	})
}

// TestSearchRefuses what is malformed or too much, in words.
func TestSearchRefuses(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		for query, text := range map[string]string{
			"":                                "q is required",
			"q=%20":                           "q is required",
			"q=" + strings.Repeat("ä", 201):   "q must be at most 200 characters",
			"q=" + words(41):                  "q must be at most 40 words",
			"q=a&limit=0":                     "limit must be a number from 1 to 50",
			"q=a&cursor=!":                    "cursor must be",
			"q=a&cursor=-1":                   "cursor must be",
			"q=a&cursor=zzzzzzzzzzzzzzzzzzzz": "cursor must be",
		} {
			s.refused(s.call("GET", "/api/admin/search?"+query, secretKey, nil), 400, text)
		}
		for _, hostile := range []string{`"`, `a" OR "b`, "NEAR(a b)", "a*", "-a", "{x}:a", "^a", "a AND", "'", `\`, "a:*", "<->", "!a", "search_words", "🏳️‍🌈", strings.Repeat("字", 39)} {
			s.must("GET", "/api/admin/search?q="+url.QueryEscape(hostile), secretKey, nil)
		}
	})
}

func words(n int) string {
	list := make([]string, n)
	for i := range list {
		list[i] = fmt.Sprintf("w%d", i)
	}
	return strings.Join(list, "+")
}
