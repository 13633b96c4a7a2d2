package telegram_test

import (
	"testing"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/telegram"
	"github.com/relay-chat/relay/bridges/telegram/telegramtest"
	"github.com/relay-chat/relay/server/chat"
)

// The bridge proves what every bridge has to, against a group that takes 20
// messages a minute and with the real pauses.
func TestConformance(t *testing.T) { bridgetest.RunInBubble(t, openGroup) }

// TestCrowdedOutage: Telegram, whose groups take the fewest messages, bears the volume of a
// long outage for all platforms.
func TestCrowdedOutage(t *testing.T) { bridgetest.RunCrowdedOutage(t, openGroup) }

// TestChannels: one bot serves the groups of several sites.
func TestChannels(t *testing.T) { bridgetest.RunChannels(t, openGroup) }

func openGroup(t *testing.T) (bridgetest.Platform, bridgetest.Connect) {
	f := telegramtest.NewInBubble(t)
	f.Budget = 20
	return f, func(t *testing.T) chat.Bridge {
		b, _ := makeBridge(t, f, func(c *telegram.Config) { c.Budget = 0 })
		return b
	}
}
