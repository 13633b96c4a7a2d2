package slack_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/slack"
	"github.com/relay-chat/relay/bridges/slack/slacktest"
)

// A problem of the channel or the scopes is reported before anybody writes,
// once in the log, and no longer than it is wrong; whoever checks need not wait
// for that.
func TestWatch(t *testing.T) {
	for name, c := range map[string]struct {
		spoil, mend func(*slacktest.Platform)
		config      func(*slack.Config)
		want        string
	}{
		"archived":      {func(f *slacktest.Platform) { f.Archive(true) }, func(f *slacktest.Platform) { f.Archive(false) }, nil, "is archived"},
		"not invited":   {func(f *slacktest.Platform) { f.Grant(slacktest.SeedScopes...); f.Leave() }, (*slacktest.Platform).Invite, nil, "not in the channel"},
		"scopes":        {func(f *slacktest.Platform) { f.Grant("chat:write", "channels:read") }, func(f *slacktest.Platform) { f.Grant(slacktest.AllScopes...) }, nil, "lacks channels:history"},
		"wrong channel": {nil, nil, func(c *slack.Config) { c.ChannelID = "C0OTHER" }, "knows no such channel"},
		"revoked":       {(*slacktest.Platform).Revoke, nil, nil, ""}, // Run says so
		"an outage":     {func(f *slacktest.Platform) { f.Storm(bridgetest.Storm{Seed: 1, All: 1}) }, nil, nil, ""},
		"all well":      {nil, nil, nil, ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := slacktest.NewInBubble(t)
				b, log := makeBridge(t, f, func(cfg *slack.Config) {
					if c.config != nil {
						c.config(cfg)
					}
				})
				bridgetest.Watches(t, f, b, log, c.spoil, c.mend, c.want)
			})
		})
	}
}

// A token that Slack revokes while relay receives is reported soon, also where Slack
// pushes, and no longer than it is refused.
func TestWatchSeesARevokedToken(t *testing.T) {
	for name, config := range map[string]func(*slack.Config){"socket": func(*slack.Config) {}, "pushed": pushed} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := slacktest.NewInBubble(t)
				b, _ := makeBridge(t, f, config)
				bridgetest.Receiving(t, b, new(bridgetest.Receiver))
				bridgetest.Watching(t, b.Watch)
				bridgetest.Settled(time.Minute)
				f.Revoke()
				bridgetest.Settled(6 * time.Minute)
				if got := bridgetest.Wrong(t, b); !strings.Contains(got, "bot token") {
					t.Errorf("reported %q", got)
				}
			})
		})
	}
}
