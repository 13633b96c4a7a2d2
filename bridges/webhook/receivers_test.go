package webhook

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"fmt"
	"io"
	"log/slog"
	"math/big"
	"net"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

const secret = "a secret of the receiver"

// A test sends 500 events.
const (
	conversations = 100
	messages      = 4 // in each, behind the event of the new session
	events        = conversations * (messages + 1)
)

// fixture is an engine whose only sink is the webhook.
type fixture struct {
	*engine.Engine
	store *db.DB
	mu    sync.Mutex
	off   bool
}

// build makes a fixture with 500 events in it, and serves the webhook until the
// returned function is called.
func build(t *testing.T, net *network) (h *fixture, stop func()) {
	t.Helper()
	store, err := db.Memory(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	h = &fixture{store: store}
	h.Engine, err = engine.Open(t.Context(), engine.Config{Store: store, Log: slog.New(slog.DiscardHandler),
		Targets: func(*chat.Settings) []chat.Target {
			return []chat.Target{{Name: chat.WebhookSink, Kind: chat.TargetWebhook}}
		}})
	if err != nil {
		t.Fatal(err)
	}
	sink := New(Options{Retries: net.retries, Version: "test",
		Sites: oneSite, Target: func(string) (Target, bool) {
			h.mu.Lock()
			defer h.mu.Unlock()
			return Target{URL: net.url(), Secret: secret, Prefix: "X-Service", Trusted: true}, !h.off
		},
		Gone: func(context.Context, string) { h.switchTo(false) }})
	transport := sink.trusted
	transport.DialContext = net.dial
	h.talk(t)
	ctx, cancel := context.WithCancel(context.WithoutCancel(t.Context()))
	done := make(chan error, 1)
	go func() { done <- h.Outbox.Serve(ctx, sink) }()
	return h, func() {
		cancel()
		if err := <-done; err != nil {
			t.Error(err)
		}
		transport.CloseIdleConnections()
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	}
}

func (h *fixture) switchTo(on bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.off = !on
}

// talk lets visitors write.
func (h *fixture) talk(t *testing.T) {
	t.Helper()
	for i := range conversations {
		v, err := h.Init(t.Context(), engine.Visit{VisitorID: fmt.Sprint("visitor-", i)})
		for n := 1; err == nil && n <= messages; n++ {
			_, err = h.Send(t.Context(), chat.Author{Sender: chat.SenderVisitor, Source: chat.SourceWidget},
				engine.Post{SessionID: v.Session.ID, Content: fmt.Sprint(n)})
		}
		if err != nil {
			t.Fatal(err)
		}
	}
}

// states counts the deliveries, and returns the error of a failed one.
func (h *fixture) states(t *testing.T) (count map[string]int, failure string) {
	t.Helper()
	count = map[string]int{}
	err := h.store.Read(t.Context(), func(r chat.Reader) error {
		list, err := r.Deliveries(chat.DeliveryQuery{})
		for _, d := range list {
			count[d.State.String()]++
			failure = max(failure, d.LastError)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return count, failure
}

// TestDeliverEndsItsTurn: what a slow receiver took is soon stored, for a crash
// repeats what is not.
func TestDeliverEndsItsTurn(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		n := newNetwork(t)
		n.heal()
		n.answer = func(conn net.Conn, attempt int) {
			time.Sleep(turn / 2)
			good(conn, attempt)
		}
		sink := n.sink()
		defer sink.trusted.CloseIdleConnections()
		lane := make([]chat.Delivery, 5)
		for i := range lane {
			lane[i].Event = chat.Event{SessionID: "s", Rev: int64(i + 1), Type: chat.EventSessionClosed, Payload: chat.Raw(`{}`)}
		}
		if done, err := sink.Deliver(t.Context(), lane); done != 2 || err != nil {
			t.Errorf("%d were delivered in a turn, %v", done, err)
		}
	})
}

// TestPatience: an attempt is given up after ten seconds and not before.
func TestPatience(t *testing.T) {
	for pause, answered := range map[time.Duration]bool{9900 * time.Millisecond: true, 10100 * time.Millisecond: false} {
		synctest.Test(t, func(t *testing.T) {
			n := newNetwork(t)
			n.answer = func(conn net.Conn, attempt int) {
				time.Sleep(pause)
				good(conn, attempt)
			}
			sink := n.sink()
			defer sink.trusted.CloseIdleConnections()
			began := time.Now()
			if _, err := sink.Test(t.Context(), ""); (err == nil) != answered || time.Since(began) != min(pause, 10*time.Second) {
				t.Errorf("an answer after %s: %v after %s", pause, err, time.Since(began))
			}
			time.Sleep(time.Second) // the receiver ends, too
		})
	}
}

// TestBadReceivers lets 500 events meet each kind of bad receiver for five
// days. What cannot arrive is listed as failed; once the receiver is well, it
// is sent again and everything has arrived, in order.
func TestBadReceivers(t *testing.T) {
	for _, tt := range []struct {
		name    string
		make    func(n *network)
		failed  int
		failure string
	}{
		{"refuses connections", func(n *network) { n.refuses = true }, events, "the receiver refuses connections"},
		{"accepts and never answers", func(n *network) { n.answer = silent }, events, "the receiver did not answer within 10 seconds"},
		{"answers one byte a second", func(n *network) { n.answer = dribble }, events, "the receiver did not answer within 10 seconds"},
		{"hangs up", func(n *network) { n.answer = func(conn net.Conn, _ int) { conn.Close() } }, events, "the receiver closed the connection without an answer"},
		{"redirects to a metadata address", func(n *network) {
			n.answer = says("302 Found", "Location: http://169.254.169.254/latest/meta-data/\r\n")
		}, events, "the receiver answered 302 Found"},
		{"answers 500 with 10 GB", func(n *network) { n.answer = flood("500 Internal Server Error") }, events,
			"the receiver answered 500 Internal Server Error: " + strings.Repeat("x", 1<<10)},
		{"answers 200 with 10 GB", func(n *network) { n.answer, n.takes = flood("200 OK"), everything }, 0, ""},
		{"has a bad certificate", func(n *network) { n.cert, n.retries = untrusted(t), 2 }, events, "the receiver's certificate is not accepted: x509: "},
		{"answers 410", func(n *network) { n.answer = says("410 Gone") }, events, "the webhook is switched off"},
		{"answers 500, then 200", func(n *network) {
			n.takes = func(attempt int) bool { return attempt > 1 }
			n.answer = func(conn net.Conn, attempt int) {
				if attempt == 1 {
					says("500 Internal Server Error")(conn, attempt)
				} else {
					good(conn, attempt)
				}
			}
		}, 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				n := newNetwork(t)
				tt.make(n)
				h, stop := build(t, n)
				defer stop()
				time.Sleep(5 * 24 * time.Hour)
				count, failure := h.states(t)
				if count["failed"] != tt.failed || count["done"] != events-tt.failed || !strings.HasPrefix(failure, tt.failure) {
					t.Fatalf("deliveries are %v, want %d failed because %q, not %q", count, tt.failed, tt.failure, failure)
				}
				if tt.failed > 0 {
					n.sendAgain(h)
				}
				n.check(h)
			})
		})
	}
}

// silent reads on and says nothing.
func silent(conn net.Conn, _ int) { _, _ = io.Copy(io.Discard, conn) }

// dribble writes an answer one byte a second.
func dribble(conn net.Conn, _ int) {
	for _, b := range []byte("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n") {
		if _, err := conn.Write([]byte{b}); err != nil {
			return
		}
		time.Sleep(time.Second)
	}
}

// flood answers with a body of 10 GB.
func flood(status string) func(net.Conn, int) {
	text := []byte(strings.Repeat("x", 1<<15))
	return func(conn net.Conn, _ int) {
		_, err := fmt.Fprintf(conn, "HTTP/1.1 %s\r\nContent-Length: %d\r\n\r\n", status, 10<<30)
		for err == nil {
			_, err = conn.Write(text)
		}
	}
}

// untrusted makes a certificate that nobody has signed.
func untrusted(t *testing.T) tls.Certificate {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{SerialNumber: big.NewInt(1), DNSNames: []string{"receiver.example"}, NotAfter: time.Now().Add(time.Hour * 24 * 365)}
	der, err := x509.CreateCertificate(rand.Reader, template, template, key.Public(), key)
	if err != nil {
		t.Fatal(err)
	}
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}
}

// sendAgain heals the receiver, switches the webhook on and sends again all
// that failed.
func (n *network) sendAgain(h *fixture) {
	n.t.Helper()
	if !strings.HasPrefix(n.dialled[0], "receiver.example:") || len(n.dialled) != 1 {
		n.t.Errorf("these were dialled: %v", n.dialled)
	}
	n.heal()
	h.switchTo(true)
	count, next, err := h.Outbox.RetryFailed(n.t.Context(), chat.WebhookSink, chat.Cursor{})
	if count != events || next != nil || err != nil {
		n.t.Errorf("%d are sent again, next %v, %v", count, next, err)
	}
	time.Sleep(time.Minute)
}

// check holds what arrived to what was said.
func (n *network) check(h *fixture) {
	n.t.Helper()
	count, _ := h.states(n.t)
	n.mu.Lock() // connections may still be closing
	defer n.mu.Unlock()
	if count["done"] != events || len(n.ids) != events || len(n.taken) != conversations {
		n.t.Errorf("deliveries are %v; %d events of %d sessions arrived", count, len(n.ids), len(n.taken))
	}
	for id, numbers := range n.taken {
		if !slices.Equal(numbers, []int{0, 1, 2, 3, 4}) {
			n.t.Errorf("in session %s came %v", id, numbers)
		}
	}
	if n.longest > 64<<10 {
		n.t.Errorf("%d bytes of one answer were read", n.longest)
	}
}
