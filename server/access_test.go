package server_test

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/relay-chat/relay/server/config"
)

// TestKeys is the matrix of keys: every group of routes, every way to bring a
// key, and what it answers.
func TestKeys(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id := s.open("v")
		widget, admin := "/api/widget/messages?sessionId="+id, "/api/admin/settings"
		for _, tt := range []struct {
			name, path, key string
			header          []string
			status          int
		}{
			{"widget without a key", widget, "", nil, 401},
			{"widget with the public key", widget, publicKey, nil, 200},
			{"widget with a wrong key", widget, "pk_wrong", nil, 401},
			{"widget with the secret key", widget, secretKey, nil, 401},
			{"widget with X-API-Key", widget, "", []string{"X-API-Key", publicKey}, 200},
			{"widget with the key in the URL", widget + "&apiKey=" + publicKey, "", nil, 401},
			{"widget with lower-case bearer", widget, "", []string{"Authorization", "bearer " + publicKey}, 200},
			{"widget with basic", widget, "", []string{"Authorization", "Basic " + publicKey}, 401},
			{"admin without a key", admin, "", nil, 401},
			{"admin with the secret key", admin, secretKey, nil, 200},
			{"admin with X-API-Key", admin, "", []string{"X-API-Key", secretKey}, 200},
			{"admin with the public key", admin, publicKey, nil, 401},
			{"admin with the key in the URL", admin + "?apiKey=" + secretKey, "", nil, 401},
			{"admin with a forged cookie", admin, "", []string{"Cookie", "relay_console=forged"}, 401},
			{"admin with the secret key from a web page", admin, secretKey, []string{"Origin", "https://shop.test"}, 401},
			{"health without a key", "/health", "", nil, 200},
		} {
			t.Run(tt.name, func(t *testing.T) {
				a := s.call("GET", tt.path, tt.key, nil, tt.header...)
				if a.status != tt.status {
					t.Errorf("%d %s, want %d", a.status, a.body, tt.status)
				}
				if tt.status == 401 && (string(a.body) != `{"error":"Unauthorized"}` || a.header.Get("WWW-Authenticate") != "Bearer") {
					t.Errorf("%v %s", a.header, a.body)
				}
			})
		}
		if strings.Contains(s.logs.String(), secretKey) {
			t.Error("the secret key is in the log")
		}
	})
}

func TestOrigins(t *testing.T) {
	restricted := func(c *config.Config) { c.AllowedOrigins = []string{"https://shop.test"} }
	eachSite(t, func(t *testing.T, s *site) {
		for _, tt := range []struct {
			origin string
			status int
			allow  string
		}{
			{"https://shop.test", 200, "https://shop.test"},
			{"https://evil.test", 403, ""},
			{"null", 403, ""},
			{"", 200, ""},
			{s.url, 200, s.url},
		} {
			var header []string
			if tt.origin != "" {
				header = []string{"Origin", tt.origin}
			}
			a := s.call("POST", "/api/widget/init", publicKey, object{"visitorId": "v"}, header...)
			if a.status != tt.status || a.header.Get("Access-Control-Allow-Origin") != tt.allow || a.header.Get("Vary") != "Origin" || a.header.Get("Access-Control-Allow-Credentials") != "" {
				t.Errorf("origin %q: %d, allow %q, vary %q", tt.origin, a.status, a.header.Get("Access-Control-Allow-Origin"), a.header.Get("Vary"))
			}
		}
	}, restricted)
}

func TestPreflights(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		a := s.call("OPTIONS", "/api/widget/messages/x", "", nil, "Origin", "https://any.test", "Access-Control-Request-Method", "PATCH")
		for name, want := range map[string]string{"Origin": "*", "Methods": "GET, POST, PATCH, DELETE", "Credentials": "",
			"Headers": "Authorization, X-API-Key, Content-Type, X-Session-Token, Last-Event-ID"} {
			if got := a.header.Get("Access-Control-Allow-" + name); a.status != http.StatusNoContent || got != want {
				t.Errorf("preflight: %d, Access-Control-Allow-%s is %q, want %q", a.status, name, got, want)
			}
		}
		if a := s.call("GET", "/api/widget/nothing", publicKey, nil); a.header.Get("Access-Control-Allow-Origin") != "*" || a.header.Get("Access-Control-Expose-Headers") != "Retry-After" {
			t.Errorf("errors must be readable too: %v", a.header)
		}
		if a := s.call("OPTIONS", "/api/admin/settings", "", nil, "Origin", "https://any.test"); a.header.Get("Access-Control-Allow-Origin") != "" {
			t.Error("the admin API answers preflights")
		}
	})
}

// TestBadBodies is what clients get wrong: a clear 4xx, nothing stored.
func TestBadBodies(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id := s.open("v")
		post := "/api/widget/messages"
		for _, tt := range []struct {
			name, path string
			body       any
			status     int
			text       string
		}{
			{"nothing", post, "", 400, "JSON object"},
			{"not JSON", post, "hello", 400, "Invalid JSON"},
			{"half", post, `{"sessionId":`, 400, "Invalid JSON"},
			{"two objects", post, `{} {}`, 400, "Invalid JSON"},
			{"an array", post, `[]`, 400, "JSON object"},
			{"null", post, `null`, 400, "JSON object"},
			{"empty object", post, `{}`, 400, "sessionId is required"},
			{"no content", post, object{"sessionId": id}, 400, "content is required"},
			{"blank content", post, object{"sessionId": id, "content": " \n "}, 400, "content is required"},
			{"content of the wrong type", post, object{"sessionId": id, "content": 7}, 400, "content must be a string"},
			{"sessionId of the wrong type", post, object{"sessionId": []int{1}, "content": "x"}, 400, "sessionId must be a string"},
			{"attachmentIds of the wrong type", post, object{"sessionId": id, "content": "x", "attachmentIds": "a"}, 400, "attachmentIds must be an array"},
			{"content too long", post, object{"sessionId": id, "content": strings.Repeat("é", 4001)}, 400, "at most 4000"},
			{"unknown session", post, object{"sessionId": "nope", "content": "x"}, 404, "Session not found"},
			{"unknown replyTo", post, object{"sessionId": id, "content": "x", "replyTo": "nope"}, 404, "Message not found"},
			{"NUL", post, `{"sessionId":"` + id + `","content":"a\u0000b"}`, 400, "NUL"},
			{"broken UTF-8", post, "{\"sessionId\":\"" + id + "\",\"content\":\"\xff\xfe\"}", 400, "UTF-8"},
			{"10 MB", post, object{"sessionId": id, "content": strings.Repeat("x", 10<<20)}, 413, "too large"},
			{"deep nesting", post, `{"a":` + strings.Repeat("[", 5000) + strings.Repeat("]", 5000) + `}`, 400, "nested too deeply"},
			{"init without a visitor", "/api/widget/init", `{}`, 400, "visitorId is required"},
			{"a visitorId of 10 KB", "/api/widget/init", object{"visitorId": strings.Repeat("x", 10000)}, 400, "visitorId must be"},
			{"identify without a session", "/api/widget/identify", `{}`, 400, "sessionId is required"},
			{"identify without anything", "/api/widget/identify", object{"sessionId": id}, 400, "identity is required"},
			{"identify as a text", "/api/widget/identify", object{"sessionId": id, "identity": "Ada"}, 400, "identity must be an object"},
			{"identify with a number as name", "/api/widget/identify", object{"sessionId": id, "name": 7}, 400, "identity.name must be a string"},
			{"read without ids", "/api/widget/read", object{"sessionId": id}, 400, "messageIds is required"},
			{"read with null", "/api/widget/read", object{"sessionId": id, "messageIds": []any{nil}}, 400, "messageIds"},
			{"read with too many ids", "/api/widget/read", object{"sessionId": id, "messageIds": strings.Split(strings.Repeat("x", 501), "")}, 400, "messageIds"},
			{"typing of the wrong type", "/api/widget/typing", object{"sessionId": id, "active": "yes"}, 400, "active must be true or false"},
		} {
			t.Run(tt.name, func(t *testing.T) {
				s.t = t
				s.refused(s.call("POST", tt.path, publicKey, tt.body), tt.status, tt.text)
			})
		}
		s.t = t
		s.must("POST", post, publicKey, object{"sessionId": id, "content": strings.Repeat("é", 4000), "unknown": 1})
		s.refused(s.call("POST", post, publicKey, object{"sessionId": id, "content": "x"}, "Content-Type", "application/xml"), 415, "Content-Type")
		s.refused(s.call("PUT", post, publicKey, object{}), 405, "Method not allowed")
		s.refused(s.call("GET", "/api/nothing", publicKey, nil), 404, "Not found")
		s.refused(s.call("PATCH", "/api/admin/settings", secretKey, `{"nonsense":1}`), 400, "unknown setting nonsense")
		if n := len(s.must("GET", post+"?sessionId="+id, publicKey, nil).get("messages").([]any)); n != 1 {
			t.Errorf("%d messages are stored, want the one that was right", n)
		}
	})
}

// TestNoBody: where nothing is required, a body may be left out.
func TestNoBody(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		id := s.open("v")
		s.say(id, "hello")
		session := "/api/admin/sessions/" + id
		for _, path := range []string{session + "/read", session + "/typing", session + "/close", "/api/admin/deliveries/retry"} {
			s.must("POST", path, secretKey, nil)
		}
		if view := s.must("GET", session, secretKey, nil); view.get("unread") != 0.0 {
			t.Errorf("the message is not read: %s", view.body)
		}
		s.refused(s.call("POST", session+"/messages", secretKey, nil), 400, "JSON object")
	})
}

// TestTenThousandRandomRequests throws seeded nonsense at every route: never a
// 5xx, always JSON where an error is answered.
func TestTenThousandRandomRequests(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		const seed = 20261121
		random := rand.New(rand.NewPCG(seed, 1))
		id := s.open("v")
		message := s.say(id, "hello")
		pick := func(list ...string) string { return list[random.IntN(len(list))] }
		value := func() string {
			return pick(`"`+id+`"`, `"`+message+`"`, `""`, `null`, `7`, `-1e400`, `1e999`, `true`, `[]`, `{}`, `[[[[]]]]`, `"\u0000"`, `"\ud800"`,
				"\"\xff\"", `"`+strings.Repeat("a", random.IntN(5000))+`"`, `{"a":{"b":[1,2,{}]}}`, `"2026-01-01"`, `"open"`, `"#ffffff"`)
		}
		n := 10000
		if testing.Short() {
			n = 500
		}
		for i := range n {
			path := pick("/api/widget/init", "/api/widget/messages", "/api/widget/messages/"+message, "/api/widget/messages/%00", "/api/widget/identify",
				"/api/widget/read", "/api/widget/typing", "/api/widget/config", "/api/admin/settings", "/api/admin/sessions", "/api/admin/sessions/"+id,
				"/api/admin/sessions/"+id+"/messages", "/api/admin/sessions/"+id+"/messages/"+message, "/api/admin/sessions/%2e%2e/read", "/api/admin/sessions/"+id+"/typing",
				"/api/admin/sessions/"+id+"/reopen", "/api/admin/operator/status", "/api/widget/prechat", "/api/widget/csat",
				"/api/widget/events", "/api/widget/disconnect", "/api/widget/attachments", "/api/admin/bridges", "/api/admin/deliveries", "/api/admin/deliveries/%2e/retry",
				"/api/admin/stats", "/api/admin/export", "/api/admin/keys/rotate", "/api/admin/sessions/"+id+"/csat", "/api/admin/sessions/"+id+"/events",
				"/api/admin/sessions/"+id+"/attachments", "/files/x/y", "/files/%00/%ff", "/api/admin//sessions", "/api/%zz", "/setup/done", "/console/login", "/widget/..%2f..%2fgo.mod")
			query := pick("", "?sessionId="+id, "?sessionId=%ff", "?limit=-1", "?limit=99999999999999999999", "?cursor=xx", "?before="+message+"&sessionId="+id, "?status=%00", "?q=%25_%00", "?q='")
			var fields []string
			for range random.IntN(5) {
				fields = append(fields, `"`+pick("sessionId", "content", "visitorId", "identity", "messageIds", "active", "online", "replyTo", "clientId", "primaryColor", "attachmentIds", "sessionToken", "preChatForm", "metadata", "status", "name", "fields", "score", "comment", "data", "duration", "reason", "key", "attachments")+`":`+value())
			}
			body := "{" + strings.Join(fields, ",") + "}"
			if random.IntN(10) == 0 {
				body = body[:random.IntN(len(body)+1)]
			}
			method := pick("GET", "POST", "PATCH", "DELETE", "PUT")
			if strings.Contains(path, "%zz") {
				continue // no client can send it
			}
			a := s.call(method, path+query, pick(publicKey, secretKey, "", "x"), body, "X-Session-Token", pick("", "x", "\t"), "Last-Event-ID", pick("", "1", "-"))
			if a.status >= 500 {
				t.Fatalf("seed %d, request %d: %s %s%s %s answered %d %s", seed, i, method, path, query, body, a.status, a.body)
			}
			if a.status >= 400 && strings.HasPrefix(path, "/api/") && a.text("error") == "" {
				t.Fatalf("seed %d, request %d: %s %s%s answered %d without a JSON error: %s", seed, i, method, path, query, a.status, a.body)
			}
		}
		if logs := s.logs.String(); strings.Contains(logs, "request failed") {
			t.Errorf("requests failed inside: %s", fmt.Sprint(logs[strings.Index(logs, "request failed"):][:300]))
		}
	})
}
