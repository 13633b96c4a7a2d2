package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"os"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/relay-chat/relay/bridges"
	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server"
	"github.com/relay-chat/relay/server/backlog"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
	"github.com/relay-chat/relay/server/engine"
	"github.com/relay-chat/relay/server/keyring"
)

// TestMain lets the tests' program be the reader of documents, as relay is.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == readDocument || os.Args[1] == readMail) {
		os.Exit(run(context.Background(), os.Args[1:], nil, os.Stdout, os.Stderr))
	}
	os.Exit(m.Run())
}

// runCommand runs a command to its end.
func runCommand(t *testing.T, environ []string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, err bytes.Buffer
	code = run(t.Context(), args, environ, &out, &err)
	return code, out.String(), err.String()
}

func TestWrongCommandLines(t *testing.T) {
	t.Chdir(t.TempDir())
	for line, want := range map[string][]string{
		"sevre":                    {`no command "sevre"`, "relay help"},
		"serve now":                {`no command "serve now"`},
		"backup":                   {`no command "backup"`, "relay backup FILE"},
		"backup a b":               {`no command "backup a b"`},
		"backup ":                  {`no command "backup "`, "relay backup FILE"}, // an empty variable of a script
		"keys rotate both":         {`no command "keys rotate both"`},
		"keys list --end-keys":     {"--end-keys is a flag of relay keys rotate secret"},
		"--port=x --log-level=y":   {"2 mistakes", "PORT", "LOG_LEVEL", "for example: PORT=8080"},
		"keys --prot 1 --hosts=x":  {"2 mistakes", "did you mean --port?", "did you mean --host?"},
		"serve --env-file=no.file": {"--env-file cannot be read"},
	} {
		if code, _, stderr := runCommand(t, nil, strings.Split(line, " ")...); code != 2 || !containsAll(stderr, want...) {
			t.Errorf("relay %s answers %d: %s", line, code, stderr)
		}
	}
}

func TestHelp(t *testing.T) {
	for _, args := range [][]string{{"help"}, {"--help"}, {"keys", "-h"}} {
		code, stdout, _ := runCommand(t, nil, args...)
		if code != 0 || !containsAll(stdout, "serve", "keys", "backup", "restore", "migrate", "version", "healthcheck", "--env-file", "help settings") {
			t.Errorf("%q answers %d:\n%s", args, code, stdout)
		}
	}
	if _, stdout, _ := runCommand(t, nil, "help", "settings"); stdout != settingsReference {
		t.Errorf("help settings:\n%s", stdout)
	}
	for _, tt := range []struct {
		line string
		want []string
	}{
		{"help doctor", []string{"Usage:\n  relay doctor ", "explain how to fix", "--database-url", "--public-url", "--env-file", "Example:\n  relay doctor "}},
		{"doctor --help", []string{"Usage:\n  relay doctor "}},
		{"serve --help", []string{"Usage:\n  relay serve ", "--port", "--public-url", "for example 8080", "Example:\n  relay serve "}},
		{"bridge -h", []string{"relay bridge ", "--api-key", "--events-webhook-url", "Example:\n  relay bridge "}},
		{"keys --help", []string{"relay keys show", "relay keys rotate public", "relay keys rotate secret", "--database-url", "Example:\n  relay keys"}},
		{"help keys rotate", []string{"Usage:\n  relay keys rotate public"}},
		{"help backup", []string{"relay backup FILE", "Example:\n  relay backup "}},
		{"backup copy.db --help", []string{"relay backup FILE"}},
		{"healthcheck --help", []string{"relay healthcheck", "--port", "Example:\n  relay healthcheck"}},
		{"version --help", []string{"Usage:\n  relay version"}},
		{"help help", []string{"relay help [COMMAND]"}},
	} {
		code, stdout, _ := runCommand(t, nil, strings.Fields(tt.line)...)
		if code != 0 || !containsAll(stdout, tt.want...) {
			t.Errorf("relay %s answers %d:\n%s", tt.line, code, stdout)
		}
	}
	for _, c := range table {
		if _, stdout, _ := runCommand(t, nil, append([]string{"help"}, strings.Fields(c.usage)...)...); !containsAll(stdout, "relay "+c.usage, c.help, "Example:\n  relay "+strings.Fields(c.usage)[0]) {
			t.Errorf("help %s:\n%s", c.usage, stdout)
		}
	}
	if code, _, stderr := runCommand(t, nil, "help", "docter"); code != 2 || !containsAll(stderr, `no command "docter"`, "relay help") {
		t.Errorf("help of no command answers %d: %s", code, stderr)
	}
	for _, args := range [][]string{{"version"}, {"--version"}, {"version", "--port=x"}} {
		if code, stdout, _ := runCommand(t, nil, args...); code != 0 || !strings.HasPrefix(stdout, "relay "+version+" (go") {
			t.Errorf("%q answers %d: %s", args, code, stdout)
		}
	}
}

func containsAll(text string, parts ...string) bool {
	for _, part := range parts {
		if !strings.Contains(text, part) {
			return false
		}
	}
	return true
}

// hangingStore stops answering when it is told to, until it is released.
type hangingStore struct {
	chat.Store
	hangs   atomic.Bool
	release chan struct{}
}

func (h *hangingStore) Apply(ctx context.Context, op func(chat.Tx) error) error {
	if h.hangs.Load() {
		<-h.release
	}
	return h.Store.Apply(ctx, op)
}

// hangingSink never answers.
type hangingSink struct {
	began   chan struct{}
	release chan struct{}
	mindful bool // of the end of its context
}

func (h *hangingSink) Name() string { return "bridge" }
func (h *hangingSink) Policy() chat.Policy {
	return chat.Policy{Parallel: 1, Batch: 1, Timeout: time.Hour, Attempts: 5, MaxAge: time.Hour, Backoff: chat.Backoff(time.Second, time.Second)}
}
func (h *hangingSink) Deliver(ctx context.Context, _ []chat.Delivery) (int, error) {
	close(h.began)
	if h.mindful {
		<-ctx.Done()
		return 0, ctx.Err()
	}
	<-h.release
	return 0, errors.New("too late")
}

// pipes is a listener whose clients come by pipes.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}

func (p *pipes) Close() error   { close(p.closed); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// TestStopHasAnEnd: whatever hangs when relay stops, it ends within 20 seconds,
// and what was under way is stored as unknown if it can be.
func TestStopHasAnEnd(t *testing.T) {
	for _, tt := range []struct {
		name           string
		mindful, hangs bool // the sink, the store
		mode           chat.Mode
	}{
		{"a platform", true, false, ""},
		{"a platform for good", false, false, ""},
		{"the database", true, true, ""},
		{"all", false, true, ""},
		{"all, in bridge mode", false, true, chat.ModeBridge},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				memory, err := db.Memory(t.Context())
				if err != nil {
					t.Fatal(err)
				}
				release := make(chan struct{})
				store := &hangingStore{Store: memory, release: release}
				sink := &hangingSink{make(chan struct{}), release, tt.mindful}
				log := slog.New(slog.DiscardHandler)
				relay, err := engine.Open(t.Context(), engine.Config{Store: store, Volatile: tt.mode == chat.ModeBridge, Log: log,
					Targets: func(*chat.Settings) []chat.Target { return []chat.Target{{Name: "bridge", Kind: chat.TargetBridge}} }})
				if err != nil {
					t.Fatal(err)
				}
				set := bridges.New(relay, bridges.Options{Log: log})
				web := serverOf(t, tt.mode, memory, server.Deps{Engine: relay, Log: log, Bridges: set})
				v, err := relay.Init(t.Context(), engine.Visit{VisitorID: "ann"})
				if err == nil {
					_, err = relay.Send(t.Context(), chat.Author{Sender: chat.SenderVisitor, Source: chat.SourceWidget}, engine.Post{SessionID: v.Session.ID, Content: "hello"})
				}
				if err != nil {
					t.Fatal(err)
				}
				listener := &pipes{make(chan net.Conn), make(chan struct{})}
				ctx, stop := context.WithCancel(t.Context())
				ended := make(chan error, 1)
				go func() {
					ended <- service{relay, set, web, log}.run(ctx, listener, func(ctx context.Context) error { return relay.Outbox.Serve(ctx, sink) },
						func(context.Context) error { <-release; return nil })
				}()
				<-sink.began
				store.hangs.Store(tt.hangs)
				client, conn := net.Pipe()
				listener.conns <- conn
				body := `{"visitorId":"ben"}`
				request, _ := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://localhost/api/widget/init", strings.NewReader(body))
				request.Header.Set("Authorization", "Bearer "+publicKey)
				go func() { _ = request.Write(client); _, _ = io.Copy(io.Discard, client) }()
				synctest.Wait()
				begun := time.Now()
				stop()
				if err := <-ended; err != nil {
					t.Error(err)
				}
				if took := time.Since(begun); took > 18*time.Second {
					t.Errorf("the stop took %s", took)
				}
				if tt.mindful && !tt.hangs {
					d := lastDelivery(t, memory, v.Session.ID)
					if d.State != chat.DeliverySending || d.Attempts != 0 {
						t.Errorf("what was under way is %s after %d attempts", d.State, d.Attempts)
					}
				}
				store.hangs.Store(false)
				close(release)
				_ = client.Close()
				synctest.Wait()
				if err := memory.Close(); err != nil {
					t.Error(err)
				}
			})
		})
	}
}

// publicKey is the widget's key.
const publicKey = "pk_test_0123456789"

// serverOf makes the server of a mode.
func serverOf(t *testing.T, mode chat.Mode, store chat.Store, deps server.Deps) *server.Server {
	t.Helper()
	cfg := config.Config{PublicKey: publicKey, SecretKey: "sk_test_0123456789", Setup: config.SetupLocal, Mode: mode}
	keys, err := keyring.Open(t.Context(), store, cfg, deps.Log)
	if err != nil {
		t.Fatal(err)
	}
	if mode == chat.ModeBridge {
		return server.NewBridge(cfg, deps, backlog.New(keys.Links("")), nil)
	}
	web, err := server.NewCommunity(cfg, deps, keys)
	if err != nil {
		t.Fatal(err)
	}
	return web
}

func lastDelivery(t *testing.T, store chat.Store, sessionID string) (d chat.Delivery) {
	t.Helper()
	err := store.ReadOne(t.Context(), func(r chat.Reader) (err error) {
		d, err = r.Delivery("bridge", sessionID, 1)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return d
}
