package slack_test

import (
	"strings"
	"testing"

	lib "github.com/slack-go/slack"
	"go.yaml.in/yaml/v3"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/slack"
	"github.com/relay-chat/relay/bridges/slack/slacktest"
	"github.com/relay-chat/relay/server/chat"
)

// The doctor names each fault with its fix.
func TestCheck(t *testing.T) {
	private := append(append([]string{}, slacktest.SeedScopes...), "groups:history", "groups:read")
	for _, c := range []struct {
		name   string
		config func(*slack.Config)
		state  func(*slacktest.Platform)
		want   string // "subject level" of each finding
		words  string
	}{
		{"all well", nil, nil, "bot token ok, scopes ok, channel ok, reception ok", "Socket Mode"},
		{"few scopes", nil, func(f *slacktest.Platform) { f.Grant(slacktest.SeedScopes...) }, "bot token ok, scopes ok, channel ok, reception ok", "receipts (reactions:write)"},
		{"scopes missing", nil, func(f *slacktest.Platform) { f.Grant("chat:write", "channels:read") }, "bot token ok, scopes fail, channel ok, reception ok", "lacks channels:history, users:read, files:read"},
		{"unknown scopes", nil, func(f *slacktest.Platform) { f.Mute = true }, "bot token ok, scopes warn, channel ok, reception ok", "missing ones are unknown"},
		{"unknown scopes, private", nil, func(f *slacktest.Platform) { f.Mute = true; f.MakePrivate() }, "bot token ok, scopes warn, channel ok, reception ok", "missing ones are unknown"},
		{"revoked", nil, (*slacktest.Platform).Revoke, "bot token fail", "xoxb-"},
		{"archived", nil, func(f *slacktest.Platform) { f.Archive(true) }, "bot token ok, scopes ok, channel fail, reception ok", "is archived"},
		{"not invited", nil, func(f *slacktest.Platform) { f.Grant(slacktest.SeedScopes...); f.Leave() }, "bot token ok, scopes ok, channel fail, reception ok", "/invite"},
		{"joins", nil, (*slacktest.Platform).Leave, "bot token ok, scopes ok, channel warn, reception ok", "joins"},
		{"private", nil, (*slacktest.Platform).MakePrivate, "bot token ok, scopes ok, channel fail, reception ok", "groups:history"},
		{"private and allowed", nil, func(f *slacktest.Platform) { f.Grant(private...); f.MakePrivate() }, "bot token ok, scopes ok, channel ok, reception ok", ""},
		{"another channel", func(c *slack.Config) { c.ChannelID = "C0OTHER" }, nil, "bot token ok, scopes ok, channel fail, reception ok", "SLACK_CHANNEL_ID"},
		{"wrong app token", func(c *slack.Config) { c.AppToken = "xapp-1-other" }, nil, "bot token ok, scopes ok, channel ok, reception fail", "connections:write"},
		{"app token without its scope", nil, func(f *slacktest.Platform) { f.GrantApp() }, "bot token ok, scopes ok, channel ok, reception fail", "make an App-Level Token with the scope connections:write"},
		{"pushed by HTTP", func(c *slack.Config) { c.AppToken, c.PublicURL = "", "http://chat.example.com/api/webhooks/slack" }, nil, "bot token ok, scopes ok, channel ok, reception warn", "https://"},
		{"pushed", func(c *slack.Config) { c.AppToken, c.PublicURL = "", "https://chat.example.com/api/webhooks/slack" }, nil, "bot token ok, scopes ok, channel ok, reception ok", "https://chat.example.com/api/webhooks/slack"},
		{"pushed nowhere", pushed, nil, "bot token ok, scopes ok, channel ok, reception warn", "PUBLIC_URL"},
		{"not receiving", func(c *slack.Config) { c.AppToken, c.SigningSecret = "", "" }, nil, "bot token ok, scopes ok, channel ok, reception fail", "display_information:"},
		{"outage", nil, func(f *slacktest.Platform) { f.Storm(bridgetest.Storm{Seed: 1, All: 1}) }, "bot token fail", "network"},
	} {
		t.Run(c.name, func(t *testing.T) {
			f := slacktest.NewInBubble(t)
			if c.state != nil {
				c.state(f)
			}
			b, log := makeBridge(t, f, func(cfg *slack.Config) {
				if c.config != nil {
					c.config(cfg)
				}
			})
			var got, words []string
			for _, finding := range b.Check(t.Context()) {
				got = append(got, finding.Subject+" "+string(finding.Level))
				words = append(words, finding.Text, finding.Fix)
				if finding.Level != chat.FindingOK && finding.Fix == "" {
					t.Errorf("%s has no fix", finding.Subject)
				}
			}
			all := strings.Join(words, "\n")
			if strings.Join(got, ", ") != c.want || !strings.Contains(all, c.words) || strings.Contains(all, "canary") {
				t.Errorf("found %s, want %s and %q:\n%s", got, c.want, c.words, all)
			}
			bridgetest.Clean(t, f, log)
		})
	}
}

// The manifest is what slack-go understands as one, with and without an
// address.
func TestManifest(t *testing.T) {
	const address = "https://chat.example.com/api/webhooks/slack"
	for _, url := range []string{"", address} {
		var m lib.Manifest
		if err := yaml.Unmarshal([]byte(slack.Manifest(url)), &m); err != nil {
			t.Fatal(err)
		}
		scopes := strings.Join(m.OAuthConfig.Scopes.Bot, " ")
		for _, scope := range append(slacktest.AllScopes, "groups:history", "groups:read") {
			if !strings.Contains(scopes, scope) {
				t.Errorf("scope %s is missing", scope)
			}
		}
		s := m.Settings
		if s.SocketModeEnabled != (url == "") || s.EventSubscriptions.RequestUrl != url || len(s.EventSubscriptions.BotEvents) != 2 || m.Display.Name != "relay" {
			t.Errorf("the settings are %+v", s)
		}
	}
}
