package slack_test

import (
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/slack"
	"github.com/relay-chat/relay/bridges/slack/slacktest"
)

// A wrong secret or clock is reported, until Slack's pushes come: what others send
// then means nothing.
func TestWebhookReportsWrongSecret(t *testing.T) {
	f := slacktest.NewInBubble(t)
	b, log := makeBridge(t, f, pushed)
	push := func(at time.Time, change string) {
		r := f.Sign([]byte(`{"type":"url_verification","challenge":"c"}`), at)
		if change != "" {
			r.Header.Set("X-Slack-Signature", "v0="+strings.Repeat(change, 64))
		}
		b.Webhook(new(bridgetest.Receiver)).ServeHTTP(httptest.NewRecorder(), r)
	}
	for range 3 {
		push(time.Now(), "0")
		push(time.Now().Add(-time.Hour), "")
	}
	if got := bridgetest.Wrong(t, b); !strings.Contains(got, "Signing Secret") || !strings.Contains(got, "clock") {
		t.Errorf("reported %q", got)
	}
	if n := strings.Count(log.String(), "level=WARN"); n != 1 {
		t.Errorf("logged %d times", n)
	}
	push(time.Now(), "")
	push(time.Now(), "0")
	if got := bridgetest.Wrong(t, b); got != "" {
		t.Errorf("reported %q, though Slack's pushes come", got)
	}
}

// A push from somebody else does not make the bridge fail for ever where Slack has
// nothing to push.
func TestWebhookWrongSecretExpires(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := slacktest.NewInBubble(t)
		b, _ := makeBridge(t, f, pushed)
		r := f.Sign([]byte(`{"type":"url_verification","challenge":"c"}`), time.Now())
		r.Header.Set("X-Slack-Signature", "v0="+strings.Repeat("0", 64))
		b.Webhook(new(bridgetest.Receiver)).ServeHTTP(httptest.NewRecorder(), r)
		if bridgetest.Wrong(t, b) == "" {
			t.Error("it is not reported")
		}
		bridgetest.Settled(2 * time.Hour)
		if got := bridgetest.Wrong(t, b); got != "" {
			t.Errorf("reported %q", got)
		}
	})
}

func TestWebhook(t *testing.T) {
	raw := string(bridgetest.Recorded(t, "slack/events")["reply"])
	signed := func(f *slacktest.Platform, body string) *http.Request { return f.Sign([]byte(body), time.Now()) }
	for _, c := range []struct {
		name    string
		body    string
		change  func(r *http.Request)
		off     bool // no secret is set
		fail    int
		status  int
		stored  int
		answers string
	}{
		{name: "taken", body: raw, status: 200, stored: 1},
		{name: "nothing for relay", body: string(bridgetest.Recorded(t, "slack/events")["none_root"]), status: 200},
		{name: "asked whether it is there", body: `{"type":"url_verification","challenge":"<c>"}`, status: 200, answers: `"challenge"`},
		{name: "limited", body: `{"type":"app_rate_limited"}`, status: 200},
		{name: "without a secret", body: raw, off: true, status: 503},
		{name: "asked without a secret", body: `{"type":"url_verification","challenge":"c"}`, off: true, status: 503},
		{name: "body changed", body: raw, change: func(r *http.Request) { r.Body = http.NoBody }, status: 401},
		{name: "no signature", body: raw, change: func(r *http.Request) { r.Header.Del("X-Slack-Signature") }, status: 401},
		{name: "half a signature", body: raw, change: func(r *http.Request) { r.Header.Set("X-Slack-Signature", "v0=00") }, status: 401},
		{name: "another version", body: raw, change: func(r *http.Request) {
			r.Header.Set("X-Slack-Signature", strings.Replace(r.Header.Get("X-Slack-Signature"), "v0", "v1", 1))
		}, status: 401},
		{name: "no time", body: raw, change: func(r *http.Request) { r.Header.Del("X-Slack-Request-Timestamp") }, status: 401},
		{name: "an odd time", body: raw, change: func(r *http.Request) { r.Header.Set("X-Slack-Request-Timestamp", "now") }, status: 401},
		{name: "another time", body: raw, change: func(r *http.Request) { r.Header.Set("X-Slack-Request-Timestamp", "1") }, status: 401},
		{name: "not an event", body: "<html>", status: 400},
		{name: "too large", body: `{"x":"` + strings.Repeat("a", 1<<20) + `"}`, status: 413},
		{name: "not stored", body: raw, fail: 1, status: 503},
		{name: "not posted", body: raw, change: func(r *http.Request) { r.Method = http.MethodGet }, status: 405},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := slacktest.NewInBubble(t)
			b, log := makeBridge(t, f, pushed, func(cfg *slack.Config) {
				if c.off {
					cfg.SigningSecret = ""
				}
			})
			in := &bridgetest.Receiver{Failing: c.fail}
			r := signed(f, c.body)
			if c.change != nil {
				c.change(r)
			}
			w := httptest.NewRecorder()
			b.Webhook(in).ServeHTTP(w, r)
			if w.Code != c.status || len(in.Updates) != c.stored || !strings.Contains(w.Body.String(), c.answers) {
				t.Errorf("answered %d and stored %d: %s", w.Code, len(in.Updates), w.Body)
			}
			if c.status != http.StatusOK && (w.Header().Get("Content-Type") != "application/json" || !strings.HasPrefix(w.Body.String(), `{"error":`)) {
				t.Errorf("the error is %s", w.Body)
			}
			bridgetest.Clean(t, f, log)
		})
	}
}

// A request is taken while its time differs by less than five minutes.
func TestSignatureWindow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := slacktest.NewInBubble(t)
		b, _ := makeBridge(t, f, pushed)
		for age, want := range map[time.Duration]int{0: 200, 299 * time.Second: 200, -299 * time.Second: 200, 301 * time.Second: 401, -301 * time.Second: 401, 10 * 365 * 24 * time.Hour: 401} {
			w := httptest.NewRecorder()
			b.Webhook(new(bridgetest.Receiver)).ServeHTTP(w, f.Sign(bridgetest.Recorded(t, "slack/events")["reply"], time.Now().Add(-age)))
			if w.Code != want {
				t.Errorf("%s old: %d", age, w.Code)
			}
		}
	})
}

// An event that was not stored is repeated; in its thread's order it has one
// effect however often it comes.
func TestPushesComeAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := slacktest.NewInBubble(t)
		b, log := makeBridge(t, f, pushed)
		both, _ := makeBridge(t, f)
		in := &bridgetest.Receiver{Failing: 2}
		th := open(t, b, "Grace", "")
		f.PushTo(b.Webhook(in))
		f.Write(th.Ref, "Ada", "one, see https://example.com", "")
		bridgetest.Settled(10 * time.Minute)
		f.Redeliver()
		bridgetest.Settled(time.Second)
		f.PushTo(nil)
		bridgetest.Receiving(t, both, in)
		bridgetest.Settled(time.Second)
		f.Redeliver()
		f.Write(th.Ref, "Ada", "two", "")
		bridgetest.Settled(time.Minute)
		if got := in.Texts(t, b); !slices.Equal(got, []string{"one, see https://example.com", "two"}) || f.Waiting() != 0 || f.Lost() != 0 {
			t.Errorf("stored %q, %d wait, %d are lost", got, f.Waiting(), f.Lost())
		}
		bridgetest.Clean(t, f, log)
	})
}
