package main

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/relay-chat/relay/bridges"
	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
	"github.com/relay-chat/relay/server/engine"
)

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
	keys, err := server.OpenKeyring(t.Context(), store, cfg, deps.Log)
	if err != nil {
		t.Fatal(err)
	}
	if mode == chat.ModeBridge {
		return server.NewBridge(cfg, deps, server.NewBacklog(keys.Links("")), nil)
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
