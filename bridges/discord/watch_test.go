package discord_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/discord"
	"github.com/relay-chat/relay/bridges/discord/discordtest"
)

// A problem of the channel is reported before anybody writes, once in the log,
// and no longer than it is wrong; whoever checks need not wait for that.
func TestWatch(t *testing.T) {
	for name, c := range map[string]struct {
		spoil, mend func(*discordtest.Platform)
		config      func(*discord.Config)
		want        string
	}{
		"no permission": {func(f *discordtest.Platform) { f.Deny(1 << 35) }, func(f *discordtest.Platform) { f.Deny(0) }, nil, "Create Public Threads"},
		"not invited":   {func(f *discordtest.Platform) { f.Kick() }, nil, nil, "lacks a permission"},
		"wrong channel": {nil, nil, func(c *discord.Config) { c.ChannelID = "123456789012345678" }, "knows no such channel"},
		"no tag to set": {func(f *discordtest.Platform) { f.Forum = true; f.ModerateTag("7"); f.Deny(1 << 34) }, nil, nil, "only moderators may use its tags"},
		"wrong token":   {nil, nil, func(c *discord.Config) { c.Token = canary }, ""}, // Run says so
		"an outage":     {func(f *discordtest.Platform) { f.Storm(bridgetest.Storm{All: 1}) }, nil, nil, ""},
		"all well":      {nil, nil, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := discordtest.NewInBubble(t)
				b, log := makeBridge(t, f, func(cfg *discord.Config) {
					if c.config != nil {
						c.config(cfg)
					}
				})
				bridgetest.Watches(t, f, b, log, c.spoil, c.mend, c.want)
			})
		})
	}
}

// slow is an API that takes its time to return a channel.
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

// Messages do not wait for Watch's calls.
func TestWatchHoldsNothingUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := discordtest.NewInBubble(t)
		f.Forum = true
		b, log := makeBridge(t, f, func(c *discord.Config) { c.Transport = slow{c.Transport, "/channels/" + c.ChannelID} })
		open(t, b, "Grace", "")
		bridgetest.Watching(t, b.Watch)
		bridgetest.Settled(time.Second) // it asks
		begun := time.Now()
		open(t, b, "Edsger", "")
		if took := time.Since(begun); took > time.Second {
			t.Errorf("it took %s", took)
		}
		bridgetest.Clean(t, f, log)
	})
}
