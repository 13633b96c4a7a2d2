package server_test

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges"
	"github.com/relay-chat/relay/bridges/mirror"
	"github.com/relay-chat/relay/bridges/webhook"
	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
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
	kinds, links := bridges.Kinds(bridges.Env{Log: log, WebhookURL: server.HooksURL(cfg), Stateless: true}), chat.NewFileLinks("key", cfg.PublicURL)
	backlog := server.NewBacklog(links)
	var err error
	s.Engine, err = chat.Open(t.Context(), chat.Config{Store: store, Mode: chat.ModeBridge, Volatile: cfg.DatabaseURL == "", Log: log, Settings: cfg.Settings,
		Targets: bridges.Targets(kinds), Taps: []func(*chat.Event){backlog.Publish}})
	if err != nil {
		t.Fatal(err)
	}
	s.webhook = newWebhook(cfg, s.Engine, links, log)
	seal, err := cfg.FileSeal()
	if err != nil {
		t.Fatal(err)
	}
	set := bridges.New(s.Engine, bridges.Options{Kinds: kinds, Log: log,
		Mirror: mirror.Options{Stateless: true, Seal: seal, OpenFile: webhook.NewFetcher(cfg.WebhookAllowCIDRs, cfg.AttachmentMaxBytes).OpenFile}})
	s.server = server.NewBridge(cfg, server.Deps{Engine: s.Engine, Webhook: s.webhook, Bridges: set, Log: log, Version: "test"}, backlog, seal)
	hs := httptest.NewUnstartedServer(nil)
	hs.Config = s.server.HTTPServer()
	wt := newWitness(t, nil, hs.Config.Handler)
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

func TestBridgeKeys(t *testing.T) {
	s := newBridgeSite(t, withKey)
	calls := []struct{ method, path string }{{"POST", "/api/sessions"}, {"POST", "/api/messages"}, {"POST", "/api/operator/status"},
		{"POST", "/api/custom-events"}, {"POST", "/api/disconnect"}, {"POST", "/api/events"}, {"GET", "/api/events/stream"}}
	for _, c := range calls {
		s.refused(s.call(c.method, c.path, "", object{}), 401, "Unauthorized")
		s.refused(s.call(c.method, c.path, "wrong", object{}), 401, "Unauthorized")
		s.refused(s.call(c.method, c.path+"?apiKey="+backendKey, "", object{}), 401, "Unauthorized")
	}
	s.refused(s.call("POST", "/api/events", backendKey, object{}), 400, "type is required")
	s.must("POST", "/api/operator/status", "", object{"online": true}, "X-API-Key", backendKey)
	s.must("GET", "/health", "", nil)
	s.must("GET", "/ready", "", nil)
}

// Without a key only programs may speak: a page of another website in the
// operator's browser may not.
func TestBridgeWithoutKeyRefusesWebPages(t *testing.T) {
	s := newBridgeSite(t, func(c *config.Config) { c.AllowedOrigins = []string{"https://dashboard.example.com"} })
	s.must("POST", "/api/sessions", "", reduced)
	for _, header := range [][]string{{"Origin", "https://evil.example.com"}, {"Sec-Fetch-Site", "cross-site"}} {
		s.refused(s.call("POST", "/api/sessions", "", reduced, append(header, "Content-Type", "text/plain")...), 403, "Forbidden")
	}
	preflight := s.call("OPTIONS", "/api/events/stream", "", nil, "Origin", "https://dashboard.example.com", "Access-Control-Request-Method", "GET")
	if preflight.status != 204 || preflight.header.Get("Access-Control-Allow-Origin") != "https://dashboard.example.com" {
		t.Errorf("preflight: %d %v", preflight.status, preflight.header)
	}
	if other := s.call("OPTIONS", "/api/events/stream", "", nil, "Origin", "https://evil.example.com"); other.header.Get("Access-Control-Allow-Origin") != "" {
		t.Error("any page may read the stream")
	}
}

func TestBridgeFiltersAgents(t *testing.T) {
	s := newBridgeSite(t, func(c *config.Config) {
		filter, _, err := config.Load(config.ParseFlags(nil), []string{"UA_FILTER_ENABLED=true", "UA_FILTER_BLOCKLIST=BadBot"})
		if err != nil {
			t.Fatal(err)
		}
		c.UAFilterEnabled, c.UAFilterMode, c.UAFilterBlocklist = true, filter.UAFilterMode, filter.UAFilterBlocklist
	})
	s.refused(s.call("POST", "/api/sessions", "", reduced, "User-Agent", "badbot/1.0"), 403, "Forbidden")
	s.must("POST", "/api/sessions", "", reduced)
	s.must("GET", "/health", "", nil, "User-Agent", "badbot/1.0")
}

// operatorWrites stores an operator's message as a bridge does.
func (s *site) operatorWrites(sessionID, id, content string) {
	s.t.Helper()
	by := chat.Author{Sender: chat.SenderOperator, Source: "telegram", Name: "Olga"}
	if _, err := s.Send(s.t.Context(), by, chat.Post{SessionID: sessionID, ID: id, Content: content}); err != nil {
		s.t.Fatal(err)
	}
}

// The stream shows what operators do, by default only messages, edits and deletions.
func TestBridgeStreamCarriesOperatorEvents(t *testing.T) {
	s := newBridgeSite(t, withKey)
	s.must("POST", "/api/sessions", backendKey, reduced)
	s.must("POST", "/api/sessions", backendKey, object{"id": "s2"})
	next, all, other := s.stream("/api/events/stream", backendKey), s.stream("/api/events/stream?types=all", backendKey), s.stream("/api/events/stream?sessionId=s2", backendKey)
	ada := chat.Author{Sender: chat.SenderOperator, Source: "telegram", Name: "Olga"}
	s.must("POST", "/api/messages", backendKey, object{"message": hello, "session": reduced})
	s.must("POST", "/api/messages", backendKey, object{"message": without(without(hello, "id", "own"), "sender", "operator"), "session": reduced})
	file := chat.Attachment{Filename: "a.png", MimeType: "image/png", Size: 7, URL: "/files/token"}
	sent, err := s.Send(t.Context(), ada, chat.Post{SessionID: "s1", ID: "tg:1:5", Content: "Hi", ReplyTo: "m1", Files: chat.Attachments{file}})
	if err != nil {
		t.Fatal(err)
	}
	steps := []error{
		s.Typing(t.Context(), ada, "s1", true),
		s.MarkRead(t.Context(), ada, "s1", []string{"m1"}),
		func() error { _, err := s.Edit(t.Context(), ada, "s1", "tg:1:5", "Hi!"); return err }(),
		s.Delete(t.Context(), ada, "s1", "tg:1:5"),
		s.AskCSAT(t.Context(), ada, "s1"), // backends ask for themselves
		s.Close(t.Context(), ada, "s1"),
		s.Reopen(t.Context(), ada, "s1"),
	}
	for i, err := range steps {
		if err != nil {
			t.Fatalf("step %d: %v", i, err)
		}
	}
	s.operatorWrites("s2", "tg:1:6", "Another session")
	for _, want := range []string{
		`{"type":"operator_message","sessionId":"s1","messageId":"tg:1:5","content":"Hi","sourceBridge":"telegram","operatorName":"Olga","timestamp":"SENT","replyTo":"m1","attachments":[{"filename":"a.png","mimeType":"image/png","size":7,"url":"/files/token"}]}`,
		`{"type":"operator_message_edited","sessionId":"s1","messageId":"tg:1:5","content":"Hi!","sourceBridge":"telegram","operatorName":"Olga","timestamp":"SENT","editedAt":"TIME"}`,
		`{"type":"operator_message_deleted","sessionId":"s1","messageId":"tg:1:5","sourceBridge":"telegram","operatorName":"Olga","timestamp":"SENT","deletedAt":"TIME"}`,
		`{"type":"operator_message","sessionId":"s2","messageId":"tg:1:6","content":"Another session","sourceBridge":"telegram","operatorName":"Olga","timestamp":"TIME"}`,
	} {
		f := next()
		if got := timeForm.ReplaceAllString(strings.Replace(f.data, `"timestamp":"`+sent.Timestamp.String(), `"timestamp":"SENT`, 1), `"TIME"`); got != want || f.event != "" || f.id == "" {
			t.Errorf("event %q id %q\n got %s\nwant %s", f.event, f.id, got, want)
		}
	}
	var kinds []string
	for range 8 {
		kinds = append(kinds, fmt.Sprint(all().get("type")))
	}
	if got, want := strings.Join(kinds, " "), "operator_message operator_typing message_read operator_message_edited operator_message_deleted session_closed session_reopened operator_message"; got != want {
		t.Errorf("all types:\n got %s\nwant %s", got, want)
	}
	if f := other(); f.get("sessionId") != "s2" {
		t.Errorf("the stream of s2 carries %s", f.data)
	}
	s.refused(s.call("GET", "/api/events/stream?types=some", backendKey, nil), 400, "types")
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

func TestBridgeStreamResumes(t *testing.T) {
	s := newBridgeSite(t)
	s.must("POST", "/api/sessions", "", reduced)
	next := s.stream("/api/events/stream", "")
	for i := range 5 {
		s.operatorWrites("s1", fmt.Sprint("tg:1:", i), "Hi")
	}
	var ids []string
	for range 5 {
		ids = append(ids, next().id)
	}
	boot, _, _ := strings.Cut(ids[0], "-")
	for id, want := range map[string]string{ids[1]: "tg:1:2", ids[3]: "tg:1:4", boot + "-0": "tg:1:0", "1-1": "tg:1:0", "1k3p9x-77": "tg:1:0"} {
		if got := s.stream("/api/events/stream", "", "Last-Event-ID", id)().get("messageId"); got != want {
			t.Errorf("behind %s comes %v, want %s", id, got, want)
		}
		if got := s.stream("/api/events/stream?lastEventId="+id, "")().get("messageId"); got != want {
			t.Errorf("behind ?lastEventId=%s comes %v, want %s", id, got, want)
		}
	}
	late := s.stream("/api/events/stream", "", "Last-Event-ID", ids[4])
	s.operatorWrites("s1", "tg:1:9", "Late")
	if got := late().get("messageId"); got != "tg:1:9" {
		t.Errorf("behind the newest comes %v", got)
	}
	for _, id := range []string{"nonsense", "0", "undefined", boot + "-99", boot + "--1", boot + "-", "-1", "A-1", "1-01"} {
		s.refused(s.call("GET", "/api/events/stream", "", nil, "Last-Event-ID", id), 400, "Last-Event-ID")
		s.refused(s.call("GET", "/api/events/stream?lastEventId="+id, "", nil), 400, "Last-Event-ID")
	}
}

// A reader that is cut off before it saw any event comes back with the id that
// its stream began with and misses nothing; what was said before its first
// stream is not for it.
func TestBridgeStreamBeginsWithAnID(t *testing.T) {
	s := newBridgeSite(t)
	s.must("POST", "/api/sessions", "", reduced)
	s.operatorWrites("s1", "tg:1:0", "Before")
	for _, query := range []string{"", "?sessionId=s1", "?types=all", "?sessionId=another"} {
		place := firstFrame(t, s.body("/api/events/stream"+query, ""))
		if place.id == "" || place.data != "" || place.event != "" {
			t.Fatalf("%q: the stream begins with %+v, want an id alone", query, place)
		}
		said := "tg:1:" + query
		s.operatorWrites("s1", said, "While it was away")
		if got := s.stream("/api/events/stream", "", "Last-Event-ID", place.id)().get("messageId"); got != said {
			t.Errorf("%q: back again, it reads %v, want %s", query, got, said)
		}
		if again := firstFrame(t, s.body("/api/events/stream", "", "Last-Event-ID", place.id)); again.id != place.id {
			t.Errorf("%q: back again, its stream begins at %s, before what is repeated: %s", query, again.id, place.id)
		}
	}
}

// firstFrame reads a stream up to its first blank line.
func firstFrame(t *testing.T, stream io.Reader) (f frame) {
	t.Helper()
	lines := bufio.NewScanner(stream)
	for lines.Scan() && lines.Text() != "" {
		switch name, value, _ := strings.Cut(lines.Text(), ": "); name {
		case "id":
			f.id = value
		case "data":
			f.data = value
		case "event":
			f.event = value
		}
	}
	return f
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

// TestBridgeRelaysEveryEvent: what a backend says, times of every form of
// ISO 8601 too, reaches the receiver as it was said. What it leaves out is made up.
func TestBridgeRelaysEveryEvent(t *testing.T) {
	url, posts := receiver(t, nil)
	s := newBridgeSite(t, webhookTo(url))
	s.serveWebhook()
	for _, tt := range []struct {
		kind string
		body object
		want string
	}{
		{"new_session", object{"session": object{"id": "s1", "visitorId": "v1", "createdAt": "2026-01-31T12:00:00+01:00", "lastActivity": "2026-01-31T12:00:01Z", "operatorOnline": true, "aiActive": true,
			"metadata": object{"url": "https://example.com", "country": "NL", "browser": "Firefox", "deviceType": "desktop"},
			"identity": object{"id": "7", "email": "ada@example.com", "name": "Ada"}}},
			`"session":{"id":"s1","visitorId":"v1","createdAt":"2026-01-31T11:00:00.000Z","lastActivity":"NOW","aiActive":true,` +
				`"metadata":{"url":"https://example.com","country":"NL","browser":"Firefox","deviceType":"desktop"},"identity":{"email":"ada@example.com","id":"7","name":"Ada"}}}`},
		{"visitor_message", object{"session": reduced, "message": without(hello, "replyTo", "m0")}, `"message":{"id":"m1","content":"Hello","replyTo":"m0"}`},
		{"visitor_message_edited", object{"sessionId": "s1", "messageId": "m1", "content": "Hi", "editedAt": "2026-01-31T12:00:00.1234Z"}, `"editedAt":"2026-01-31T12:00:00.123Z"`},
		{"visitor_message_edited", object{"sessionId": "s1", "messageId": "m1", "content": "Hi!"}, `"editedAt":"NOW"`},
		{"visitor_message_deleted", object{"sessionId": "s1", "messageId": "m1", "deletedAt": "2026-01-31T12:00"}, `"deletedAt":"2026-01-31T12:00:00.000Z"`},
		{"visitor_message_deleted", object{"sessionId": "s1", "messageId": "m2"}, `"deletedAt":"NOW"`},
		{"message_read", object{"sessionId": "s1", "messageIds": []string{"m3"}}, `"messageIds":["m3"],"status":"read","at":"NOW"`},
		{"custom_event", object{"session": reduced, "event": object{"name": "cart", "data": nil, "timestamp": "2026-01-31 12:00:00"}}, `"event":{"name":"cart","timestamp":"2026-01-31T12:00:00.000Z","sessionId":"s1"}`},
		{"custom_event", object{"session": reduced, "event": object{"name": "cart", "data": object{"sum": 42}}}, `"event":{"name":"cart","data":{"sum":42},"timestamp":"NOW","sessionId":"s1"}`},
		{"ai_takeover", object{"session": reduced, "reason": "nobody is there"}, `"active":true,"reason":"nobody is there"`},
		{"ai_takeover", object{"session": object{"id": "s2"}}, `"sessionId":"s2","visitorId":"","session":{"id":"s2","visitorId":""},"active":true}`},
		{"new_session", object{"session": object{"id": "s2"}}, `"aiActive":true`},
		{"csat_submitted", object{"sessionId": "s1", "score": 4, "respondedAt": "2026-01-31"}, `"score":4,"comment":"","respondedAt":"2026-01-31T00:00:00.000Z"`},
		{"csat_submitted", object{"sessionId": "s1", "score": 5}, `"score":5,"comment":"","respondedAt":"NOW"`},
		{"visitor_disconnect", object{"session": reduced, "duration": 1.5, "reason": "manual"}, `"duration":1.5,"reason":"manual"`},
		{"visitor_disconnect", object{"session": reduced}, `"duration":0,"reason":"page_unload"`},
		{"operator_status", object{"online": true}, `"online":true,"at":"NOW"`},
	} {
		began := chat.Now()
		s.must("POST", "/api/events", "", without(tt.body, "type", tt.kind))
		p := arrived(t, posts)
		p.verify(t)
		got := timeForm.ReplaceAllStringFunc(string(p.body), func(quoted string) string {
			var at chat.Time
			if at.UnmarshalJSON([]byte(quoted)) == nil && at >= began {
				return `"NOW"`
			}
			return quoted
		})
		if !strings.HasPrefix(got, `{"type":"`+tt.kind+`"`) || !strings.Contains(got, tt.want) || !strings.HasSuffix(got, `,"sentAt":"NOW"}`) {
			t.Errorf(" got %s\nwant %s", got, tt.want)
		}
	}
	if m, err := s.message("s1", "m1"); err != nil || m.Timestamp.String() != hello["timestamp"] {
		t.Errorf("the message is of %s, %v", m.Timestamp, err)
	}
}

// message is a message as it is stored.
func (s *site) message(sessionID, id string) (m chat.Message, err error) {
	err = s.store.Read(s.t.Context(), func(r chat.Reader) (err error) {
		m, err = r.Message(sessionID, id)
		return err
	})
	return m, err
}

// TestBridgeChangesUnknownMessages: a backend edits and deletes messages that
// were sent before relay was there, whatever keeps what relay knows.
func TestBridgeChangesUnknownMessages(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, store *db.DB) {
		s := newBridgeSiteOn(t, store)
		for _, body := range []object{
			{"type": "visitor_message_edited", "sessionId": "s1", "messageId": "old", "content": "Edited"},
			{"type": "visitor_message_edited", "sessionId": "s1", "messageId": "old", "content": "Edited again"},
			{"type": "visitor_message_deleted", "sessionId": "s1", "messageId": "old"},
			{"type": "visitor_message_deleted", "sessionId": "s1", "messageId": "older"},
		} {
			if a := s.call("POST", "/api/events", "", body); a.status != 200 {
				t.Errorf("%v: %d %s", body, a.status, a.body)
			}
		}
	})
}

// Presence is what the backend says, whatever operators do.
func TestBridgePresence(t *testing.T) {
	s := newBridgeSite(t)
	s.must("POST", "/api/sessions", "", reduced)
	s.operatorWrites("s1", "tg:1:1", "Hi")
	if s.OperatorOnline() {
		t.Error("online, though the backend has not said so")
	}
	s.must("POST", "/api/operator/status", "", object{"online": true})
	if !s.OperatorOnline() {
		t.Error("offline, though the backend said online")
	}
	s.must("POST", "/api/events", "", object{"type": "operator_status", "online": false})
	if s.OperatorOnline() {
		t.Error("online, though the backend said offline")
	}
}

// An event posted once, twice, early or late arrives once, also about messages
// that relay does not know.
func TestBridgeWebhook(t *testing.T) {
	url, posts := receiver(t, nil)
	s := newBridgeSite(t, webhookTo(url))
	s.serveWebhook()
	event := func(kind string, body object) { s.must("POST", "/api/events", "", without(body, "type", kind)) }
	for range 2 {
		s.must("POST", "/api/messages", "", object{"message": without(hello, "attachments", []object{{"url": "https://cdn.example.com/a.png", "filename": "a.png", "mimeType": "image/png", "size": 7}}), "session": reduced})
		s.must("POST", "/api/sessions", "", reduced)
		event("visitor_message_edited", object{"sessionId": "s1", "messageId": "unknown", "content": "New"})
		event("visitor_message_deleted", object{"sessionId": "s1", "messageId": "gone"})
		event("visitor_message_edited", object{"sessionId": "s1", "messageId": "gone", "content": "It stays deleted"})
		s.must("POST", "/api/messages", "", object{"message": without(without(hello, "id", "ai1"), "sender", "ai"), "session": reduced})
		s.must("POST", "/api/messages", "", object{"message": without(without(hello, "id", "op1"), "sender", "operator"), "session": reduced})
		event("message_read", object{"sessionId": "s1", "messageIds": []string{"ai1", "op1"}, "status": "delivered"})
		event("message_read", object{"sessionId": "s1", "messageIds": []string{"op1"}})
		event("csat_submitted", object{"sessionId": "s1", "score": 5, "comment": "good"})
	}
	for _, want := range []string{
		`{"type":"visitor_message","data":{"sessionId":"s1","visitorId":"v1","session":{"id":"s1","visitorId":"v1"},"message":{"id":"m1","content":"Hello","attachments":[{"filename":"a.png","mimeType":"image/png","size":7,"url":"https://cdn.example.com/a.png"}]}}`,
		`{"type":"new_session","data":{"sessionId":"s1","visitorId":"v1","session":{"id":"s1"`,
		`{"type":"visitor_message_edited","data":{"sessionId":"s1","visitorId":"v1","session":{"id":"s1","visitorId":"v1"},"message":{"id":"unknown","content":"New","editedAt":`,
		`{"type":"visitor_message_deleted","data":{"sessionId":"s1","visitorId":"v1","session":{"id":"s1","visitorId":"v1"},"message":{"id":"gone","deletedAt":`,
		`{"type":"ai_message","data":{"sessionId":"s1","visitorId":"v1","session":{"id":"s1","visitorId":"v1"},"message":{"id":"ai1","content":"Hello"}`,
		`{"type":"operator_message","data":{"sessionId":"s1","visitorId":"v1","session":{"id":"s1","visitorId":"v1"},"message":{"id":"op1","content":"Hello"}`,
		`{"type":"message_read","data":{"sessionId":"s1","visitorId":"v1","session":{"id":"s1","visitorId":"v1"},"messageIds":["ai1","op1"],"status":"delivered"`,
		`{"type":"message_read","data":{"sessionId":"s1","visitorId":"v1","session":{"id":"s1","visitorId":"v1"},"messageIds":["op1"],"status":"read"`,
		`{"type":"csat_submitted","data":{"sessionId":"s1","visitorId":"v1","session":{"id":"s1","visitorId":"v1"},"score":5,"comment":"good"`,
	} {
		p := arrived(t, posts)
		p.verify(t)
		if !strings.HasPrefix(string(p.body), want) {
			t.Errorf(" got %s\nwant %s…", p.body, want)
		}
	}
	s.must("POST", "/api/custom-events", "", object{"event": object{"name": "last"}, "session": reduced})
	if p := arrived(t, posts); !strings.Contains(string(p.body), `"event":{"name":"last","timestamp":`) {
		t.Errorf("something came twice: %s", p.body)
	}
}

// A receiver that wants no more events gets none until the next start: nobody
// could switch the webhook on again before.
func TestBridgeWebhookGone(t *testing.T) {
	url, _ := receiver(t, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusGone) })
	dbtest.Each(t, func(t *testing.T, store *db.DB) {
		s := newBridgeSiteOn(t, store, webhookTo(url))
		s.must("POST", "/api/sessions", "", reduced)
		if _, err := s.webhook.Deliver(t.Context(), s.head("s1")); !errors.Is(err, chat.ErrPermanent) {
			t.Errorf("410 is %v", err)
		}
		if s.webhook.Off() == nil || !strings.Contains(s.logs.String(), "until relay is restarted") {
			t.Errorf("the webhook is on, or the log is %s", s.logs)
		}
		if again := newBridgeSiteOn(t, store, webhookTo(url)); again.webhook.Off() != nil {
			t.Error("the webhook is off after the next start")
		}
	})
}

// A stop loses nothing that was acknowledged and can be delivered.
func TestBridgeStopDeliversTheRest(t *testing.T) {
	url, posts := receiver(t, nil)
	s := newBridgeSite(t, webhookTo(url))
	_, stop := s.serve(func(ctx context.Context) error { return s.Outbox.Serve(ctx, s.webhook) })
	const n = 300
	for i := range n {
		s.must("POST", "/api/messages", "", object{"message": without(hello, "id", fmt.Sprint(i)), "session": object{"id": "s1"}})
	}
	stop()
	if len(posts) != n {
		t.Errorf("%d of %d arrived before the end", len(posts), n)
	}
}

// Without a key a page that reaches relay under a name of its own is foreign,
// too, also when it only reads: then browsers name the page to addresses that
// they trust only. Backends may call relay what they like.
func TestBridgeRefusesRebinding(t *testing.T) {
	s := newBridgeSite(t)
	post := []string{"POST", "/api/sessions", `{"id":"s1"}`, "Sec-Fetch-Site", "same-origin"}
	read := []string{"GET", "/api/events/stream", "", "User-Agent", "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 Chrome/140.0.0.0 Safari/537.36"}
	listen := []string{"GET", "/api/events/stream", "", "User-Agent", "acme-backend/1.0"}
	tests := []struct {
		request []string
		host    string
		status  int
	}{
		{post, "evil.example", 403}, {post, "localhost:3001", 200}, {post, "127.0.0.1:3001", 200}, {post, "[::1]:3001", 200},
		{read, "evil.example", 403}, {read, "localhost:3001", 200}, {read, "192.168.1.5:3001", 200}, {read, "relay:3001", 200},
		{listen, "relay.internal:3001", 200},
	}
	for _, tt := range tests {
		req, err := http.NewRequestWithContext(t.Context(), tt.request[0], s.url+tt.request[1], strings.NewReader(tt.request[2]))
		if err != nil {
			t.Fatal(err)
		}
		req.Host = tt.host
		req.Header.Set("Content-Type", "application/json")
		req.Header.Set(tt.request[3], tt.request[4])
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			t.Fatal(err)
		}
		resp.Body.Close()
		if resp.StatusCode != tt.status {
			t.Errorf("%s under the name %s answered %d, want %d", tt.request[:2], tt.host, resp.StatusCode, tt.status)
		}
	}
}

// A receiver that is away holds up nobody.
func TestBridgeAnswersDespiteFailingReceiver(t *testing.T) {
	release := make(chan struct{})
	url, posts := receiver(t, func(http.ResponseWriter, *http.Request) { <-release })
	defer close(release)
	s := newBridgeSite(t, webhookTo(url))
	s.serveWebhook()
	for i := range 100 {
		s.must("POST", "/api/messages", "", object{"message": without(hello, "id", fmt.Sprint(i)), "session": reduced})
	}
	arrived(t, posts)
}

// arrived waits for the next post.
func arrived(t *testing.T, posts chan post) post {
	t.Helper()
	select {
	case p := <-posts:
		return p
	case <-time.After(30 * time.Second):
		t.Fatal("nothing arrived")
		return post{}
	}
}

// The payloads are those of the community server, byte for byte: the same
// golden files hold.
func TestBridgeWebhookPayloads(t *testing.T) {
	url, posts := receiver(t, nil)
	s := newBridgeSite(t, webhookTo(url))
	s.serveWebhook()
	id, first, answer := chat.NewID(), chat.NewID(), chat.NewID()
	session := object{"id": id, "visitorId": "visitor-1", "metadata": object{"deviceType": "desktop", "userAgent": "Go-http-client/1.1"}}
	file := object{"id": chat.NewID(), "filename": "a b.txt", "mimeType": "text/plain", "size": 1,
		"url": "https://backend.example.com/files/" + chat.NewID() + "/a%20b.txt?exp=0&sig=abc"}
	message := func(id, content, sender string) object { return object{"id": id, "content": content, "sender": sender} }
	for _, body := range []object{
		{"type": "new_session", "session": session},
		{"type": "visitor_message", "session": session, "message": without(message(first, "Hello <b>", "visitor"), "attachments", []object{file})},
		{"type": "visitor_message_edited", "session": session, "message": object{"id": first, "content": "Hello"}},
		{"type": "identity_update", "session": object{"id": id, "identity": object{"id": "7", "email": "ada@example.com", "name": "Ada"}}},
		{"type": "visitor_message", "session": session, "message": without(without(message(answer, "Hi Ada", "operator"), "replyTo", first), "operatorName", "Olga")},
		{"type": "message_read", "session": session, "messageIds": []string{answer}},
		{"type": "visitor_message_deleted", "session": session, "messageId": first},
		{"type": "custom_event", "session": session, "event": object{"name": "cart", "data": object{"sum": 42}}},
		{"type": "csat_submitted", "session": session, "score": 5, "comment": "great"},
		{"type": "visitor_disconnect", "session": session, "duration": 12.5, "reason": "page_unload"},
		{"type": "ai_takeover", "session": session, "reason": "no operator answered"},
		{"type": "operator_status", "online": true},
	} {
		s.must("POST", "/api/events", "", body)
		p := arrived(t, posts)
		p.verify(t)
		kind := p.header.Get("X-Service-Event")
		golden(t, kind, bytes.ReplaceAll(p.body, []byte("https://backend.example.com/"), []byte("/")))
		if want := body["type"]; kind != want && kind != "operator_message" {
			t.Errorf("%s came of %s", kind, want)
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

// Platforms' pushes are never key-protected, and have no effect as long as no
// bridge can prove where it comes from.
func TestBridgeWebhooksOfPlatforms(t *testing.T) {
	s := newBridgeSite(t, withKey)
	for _, name := range []string{"telegram", "discord", "slack"} {
		s.refused(s.call("POST", "/webhooks/"+name, "", object{"update_id": 1}), 503, "not set up")
	}
	s.refused(s.call("POST", "/webhooks/other", "", object{}), 404, "Not found")
	s.refused(s.call("GET", "/webhooks/telegram", "", nil), 405, "not allowed")
}
