package server_test

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// results lists what became of each session: "ok", or the status and the error.
func results(a answer) (list []string) {
	for _, one := range a.get("results").([]any) {
		r := one.(map[string]any)
		if r["ok"] == true {
			list = append(list, "ok")
		} else {
			list = append(list, fmt.Sprint(r["status"], " ", r["error"]))
		}
	}
	return list
}

// TestChangeSessions: several conversations are changed in one request, each as by the requests for one; what
// is not found or refused holds up no other.
func TestChangeSessions(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		ada := s.personNamed("Ada", chat.RoleAdministrator)
		ids := []string{s.open("v1"), s.open("v2"), s.open("v3")}
		for _, id := range ids {
			s.say(id, "hello")
		}
		view := func(i int) answer { return s.must("GET", "/api/admin/sessions/"+ids[i], secretKey, nil) }
		change := func(body object) []string {
			t.Helper()
			return results(s.must("POST", "/api/admin/session-changes", secretKey, body))
		}
		is := func(got []string, want ...string) {
			t.Helper()
			if strings.Join(got, ", ") != strings.Join(want, ", ") {
				t.Errorf("got %q, want %q", got, want)
			}
		}
		until := time.Now().Add(time.Hour).UTC().Format(time.RFC3339)
		is(change(object{"ids": []string{ids[0], "none", ids[1], ids[0]}, "addTags": []string{"VIP"}, "assignee": ada.ID, "snoozedUntil": until}), "ok", "404 Session not found", "ok")
		for i := range 2 {
			if v := view(i); v.get("assignee.name") != "Ada" || fmt.Sprint(v.get("tags")) != "[vip]" || v.text("snoozedUntil") == "" {
				t.Errorf("the session is %s", v.body)
			}
		}
		is(change(object{"ids": ids, "status": "closed", "removeTags": []string{"vip"}, "assignee": nil, "unread": false}), "ok", "ok", "ok")
		for i := range ids {
			if v := view(i); v.text("status") != "closed" || v.get("assignee") != nil || len(v.get("tags").([]any)) != 0 || v.get("unread") != 0.0 {
				t.Errorf("the session is %s", v.body)
			}
		}
		s.must("POST", "/api/admin/sessions/"+ids[2]+"/reopen", secretKey, nil)
		// What a closed one refuses leaves it as it was, whole.
		is(change(object{"ids": ids, "snoozedUntil": until, "addTags": []string{"later"}}),
			"409 A closed conversation cannot be snoozed. Reopen it first", "409 A closed conversation cannot be snoozed. Reopen it first", "ok")
		if v := view(0); len(v.get("tags").([]any)) != 0 {
			t.Errorf("half of a change holds: %s", v.body)
		}
		is(change(object{"ids": ids[:2], "status": "open", "snoozedUntil": until, "unread": true}), "ok", "ok")
		if v := view(0); v.text("status") != "open" || v.get("unread") != 1.0 || v.text("snoozedUntil") == "" {
			t.Errorf("the session is %s", v.body)
		}
		is(change(object{"ids": ids[:1], "assignee": "nobody"}), "404 Person not found")
		many := make([]string, 201)
		for i := range many {
			many[i] = fmt.Sprint("s", i)
		}
		for text, body := range map[string]object{
			"ids is required":                       {"status": "closed"},
			"ids must be at most 200":               {"ids": many, "status": "closed"},
			"ids must not have an empty id":         {"ids": []string{""}, "status": "closed"},
			"Say what to change":                    {"ids": ids},
			"status must be open or closed":         {"ids": ids, "status": "waiting"},
			"a tag must be 1 to 40 letters":         {"ids": ids, "addTags": []string{"<b>"}},
			"within the next year":                  {"ids": ids, "snoozedUntil": "2001-01-01T00:00:00Z"},
			"that are closed at the same time":      {"ids": ids, "snoozedUntil": until, "status": "closed"},
			"assignee must be the id of a person":   {"ids": ids, "assignee": 7},
			"snoozedUntil must be a time, such as ": {"ids": ids, "snoozedUntil": "soon"},
		} {
			s.refused(s.call("POST", "/api/admin/session-changes", secretKey, body), 400, text)
		}
	})
}

// TestChangeForeignSessions: conversations of other sites do not exist, and what a key changes is listed.
func TestChangeForeignSessions(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		w := newSitesWithPeople(s)
		body := object{"ids": []string{w.here, w.berlin, w.cologne, "never"}, "status": "closed", "unread": true}
		got := results(s.must("POST", "/api/admin/session-changes", "", body, "Cookie", w.operator))
		const none = "404 Session not found"
		if fmt.Sprint(got) != fmt.Sprint([]string{none, "ok", none, none}) {
			t.Errorf("got %q", got)
		}
		if v := s.must("GET", "/api/admin/sessions/"+w.here, secretKey, nil); v.text("status") != "open" {
			t.Errorf("a foreign session is %s", v.body)
		}
		key := s.must("POST", "/api/admin/api-keys", secretKey, object{"name": "Robot", "scopes": []string{"write"}}).text("key")
		s.must("POST", "/api/admin/session-changes", key, body)
		entries := string(s.must("GET", "/api/admin/audit?action=key_used", secretKey, nil).body)
		for _, id := range []string{w.here, w.berlin, w.cologne} {
			if !strings.Contains(entries, id) {
				t.Errorf("the audit list does not have %s: %s", id, entries)
			}
		}
	})
}
