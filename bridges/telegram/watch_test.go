package telegram_test

import (
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"relay/bridges/bridgetest"
	"relay/bridges/telegram"
	"relay/server/chat"
)

// wrong is what a human has to do, as the bridge tells it.
func wrong(t *testing.T, b *telegram.Bridge) string {
	_, problem := b.Receiving()
	if problem == nil {
		return ""
	}
	var human *chat.Misconfigured
	if !errors.As(problem, &human) || human.Fix == "" {
		t.Errorf("nobody is told what to do: %v", problem)
	}
	return problem.Error()
}

// What is wrong with the group is told before anybody writes, once in the log,
// and no longer than it is wrong.
func TestWatch(t *testing.T) {
	for name, c := range map[string]struct {
		spoil, mend func(*bridgetest.Telegram)
		want        string
	}{
		"no topics":     {func(f *bridgetest.Telegram) { f.SwitchTopics(false) }, func(f *bridgetest.Telegram) { f.SwitchTopics(true) }, "has no topics"},
		"demoted":       {func(f *bridgetest.Telegram) { f.Demote(true) }, func(f *bridgetest.Telegram) { f.Demote(false) }, "not an administrator"},
		"kicked":        {func(f *bridgetest.Telegram) { f.Kick() }, nil, "was removed"},
		"an outage":     {func(f *bridgetest.Telegram) { f.Storm(bridgetest.Storm{All: 1}) }, func(f *bridgetest.Telegram) { f.Storm(bridgetest.Storm{}) }, ""},
		"all well, too": {func(*bridgetest.Telegram) {}, func(*bridgetest.Telegram) {}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := bridgetest.NewTelegramBubble(t)
				b, log := makeBridge(t, f)
				c.spoil(f)
				bridgetest.Watching(t, b.Watch)
				settled(10 * time.Minute)
				if got := wrong(t, b); !strings.Contains(got, c.want) || got != "" && c.want == "" {
					t.Errorf("told %q", got)
				}
				if n := strings.Count(log.String(), "needs a human"); c.want != "" && n != 1 || n > 1 {
					t.Errorf("logged %d times", n)
				}
				if c.mend == nil {
					return
				}
				c.mend(f)
				settled(time.Minute)
				if got := wrong(t, b); got != "" {
					t.Errorf("told %q, though it is well again", got)
				}
				c.spoil(f)
				settled(5 * time.Minute)
				c.mend(f)
				b.Check(t.Context())
				if got := wrong(t, b); got != "" {
					t.Errorf("told %q, though whoever checked saw it well", got)
				}
				bridgetest.Clean(t, f, log)
			})
		})
	}
}

// An update about the bot itself has relay look at once.
func TestWatchSeesDemotion(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := bridgetest.NewTelegramBubble(t)
		b, _ := makeBridge(t, f)
		running(t, b, new(bridgetest.Receiver))
		bridgetest.Watching(t, b.Watch)
		settled(time.Second)
		for _, c := range []struct {
			demoted bool
			want    string
		}{{true, "not an administrator"}, {false, ""}} {
			f.Demote(c.demoted)
			f.Tell("my_chat_member", map[string]any{"chat": map[string]any{"id": f.Group}})
			settled(2 * time.Second)
			if got := wrong(t, b); !strings.Contains(got, c.want) || got != "" && c.want == "" {
				t.Errorf("demoted: %v, told %q", c.demoted, got)
			}
		}
	})
}

// A webhook that Telegram cannot reach, or that another program took away, is
// told while relay believes to be receiving.
func TestWatchSeesLostPushes(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := bridgetest.NewTelegramBubble(t)
		b, log := makeBridge(t, f, func(c *telegram.Config) { c.WebhookSecret = secret })
		f.SetWebhook("https://chat.example.com/webhooks/telegram", "an earlier secret")
		f.PushTo(b.Webhook(new(bridgetest.Receiver)))
		running(t, b, new(bridgetest.Receiver))
		bridgetest.Watching(t, b.Watch)
		th := open(t, b, "Grace", "")
		for range 6 {
			f.Write(th.Ref, "Ada", "more that waits", "")
			settled(time.Minute)
		}
		if n := strings.Count(log.String(), "needs a human"); n != 1 {
			t.Errorf("logged %d times", n)
		}
		if got := wrong(t, b); !strings.Contains(got, "401") || !strings.Contains(got, "another secret") {
			t.Errorf("told %q", got)
		}
		f.SetWebhook("https://chat.example.com/webhooks/telegram", secret)
		settled(time.Minute)
		if got := wrong(t, b); got != "" {
			t.Errorf("told %q, though it is well again", got)
		}
		f.SetWebhook("https://elsewhere.example.com/AAcanary", "")
		settled(6 * time.Minute)
		if got := wrong(t, b); !strings.Contains(got, "another program") {
			t.Errorf("told %q", got)
		}
	})
}

// Who checks a bridge whose webhook another program took is told so, and Watch's
// finding is there at once: the bridge begins anew by it.
func TestCheckSeesAWebhookTaken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := bridgetest.NewTelegramBubble(t)
		b, _ := makeBridge(t, f, func(c *telegram.Config) {
			c.PublicURL, c.WebhookSecret = "https://chat.example.com/webhooks/telegram", secret
		})
		running(t, b, new(bridgetest.Receiver))
		settled(time.Second)
		for _, url := range []string{"https://old.example.com/hook", ""} {
			f.SetWebhook(url, "")
			if got := levels(t, b.Check(t.Context())); !strings.Contains(got, "warn: another program took the bot's webhook away") {
				t.Errorf("found %s", got)
			}
			if got := wrong(t, b); !strings.Contains(got, "webhook away") {
				t.Errorf("told %q", got)
			}
		}
	})
}
