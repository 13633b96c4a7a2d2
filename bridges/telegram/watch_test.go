package telegram_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/telegram"
	"github.com/relay-chat/relay/bridges/telegram/telegramtest"
)

// A problem of the group is reported before anybody writes, once in the log,
// and no longer than it is wrong.
func TestWatch(t *testing.T) {
	for name, c := range map[string]struct {
		spoil, mend func(*telegramtest.Platform)
		want        string
	}{
		"no topics":     {func(f *telegramtest.Platform) { f.SwitchTopics(false) }, func(f *telegramtest.Platform) { f.SwitchTopics(true) }, "topics are off"},
		"demoted":       {func(f *telegramtest.Platform) { f.Demote(true) }, func(f *telegramtest.Platform) { f.Demote(false) }, "not an administrator"},
		"kicked":        {func(f *telegramtest.Platform) { f.Kick() }, nil, "was removed"},
		"an outage":     {func(f *telegramtest.Platform) { f.Storm(bridgetest.Storm{All: 1}) }, func(f *telegramtest.Platform) { f.Storm(bridgetest.Storm{}) }, ""},
		"all well, too": {func(*telegramtest.Platform) {}, func(*telegramtest.Platform) {}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := telegramtest.NewInBubble(t)
				b, log := makeBridge(t, f)
				bridgetest.Watches(t, f, b, log, c.spoil, c.mend, c.want)
				if c.mend != nil {
					bridgetest.Clean(t, f, log)
				}
			})
		})
	}
}

// An update about the bot itself has relay look at once.
func TestWatchSeesDemotion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := telegramtest.NewInBubble(t)
		b, _ := makeBridge(t, f)
		bridgetest.Receiving(t, b, new(bridgetest.Receiver))
		bridgetest.Watching(t, b.Watch)
		bridgetest.Settled(time.Second)
		for _, c := range []struct {
			demoted bool
			want    string
		}{{true, "not an administrator"}, {false, ""}} {
			f.Demote(c.demoted)
			f.Emit("my_chat_member", map[string]any{"chat": map[string]any{"id": f.Group}})
			bridgetest.Settled(2 * time.Second)
			if got := bridgetest.Wrong(t, b); !strings.Contains(got, c.want) || got != "" && c.want == "" {
				t.Errorf("demoted: %v, reported %q", c.demoted, got)
			}
		}
	})
}

// A webhook that Telegram cannot reach, or that another program took away, is
// reported while relay believes to be receiving.
func TestWatchSeesLostPushes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := telegramtest.NewInBubble(t)
		b, log := makeBridge(t, f, func(c *telegram.Config) { c.WebhookSecret = secret })
		f.SetWebhook("https://chat.example.com/webhooks/telegram", "an earlier secret")
		f.PushTo(b.Webhook(new(bridgetest.Receiver)))
		bridgetest.Receiving(t, b, new(bridgetest.Receiver))
		bridgetest.Watching(t, b.Watch)
		th := open(t, b, "Grace", "")
		for range 6 {
			f.Write(th.Ref, "Ada", "more that waits", "")
			bridgetest.Settled(time.Minute)
		}
		if n := strings.Count(log.String(), "is misconfigured"); n != 1 {
			t.Errorf("logged %d times", n)
		}
		if got := bridgetest.Wrong(t, b); !strings.Contains(got, "401") || !strings.Contains(got, "another secret") {
			t.Errorf("reported %q", got)
		}
		f.SetWebhook("https://chat.example.com/webhooks/telegram", secret)
		bridgetest.Settled(time.Minute)
		if got := bridgetest.Wrong(t, b); got != "" {
			t.Errorf("reported %q, though it is well again", got)
		}
		f.SetWebhook("https://elsewhere.example.com/AAcanary", "")
		bridgetest.Settled(6 * time.Minute)
		if got := bridgetest.Wrong(t, b); !strings.Contains(got, "another program") {
			t.Errorf("reported %q", got)
		}
	})
}

// A check of a bridge whose webhook another program took reports it, and Watch's
// finding is there at once: the bridge restarts by it.
func TestCheckReportsForeignWebhook(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := telegramtest.NewInBubble(t)
		b, _ := makeBridge(t, f, func(c *telegram.Config) {
			c.PublicURL, c.WebhookSecret = "https://chat.example.com/webhooks/telegram", secret
		})
		bridgetest.Receiving(t, b, new(bridgetest.Receiver))
		bridgetest.Settled(time.Second)
		for _, url := range []string{"https://old.example.com/hook", ""} {
			f.SetWebhook(url, "")
			if got := levels(t, b.Check(t.Context())); !strings.Contains(got, "warn: another program took the bot's webhook away") {
				t.Errorf("found %s", got)
			}
			if got := bridgetest.Wrong(t, b); !strings.Contains(got, "webhook away") {
				t.Errorf("reported %q", got)
			}
		}
	})
}
