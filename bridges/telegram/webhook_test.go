package telegram_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/telegram"
	"github.com/relay-chat/relay/bridges/telegram/telegramtest"
)

func TestWebhook(t *testing.T) {
	raw := string(bridgetest.Recorded(t, "telegram/updates")["text"])
	for _, c := range []struct {
		name, method, configured, sent, body string
		fail                                 int
		status                               int
		stored                               int
	}{
		{"taken", "POST", secret, secret, raw, 0, 200, 1},
		{"nothing for relay", "POST", secret, secret, string(bridgetest.Recorded(t, "telegram/updates")["none_private"]), 0, 200, 0},
		{"wrong secret", "POST", secret, secret + "x", raw, 0, 401, 0},
		{"no secret sent", "POST", secret, "", raw, 0, 401, 0},
		{"no secret set", "POST", "", "", raw, 0, 503, 0},
		{"not an update", "POST", secret, secret, "<html>", 0, 400, 0},
		{"without a number", "POST", secret, secret, `[]`, 0, 400, 0},
		{"too large", "POST", secret, secret, `{"update_id":1,"x":"` + strings.Repeat("a", 1<<20) + `"}`, 0, 413, 0},
		{"not stored", "POST", secret, secret, raw, 1, 503, 0},
		{"not posted", "GET", secret, secret, "", 0, 405, 0},
		{"unreadable, kept for a human", "POST", secret, secret, `{"update_id":7,"message":"text"}`, 0, 200, 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := telegramtest.NewInBubble(t)
			b, log := makeBridge(t, f, func(cfg *telegram.Config) { cfg.WebhookSecret = c.configured })
			in := &bridgetest.Receiver{Failing: c.fail}
			r := httptest.NewRequest(c.method, "/webhooks/telegram", strings.NewReader(c.body))
			if c.sent != "" {
				r.Header.Set("X-Telegram-Bot-Api-Secret-Token", c.sent)
			}
			w := httptest.NewRecorder()
			b.Webhook(in).ServeHTTP(w, r)
			if w.Code != c.status || len(in.Updates) != c.stored {
				t.Errorf("answered %d and stored %d: %s", w.Code, len(in.Updates), w.Body)
			}
			if c.status == http.StatusOK && w.Body.Len() > 0 {
				t.Errorf("Telegram would read %s", w.Body)
			}
			if c.status != http.StatusOK && (w.Header().Get("Content-Type") != "application/json" || !strings.HasPrefix(w.Body.String(), `{"error":`)) {
				t.Errorf("the error is %s", w.Body)
			}
			if c.fail > 0 && w.Header().Get("Retry-After") == "" {
				t.Error("the answer does not say when to retry")
			}
			bridgetest.Clean(t, f, log)
		})
	}
}

// Bots number their updates each for itself: those of two bots are two updates.
func TestUpdatesOfTwoBots(t *testing.T) {
	f := telegramtest.NewInBubble(t)
	in := new(bridgetest.Receiver)
	for _, token := range []string{"7:first", "8:second", "8:renewed"} {
		b, _ := makeBridge(t, f, func(cfg *telegram.Config) { cfg.Token, cfg.WebhookSecret = token, secret })
		r := httptest.NewRequest("POST", "/webhooks/telegram", strings.NewReader(string(bridgetest.Recorded(t, "telegram/updates")["text"])))
		r.Header.Set("X-Telegram-Bot-Api-Secret-Token", secret)
		b.Webhook(in).ServeHTTP(httptest.NewRecorder(), r)
	}
	if len(in.Updates) != 2 {
		t.Errorf("%d updates of 2 bots are stored", len(in.Updates))
	}
}
