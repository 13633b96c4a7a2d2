package server_test

import (
	"fmt"
	"testing"

	"github.com/relay-chat/relay/server/config"
)

// request is a right request to a route: ID stands for the session's id, MSG
// for a message of the visitor in it.
type request struct {
	method, path string
	body         any
}

// widgetRequests are all widget routes that touch a session.
func widgetRequests(id, message string) []request {
	with := func(more object) object {
		more["sessionId"] = id
		return more
	}
	return []request{
		{"POST", "/api/widget/messages", with(object{"content": "hi"})},
		{"GET", "/api/widget/messages?sessionId=" + id, nil},
		{"PATCH", "/api/widget/messages/" + message, with(object{"content": "changed"})},
		{"DELETE", "/api/widget/messages/" + message + "?sessionId=" + id, nil},
		{"POST", "/api/widget/identify", with(object{"name": "Ada"})},
		{"POST", "/api/widget/read", with(object{"messageIds": []string{}})},
		{"POST", "/api/widget/typing", with(object{"active": true})},
		{"POST", "/api/widget/prechat", with(object{"fields": object{}})},
		{"POST", "/api/widget/page", with(object{"url": "https://shop.example/"})},
		{"POST", "/api/widget/csat", with(object{"score": 5})},
		{"POST", "/api/widget/events", with(object{"name": "x"})},
		{"POST", "/api/widget/disconnect", with(object{"reason": "manual"})},
	}
}

// adminRequests are all admin routes but the streams and the rotation of the
// keys, the one that erases the session last.
func adminRequests(id, message string) []request {
	session := "/api/admin/sessions/" + id
	return []request{
		{"GET", "/api/admin/settings", nil},
		{"PATCH", "/api/admin/settings", object{}},
		{"GET", "/api/admin/sessions", nil},
		{"GET", session, nil},
		{"GET", session + "/messages", nil},
		{"POST", session + "/messages", object{"content": "hi"}},
		{"PATCH", session + "/messages/" + message, object{"content": "changed"}},
		{"DELETE", session + "/messages/" + message, nil},
		{"POST", session + "/commands", object{"command": "!info"}},
		{"POST", session + "/close", nil},
		{"POST", session + "/reopen", nil},
		{"POST", session + "/block", nil},
		{"POST", session + "/unblock", nil},
		{"POST", session + "/read", object{}},
		{"POST", session + "/typing", object{"active": true}},
		{"POST", session + "/csat", nil},
		{"POST", session + "/events", object{"name": "x"}},
		{"POST", "/api/admin/operator/status", object{"online": true}},
		{"GET", "/api/admin/operator/status", nil},
		{"POST", "/api/admin/operator/activity", nil},
		{"GET", "/api/admin/bridges", nil},
		{"GET", "/api/admin/deliveries", nil},
		{"GET", "/api/admin/stats", nil},
		{"GET", "/api/admin/export", nil},
		{"DELETE", session, nil},
	}
}

// TestSecurityMatrix tries every route with every key, from every origin and
// on every kind of session, and expects exactly one answer of each.
func TestSecurityMatrix(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		bound := s.must("POST", "/api/widget/init", publicKey, object{"visitorId": "v", "useSessionToken": true})
		id, token := bound.text("sessionId"), bound.text("sessionToken")
		other := s.must("POST", "/api/widget/init", publicKey, object{"visitorId": "w", "useSessionToken": true}).text("sessionToken")
		sent := s.must("POST", "/api/widget/messages", publicKey, object{"sessionId": id, "content": "hi"}, "X-Session-Token", token)
		own := []string{"X-Session-Token", token}
		for _, caller := range []struct {
			name   string
			key    string
			header []string
			status int
		}{
			{"no key", "", own, 401},
			{"a wrong key", "pk_wrong", own, 401},
			{"the secret key", secretKey, own, 401},
			{"no token", publicKey, nil, 404},
			{"a forged token", publicKey, []string{"X-Session-Token", token + "x"}, 404},
			{"another session's token", publicKey, []string{"X-Session-Token", other}, 404},
			{"a foreign origin", publicKey, append([]string{"Origin", "https://evil.test"}, own...), 403},
			{"the right token", publicKey, append([]string{"Origin", "https://shop.test"}, own...), 200},
		} {
			s.tryAll(t, "widget with "+caller.name, widgetRequests(id, sent.text("id")), caller.key, caller.header, caller.status)
		}
		answered := s.must("POST", "/api/admin/sessions/"+id+"/messages", secretKey, object{"content": "hi"})
		for _, caller := range []struct {
			name   string
			key    string
			header []string
			status int
		}{
			{"no key", "", nil, 401},
			{"a wrong key", "sk_wrong", nil, 401},
			{"the public key", publicKey, nil, 401},
			{"the secret key from a page", secretKey, []string{"Origin", "https://shop.test"}, 401},
			{"a forged cookie", "", []string{"Cookie", "relay_console=x"}, 401},
			{"the secret key", secretKey, nil, 200},
		} {
			s.tryAll(t, "admin with "+caller.name, adminRequests(id, answered.text("id")), caller.key, caller.header, caller.status)
		}
	}, func(c *config.Config) { c.AllowedOrigins = []string{"https://shop.test"} })
}

// tryAll makes requests and expects the same status of each.
func (s *site) tryAll(t *testing.T, name string, requests []request, key string, header []string, status int) {
	t.Helper()
	for _, q := range requests {
		a := s.call(q.method, q.path, key, q.body, header...)
		if a.status != status {
			t.Errorf("%s: %s %s answered %d %s, want %d", name, q.method, q.path, a.status, a.body, status)
		}
		if want := fmt.Sprintf(`{"error":%q}`, "Session not found"); status == 404 && string(a.body) != want {
			t.Errorf("%s: %s %s answered %s, want %s", name, q.method, q.path, a.body, want)
		}
	}
}
