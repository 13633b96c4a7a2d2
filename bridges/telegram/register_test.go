package telegram_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/telegram"
	"github.com/relay-chat/relay/bridges/telegram/telegramtest"
)

// The way of receiving depends on the settings and on what Telegram has registered, and
// changes without manual work.
func TestReceptionFollowsSettings(t *testing.T) {
	const public = "https://chat.example.com/api/webhooks/telegram"
	for _, c := range []struct {
		name, registered, public, secret string
		want                             string // the registered address afterwards
	}{
		{"nothing set", "", "", "", ""},
		{"a webhook of another program", "https://old.example.com/hook", "", "", ""},
		{"ours, kept", "https://old.example.com/webhooks/telegram", public, secret, "https://old.example.com/webhooks/telegram"},
		{"ours without a public address, kept", public, "", secret, public},
		{"ours without a secret", public, public, "", ""},
		{"registered by relay", "", public, secret, public},
		{"registered again", public, public, secret, public},
		{"another program's, taken over", "https://old.example.com/hook", public, secret, public},
		{"without HTTPS", "", "http://localhost:3000/webhooks/telegram", secret, ""},
		{"an odd port", "", "https://chat.example.com:3000/webhooks/telegram", secret, ""},
		{"refused by Telegram", "", "https://x/unresolvable/webhooks/telegram", secret, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := telegramtest.NewInBubble(t)
				f.SetWebhook(c.registered, "")
				b, log := makeBridge(t, f, func(cfg *telegram.Config) { cfg.PublicURL, cfg.WebhookSecret = c.public, c.secret })
				in := new(bridgetest.Receiver)
				f.PushTo(b.Webhook(in))
				stop := bridgetest.Receiving(t, b, in)
				bridgetest.Settled(time.Second)
				if got := f.Webhook(); got != c.want {
					t.Errorf("registered is %q, want %q", got, c.want)
				}
				if c.want == "" || c.want == c.public { // one of another's secret cannot be pushed to
					th := open(t, b, "Grace", "").Ref
					f.Write(th, "Ada", "one", "")
					bridgetest.Settled(time.Second)
					if got := in.Texts(t, b); !slices.Equal(got, []string{"one"}) && c.registered != public {
						t.Errorf("stored %v", got)
					}
				}
				if err := stop(); err != nil {
					t.Error(err)
				}
				bridgetest.Clean(t, f, log)
			})
		})
	}
}

// A webhook that another program sets in the middle is replaced.
func TestWebhookSetByAnother(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := telegramtest.NewInBubble(t)
		b, _ := makeBridge(t, f)
		in := new(bridgetest.Receiver)
		bridgetest.Receiving(t, b, in)
		th := open(t, b, "Grace", "")
		bridgetest.Settled(time.Second)
		f.SetWebhook("https://old.example.com/hook", "")
		f.Write(th.Ref, "Ada", "one", "")
		bridgetest.Settled(time.Minute)
		if got := in.Texts(t, b); !slices.Equal(got, []string{"one"}) || f.Webhook() != "" {
			t.Errorf("stored %v, webhook %q", got, f.Webhook())
		}
	})
}

// A program that takes the webhook back again and again is reported once, as long
// as it goes on, and is not fought by the second.
func TestWebhookSetAgainAndAgain(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := telegramtest.NewInBubble(t)
		b, log := makeBridge(t, f)
		bridgetest.Receiving(t, b, new(bridgetest.Receiver))
		for range 600 {
			bridgetest.Settled(time.Second)
			f.SetWebhook("https://old.example.com/hook", "")
		}
		if got := bridgetest.Wrong(t, b); !strings.Contains(got, "another program sets a webhook") {
			t.Errorf("reported %q", got)
		}
		if n, m := strings.Count(log.String(), "level=WARN"), len(f.Requests("deleteWebhook")); n != 1 || m > 40 {
			t.Errorf("logged %d times, taken back %d times", n, m)
		}
		bridgetest.Settled(4 * time.Minute)
		if got := bridgetest.Wrong(t, b); got != "" {
			t.Errorf("reported %q, though it has ended", got)
		}
	})
}
