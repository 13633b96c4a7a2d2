package server_test

import (
	"bytes"
	"fmt"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"

	"github.com/relay-chat/relay/bridges"
	"github.com/relay-chat/relay/bridges/mirror"
	"github.com/relay-chat/relay/bridges/webhook"
	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server"
	"github.com/relay-chat/relay/server/backlog"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/statistics"
)

// newBridgeSite starts a bridge server.
func newBridgeSite(t *testing.T, configure ...func(*config.Config)) *site {
	t.Helper()
	store, err := db.Bounded(t.Context(), db.BridgeBounds)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	return newBridgeSiteOn(t, store, configure...)
}

// newBridgeSiteOn starts a bridge server on a database.
func newBridgeSiteOn(t *testing.T, store *db.DB, configure ...func(*config.Config)) *site {
	t.Helper()
	cfg := config.Config{Mode: chat.ModeBridge}
	for _, c := range configure {
		c(&cfg)
	}
	s := &site{t: t, store: store, logs: &bytes.Buffer{}}
	log := slog.New(slog.NewTextHandler(s.logs, nil))
	kinds, links := bridges.Kinds(bridges.Env{Log: log, WebhookURL: server.HooksURL(cfg), Forgets: true}), chat.NewFileLinks("key", cfg.PublicURL)
	backlog := backlog.New(links)
	var err error
	s.Engine, err = engine.Open(t.Context(), engine.Config{Store: store, Mode: chat.ModeBridge, Volatile: cfg.DatabaseURL == "", Log: log, Declared: bridges.Settings(), Settings: cfg.Settings, IsBot: cfg.IsBot,
		Targets: bridges.Targets(kinds), Taps: []func(*chat.Event){backlog.Publish}})
	if err != nil {
		t.Fatal(err)
	}
	s.webhook = newWebhook(cfg, s.Engine, links, log)
	seal, err := cfg.FileSeal(bridges.Settings())
	if err != nil {
		t.Fatal(err)
	}
	set := bridges.New(s.Engine, bridges.Options{Kinds: kinds, Log: log,
		Mirror: mirror.Options{Stateless: true, Seal: seal, OpenFile: webhook.NewFetcher(cfg.WebhookAllowCIDRs, 10<<20).OpenFile}})
	s.server = server.NewBridge(cfg, server.Deps{Engine: s.Engine, Webhook: s.webhook, Bridges: set, Statistics: statistics.New(store, s.SettingsOf, log), Log: log, Version: "test"}, backlog, seal)
	hs := httptest.NewUnstartedServer(nil)
	hs.Config = s.server.HTTPServer()
	wt := newWitness(t, s, hs.Config.Handler)
	wt.backendKey = string(cfg.APIKey)
	hs.Config.Handler = wt
	hs.Start()
	s.url = hs.URL
	t.Cleanup(func() {
		s.Hub.Close()
		backlog.Close()
		hs.Close()
	})
	return s
}

const backendKey = "a-key-for-the-backend"

func withKey(c *config.Config) { c.APIKey = backendKey }

var (
	reduced = object{"id": "s1", "visitorId": "v1"}
	hello   = object{"id": "m1", "sessionId": "s1", "content": "Hello", "sender": "visitor", "timestamp": "2026-01-31T12:00:00.000Z"}
)

// Every route for backends, with bodies that existing backends send.
func TestBridgeAcceptsEveryRoute(t *testing.T) {
	s := newBridgeSite(t, withKey)
	for path, body := range map[string]object{
		"/api/sessions": {"id": "s1", "visitorId": "v1", "createdAt": "2026-01-31T12:00:00Z", "lastActivity": "2026-01-31T12:00:00.000Z", "operatorOnline": true,
			"aiActive": false, "metadata": object{"url": "https://example.com", "country": "NL", "browser": "Firefox", "deviceType": "desktop"},
			"identity": object{"id": "7", "email": "a@example.com", "name": "Ada"}},
		"/api/messages":        {"message": hello, "session": reduced},
		"/api/operator/status": {"online": true},
		"/api/custom-events":   {"event": object{"name": "cart", "data": object{"sum": 42}, "timestamp": "2026-01-31T12:00:00.000Z", "sessionId": "s1"}, "session": reduced},
		"/api/disconnect":      {"session": reduced, "duration": 12.5, "reason": "inactivity"},
		"/api/events":          {"type": "visitor_message", "message": object{"id": "m2", "sessionId": "s1", "content": "Again", "sender": "visitor"}, "session": reduced},
	} {
		if got := string(s.must("POST", path, backendKey, body).body); got != `{"ok":true}` {
			t.Errorf("%s answered %s", path, got)
		}
	}
	if got := string(s.must("GET", "/health", "", nil).body); got != `{"bridges":[],"status":"ok"}` {
		t.Errorf("health: %s", got)
	}
	if a := s.call("GET", "/", "", nil); a.status != http.StatusSeeOther || a.header.Get("Location") != "/docs" {
		t.Errorf("GET / answered %d", a.status)
	}
}

// events are a body for each type of the envelope; a field that is required is
// taken out of it, or turned into a number, by TestBridgeRefuses.
var envelopes = []struct {
	kind     string
	body     object
	required []string // paths
}{
	{"new_session", object{"session": reduced}, []string{"session", "session.id"}},
	{"visitor_message", object{"message": hello, "session": reduced}, []string{"session", "session.id", "message", "message.id", "message.content"}},
	{"visitor_message_edited", object{"sessionId": "s1", "messageId": "m1", "content": "Hi", "editedAt": "2026-01-31T12:00:00Z"}, []string{"sessionId", "messageId", "content"}},
	{"visitor_message_edited", object{"session": reduced, "message": object{"id": "m1", "content": "Hi there"}}, []string{"session", "message", "message.id", "message.content"}},
	{"visitor_message_deleted", object{"sessionId": "s1", "messageId": "m1", "deletedAt": "2026-01-31T12:00:00Z"}, []string{"sessionId", "messageId"}},
	{"visitor_message_deleted", object{"session": reduced, "message": object{"id": "m9"}}, []string{"session", "message"}},
	{"message_read", object{"sessionId": "s1", "messageIds": []string{"tg:1:2"}, "status": "read"}, []string{"sessionId", "messageIds"}},
	{"message_read", object{"session": reduced, "messageIds": []string{"tg:1:3"}, "status": "delivered"}, []string{"session", "messageIds"}},
	{"operator_status", object{"online": false}, []string{"online"}},
	{"custom_event", object{"event": object{"name": "cart", "data": object{}}, "session": reduced}, []string{"session", "event", "event.name"}},
	{"identity_update", object{"session": object{"id": "s1", "identity": object{"name": "Ada"}}}, []string{"session", "session.id", "session.identity"}},
	{"ai_takeover", object{"session": reduced, "reason": "nobody is there"}, []string{"session", "session.id"}},
	{"csat_submitted", object{"sessionId": "s1", "score": 4, "comment": "fine", "respondedAt": "2026-01-31T12:00:00Z"}, []string{"sessionId", "score"}},
	{"csat_submitted", object{"session": reduced, "score": 5}, []string{"session", "score"}},
	{"visitor_disconnect", object{"session": reduced, "duration": 3, "reason": "manual"}, []string{"session", "session.id"}},
}

// without returns a copy of a body without the field at a path, or with a
// value in its place.
func without(body object, path string, value any) object {
	out := object{}
	for name, v := range body {
		out[name] = v
	}
	name, rest, deep := strings.Cut(path, ".")
	switch {
	case deep:
		out[name] = without(body[name].(object), rest, value)
	case value == nil:
		delete(out, name)
	default:
		out[name] = value
	}
	return out
}

func TestBridgeEnvelopes(t *testing.T) {
	s := newBridgeSite(t)
	for _, e := range envelopes {
		body := without(e.body, "type", e.kind)
		s.must("POST", "/api/events", "", body)
		s.must("POST", "/api/events", "", body) // the same again is fine
		for _, path := range e.required {
			words := strings.Split(path, ".")
			s.refused(s.call("POST", "/api/events", "", without(body, path, nil)), 400, "required")
			s.refused(s.call("POST", "/api/events", "", without(body, path, 7)), 400, words[len(words)-1]+" must be")
		}
	}
}

func TestBridgeRefuses(t *testing.T) {
	s := newBridgeSite(t)
	paths := []string{"/api/sessions", "/api/messages", "/api/operator/status", "/api/custom-events", "/api/disconnect", "/api/events"}
	for _, path := range paths {
		s.refused(s.call("POST", path, "", object{}), 400, "required")
		for body, text := range map[string]string{"": "object", "[]": "object", "null": "object", "7": "object", "{": "JSON", "\xff": "UTF-8",
			`{"type":"\u0000"}`: "NUL", strings.Repeat(`{"a":`, 40) + "1" + strings.Repeat("}", 40): "deep"} {
			s.refused(s.call("POST", path, "", body), 400, text)
		}
		s.refused(s.call("POST", path, "", `{"x":"`+strings.Repeat("x", 600<<10)+`"}`), 413, "large")
		s.refused(s.call("POST", path, "", "a=b", "Content-Type", "application/x-www-form-urlencoded"), 415, "application/json")
		s.refused(s.call("GET", path, "", nil), 405, "not allowed")
	}
	for _, c := range []struct {
		path string
		body object
		text string
	}{
		{"/api/events", object{"type": "visitor_left"}, "unknown event type"},
		{"/api/events", object{"type": strings.Repeat("x", 9000)}, "unknown event type"},
		{"/api/messages", object{"message": without(hello, "sender", "robot"), "session": reduced}, "sender"},
		{"/api/messages", object{"message": without(hello, "timestamp", "yesterday"), "session": reduced}, "message.timestamp must be an ISO 8601 time"},
		{"/api/messages", object{"message": without(hello, "timestamp", 1769860800), "session": reduced}, "message.timestamp must be an ISO 8601 time"},
		{"/api/messages", object{"message": without(hello, "content", ""), "session": reduced}, "content"},
		{"/api/messages", object{"message": without(hello, "buttons", []object{{"text": "Yes"}}), "session": reduced}, "visitors offer none"},
		{"/api/messages", object{"message": without(without(hello, "sender", "ai"), "buttons", []object{{"text": ""}}), "session": reduced}, "buttons[0].text is required"},
		{"/api/messages", object{"message": without(without(hello, "sender", "ai"), "buttons", "Yes"), "session": reduced}, "message.buttons"},
		{"/api/messages", object{"message": without(without(hello, "sender", "ai"), "buttons", []object{{"text": "x", "url": "javascript:alert(1)"}}), "session": reduced}, "buttons[0].url"},
		{"/api/messages", object{"message": without(hello, "content", " \n"), "session": reduced}, "content"},
		{"/api/messages", object{"message": without(hello, "id", " "), "session": reduced}, "message.id"},
		{"/api/messages", object{"message": without(hello, "replyTo", strings.Repeat("x", 201)), "session": reduced}, "replyTo"},
		{"/api/messages", object{"message": without(hello, "operatorName", strings.Repeat("x", 101)), "session": reduced}, "operatorName"},
		{"/api/messages", object{"message": without(hello, "attachments", []object{{"url": "https://example.com/" + strings.Repeat("x", 2048)}}), "session": reduced}, "url"},
		{"/api/events", object{"type": "message_read", "sessionId": "s1", "messageIds": []any{"a", nil}}, "messageIds"},
		{"/api/messages", object{"message": without(hello, "content", strings.Repeat("x", 40001)), "session": reduced}, "40000"},
		{"/api/messages", object{"message": without(hello, "id", strings.Repeat("x", 201)), "session": reduced}, "message.id"},
		{"/api/messages", object{"message": without(hello, "sessionId", "another"), "session": reduced}, "message.sessionId"},
		{"/api/messages", object{"message": without(hello, "attachments", []object{{"url": "https://example.com/a", "size": -1}}), "session": reduced}, "size"},
		{"/api/messages", object{"message": without(hello, "attachments", slices.Repeat([]object{{"url": "https://example.com/a"}}, 11)), "session": reduced}, "at most 10"},
		{"/api/custom-events", object{"event": object{"name": "x", "data": "text"}, "session": reduced}, "event.data"},
		{"/api/custom-events", object{"event": object{"name": "x", "sessionId": "another"}, "session": reduced}, "event.sessionId"},
		{"/api/disconnect", object{"session": reduced, "reason": "bored"}, "reason"},
		{"/api/disconnect", object{"session": reduced, "duration": -1}, "duration"},
		{"/api/events", object{"type": "csat_submitted", "sessionId": "s1", "score": 6}, "score"},
		{"/api/events", object{"type": "csat_submitted", "sessionId": "s1", "score": 4.5}, "score"},
		{"/api/events", object{"type": "message_read", "sessionId": "s1", "messageIds": []string{"a"}, "status": "eaten"}, "status"},
		{"/api/events", object{"type": "visitor_message_deleted", "sessionId": "s2", "session": reduced, "messageId": "a"}, "sessionId"},
		{"/api/events", object{"type": "message_read", "sessionId": "s1", "messageIds": slices.Repeat([]string{"a"}, 501)}, "at most 500"},
		{"/api/events", object{"type": "ai_takeover", "session": reduced, "reason": strings.Repeat("x", 501)}, "reason must be at most 500"},
		{"/api/sessions", object{"id": strings.Repeat("x", 201)}, "id must be at most 200"},
		{"/api/sessions", object{"id": "s1", "visitorId": strings.Repeat("x", 201)}, "visitorId must be at most 200"},
		{"/api/sessions", object{"id": "s1", "createdAt": "once"}, "createdAt must be"},
		{"/api/sessions", object{"id": "s1", "lastActivity": 7}, "lastActivity must be"},
		{"/api/sessions", object{"id": "s1", "operatorOnline": "yes"}, "operatorOnline must be"},
		{"/api/sessions", object{"id": "s1", "aiActive": 1}, "aiActive must be"},
		{"/api/sessions", object{"id": "s1", "metadata": object{"country": 31}}, "metadata.country must be"},
		{"/api/sessions", object{"id": "s1", "identity": object{"email": 5}}, "identity.email must be"},
		{"/api/sessions", object{"id": "s1", "identity": "Ada"}, "identity must be"},
	} {
		s.refused(s.call("POST", c.path, "", c.body), 400, c.text)
	}
	s.refused(s.call("GET", "/api/nothing", "", nil), 404, "Not found")
	s.must("POST", "/api/messages", "", object{"message": without(hello, "content", strings.Repeat("é", 40000)), "session": reduced})
}

// A closed session is opened again by a new message, not by one that is repeated.
func TestBridgeReopens(t *testing.T) {
	s := newBridgeSite(t)
	send := func(id string) {
		s.must("POST", "/api/messages", "", object{"message": without(hello, "id", id), "session": reduced})
	}
	send("m1")
	if err := s.Close(t.Context(), chat.Author{Sender: chat.SenderOperator, Source: "telegram"}, "s1"); err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		id   string
		want chat.Status
	}{{"m1", chat.StatusClosed}, {"m2", chat.StatusOpen}} {
		send(tt.id)
		err := s.store.Read(t.Context(), func(r chat.Reader) error {
			session, err := r.Session("s1")
			if session.Status != tt.want {
				t.Errorf("behind %s the session is %s, want %s", tt.id, session.Status, tt.want)
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// Careless input is accepted where its meaning is plain: an id that
// is a number, a time that is empty, a file that nobody can fetch.
func TestBridgeAcceptsCarelessInput(t *testing.T) {
	url, posts := receiver(t, nil)
	s := newBridgeSite(t, webhookTo(url))
	s.serveWebhook()
	session := object{"id": "s1", "visitorId": "v1", "createdAt": "", "lastActivity": "", "identity": object{"id": 42, "email": "ada@example.com"}}
	s.must("POST", "/api/sessions", "", session)
	if body := string(arrived(t, posts).body); !strings.Contains(body, `"identity":{"email":"ada@example.com","id":"42"}`) {
		t.Errorf("the session is posted as %s", body)
	}
	for i, tt := range []struct {
		content string
		files   []object
		want    string
	}{
		{"Look", []object{{"url": "file:///etc/passwd", "filename": "passwd"}}, `"content":"Look\n📎 passwd (not available: it has no web address)"`},
		{"", []object{{"filename": "a.png"}, {"url": "data:image/png;base64," + strings.Repeat("A", 4000)}}, `"content":"📎 a.png (not available: it has no web address)\n📎 a file (not available: it has no web address)"`},
		{"Both", []object{{"url": "https://:443/a.png", "filename": "a.png"}, {"url": "https://cdn.example.com/b.png", "filename": "b.png"}},
			`"content":"Both\n📎 a.png (not available: it has no web address)","attachments":[{"filename":"b.png","mimeType":"","size":0,"url":"https://cdn.example.com/b.png"}]`},
	} {
		s.must("POST", "/api/messages", "", object{"message": object{"id": fmt.Sprint("m", i), "content": tt.content, "attachments": tt.files, "timestamp": ""}, "session": reduced})
		if body := string(arrived(t, posts).body); !strings.Contains(body, tt.want) {
			t.Errorf("got %s\nwant %s", body, tt.want)
		}
	}
	for _, id := range []any{4.5, 1e20, true} {
		s.refused(s.call("POST", "/api/sessions", "", object{"id": "s2", "identity": object{"id": id}}), 400, "identity.id must be a string")
	}
}

// Facts that are left out, or null, stay as they are known.
func TestBridgeKeepsKnownFacts(t *testing.T) {
	url, posts := receiver(t, nil)
	s := newBridgeSite(t, webhookTo(url))
	s.serveWebhook()
	s.must("POST", "/api/messages", "", object{"message": hello, "session": object{"id": "s1", "visitorId": "v1", "metadata": object{"url": "https://a.example", "country": "NL"}, "identity": object{"name": "Ada", "email": nil}}})
	arrived(t, posts)
	s.must("POST", "/api/sessions", "", object{"id": "s1", "visitorId": nil, "metadata": object{"url": "https://b.example", "country": nil}, "identity": object{"email": "ada@example.com", "name": nil}})
	body := string(arrived(t, posts).body)
	for _, want := range []string{`"visitorId":"v1"`, `"metadata":{"url":"https://b.example","country":"NL"}`, `"identity":{"email":"ada@example.com","name":"Ada"}`} {
		if !strings.Contains(body, want) {
			t.Errorf("%s is missing in %s", want, body)
		}
	}
	for range 2 { // each takeover is one
		s.must("POST", "/api/events", "", object{"type": "ai_takeover", "session": object{"id": "s1", "aiActive": true}})
		if p := arrived(t, posts); p.header.Get("X-Service-Event") != "ai_takeover" {
			t.Errorf("%s", p.body)
		}
	}
}

// Ten thousand pieces of nonsense: never a 5xx, always JSON where an error is
// answered, and relay goes on.
func TestBridgeRandomRequests(t *testing.T) {
	const seed = 20261121
	random := rand.New(rand.NewPCG(seed, 2))
	s := newBridgeSite(t)
	pick := func(list ...string) string { return list[random.IntN(len(list))] }
	value := func() string {
		return pick(`"s1"`, `"m1"`, `""`, `null`, `7`, `-1e400`, `4.5`, `true`, `[]`, `{}`, `[[[[]]]]`, `["m1","m1",""]`, `[null]`, `"\u0000"`, `"\ud800"`, "\"\xff\"",
			`"`+strings.Repeat("a", random.IntN(5000))+`"`, `{"id":"s1"}`, `{"id":"m1","content":"x"}`, `{"id":{}}`, `{"name":"x","data":{}}`, `"2026-01-01"`, `"visitor"`, `"read"`)
	}
	names := []string{"id", "visitorId", "session", "sessionId", "message", "messageId", "messageIds", "content", "status", "online", "event", "score", "comment",
		"respondedAt", "editedAt", "deletedAt", "duration", "reason", "metadata", "identity", "createdAt", "aiActive", "sender", "attachments", "name", "data"}
	kinds := []string{"new_session", "visitor_message", "visitor_message_edited", "visitor_message_deleted", "message_read", "operator_status",
		"custom_event", "identity_update", "ai_takeover", "csat_submitted", "visitor_disconnect", "x", ""}
	n := 10000
	if testing.Short() {
		n = 1000
	}
	for i := range n {
		fields := []string{`"type":"` + pick(kinds...) + `"`}
		for range random.IntN(5) {
			fields = append(fields, `"`+pick(names...)+`":`+value())
		}
		body := "{" + strings.Join(fields, ",") + "}"
		if random.IntN(10) == 0 {
			body = body[:random.IntN(len(body)+1)]
		}
		method := pick("POST", "POST", "POST", "GET", "PUT", "DELETE")
		path := pick("/api/sessions", "/api/messages", "/api/operator/status", "/api/custom-events", "/api/disconnect", "/api/events", "/api/events", "/api/events",
			"/webhooks/telegram", "/webhooks/discord", "/webhooks/slack", "/webhooks/%00", "/webhooks/x", "/files/x", "/files/%ff", "/health", "/api//events", "/api/events/stream/x")
		a := s.call(method, path, "", body, "Last-Event-ID", pick("", "1", "x-9"))
		if a.status >= 500 && !(a.status == 503 && strings.HasPrefix(path, "/webhooks/")) {
			t.Fatalf("seed %d, request %d: %s %s %s answered %d %s", seed, i, method, path, body, a.status, a.body)
		}
		if a.status >= 400 && a.text("error") == "" {
			t.Fatalf("seed %d, request %d: %s %s answered %d without a JSON error: %s", seed, i, method, path, a.status, a.body)
		}
	}
	if logs := s.logs.String(); strings.Contains(logs, "request failed") {
		t.Errorf("requests failed inside: %.400s", logs[strings.Index(logs, "request failed"):])
	}
	s.must("POST", "/api/messages", "", object{"message": without(hello, "id", "after all of it"), "session": reduced})
}
