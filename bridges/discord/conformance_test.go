package discord_test

import (
	"testing"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/discord/discordtest"
	"github.com/relay-chat/relay/server/chat"
)

// The bridge proves what every bridge has to, in a text channel and in a forum,
// with the real pauses and limits.
func TestConformance(t *testing.T) { inKinds(t, bridgetest.RunInBubble) }

// TestChannels: one bot serves the channels of several sites.
func TestChannels(t *testing.T) { inKinds(t, bridgetest.RunChannels) }

// inKinds runs a test for each kind of channel.
func inKinds(t *testing.T, run func(*testing.T, func(*testing.T) (bridgetest.Platform, bridgetest.Connect))) {
	for name, prepare := range map[string]func(*discordtest.Platform){
		"text channel": func(*discordtest.Platform) {},
		"forum with tags, few permissions": func(f *discordtest.Platform) {
			f.Forum = true
			f.RequireTag("123456789")
			f.Demote()
		},
	} {
		t.Run(name, func(t *testing.T) {
			run(t, func(t *testing.T) (bridgetest.Platform, bridgetest.Connect) {
				f := discordtest.NewInBubble(t)
				f.PerChannel = 5
				prepare(f)
				return f, func(t *testing.T) chat.Bridge {
					b, _ := makeBridge(t, f)
					return b
				}
			})
		})
	}
}
