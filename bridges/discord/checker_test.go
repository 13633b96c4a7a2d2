package discord_test

import (
	"strings"
	"testing"
	"testing/synctest"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/discord"
	"github.com/relay-chat/relay/bridges/discord/discordtest"
	"github.com/relay-chat/relay/server/chat"
)

// Each problem is found, with its fix.
func TestCheck(t *testing.T) {
	for name, c := range map[string]struct {
		breaks  func(f *discordtest.Platform, c *discord.Config)
		subject string
		level   chat.FindingLevel
		words   []string
	}{
		"well":            {nil, "reception", chat.FindingOK, []string{"gateway"}},
		"invite link":     {nil, "bot token", chat.FindingOK, []string{"https://discord.com/oauth2/authorize?client_id=800000000000000002&permissions=70695161818176&scope=bot+applications.commands"}},
		"forum":           {func(f *discordtest.Platform, _ *discord.Config) { f.Forum = true }, "channel", chat.FindingOK, []string{"forum"}},
		"token":           {func(_ *discordtest.Platform, c *discord.Config) { c.Token = canary }, "bot token", chat.FindingFail, []string{"DISCORD_BOT_TOKEN"}},
		"kicked":          {func(f *discordtest.Platform, _ *discord.Config) { f.Kick() }, "channel", chat.FindingFail, []string{"client_id=800000000000000002"}},
		"channel deleted": {func(f *discordtest.Platform, _ *discord.Config) { f.DeleteChannel() }, "channel", chat.FindingFail, []string{"DISCORD_CHANNEL_ID", "client_id="}},
		"no threads":      {func(f *discordtest.Platform, _ *discord.Config) { f.Deny(1<<35 | 1<<14) }, "permissions", chat.FindingFail, []string{"Create Public Threads, Embed Links", "permissions=70695161818176"}},
		"no reactions":    {func(f *discordtest.Platform, _ *discord.Config) { f.Deny(1 << 6) }, "permissions", chat.FindingWarn, []string{"Add Reactions", "read receipts"}},
		"intent":          {func(f *discordtest.Platform, _ *discord.Config) { f.SwitchIntent(false) }, "message content", chat.FindingFail, []string{"Message Content Intent"}},
		"gateway off":     {func(_ *discordtest.Platform, c *discord.Config) { c.Gateway = false }, "reception", chat.FindingWarn, []string{"ENABLE_DISCORD_GATEWAY=true"}},
		"key of another": {func(f *discordtest.Platform, c *discord.Config) {
			f.SetKey(strings.Repeat("ab", 32), "")
			c.PublicKey = public
		}, "slash commands", chat.FindingFail, []string{"DISCORD_PUBLIC_KEY to abab"}},
		"pushed, no key": {func(f *discordtest.Platform, _ *discord.Config) { f.SetKey(public, "https://x.example/") }, "slash commands", chat.FindingFail, []string{"DISCORD_PUBLIC_KEY to " + public}},
		"pushed": {func(f *discordtest.Platform, c *discord.Config) {
			f.SetKey(public, "https://x.example/")
			c.PublicKey = public
		}, "slash commands", chat.FindingOK, []string{"pushes"}},
		"nowhere to push": {func(f *discordtest.Platform, c *discord.Config) {
			f.SetKey(public, "")
			c.PublicKey, c.Gateway = public, false
		}, "slash commands", chat.FindingWarn, []string{"Interactions Endpoint URL"}},
		"by the gateway": {func(f *discordtest.Platform, c *discord.Config) { f.SetKey(public, ""); c.PublicKey = public }, "slash commands", chat.FindingOK, []string{"gateway"}},
		"no application": {func(_ *discordtest.Platform, c *discord.Config) {
			c.Transport = sparse{c.Transport, []string{"/applications/@me"}}
		}, "bot token", chat.FindingFail, []string{"does not answer as it should", "GET /applications/@me"}},
		"nothing answers": {func(f *discordtest.Platform, _ *discord.Config) { f.Storm(bridgetest.Storm{All: 1}) }, "bot token", chat.FindingFail, []string{"Discord cannot be reached", "network", "DISCORD_API_URL"}},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := discordtest.NewInBubble(t)
				b, log := makeBridge(t, f, func(cfg *discord.Config) {
					if c.breaks != nil {
						c.breaks(f, cfg)
					}
				})
				found := false
				for _, finding := range b.Check(t.Context()) {
					if strings.Contains(jsonOf(finding), "canary") {
						t.Errorf("a secret is in %+v", finding)
					}
					if finding.Subject != c.subject {
						continue
					}
					found = true
					for _, word := range c.words {
						if finding.Level != c.level || !strings.Contains(finding.Text+finding.Fix+finding.Details, word) {
							t.Errorf("it is %+v, want %s with %q", finding, c.level, word)
						}
					}
					if finding.Level != chat.FindingOK && finding.Fix == "" {
						t.Error("there is no fix")
					}
				}
				if !found {
					t.Errorf("nothing is said of %s", c.subject)
				}
				bridgetest.Clean(t, f, log)
			})
		})
	}
}
