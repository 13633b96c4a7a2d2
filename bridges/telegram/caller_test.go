package telegram_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/telegram"
	"github.com/relay-chat/relay/bridges/telegram/telegramtest"
	"github.com/relay-chat/relay/server/chat"
)

// The bridge over a real connection: what is sent has a length, files too, and
// polling ends with its context.
func TestOverTheNetwork(t *testing.T) {
	f := telegramtest.New(t)
	b, log := makeBridge(t, f, func(c *telegram.Config) { c.APIURL, c.Transport = f.URL, nil })
	in := new(bridgetest.Receiver)
	stop := bridgetest.Receiving(t, b, in)
	th := open(t, b, "Grace", "")
	bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpPost, Text: "hello"})
	bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpPost, Text: "look", File: bridgetest.File("a.pdf", "application/pdf", strings.Repeat("x", 1<<20))})
	f.Write(th.Ref, "Ada", "one", "")
	until(t, "the answer comes", func() bool { return len(in.Texts(t, b)) == 1 })
	if got := f.Threads()[0].Messages; shown(f.Threads()[0]) != "hello|look|one" || len(got[1].Data) != 1<<20 {
		t.Errorf("shown: %s", shown(f.Threads()[0]))
	}
	if err := stop(); err != nil {
		t.Error(err)
	}
	bridgetest.Clean(t, f, log)
}

// A file that does not have its reported size arrives whole, and only once.
func TestWrongSizes(t *testing.T) {
	f := telegramtest.New(t)
	b, _ := makeBridge(t, f, func(c *telegram.Config) { c.APIURL, c.Transport = f.URL, nil })
	th := open(t, b, "Grace", "")
	content := strings.Repeat("x", 300<<10)
	for i, reported := range []int{len(content), 0, 1, 1 << 10, len(content) - 1, len(content) + 1, 1 << 20} {
		file := bridgetest.File("a.txt", "text/plain", content)
		file.Size = int64(reported)
		bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpPost, File: file})
		if got := f.Threads()[0].Messages; len(got) != i+1 || string(got[i].Data) != content {
			t.Errorf("reported as %d: %d files, the last of %d bytes", reported, len(got), len(got[len(got)-1].Data))
		}
	}
	for _, v := range f.Violations() {
		if !strings.Contains(v, "multipart") && !strings.Contains(v, "EOF") { // of what was broken off
			t.Error(v)
		}
	}
}

// The token is in every address, and in nothing that is returned or logged.
func TestTokenIsNeverShown(t *testing.T) {
	hijacked := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		conn, _, err := w.(http.Hijacker).Hijack()
		if err == nil {
			conn.Close()
		}
	}))
	defer hijacked.Close()
	moved := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		http.Redirect(w, r, hijacked.URL+r.URL.Path, http.StatusTemporaryRedirect)
	}))
	defer moved.Close()
	telling := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.WriteHeader(http.StatusBadGateway)
		fmt.Fprintf(w, "<html>cannot reach %s</html>", r.URL.Path)
	}))
	defer telling.Close()
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	nobody := "http://" + closed.Addr().String()
	closed.Close()
	for name, address := range map[string]string{"cut": hijacked.URL, "redirected": moved.URL, "a proxy's page": telling.URL, "nobody there": nobody, "no such host": "http://relay.invalid"} {
		f := telegramtest.NewInBubble(t)
		b, log := makeBridge(t, f, func(c *telegram.Config) { c.APIURL, c.Transport = address, nil })
		ctx, cancel := context.WithCancel(t.Context())
		log.On("cannot be received", cancel)
		errs := []error{b.Run(ctx, new(bridgetest.Receiver))}
		for _, op := range []chat.Op{{Kind: chat.OpOpen, Title: "a"}, {Kind: chat.OpPost, Text: "a"}, {Kind: chat.OpEdit, Remote: "1", Text: "a"},
			{Kind: chat.OpPost, File: bridgetest.File("a", "text/plain", "a")}, {Kind: chat.OpTyping}} {
			_, err := b.Do(t.Context(), chat.Thread{Ref: "3"}, op)
			errs = append(errs, err)
		}
		_, err := b.Fetch(t.Context(), "a")
		errs = append(errs, err)
		for _, finding := range b.Check(t.Context()) {
			errs = append(errs, fmt.Errorf("%+v", finding))
		}
		for _, err := range errs {
			if err != nil && strings.Contains(err.Error(), "AAcanary") {
				t.Errorf("%s: %v", name, err)
			}
		}
		if strings.Contains(log.String(), "AAcanary") {
			t.Errorf("%s: %s", name, log)
		}
	}
}
