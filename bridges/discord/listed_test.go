package discord_test

import (
	"testing"
	"time"

	"github.com/bwmarrin/discordgo"

	"github.com/relay-chat/relay/bridges/discord"
)

// Deletions made while relay is down are learned when it reads the thread; what the bot
// may not see any more stays.
func TestDeletedWhileOff(t *testing.T) {
	withHarness(t, func(t *testing.T, h *harness) {
		session := h.Visit("ann")
		h.Say(session, "hello")
		h.Settle()
		th := h.Threads()[0].Ref
		h.Write(th, "Ada", "Here it is", "")
		private := h.Write(th, "Ada", "My private number is 555", "")
		last := h.Write(th, "Ada", "It comes on Monday", "")
		time.Sleep(5 * time.Minute)
		for _, remote := range []string{private, last} {
			h.Stop()
			time.Sleep(10 * time.Second)
			h.Delete(th, "Ada", remote)
			b, log := makeBridge(t, h.Platform, func(c *discord.Config) { c.CatchUp = 24 * time.Hour })
			h.log = log
			h.Start(b)
			time.Sleep(10 * time.Minute)
		}
		list := h.Messages(session)
		if len(list) != 4 || list[1].DeletedAt != 0 || list[2].DeletedAt == 0 || list[2].Content != "" || list[3].DeletedAt == 0 {
			t.Errorf("the conversation holds %+v", list)
		}
	})
}

// TestHistoryDenied: without the permission to read old messages, what was missed is no
// empty list and what stands there is not deleted; both are read once the bot may.
func TestHistoryDenied(t *testing.T) {
	withHarness(t, func(t *testing.T, h *harness) {
		session := h.Visit("ann")
		h.Say(session, "hello")
		h.Settle()
		th := h.Threads()[0].Ref
		h.Write(th, "Ada", "Here it is", "")
		time.Sleep(5 * time.Minute)
		h.Stop()
		h.Deny(discordgo.PermissionReadMessageHistory)
		h.Write(th, "Ada", "It comes on Monday", "")
		b, log := makeBridge(t, h.Platform, func(c *discord.Config) { c.CatchUp = 24 * time.Hour })
		h.log = log
		h.Start(b)
		time.Sleep(10 * time.Minute)
		if list := h.Messages(session); len(list) != 2 || list[1].DeletedAt != 0 {
			t.Errorf("while the bot sees nothing, the conversation holds %+v", list)
		}
		h.Deny(0)
		time.Sleep(time.Hour)
		if list := h.Messages(session); len(list) != 3 || list[1].DeletedAt != 0 || list[2].Content != "It comes on Monday" {
			t.Errorf("once the bot may read again, the conversation holds %+v", list)
		}
	})
}
