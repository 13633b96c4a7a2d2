package server_test

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"flag"
	"io"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/config"
	"github.com/relay-chat/relay/server/engine"
)

var update = flag.Bool("update", false, "write the golden files")

const webhookSecret = "a secret of the receiver"

// post is a request that a receiver got.
type post struct {
	method string
	header http.Header
	body   []byte
}

// receiver is a receiver of webhooks that answers what the test wants.
func receiver(t *testing.T, answer http.HandlerFunc) (url string, posts chan post) {
	posts = make(chan post, 1000)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		posts <- post{r.Method, r.Header.Clone(), body}
		if answer != nil {
			answer(w, r)
		}
	}))
	t.Cleanup(srv.Close)
	return srv.URL, posts
}

// webhookTo sets the receiver by environment, where it may be on this machine.
func webhookTo(url string) func(*config.Config) {
	return func(c *config.Config) {
		c.WebhookRetries = 9
		c.Settings = map[string]chat.Raw{"eventsWebhookUrl": chat.Raw(`"` + url + `"`), "eventsWebhookSecret": chat.Raw(`"` + webhookSecret + `"`)}
	}
}

// serve delivers the webhook's events until the end of the test.
func (s *site) serveWebhook() {
	ctx, stop := contextOf(s.t)
	done := make(chan error, 1)
	go func() {
		done <- s.webhook.Run(ctx)
	}()
	s.t.Cleanup(func() {
		stop()
		if err := <-done; err != nil {
			s.t.Error(err)
		}
	})
}

func (p post) verify(t *testing.T) {
	t.Helper()
	mac := hmac.New(sha256.New, []byte(webhookSecret))
	mac.Write(p.body)
	if want := "sha256=" + hex.EncodeToString(mac.Sum(nil)); p.header.Get("X-Service-Signature") != want {
		t.Errorf("X-Service-Signature is %s, want %s", p.header.Get("X-Service-Signature"), want)
	}
	verifier, err := standardwebhooks.NewWebhookRaw([]byte(webhookSecret))
	if err != nil {
		t.Fatal(err)
	}
	if err := verifier.Verify(p.body, p.header); err != nil {
		t.Errorf("Standard Webhooks: %v", err)
	}
	if p.method != "POST" || p.header.Get("Content-Type") != "application/json" || !strings.HasPrefix(p.header.Get("User-Agent"), "relay/") {
		t.Errorf("method %s, headers: %v", p.method, p.header)
	}
	if err := checkPosted(p.header.Get("X-Service-Event"), p.body); err != nil {
		t.Errorf("%s\nis not as openapi.yaml says: %s", p.body, brief(err))
	}
}

// leave lets the time be over in which a visitor who left may come back.
func (s *site) leave(id string) {
	s.t.Helper()
	var lane []chat.Delivery
	err := s.store.Read(s.t.Context(), func(r chat.Reader) (err error) {
		lane, err = r.Lane(chat.LeaveSink, id, 1)
		return err
	})
	if err != nil || len(lane) != 1 {
		s.t.Fatalf("%d leaves are announced, %v", len(lane), err)
	}
	if done, err := s.Leaver().Deliver(s.t.Context(), lane); done != 1 {
		s.t.Fatal(err)
	}
}

// TestWebhookJudgesAnswers: what each answer of a receiver means for a delivery.
func TestWebhookJudgesAnswers(t *testing.T) {
	var asked *chat.RetryAfter
	for _, tt := range []struct {
		name    string
		answer  http.HandlerFunc
		done    int
		isError func(error) bool
	}{
		{"200", nil, 1, nil},
		{"204", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(204) }, 1, nil},
		{"299", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(299) }, 1, nil},
		{"300", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(300) }, 0, func(err error) bool { return strings.Contains(err.Error(), "300") }},
		{"500", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }, 0, func(err error) bool { return strings.Contains(err.Error(), "500") }},
		{"404", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(404) }, 0, func(err error) bool { return !errors.Is(err, chat.ErrPermanent) }},
		{"a redirect is not followed", func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "http://169.254.169.254/latest/meta-data", http.StatusFound)
		}, 0, func(err error) bool { return strings.Contains(err.Error(), "302") }},
		{"429 with Retry-After", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "7")
			w.WriteHeader(429)
		}, 0, func(err error) bool { return errors.As(err, &asked) && asked.After == 7*time.Second }},
		{"503 with a date far ahead as Retry-After", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", time.Now().Add(3*time.Hour).UTC().Format(http.TimeFormat))
			w.WriteHeader(503)
		}, 0, func(err error) bool { return errors.As(err, &asked) && asked.After == time.Hour }},
		{"503 with a date that is past", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Retry-After", "Sat, 31 Jan 2026 12:00:00 GMT")
			w.WriteHeader(503)
		}, 0, func(err error) bool { return !errors.As(err, new(*chat.RetryAfter)) }},
		{"500 with an odd body", func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(500)
			_, _ = io.WriteString(w, "out of\x00 \x1b[31mpaper\n\xff"+strings.Repeat("x", 5000))
		}, 0, func(err error) bool {
			return strings.HasPrefix(err.Error(), "the receiver answered 500 Internal Server Error: out of [31mpaper xxx") && len(err.Error()) < 1200
		}},
		{"410 ends it", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(410) }, 0, func(err error) bool { return errors.Is(err, chat.ErrPermanent) }},
		{"an answer of 10 GB", func(w http.ResponseWriter, r *http.Request) {
			for chunk := make([]byte, 1<<16); r.Context().Err() == nil; {
				if _, err := w.Write(chunk); err != nil {
					return
				}
			}
		}, 1, nil},
		{"a body that breaks off", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			_, _ = io.WriteString(w, "half of it")
		}, 1, nil},
		{"a body that never ends", func(w http.ResponseWriter, r *http.Request) {
			w.WriteHeader(200)
			_ = http.NewResponseController(w).Flush()
			<-r.Context().Done()
		}, 1, nil},
		{"500 with a body that breaks off", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			w.WriteHeader(500)
		}, 0, func(err error) bool { return strings.Contains(err.Error(), "500") }},
	} {
		t.Run(tt.name, func(t *testing.T) {
			url, _ := receiver(t, tt.answer)
			s := newSite(t, dbtest.Memory(t), webhookTo(url))
			lane := s.oneDelivery()
			done, err := s.webhook.Deliver(t.Context(), lane)
			if tries := lane[0].Tries; len(tries) != 1 || tries[0].Status < 200 || tries[0].At == 0 || (tries[0].Error == "") != (err == nil) {
				t.Errorf("the attempt is noted as %+v", tries)
			}
			if done != tt.done || (err == nil) != (tt.isError == nil) || (err != nil && !tt.isError(err)) {
				t.Errorf("done %d, %v", done, err)
			}
			if err != nil && strings.Contains(err.Error(), url) {
				t.Errorf("the error shows the receiver's address, which may hold a secret: %v", err)
			}
			on := s.must("GET", "/api/admin/settings", secretKey, nil).get("eventsWebhookEnabled")
			if on != !strings.HasPrefix(tt.name, "410") {
				t.Errorf("eventsWebhookEnabled is %v", on)
			}
		})
	}
}

// TestWebhookPostsOnce: without retries every event is posted once, whatever the
// receiver asks for.
func TestWebhookPostsOnce(t *testing.T) {
	url, _ := receiver(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", "1")
		w.WriteHeader(503)
	})
	s := newSite(t, dbtest.Memory(t), webhookTo(url), func(c *config.Config) { c.WebhookRetries = 0 })
	if _, err := s.webhook.Deliver(t.Context(), s.oneDelivery()); err == nil || errors.As(err, new(*chat.RetryAfter)) || s.webhook.Policy().Attempts != 1 {
		t.Errorf("it would be sent again: %v", err)
	}
}

// patient is a receiver that asks for patience until it is well.
func patient(well *atomic.Bool) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		if !well.Load() {
			w.Header().Set("Retry-After", "3000")
			w.WriteHeader(503)
		}
	}
}

// TestWebhookToAnotherReceiver: what waits because the receiver before asked for
// it goes to the next one at once.
func TestWebhookToAnotherReceiver(t *testing.T) {
	first, posts := receiver(t, patient(new(atomic.Bool)))
	second, taken := receiver(t, nil)
	s := newSite(t, dbtest.Memory(t), webhookTo(first), func(c *config.Config) {
		c.WebhookAllowCIDRs = []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}
	})
	s.serveWebhook()
	id := s.open("v")
	s.say(id, "hi")
	arrived(t, posts)
	eventually(t, "the receiver asks for patience", func() bool { return s.head(id)[0].LastError != "" })
	s.say(s.open("w"), "hi") // waits, too
	s.must("PATCH", "/api/admin/settings", secretKey, object{"eventsWebhookUrl": second})
	for range 4 {
		arrived(t, taken)
	}
}

// shaky is a store that is away at the next read.
type shaky struct {
	chat.Store
	away atomic.Bool
}

func (s *shaky) ReadOne(ctx context.Context, op func(chat.Reader) error) error {
	if s.away.Swap(false) {
		return chat.ErrAway
	}
	return s.Store.ReadOne(ctx, op)
}

// TestWebhookToAnotherReceiverWhileAway: what waits goes to the next receiver at
// once also when the database was away just then.
func TestWebhookToAnotherReceiverWhileAway(t *testing.T) {
	first, posts := receiver(t, patient(new(atomic.Bool)))
	second, taken := receiver(t, nil)
	cfg := config.Config{WebhookAllowCIDRs: []netip.Prefix{netip.MustParsePrefix("127.0.0.0/8")}}
	webhookTo(first)(&cfg)
	s := newSite(t, dbtest.Memory(t), webhookTo(first), func(c *config.Config) { c.WebhookAllowCIDRs = cfg.WebhookAllowCIDRs })
	id := s.open("v")
	s.say(id, "hi")
	store := &shaky{Store: s.store}
	other, err := engine.Open(t.Context(), engine.Config{Store: store, Log: discard})
	if err != nil {
		t.Fatal(err)
	}
	engine := *s.Engine
	engine.Outbox = other.Outbox
	s.webhook = newWebhook(cfg, &engine, s.ring.Links(""), discard)
	s.serveWebhook()
	arrived(t, posts)
	eventually(t, "the receiver asks for patience", func() bool { return s.head(id)[0].LastError != "" })
	store.away.Store(true)
	s.must("PATCH", "/api/admin/settings", secretKey, object{"eventsWebhookUrl": second})
	arrived(t, taken)
}

// TestWebhookSentAgainInAPause: people may know that the receiver is well before
// the time is over for which it asked for patience.
func TestWebhookSentAgainInAPause(t *testing.T) {
	var well atomic.Bool
	url, posts := receiver(t, patient(&well))
	s := newSite(t, dbtest.Memory(t), webhookTo(url))
	s.serveWebhook()
	id := s.open("v")
	s.say(id, "hi")
	arrived(t, posts)
	eventually(t, "the receiver asks for patience", func() bool { return s.head(id)[0].LastError != "" })
	well.Store(true)
	d := s.head(id)[0]
	s.must("POST", "/api/admin/deliveries/"+d.ID()+"/retry", secretKey, nil)
	for range 2 {
		arrived(t, posts)
	}
}

// TestWebhookWithAPassword: a name and a password in the address are brought as
// browsers do.
func TestWebhookWithAPassword(t *testing.T) {
	url, posts := receiver(t, nil)
	s := newSite(t, dbtest.Memory(t), webhookTo(strings.Replace(url, "//", "//ada:se%20cret@", 1)))
	if a, err := s.webhook.Test(t.Context(), ""); err != nil || a.Status != 200 {
		t.Fatalf("%+v, %v", a, err)
	}
	p := <-posts
	p.verify(t)
	r := http.Request{Header: p.header}
	if name, password, _ := r.BasicAuth(); name != "ada" || password != "se cret" {
		t.Errorf("it came as %q with %q", name, password)
	}
}

// oneDelivery writes a message and takes its delivery out of the outbox.
func (s *site) oneDelivery() []chat.Delivery {
	s.t.Helper()
	id := s.open("v")
	s.say(id, "hi")
	return s.head(id)
}

// head is what the webhook is to deliver next of a session.
func (s *site) head(sessionID string) (lane []chat.Delivery) {
	s.t.Helper()
	err := s.store.Read(s.t.Context(), func(r chat.Reader) (err error) {
		lane, err = r.Lane("webhook", sessionID, 1)
		return err
	})
	if err != nil || len(lane) != 1 {
		s.t.Fatalf("%d deliveries, %v", len(lane), err)
	}
	return lane
}

// TestWebhookGuard: addresses that a webhook set through the API never reaches.
func TestWebhookGuard(t *testing.T) {
	url, posts := receiver(t, nil)
	port := url[strings.LastIndex(url, ":"):]
	s := newSite(t, dbtest.Memory(t))
	patch := func(host string) answer {
		return s.call("PATCH", "/api/admin/settings", secretKey, object{"eventsWebhookUrl": "http://" + host + port, "operatorName": host})
	}
	for _, host := range []string{"127.0.0.1", "localhost", "LOCALHOST.", "a.localhost", "[::1]", "[::ffff:127.0.0.1]", "0.0.0.0", "[::]", "169.254.169.254", "[fe80::1]",
		"[fe80::1%25eth0]", "10.0.0.1", "ada:secret@10.0.0.1", "192.168.1.1", "100.100.100.200", "192.0.0.192", "[fd00:ec2::254]", "[::127.0.0.1]", "[64:ff9b::7f00:1]", "[2002:7f00:1::]"} {
		a := patch(host)
		s.refused(a, 400, "eventsWebhookUrl is not allowed: ")
		if strings.Contains(a.text("error"), "secret") {
			t.Errorf("a password is shown: %s", a.body)
		}
	}
	s.refused(patch("10.0.0.1"), 400, "add 10.0.0.1 to WEBHOOK_ALLOW_CIDRS")
	if a := s.must("GET", "/api/admin/settings", secretKey, nil); a.get("eventsWebhookUrl") != nil || a.text("operatorName") != "Support" {
		t.Errorf("a refused PATCH changed something: %s", a.body)
	}
	// Addresses stored before relay checked them, and those that only the dialler sees.
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]", "169.254.169.254", "10.0.0.1", "2130706433", "0177.0.0.1"} {
		address, _ := json.Marshal("http://" + host + port)
		if err := s.PatchSettings(t.Context(), map[string]json.RawMessage{"eventsWebhookUrl": address}); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), 5*time.Second)
		a, err := s.webhook.Test(ctx, "")
		cancel()
		if err == nil {
			t.Errorf("%s was reached: %+v", host, a)
		}
	}
	if len(posts) > 0 {
		t.Errorf("%d requests arrived", len(posts))
	}
	s = newSite(t, dbtest.Memory(t), func(c *config.Config) {
		cfg, _, err := config.Declare(nil).Load(config.Flags{}, []string{"WEBHOOK_ALLOW_CIDRS=127.0.0.0/8,169.254.0.0/16"})
		if err != nil {
			t.Fatal(err)
		}
		c.WebhookAllowCIDRs = cfg.WebhookAllowCIDRs
	})
	s.must("PATCH", "/api/admin/settings", secretKey, object{"eventsWebhookUrl": url})
	if a, err := s.webhook.Test(t.Context(), ""); err != nil || a.Status != 200 {
		t.Errorf("an allowed network: %+v, %v", a, err)
	}
	s.must("PATCH", "/api/admin/settings", secretKey, object{"eventsWebhookUrl": "http://localhost/"})
	s.refused(patch("169.254.169.254"), 400, "never connects")
	s.refused(patch("10.0.0.1"), 400, "WEBHOOK_ALLOW_CIDRS")
	metadata := map[string]json.RawMessage{"eventsWebhookUrl": json.RawMessage(`"http://169.254.169.254/"`)}
	if err := s.PatchSettings(t.Context(), metadata); err != nil {
		t.Fatal(err)
	}
	if a, err := s.webhook.Test(t.Context(), ""); err == nil {
		t.Errorf("metadata was reached although no list may allow it: %+v", a)
	}
	s.must("PATCH", "/api/admin/settings", secretKey, object{"eventsWebhookUrl": nil})
	s.refused(s.call("POST", "/api/admin/webhooks/test", secretKey, nil), 409, "no address")
}

// TestWebhookIsOffWithoutAnAddress: nothing piles up for nobody.
func TestWebhookIsOffWithoutAnAddress(t *testing.T) {
	eachSite(t, func(t *testing.T, s *site) {
		s.say(s.open("v"), "hi")
		if list := s.must("GET", "/api/admin/deliveries", secretKey, nil).get("deliveries").([]any); len(list) != 0 {
			t.Errorf("deliveries: %v", list)
		}
	})
}
