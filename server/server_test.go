package server_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges"
	"github.com/relay-chat/relay/bridges/ai"
	"github.com/relay-chat/relay/bridges/knowledge"
	"github.com/relay-chat/relay/bridges/mail/mailtest"
	"github.com/relay-chat/relay/bridges/mail/oauth"
	"github.com/relay-chat/relay/bridges/mirror"
	"github.com/relay-chat/relay/bridges/signon"
	"github.com/relay-chat/relay/bridges/voice"
	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/keyring"
	"github.com/relay-chat/relay/server/statistics"
	"github.com/relay-chat/relay/server/team"
)

const (
	publicKey = "pk_test_0123456789abcdef"
	secretKey = "sk_test_0123456789abcdef"
)

// site is a running community server.
type site struct {
	*engine.Engine
	t      *testing.T
	url    string
	store  *db.DB
	team   *team.Team
	server *server.Server
	ring   *keyring.Ring

	webhook    *bridges.Webhook
	hooks      *bridges.Hooks
	knowledge  *knowledge.Knowledge
	rehearsals *bridges.Rehearsals
	actions    *bridges.Actions
	topics     *bridges.Topics
	search     *db.Search
	documents  documents
	logs       *bytes.Buffer
}

// eachSite runs a test on a server with every kind of database that it may have.
func eachSite(t *testing.T, test func(t *testing.T, s *site), configure ...func(*config.Config)) {
	dbtest.EachLasting(t, func(t *testing.T, store *db.DB) { test(t, newSite(t, store, configure...)) })
}

// newSite starts a server on a database.
func newSite(t *testing.T, store *db.DB, configure ...func(*config.Config)) *site {
	t.Helper()
	return newSiteWith(t, store, bridges.Kinds(bridges.Env{Log: discard}), configure...)
}

// newSiteWith starts a server with bridges of these kinds.
func newSiteWith(t *testing.T, store *db.DB, kinds []bridges.Kind, configure ...func(*config.Config)) *site {
	t.Helper()
	return startSite(t, store, kinds, bridges.MailTokens(store), configure...)
}

// newSiteAsking starts a server whose mailbox is at a provider of the test.
func newSiteAsking(t *testing.T, store *db.DB, p *mailtest.Provider, configure ...func(*config.Config)) *site {
	t.Helper()
	return startSite(t, store, bridges.Kinds(bridges.Env{Log: discard}), mailTokens(p, store), configure...)
}

func startSite(t *testing.T, store *db.DB, kinds []bridges.Kind, tokens *oauth.Tokens, configure ...func(*config.Config)) *site {
	t.Helper()
	cfg := config.Config{PublicKey: publicKey, SecretKey: secretKey, Setup: config.SetupLocal}
	for _, c := range configure {
		c(&cfg)
	}
	s := &site{t: t, store: store, logs: &bytes.Buffer{}}
	log := slog.New(slog.NewTextHandler(s.logs, nil))
	var err error
	s.Engine, err = engine.Open(t.Context(), engine.Config{Store: store, Log: log,
		Declared: bridges.Settings(), Settings: cfg.Settings, Targets: bridges.Targets(kinds), Prune: team.Prune, Identity: engine.IdentityRules{Secret: string(cfg.IdentitySecret), Required: cfg.IdentityRequired},
		PublicURL: cfg.PublicURL, Listen: voice.Listen})
	if err != nil {
		t.Fatal(err)
	}
	s.team = team.New(store, s.Engine, bridges.Names(), log)
	if s.ring, err = keyring.Open(t.Context(), store, cfg, log); err != nil {
		t.Fatal(err)
	}
	s.webhook = newWebhook(cfg, s.Engine, s.ring.Links(cfg.PublicURL), log)
	s.hooks = bridges.NewHooks(s.Engine, webhookOptions(cfg, s.ring.Links(cfg.PublicURL), log))
	s.knowledge = knowledge.New(knowledge.Options{Store: store, Log: log, Allowed: cfg.WebhookAllowCIDRs, Version: "test",
		Rest: func(context.Context, time.Duration) error { return nil }})
	s.search = db.NewSearch(store, log)
	s.topics = bridges.NewTopics(s.Engine, store)
	s.actions = bridges.NewActions(s.Engine, store, cfg.WebhookAllowCIDRs, nil)
	own := s.runAI(log)
	s.rehearsals = bridges.NewRehearsals(own, store, s.topics)
	s.runPart(s.rehearsals.Run)
	post := s.runMail(tokens, log)
	s.actions.ProveBy(post, server.MailLinksBy(s.ring, mailBase).Key)
	srv, err := server.NewCommunity(cfg, server.Deps{Engine: s.Engine, Search: s.search, Statistics: statistics.New(store, s.SettingsOf, log), Webhook: s.webhook, Hooks: s.hooks, Bridges: s.runBridges(kinds), AI: own, Mail: post, SignOn: signon.New(), Documents: &s.documents, Knowledge: s.knowledge, Rehearsals: s.rehearsals, Actions: s.actions, System: &db.Care{DB: store, Backup: db.DailyBackups{Dir: cfg.BackupDir, Keep: 2, Log: log}}, Team: s.team, Push: bridges.NewPush(s.Engine, s.team.Devices, bridges.PushOptions{Contact: "https://chat.example.com", Log: log}), Log: log, Version: "test"}, s.ring)
	if err != nil {
		t.Fatal(err)
	}
	s.server = srv
	hs := httptest.NewUnstartedServer(nil)
	hs.Config = srv.HTTPServer()
	hs.Config.Handler = newWitness(t, s, hs.Config.Handler)
	hs.Start()
	s.url = hs.URL
	t.Cleanup(func() {
		s.Hub.Close()
		hs.Close()
	})
	return s
}

// serve answers requests at a port of its own, beside the engine with its parts. stop
// stops both, as main does.
func (s *site) serve(parts ...engine.Part) (listener net.Listener, stop func()) {
	s.t.Helper()
	listener, err := (&net.ListenConfig{}).Listen(s.t.Context(), "tcp", "127.0.0.1:0")
	if err != nil {
		s.t.Fatal(err)
	}
	ended := make(chan error, 2)
	go func() { ended <- s.Run(context.WithoutCancel(s.t.Context()), parts...) }()
	go func() { ended <- s.server.Serve(listener) }()
	return listener, func() {
		deadline := time.Now().Add(18 * time.Second)
		s.server.Stop(10 * time.Second)
		s.Stop(deadline)
		if err := errors.Join(<-ended, <-ended); err != nil {
			s.t.Error(err)
		}
	}
}

func newWebhook(cfg config.Config, engine *engine.Engine, links *chat.FileLinks, log *slog.Logger) *bridges.Webhook {
	return bridges.NewWebhook(engine, webhookOptions(cfg, links, log))
}

func webhookOptions(cfg config.Config, links *chat.FileLinks, log *slog.Logger) bridges.WebhookOptions {
	return bridges.WebhookOptions{Links: links, Allowed: cfg.WebhookAllowCIDRs,
		Retries: cfg.WebhookRetries, Stateless: cfg.Mode == chat.ModeBridge, Log: log, Version: "test"}
}

// runBridges runs a set of bridges until the end of the test.
func (s *site) runBridges(kinds []bridges.Kind) *bridges.Set {
	set := bridges.New(s.Engine, bridges.Options{Kinds: kinds, Log: discard, Mirror: mirror.Options{Colleague: s.team.People.Colleague}})
	ctx, cancel := contextOf(s.t)
	ended := make(chan error, 1)
	go func() { ended <- set.Run(ctx) }()
	s.t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			s.t.Error(err)
		}
	})
	return set
}

// runAI runs the AI until the test ends.
func (s *site) runAI(log *slog.Logger) *bridges.AI {
	var known ai.Knowledge = ai.None{} // in bridge mode
	if s.knowledge != nil {
		known = s.knowledge
	}
	options := bridges.AIOptions{Knowledge: known, Log: log}
	if s.topics != nil {
		options.Topics, options.Acts = s.topics, s.actions
	}
	own := bridges.NewAI(s.Engine, options)
	s.runPart(own.Run)
	return own
}

// runMail makes the e-mails to visitors, which are sent while the test runs.
func (s *site) runMail(tokens *oauth.Tokens, log *slog.Logger) *bridges.Mail {
	box := bridges.NewMailbox(s.Engine, bridges.MailboxOptions{Threads: s.ring.MailThreads(), Keys: server.MailLinksBy(s.ring, mailBase).Key, Log: log})
	own := bridges.NewMail(s.Engine, bridges.MailOptions{Links: server.MailLinksBy(s.ring, mailBase), Threads: s.ring.MailThreads(), Tokens: tokens, Mailbox: box, Files: s.ring.Links(mailBase), Base: mailBase, DNS: mailtest.Zone{}, Log: log})
	s.runPart(own.Run)
	return own
}

// mailBase is relay's address in e-mails.
const mailBase = "https://chat.example.com"

// runPart runs a part of relay until the test ends.
func (s *site) runPart(part func(context.Context) error) {
	ctx, cancel := contextOf(s.t)
	ended := make(chan error, 1)
	go func() { ended <- part(ctx) }()
	s.t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			s.t.Error(err)
		}
	})
}

// answer is what came back.
type answer struct {
	status int
	header http.Header
	body   []byte
}

// get returns a field of a JSON answer by its path: a.get("session.status").
func (a answer) get(path string) any {
	var v any
	if json.Unmarshal(a.body, &v) != nil {
		return nil
	}
	for _, name := range strings.Split(path, ".") {
		object, ok := v.(map[string]any)
		if !ok {
			return nil
		}
		v = object[name]
	}
	return v
}

func (a answer) text(path string) string {
	s, _ := a.get(path).(string)
	return s
}

// call makes a request. body may be nil, a string, which is sent as it is, or
// a value, which is sent as JSON; header is a list of names and values.
func (s *site) call(method, path, key string, body any, header ...string) answer {
	s.t.Helper()
	var reader io.Reader
	switch b := body.(type) {
	case nil:
	case string:
		reader = strings.NewReader(b)
	default:
		data, err := json.Marshal(b)
		if err != nil {
			s.t.Fatal(err)
		}
		reader = bytes.NewReader(data)
	}
	req, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, reader)
	if err != nil {
		s.t.Fatal(err)
	}
	req.Header.Set("Content-Type", "application/json")
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	client := http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
	resp, err := client.Do(req)
	if err != nil {
		s.t.Fatalf("%s %s: %v", method, path, err)
	}
	defer resp.Body.Close()
	data, err := io.ReadAll(resp.Body)
	if err != nil {
		s.t.Fatalf("%s %s: %v", method, path, err)
	}
	return answer{resp.StatusCode, resp.Header, data}
}

// must makes a request that has to succeed.
func (s *site) must(method, path, key string, body any, header ...string) answer {
	s.t.Helper()
	a := s.call(method, path, key, body, header...)
	if a.status != http.StatusOK {
		s.t.Fatalf("%s %s: %d %s", method, path, a.status, a.body)
	}
	return a
}

// refused expects a clear JSON error with a status and a text.
func (s *site) refused(a answer, status int, text string) {
	s.t.Helper()
	if a.status != status || a.header.Get("Content-Type") != "application/json" || !strings.Contains(a.text("error"), text) || a.text("error") == "" {
		s.t.Errorf("answered %d %s %s; want %d with an error about %q", a.status, a.header.Get("Content-Type"), a.body, status, text)
	}
}

type object map[string]any

// open opens a session without a token and returns its id.
func (s *site) open(visitorID string) string {
	s.t.Helper()
	return s.must("POST", "/api/widget/init", publicKey, object{"visitorId": visitorID}).text("sessionId")
}

// say sends a visitor's message and returns its id.
func (s *site) say(sessionID, content string) string {
	s.t.Helper()
	return s.must("POST", "/api/widget/messages", publicKey, object{"sessionId": sessionID, "content": content}).text("id")
}

// frame is one event of a stream.
type frame struct{ event, id, data string }

func (f frame) get(path string) any { return answer{body: []byte(f.data)}.get(path) }

// stream opens a stream and returns a function that waits for its next event.
func (s *site) stream(path, key string, header ...string) (next func() frame) {
	s.t.Helper()
	lines := bufio.NewScanner(s.body(path, key, header...))
	return func() frame {
		s.t.Helper()
		f, err := readFrame(lines)
		if err != nil {
			s.t.Fatalf("stream: %v", err)
		}
		return f
	}
}

// body opens a stream.
func (s *site) body(path, key string, header ...string) io.Reader {
	s.t.Helper()
	ctx, cancel := context.WithTimeout(s.t.Context(), time.Minute)
	s.t.Cleanup(cancel)
	req, err := http.NewRequestWithContext(ctx, "GET", s.url+path, nil)
	if err != nil {
		s.t.Fatal(err)
	}
	if key != "" {
		req.Header.Set("Authorization", "Bearer "+key)
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = resp.Body.Close() })
	if resp.StatusCode != http.StatusOK || resp.Header.Get("Content-Type") != "text/event-stream" {
		s.t.Fatalf("stream answered %d %s", resp.StatusCode, resp.Header.Get("Content-Type"))
	}
	return resp.Body
}

func readFrame(lines *bufio.Scanner) (f frame, err error) {
	for lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ": ")
		switch name {
		case "event":
			f.event = value
		case "id":
			f.id = value
		case "data":
			f.data = value
		case "":
			if value == "" && f.data != "" {
				return f, nil
			}
		}
	}
	return f, fmt.Errorf("ended: %v", lines.Err())
}

// TestLevelsOfNetHTTPLogLines: faults of relay, and connections that cannot be
// accepted, are logged as errors, the latter with the fix.
func TestLevelsOfNetHTTPLogLines(t *testing.T) {
	s := newSite(t, dbtest.Memory(t))
	complaints := s.server.HTTPServer().ErrorLog
	complaints.Print("http: TLS handshake error from 192.0.2.1:4711: EOF")
	complaints.Print("http: panic serving 192.0.2.1:4711: index out of range")
	for range 3 {
		complaints.Print("http: Accept error: accept tcp [::]:3000: accept4: too many open files; retrying in 5ms")
	}
	if got := s.logs.String(); strings.Contains(got, "TLS") || strings.Count(got, "level=ERROR") != 2 || !strings.Contains(got, "panic serving") || !strings.Contains(got, "ulimit -n") {
		t.Errorf("the log has %q", got)
	}
}
