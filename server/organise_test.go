package server_test

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// TestWaiting: a conversation waits from the visitor's first message without an answer
// until somebody answers, closes or snoozes it; the longest wait comes first.
func TestWaiting(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		first, second := s.open("v1"), s.open("v2")
		list := func(query string) (ids []string) {
			for _, v := range s.must("GET", "/api/admin/sessions?"+query, secretKey, nil).get("sessions").([]any) {
				ids = append(ids, v.(map[string]any)["id"].(string))
			}
			return ids
		}
		is := func(query string, want ...string) {
			t.Helper()
			if got := list(query); strings.Join(got, " ") != strings.Join(want, " ") {
				t.Errorf("%s lists %v, want %v", query, got, want)
			}
		}
		is("status=waiting")
		s.say(first, "hello")
		time.Sleep(2 * time.Millisecond) // their times differ
		s.say(second, "hello")
		time.Sleep(2 * time.Millisecond)
		s.say(first, "anybody?")
		is("status=waiting", first, second)
		is("status=open", first, second)
		page := s.must("GET", "/api/admin/sessions?status=waiting&limit=1", secretKey, nil)
		is("status=waiting&limit=1&cursor="+page.text("nextCursor"), second)
		if view := s.must("GET", "/api/admin/sessions/"+first, secretKey, nil); view.text("waitingSince") == "" || view.text("nickname") != chat.Nickname("v1") {
			t.Errorf("the session is %s", view.body)
		}
		s.must("POST", "/api/admin/sessions/"+first+"/messages", secretKey, object{"content": "a note", "internal": true})
		is("status=waiting", first, second)
		s.must("POST", "/api/admin/sessions/"+first+"/messages", secretKey, object{"content": "hi"})
		is("status=waiting", second)
		s.must("POST", "/api/admin/sessions/"+second+"/close", secretKey, nil)
		is("status=waiting")
		s.say(second, "one more thing")
		is("status=waiting", second)
		counts := s.must("GET", "/api/admin/counts", secretKey, nil)
		if counts.get("waiting") != 1.0 || counts.get("open") != 2.0 || counts.get("closed") != 0.0 || counts.get("unassigned") != 1.0 {
			t.Errorf("counts are %s", counts.body)
		}
		s.refused(s.call("GET", "/api/admin/sessions?status=asleep", secretKey, nil), 400, "status must be open, closed, waiting, snoozed or all")
	})
}

// TestTagsAtOnce: tags that several people add and remove at the same time are all
// there, or gone, by the API and by commands.
func TestTagsAtOnce(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id := s.open("v1")
		s.say(id, "hello")
		path := "/api/admin/sessions/" + id
		s.must("PATCH", path, secretKey, object{"tags": []string{"a0", "a1", "a2", "a3", "a4"}})
		var all sync.WaitGroup
		for i := range 5 {
			all.Go(func() {
				s.must("PATCH", path, secretKey, object{"addTags": []string{fmt.Sprint("B", i)}, "removeTags": []string{fmt.Sprint("a", i)}})
			})
			all.Go(func() { s.must("POST", path+"/commands", secretKey, object{"command": fmt.Sprint("!tag c", i)}) })
		}
		all.Wait()
		if got := fmt.Sprint(s.must("GET", path, secretKey, nil).get("tags")); got != "[b0 b1 b2 b3 b4 c0 c1 c2 c3 c4]" {
			t.Errorf("the tags are %s", got)
		}
		s.refused(s.call("PATCH", path, secretKey, object{"tags": []string{"x"}, "addTags": []string{"y"}}), 400, "use either tags, which replaces all, or addTags and removeTags")
		s.refused(s.call("PATCH", path, secretKey, object{"addTags": []string{"<b>"}}), 400, "a tag must be 1 to 40 letters")
	})
}

// TestTags are kept in order and small letters, and lists can be restricted to one.
func TestTags(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id, other := s.open("v1"), s.open("v2")
		s.say(id, "hello")
		s.say(other, "hello")
		path := "/api/admin/sessions/" + id
		all := s.stream("/api/admin/stream", secretKey)
		view := s.must("PATCH", path, secretKey, object{"tags": []string{"VIP", "#refund", " vip "}})
		if tags := view.get("tags").([]any); len(tags) != 2 || tags[0] != "refund" || tags[1] != "vip" {
			t.Errorf("tags are %v", tags)
		}
		f := all()
		for f.event != "session_tagged" {
			f = all()
		}
		if f.get("sessionId") != id {
			t.Errorf("the stream got %s", f.data)
		}
		s.must("PATCH", path, secretKey, object{"snoozedUntil": nil}) // leaves tags alone
		page := s.must("GET", "/api/admin/sessions?tag=VIP", secretKey, nil)
		if list := page.get("sessions").([]any); len(list) != 1 || !strings.Contains(string(page.body), id) {
			t.Errorf("the list is %s", page.body)
		}
		if list := s.must("GET", "/api/admin/sessions?tag=vi", secretKey, nil).get("sessions").([]any); len(list) != 0 {
			t.Errorf("a part of a tag finds %v", list)
		}
		if counts := s.must("GET", "/api/admin/counts", secretKey, nil); !strings.Contains(string(counts.body), `[{"name":"refund","count":1},{"name":"vip","count":1}]`) {
			t.Errorf("counts are %s", counts.body)
		}
		if view := s.must("PATCH", path, secretKey, object{"tags": []string{}}); len(view.get("tags").([]any)) != 0 {
			t.Errorf("tags are %s", view.body)
		}
		long := make([]string, 21)
		for i := range long {
			long[i] = "t" + string(rune('a'+i))
		}
		s.refused(s.call("PATCH", path, secretKey, object{"tags": long}), 400, "a conversation has at most 20 tags")
		for _, bad := range []string{"", "#", "a\x00b", `a"b`, strings.Repeat("x", 41), "a%b"} {
			if code := s.call("PATCH", path, secretKey, object{"tags": []string{bad}}).status; code != 400 {
				t.Errorf("the tag %q answers %d", bad, code)
			}
		}
		if code := s.call("PATCH", path, secretKey, object{"tags": "vip"}).status; code != 400 {
			t.Errorf("a text answers %d", code)
		}
	})
}

// TestSnooze: a snoozed conversation does not wait until its time comes or its visitor
// writes; visitors learn nothing of it.
func TestSnooze(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id := s.open("v1")
		s.say(id, "hello")
		path := "/api/admin/sessions/" + id
		waits := func() bool {
			return len(s.must("GET", "/api/admin/sessions?status=waiting", secretKey, nil).get("sessions").([]any)) == 1
		}
		later := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
		if view := s.must("PATCH", path, secretKey, object{"snoozedUntil": later}); view.text("snoozedUntil") == "" || waits() {
			t.Errorf("the session is %s", view.body)
		}
		if n := len(s.must("GET", "/api/admin/sessions?status=snoozed", secretKey, nil).get("sessions").([]any)); n != 1 {
			t.Errorf("%d are snoozed", n)
		}
		s.must("PATCH", path, secretKey, object{"snoozedUntil": nil})
		if !waits() {
			t.Error("it does not wait after the snooze ended")
		}
		s.must("PATCH", path, secretKey, object{"snoozedUntil": later})
		s.say(id, "are you there?")
		if view := s.must("GET", path, secretKey, nil); view.get("snoozedUntil") != nil || !waits() {
			t.Errorf("after the visitor wrote, the session is %s", view.body)
		}
		for _, bad := range []any{"tomorrow", 5, time.Now().Add(-time.Minute).Format(time.RFC3339), time.Now().Add(9000 * time.Hour).Format(time.RFC3339)} {
			if code := s.call("PATCH", path, secretKey, object{"snoozedUntil": bad}).status; code != 400 {
				t.Errorf("%v answers %d", bad, code)
			}
		}
		s.must("POST", path+"/close", secretKey, nil)
		s.refused(s.call("PATCH", path, secretKey, object{"snoozedUntil": later}), 409, "A closed conversation cannot be snoozed. Reopen it first")
		history := s.must("GET", "/api/widget/messages?sessionId="+id, publicKey, nil)
		if strings.Contains(string(history.body), "snooze") {
			t.Errorf("the visitor sees %s", history.body)
		}
		s.refused(s.call("PATCH", "/api/admin/sessions/none", secretKey, object{}), 404, "Session not found")
	})
}

// TestAssign: conversations are given to people of the team, by the API and by commands, and
// lists are restricted to one's own or nobody's.
func TestAssign(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		_, secret := s.invite(object{"role": "operator", "email": "ada@example.com"})
		if a := s.accept(secret, "Ada Lovelace", "ada@example.com", "analytical engine"); a.status != 200 {
			t.Fatalf("Ada cannot join: %s", a.body)
		}
		_, cookie := s.signInAs("ada@example.com", "analytical engine")
		id, other := s.open("v1"), s.open("v2")
		s.say(id, "hello")
		s.say(other, "hello")
		ada := s.must("GET", "/api/admin/me", "", nil, "Cookie", cookie).text("id")
		path := "/api/admin/sessions/" + id
		count := func(query string) int {
			return len(s.must("GET", "/api/admin/sessions?"+query, "", nil, "Cookie", cookie).get("sessions").([]any))
		}
		view := s.must("PATCH", path, "", object{"assignee": ada}, "Cookie", cookie)
		if view.text("assignee.name") != "Ada Lovelace" || count("assignee=me") != 1 || count("assignee=none") != 1 || count("assignee="+ada) != 1 {
			t.Errorf("the session is %s", view.body)
		}
		if counts := s.must("GET", "/api/admin/counts", "", nil, "Cookie", cookie); counts.get("mine") != 1.0 || counts.get("unassigned") != 1.0 {
			t.Errorf("counts are %s", counts.body)
		}
		run := func(command string) string {
			return s.must("POST", path+"/commands", "", object{"command": command}, "Cookie", cookie).text("answer")
		}
		for command, want := range map[string]string{
			"!assign":         "Write !assign and a name, such as !assign @ada, !assign me or !assign nobody.",
			"!tag vip, -none": "Tags: vip.",
			"!snooze 2 weeks": "Write !snooze and how long: 30m, 2h, 3d. !snooze off ends it.",
			"!snooze off":     "The snooze ended.",
		} {
			if got := run(command); got != want {
				t.Errorf("%s answers %q, want %q", command, got, want)
			}
		}
		for _, step := range [][2]string{
			{"!assign nobody", "The conversation is nobody's."}, {"!assign @ada", "The conversation is Ada Lovelace's."},
			{"!assign none", "The conversation is nobody's."}, {"!assign me", "The conversation is Ada Lovelace's."}, {"!assign ada lovelace", "The conversation is Ada Lovelace's."},
		} {
			if got := run(step[0]); got != step[1] {
				t.Errorf("%s answers %q", step[0], got)
			}
		}
		if got := run("!snooze 2h"); !strings.HasPrefix(got, "Snoozed until ") || count("status=snoozed") != 1 {
			t.Errorf("!snooze 2h answers %q", got)
		}
		s.refused(s.call("POST", path+"/commands", secretKey, object{"command": "!assign zoe"}), 404, "Nobody in the team is called zoe. There are Ada Lovelace")
		s.refused(s.call("PATCH", path, secretKey, object{"assignee": "nobody"}), 404, "Person not found")
		s.refused(s.call("PATCH", path, secretKey, object{"assignee": ""}), 400, "assignee must be the id of a person, or null")
		s.refused(s.call("GET", "/api/admin/sessions?assignee=me", secretKey, nil), 400, "assignee=me needs a person of the team: sign in at the console")
		answers := "/api/admin/saved-answers"
		s.must("PUT", answers+"/hi", secretKey, object{"content": "Hi {visitor.name|there}, this is {operator.name}."})
		s.must("PUT", answers+"/hi", "", object{"content": "Ada's hi", "own": true}, "Cookie", cookie)
		s.refused(s.call("PUT", answers+"/mine", secretKey, object{"content": "x", "own": true}), 400, "own answers belong to a person of the team: sign in at the console")
		if list := string(s.must("GET", answers, secretKey, nil).body); strings.Contains(list, "Ada's hi") {
			t.Errorf("others see an own answer: %s", list)
		}
		run("!hi")
		s.must("DELETE", answers+"/hi?own=true", "", nil, "Cookie", cookie)
		run("!hi")
		history := string(s.must("GET", path+"/messages", secretKey, nil).body)
		if !strings.Contains(history, "Ada's hi") || !strings.Contains(history, "Hi there, this is Ada Lovelace.") {
			t.Errorf("sent was %s", history)
		}
		s.must("DELETE", "/api/admin/people/"+ada, secretKey, nil)
		if view := s.must("GET", path, secretKey, nil); view.get("assignee") != nil {
			t.Errorf("the session of a removed person is %s", view.body)
		}
	})
}
