package discord_test

import (
	"errors"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"relay/bridges/bridgetest"
	"relay/bridges/discord"
	"relay/server/chat"
)

// wrong is what a human has to do, as the bridge tells it.
func wrong(t *testing.T, b *discord.Bridge) string {
	_, problem := b.Receiving()
	var human *chat.Misconfigured
	if problem == nil {
		return ""
	}
	if !errors.As(problem, &human) || human.Fix == "" {
		t.Errorf("nobody is told what to do: %v", problem)
	}
	return problem.Error()
}

// What is wrong with the channel is told before anybody writes, once in the log,
// and no longer than it is wrong; whoever checks need not wait for that.
func TestWatch(t *testing.T) {
	for name, c := range map[string]struct {
		spoil, mend func(*bridgetest.Discord)
		config      func(*discord.Config)
		want        string
	}{
		"no permission": {func(f *bridgetest.Discord) { f.Deny(1 << 35) }, func(f *bridgetest.Discord) { f.Deny(0) }, nil, "Create Public Threads"},
		"not invited":   {func(f *bridgetest.Discord) { f.Kick() }, nil, nil, "lacks a permission"},
		"wrong channel": {nil, nil, func(c *discord.Config) { c.ChannelID = "123456789012345678" }, "knows no such channel"},
		"no tag to set": {func(f *bridgetest.Discord) { f.Forum = true; f.ModerateTag("7"); f.Deny(1 << 34) }, nil, nil, "tags are for moderators"},
		"wrong token":   {nil, nil, func(c *discord.Config) { c.Token = canary }, ""}, // Run says so
		"an outage":     {func(f *bridgetest.Discord) { f.Storm(bridgetest.Storm{All: 1}) }, nil, nil, ""},
		"all well":      {nil, nil, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := bridgetest.NewDiscordBubble(t)
				b, log := makeBridge(t, f, func(cfg *discord.Config) {
					if c.config != nil {
						c.config(cfg)
					}
				})
				if c.spoil != nil {
					c.spoil(f)
				}
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
				b.Check(t.Context())
				if got := wrong(t, b); got != "" {
					t.Errorf("told %q, though it is well again", got)
				}
				c.spoil(f)
				settled(5 * time.Minute)
				c.mend(f)
				settled(time.Minute)
				if got := wrong(t, b); got != "" {
					t.Errorf("told %q a minute after it was mended", got)
				}
			})
		})
	}
}

// slow is an API that takes its time to tell of a channel.
type slow struct {
	http.RoundTripper
	path string
}

func (s slow) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodGet && strings.HasSuffix(r.URL.Path, s.path) {
		time.Sleep(5 * time.Second)
	}
	return s.RoundTripper.RoundTrip(r)
}

// Whoever writes does not wait for what Watch asks.
func TestWatchHoldsNothingUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := bridgetest.NewDiscordBubble(t)
		f.Forum = true
		b, log := makeBridge(t, f, func(c *discord.Config) { c.Transport = slow{c.Transport, "/channels/" + c.ChannelID} })
		open(t, b, "Grace", "")
		bridgetest.Watching(t, b.Watch)
		settled(time.Second) // it asks
		begun := time.Now()
		open(t, b, "Edsger", "")
		if took := time.Since(begun); took > time.Second {
			t.Errorf("it took %s", took)
		}
		bridgetest.Clean(t, f, log)
	})
}
