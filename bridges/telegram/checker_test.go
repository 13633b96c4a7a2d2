package telegram_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/telegram"
	"github.com/relay-chat/relay/bridges/telegram/telegramtest"
	"github.com/relay-chat/relay/server/chat"
)

// Every fault is found and comes with what a human does about it.
func TestCheck(t *testing.T) {
	for _, c := range []struct {
		name   string
		spoil  func(*telegramtest.Platform)
		change func(*telegram.Config)
		want   string // the levels, and a word of the first that is not well
	}{
		{"all is well", nil, nil, "ok ok ok ok"},
		{"wrong token", nil, func(c *telegram.Config) { c.Token = "7000000001:AAcanary-revoked" }, "fail: does not accept the bot token"},
		{"wrong chat", nil, func(c *telegram.Config) { c.ChatID = "-1005" }, "ok fail: knows no such group"},
		{"no topics", func(f *telegramtest.Platform) { f.SwitchTopics(false) }, nil, "ok fail: topics are off"},
		{"moved", func(f *telegramtest.Platform) { f.Migrate(-1007) }, nil, "ok fail: new id"},
		{"no administrator", func(f *telegramtest.Platform) { f.Demote(true) }, nil, "ok ok fail: not an administrator ok"},
		{"kicked", func(f *telegramtest.Platform) { f.Kick() }, nil, "ok fail: was removed"},
		{"may not delete", func(f *telegramtest.Platform) { f.ForbidDelete() }, nil, "ok ok warn: may not delete ok"},
		{"another's webhook", func(f *telegramtest.Platform) { f.SetWebhook("https://old.example.com/AAcanary", "") }, nil, "ok ok ok warn: old.example.com"},
		{"webhook without secret", func(f *telegramtest.Platform) { f.SetWebhook("https://chat.example.com/webhooks/telegram", "x") }, nil, "ok ok ok fail: no secret"},
		{"webhook", func(f *telegramtest.Platform) { f.SetWebhook("https://chat.example.com/webhooks/telegram", secret) },
			func(c *telegram.Config) { c.WebhookSecret = secret }, "ok ok ok ok"},
		{"outage", func(f *telegramtest.Platform) { f.Storm(bridgetest.Storm{All: 1}) }, nil, "fail: Telegram cannot be reached"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := telegramtest.NewInBubble(t)
			b, log := makeBridge(t, f, func(cfg *telegram.Config) {
				if c.change != nil {
					c.change(cfg)
				}
			})
			if c.spoil != nil {
				c.spoil(f)
			}
			got := levels(t, b.Check(t.Context()))
			for _, word := range strings.SplitAfter(c.want, " ") {
				_, rest, ok := strings.Cut(got, strings.TrimSpace(word))
				if !ok {
					t.Fatalf("found %q, want %q", got, c.want)
				}
				got = rest
			}
			bridgetest.Clean(t, f, log)
		})
	}
}

// levels lists what was found. What is not well has a fix, and nothing of it
// is secret.
func levels(t *testing.T, found []chat.Finding) string {
	var words []string
	for _, f := range found {
		word := string(f.Level)
		if f.Level != chat.FindingOK {
			word += ": " + f.Text
			if f.Fix == "" {
				t.Errorf("%s: it has no fix", f.Text)
			}
		}
		if strings.Contains(f.Text+f.Fix, "AAcanary") {
			t.Errorf("a secret is in %q", f.Text)
		}
		words = append(words, word)
	}
	return strings.Join(words, " ")
}

// Trouble with the registered webhook is passed on in Telegram's words.
func TestCheckReportsFailedPushes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := telegramtest.NewInBubble(t)
		b, _ := makeBridge(t, f, func(c *telegram.Config) {
			c.PublicURL, c.WebhookSecret = "https://chat.example.com/webhooks/telegram", secret
		})
		f.PushTo(b.Webhook(&bridgetest.Receiver{Failing: 1 << 30}))
		bridgetest.Receiving(t, b, new(bridgetest.Receiver))
		bridgetest.Settled(time.Second)
		f.Write(open(t, b, "Grace", "").Ref, "Ada", "one", "")
		bridgetest.Settled(time.Minute)
		if got := levels(t, b.Check(t.Context())); !strings.Contains(got, "503") {
			t.Error(got)
		}
	})
}
