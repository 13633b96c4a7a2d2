package server_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// merge merges one conversation with another one, of which somebody says that it is the same person.
func (s *site) merge(id, with string) answer {
	s.t.Helper()
	return s.call("POST", mergePath(id), secretKey, object{"with": with, "samePerson": true})
}

func mergePath(id string) string { return "/api/admin/sessions/" + id + "/merge" }

// merged merges two conversations, of which one goes on.
func (s *site) merged(id, with, on string) {
	s.t.Helper()
	a := s.merge(id, with)
	if a.status != 200 || a.get("session").(map[string]any)["id"] != on {
		s.t.Fatalf("it goes on in another one than %s: %d %s", on, a.status, a.body)
	}
}

// talk is a conversation of a browser of its own, with one message.
func (s *site) talk(visitor, text string) boundSession {
	s.t.Helper()
	v := s.bound(visitor, "")
	s.writes(v, text)
	return v
}

func (s *site) answers(v boundSession, text string) answer {
	s.t.Helper()
	return s.call("POST", "/api/admin/sessions/"+v.id+"/messages", secretKey, object{"content": text})
}

// is checks what operators see of a conversation.
func (s *site) is(v boundSession, status string, unread int, waitsAs string) {
	s.t.Helper()
	a := s.must("GET", "/api/admin/sessions/"+v.id, secretKey, nil)
	since, _ := a.get("waitingSince").(string)
	if a.text("status") != status || a.get("unread") != float64(unread) || since != waitsAs {
		s.t.Errorf("it is %s, unread %v, and waits since %q; want %s, %d, %q", a.text("status"), a.get("unread"), since, status, unread, waitsAs)
	}
}

func (s *site) sessionOf(id string) answer {
	s.t.Helper()
	return s.must("GET", "/api/admin/sessions/"+id, secretKey, nil)
}

func (s *site) waitsSince(v boundSession) string {
	s.t.Helper()
	since, _ := s.sessionOf(v.id).get("waitingSince").(string)
	return since
}

// entries are what stands between a conversation's messages about merging.
func (s *site) entries(v boundSession) (list []string) {
	s.t.Helper()
	for _, e := range s.must("GET", "/api/admin/sessions/"+v.id+"/messages", secretKey, nil).get("timeline").([]any) {
		if e := e.(map[string]any); e["type"] == "session_merged" {
			list = append(list, e["data"].(map[string]any)["what"].(string))
		}
	}
	return list
}

// tick makes what follows later than what was.
func tick() { time.Sleep(2 * time.Millisecond) }

// TestMerge: the conversation goes on where the visitor wrote last, with what waits, the tags and
// the assignee of both; nobody of the team writes in the other one, or opens it.
func TestMerge(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		old := s.talk("ann-desk", "My lamp is broken")
		waits := s.waitsSince(old)
		tick()
		last := s.talk("ann-phone", "It is me again")
		s.must("PATCH", "/api/admin/sessions/"+old.id, secretKey, object{"tags": []string{"lamp", "vip"}})
		s.must("PATCH", "/api/admin/sessions/"+last.id, secretKey, object{"tags": []string{"refund", "vip"}, "snoozedUntil": chat.Now().Add(time.Hour)})
		s.merged(last.id, old.id, last.id)
		s.is(last, "open", 2, waits)
		s.is(old, "closed", 0, "")
		on, left := s.sessionOf(last.id), s.sessionOf(old.id)
		if fmt.Sprint(on.get("tags")) != "[lamp refund vip]" || on.get("snoozedUntil") != nil || on.get("goesOnIn") != nil || fmt.Sprint(on.get("mergedWith")) != "["+old.id+"]" {
			t.Errorf("what goes on is %s", on.body)
		}
		if left.text("goesOnIn") != last.id || fmt.Sprint(left.get("mergedWith")) != "["+last.id+"]" {
			t.Errorf("what was left is %s", left.body)
		}
		s.merged(old.id, last.id, last.id) // again, the other way round
		if got := fmt.Sprint(s.entries(old), s.entries(last)); got != "[merged] [merged]" {
			t.Errorf("the entries are %s", got)
		}
		if audit := string(s.must("GET", "/api/admin/audit", secretKey, nil).body); strings.Count(audit, `"conversations_merged"`) != 1 {
			t.Errorf("the audit has %s", audit)
		}
		const there = "goes on in another conversation that is merged with this one, with "
		s.refused(s.answers(old, "hi"), 409, there)
		for path, body := range map[string]object{"messages": {"content": "hi", "internal": true}, "next": {"content": "hi"}, "reopen": nil} {
			s.refused(s.call("POST", "/api/admin/sessions/"+old.id+"/"+path, secretKey, body), 409, there)
		}
		s.must("POST", "/api/admin/session-changes", secretKey, object{"ids": []string{old.id}, "status": "open"})
		s.is(old, "closed", 0, "")
		if a := s.answers(last, "Here I am"); a.status != 200 {
			t.Errorf("%d %s", a.status, a.body)
		}
		if list := s.must("GET", "/api/admin/sessions/"+old.id+"/contact", secretKey, nil).get("conversations").([]any); len(list) != 2 {
			t.Errorf("the contact has %v", list)
		}
	})
}

// TestMergeKeepsReadersApart: nobody reads in the other conversation, by no way that a browser has,
// and a page goes on as before, however often it begins anew.
func TestMergeKeepsReadersApart(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		old, last := s.talk("ann", "Ann's secret"), s.bound("eve", "")
		tick()
		s.prove(last, "eve-1")
		s.writes(last, "Eve's secret")
		s.merged(old.id, last.id, last.id)
		for range 2 {
			for _, v := range []boundSession{old, last} {
				a := s.must("POST", "/api/widget/init", publicKey, object{"visitorId": "x", "useSessionToken": true, "sessionToken": v.token})
				if a.text("sessionId") != v.id || len(s.reads(v)) != 1 || len(s.others(v)) != 0 || strings.Contains(string(a.body), "merge") {
					t.Errorf("the page gets %s", a.body)
				}
			}
		}
		s.refused(s.call("GET", "/api/widget/messages?sessionId="+last.id, publicKey, nil, "X-Session-Token", old.token), 404, "Session not found")
		s.refused(s.call("GET", "/api/widget/stream?sessionId="+last.id, publicKey, nil, "X-Session-Token", old.token), 404, "")
		for _, v := range []boundSession{old, last} {
			for name, content := range unzip(t, s.must("GET", "/api/admin/visitors/export?visitor="+v.id+"&conversation="+v.id, secretKey, nil).body) {
				for _, other := range []boundSession{old, last} {
					if other != v && (strings.Contains(content, other.id) || strings.Contains(content, map[boundSession]string{old: "Ann's", last: "Eve's"}[other])) {
						t.Errorf("%s has of the other one: %s", name, content)
					}
				}
			}
		}
	}, identitySecret)
}

// TestMergeFollowsVisitor: who writes in the closed one is heard there, and the team goes on there.
func TestMergeFollowsVisitor(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		desk := s.talk("ann-desk", "first")
		tick()
		phone := s.talk("ann-phone", "second")
		s.merged(desk.id, phone.id, phone.id)
		if a := s.answers(phone, "What can I do?"); a.status != 200 {
			t.Fatalf("%s", a.body)
		}
		tick()
		s.writes(phone, "third")
		waits := s.waitsSince(phone)
		tick()
		s.writes(desk, "I am back at my desk")
		s.is(desk, "open", 2, waits)
		s.is(phone, "closed", 0, "")
		s.refused(s.answers(phone, "hi"), 409, "write there")
		if a := s.answers(desk, "Welcome back"); a.status != 200 {
			t.Errorf("%s", a.body)
		}
		s.is(desk, "open", 0, "")
		if got := fmt.Sprint(s.entries(phone), s.entries(desk)); got != "[merged moved] [merged]" {
			t.Errorf("the entries are %s", got)
		}
	})
}

// TestMergeWaits: what an answer in either one came after does not wait any more.
func TestMergeWaits(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		desk := s.talk("ann-desk", "first")
		tick()
		phone := s.talk("ann-phone", "second")
		tick()
		s.answers(phone, "I look into it")
		s.merged(desk.id, phone.id, phone.id)
		s.is(phone, "open", 0, "")
		s.must("DELETE", mergePath(desk.id), secretKey, nil)
		since := s.waitsSince(desk)
		s.is(desk, "open", 1, since)
		if since == "" {
			t.Errorf("separated, it does not wait")
		}
		s.is(phone, "open", 0, "")
		s.must("POST", "/api/admin/sessions/"+desk.id+"/close", secretKey, nil)
		s.must("POST", "/api/admin/sessions/"+phone.id+"/close", secretKey, nil)
		s.merged(desk.id, phone.id, phone.id)
		s.is(phone, "closed", 0, "")
		s.must("DELETE", mergePath(phone.id), secretKey, nil)
		s.is(desk, "closed", 0, "")
		s.is(phone, "closed", 0, "")
	})
}

// TestMergeParts: it was not the same person. Each waits again by its own messages, and the team may write in both.
func TestMergeParts(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		one := s.talk("one", "first")
		waits := s.waitsSince(one)
		tick()
		two := s.talk("two", "second")
		own := s.waitsSince(two)
		tick()
		three := s.talk("three", "third")
		s.merged(one.id, two.id, two.id)
		s.merged(two.id, three.id, three.id)
		s.is(three, "open", 3, waits)
		s.must("DELETE", mergePath(three.id), secretKey, nil)
		s.is(two, "open", 2, waits)
		s.is(one, "closed", 0, "")
		s.is(three, "open", 1, s.waitsSince(three))
		s.must("DELETE", mergePath(one.id), secretKey, nil)
		s.is(two, "open", 1, own)
		s.is(one, "open", 1, waits)
		s.must("DELETE", mergePath(one.id), secretKey, nil) // changes nothing
		if audit := string(s.must("GET", "/api/admin/audit", secretKey, nil).body); strings.Count(audit, `"conversation_separated"`) != 2 {
			t.Errorf("the audit has %s", audit)
		}
		for _, v := range []boundSession{one, two, three} {
			if a := s.answers(v, "hi"); a.status != 200 || s.sessionOf(v.id).get("mergedWith") != nil {
				t.Errorf("%s", a.body)
			}
		}
	})
}

// TestMergeRefuses what cannot be merged, with a sentence.
func TestMergeRefuses(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		ids := map[string]string{"empty": s.open("zoe")}
		for _, visitor := range []string{"ann", "bob", "dora"} {
			ids[visitor] = s.open(visitor)
			s.say(ids[visitor], "hello")
		}
		s.must("POST", "/api/admin/sites", secretKey, object{"name": "Other"})
		elsewhere := s.elsewhere()
		s.must("POST", "/api/admin/sessions/"+ids["dora"]+"/block", secretKey, nil)
		s.refused(s.merge(ids["ann"], ids["ann"]), 400, "with must be another conversation")
		s.refused(s.merge(ids["ann"], ""), 400, "with is required")
		s.refused(s.call("POST", mergePath(ids["ann"]), secretKey, object{"with": ids["bob"]}), 400, "samePerson must be true")
		for _, other := range []string{"none", elsewhere} {
			s.refused(s.merge(ids["ann"], other), 404, "Session not found")
			s.refused(s.merge(other, ids["ann"]), 404, "Session not found")
		}
		for other, why := range map[string]string{"empty": "Nothing was said", "dora": "is blocked"} {
			s.refused(s.merge(ids["ann"], ids[other]), 409, why)
			s.refused(s.merge(ids[other], ids["ann"]), 409, why)
		}
		if a := s.sessionOf(ids["dora"]); a.get("blocked") != true {
			t.Errorf("it is %s", a.body)
		}
		next := s.talk("eli", "hello")
		s.must("POST", "/api/admin/sessions/"+next.id+"/next", secretKey, object{"content": "Something else"})
		s.refused(s.merge(next.id, ids["ann"]), 409, "later conversation")
		s.refused(s.merge(ids["ann"], next.id), 409, "later conversation")
		first, second := s.bound("p", ""), s.bound("q", "")
		s.prove(first, "u-1")
		s.prove(second, "u-2")
		s.writes(first, "hello")
		s.writes(second, "hello")
		s.refused(s.merge(first.id, second.id), 409, "different people")
		s.refused(s.call("POST", mergePath(ids["ann"]), "", object{"with": ids["bob"], "samePerson": true}), 401, "")
		var last string
		for i := range chat.MaxMerged - 1 {
			last = s.talk(fmt.Sprint("many-", i), "hello").id
			if a := s.merge(ids["ann"], last); a.status != 200 {
				t.Fatalf("%d %s", a.status, a.body)
			}
		}
		s.refused(s.merge(last, ids["bob"]), 409, "At most 8")
	}, identitySecret)
}

// elsewhere is a conversation at another site.
func (s *site) elsewhere() (id string) {
	s.t.Helper()
	other := s.Sites().All()[1]
	started := chat.Now()
	session := chat.Session{ID: chat.NewID(), Site: other.ID, VisitorID: "eve", Status: chat.StatusOpen, CreatedAt: started, StartedAt: started, LastActivity: started}
	s.stored(func(tx chat.Tx) error { return tx.CreateSession(&session) })
	return session.ID
}

// TestMergeDisproved: who proves to be somebody else is not merged any more.
func TestMergeDisproved(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		one, two := s.bound("one", ""), s.talk("two", "hello")
		s.prove(one, "u-1")
		s.writes(one, "hello")
		s.merge(one.id, two.id)
		s.prove(two, "u-1")
		if s.sessionOf(two.id).get("mergedWith") == nil {
			t.Error("the same person was separated")
		}
		s.prove(two, "u-2")
		if a := s.sessionOf(two.id); a.get("mergedWith") != nil || fmt.Sprint(s.entries(two)) != "[merged separated]" {
			t.Errorf("it is %s", a.body)
		}
		for _, v := range []boundSession{one, two} {
			if a := s.answers(v, "hi"); a.status != 200 {
				t.Errorf("%s", a.body)
			}
		}
	}, identitySecret)
}

// TestMergeWithWaitingAct: while the AI waits for a yes nothing is merged, and once the visitor went on nobody says it.
func TestMergeWithWaitingAct(t *testing.T) {
	eachActing(t, func(t *testing.T, a *acting) {
		a.model.Script(wants("refund", `{"order":"4711"}`))
		desk := a.visitor("7")
		a.ask(desk, "Please refund my order 4711.")
		a.reads(desk, "Nothing is done yet.")
		phone := a.talk("ann-phone", "hello")
		for _, pair := range [][2]string{{desk.id, phone.id}, {phone.id, desk.id}} {
			a.refused(a.merge(pair[0], pair[1]), 409, "waits for a yes or no to “refund”")
		}
		for v, moved := range map[boundSession]chat.MovedOn{desk: chat.MovedOpen, phone: chat.NotMoved} { // as when the AI asks after that
			a.stored(func(tx chat.Tx) error {
				s, err := tx.Lock(v.id)
				s.Merged, s.MovedOn = "both", moved
				return errors.Join(err, tx.SaveSession(&s))
			})
		}
		id := a.must("GET", actsPath+"?session="+desk.id, secretKey, nil).get("acts").([]any)[0].(map[string]any)["id"].(string)
		a.refused(a.call("POST", actsPath+"/"+id, secretKey, object{"yes": true}), 409, "write there")
		a.must("POST", actsPath+"/"+id, secretKey, object{"yes": false})
		a.until("no", desk, func() bool { return a.state(desk) == chat.ActDeclined })
	})
}
