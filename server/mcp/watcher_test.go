package mcp

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/relay-chat/relay/server/remote"
)

// client connects a client to a server, in memory.
func client(t *testing.T, server *mcp.Server, o *mcp.ClientOptions) *mcp.ClientSession {
	t.Helper()
	here, there := mcp.NewInMemoryTransports()
	if _, err := server.Connect(t.Context(), there, nil); err != nil {
		t.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, o).Connect(t.Context(), here, nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { session.Close() })
	return session
}

// TestChangesAreTold: a client that follows a conversation hears of its changes, also after the
// stream broke off, and of no other conversation.
func TestChangesAreTold(t *testing.T) {
	events, broken := make(chan string), make(chan bool)
	relay := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/api/admin/stream" {
			if strings.HasSuffix(r.URL.Path, "/NONE") {
				w.WriteHeader(http.StatusNotFound)
				_, _ = w.Write([]byte(`{"error":"Session not found"}`))
				return
			}
			_, _ = w.Write([]byte(`{"id":"S1"}`))
			return
		}
		for {
			select {
			case <-r.Context().Done():
				return
			case <-broken:
				return
			case data := <-events:
				_, _ = fmt.Fprintf(w, "event: x\ndata: %s\n\n", data)
				w.(http.Flusher).Flush()
			}
		}
	}))
	defer relay.Close()
	o := Options{API: &remote.API{Base: relay.URL, Client: remote.WithKey("rk_x", time.Minute)}, Version: "1"}
	o.watcher = newWatcher(o.API)
	o.watcher.server = newAll(o)
	ctx, stop := context.WithCancel(t.Context())
	ran := make(chan struct{})
	go func() { defer close(ran); o.watcher.run(ctx) }()
	defer func() { stop(); <-ran }()
	told := make(chan string, 9)
	c := client(t, o.watcher.server, &mcp.ClientOptions{ResourceUpdatedHandler: func(_ context.Context, r *mcp.ResourceUpdatedNotificationRequest) { told <- r.Params.URI }})
	for _, wrong := range []string{"relay://conversation/NONE", "file:///etc/passwd"} {
		if err := o.watcher.subscribe(t.Context(), &mcp.SubscribeRequest{Params: &mcp.SubscribeParams{URI: wrong}}); err == nil {
			t.Errorf("%s is followed", wrong)
		}
	}
	if err := c.Subscribe(t.Context(), &mcp.SubscribeParams{URI: "relay://conversation/S1"}); err != nil {
		t.Fatal(err)
	}
	hears := func(what string) {
		t.Helper()
		select {
		case uri := <-told:
			if uri != "relay://conversation/S1" {
				t.Errorf("%s: it hears of %s", what, uri)
			}
		case <-time.After(20 * time.Second):
			t.Fatalf("%s: it hears nothing", what)
		}
	}
	events <- `{"type":"message","sessionId":"S2"}`
	events <- `{"type":"typing","sessionId":"S1"}`
	events <- `no JSON`
	events <- `{"type":"message","sessionId":"S1"}`
	hears("a message")
	events <- `{"type":"resync"}`
	hears("a resync")
	broken <- true
	hears("after a gap")
	if len(told) > 0 {
		t.Errorf("it also hears of %s", <-told)
	}
}

// TestProgress: who asks for it hears that a long tool is still at work; what is called off ends.
func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := newService(Options{Version: "1", lasting: true}, "")
		ended := make(chan error, 1)
		add(s, reads, "long", "Long", "Takes long.", func(ctx context.Context, _ *remote.API, _ nothing) (doneOut, error) {
			select {
			case <-ctx.Done():
				ended <- ctx.Err()
			case <-time.After(12 * time.Second):
			}
			return doneOut{true}, ctx.Err()
		})
		var heard []float64
		c := client(t, s.server, &mcp.ClientOptions{ProgressNotificationHandler: func(_ context.Context, r *mcp.ProgressNotificationClientRequest) {
			heard = append(heard, r.Params.Progress)
		}})
		params := &mcp.CallToolParams{Name: "long"}
		params.SetProgressToken("p1")
		if result, err := c.CallTool(t.Context(), params); err != nil || result.IsError {
			t.Fatalf("it says %v, %v", result, err)
		}
		synctest.Wait()
		if len(heard) != 2 || heard[1] < 10 {
			t.Errorf("its progress is %v", heard)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if _, err := c.CallTool(ctx, &mcp.CallToolParams{Name: "long"}); err == nil {
			t.Error("what was called off has a result")
		}
		if err := <-ended; err == nil {
			t.Error("what was called off goes on")
		}
		c.Close()
	})
}
