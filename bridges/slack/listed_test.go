package slack_test

import (
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/slack"
)

// Edits and deletions of messages from before an outage are learned after it, also over a
// restart; what stands there stays.
func TestChangesDuringOutage(t *testing.T) {
	for name, away := range map[string]func(t *testing.T, h *harness, change func()){
		"not reached": func(_ *testing.T, h *harness, change func()) {
			h.Storm(bridgetest.Storm{Seed: 1, All: 1})
			change()
			time.Sleep(15 * time.Minute)
			h.Storm(bridgetest.Storm{})
		},
		"restarted": func(t *testing.T, h *harness, change func()) {
			h.Stop()
			change()
			b, _ := makeBridge(t, h.Platform, unhurried, func(c *slack.Config) { c.Back = 24 * time.Hour })
			h.Start(b)
		},
	} {
		t.Run(name, func(t *testing.T) {
			withHarness(t, func(t *testing.T, h *harness) {
				session := h.Visit("ann")
				h.Say(session, "hello")
				h.Settle()
				th := h.Threads()[0].Ref
				price := h.Write(th, "Ada", "It costs 100 EUR", "")
				private := h.Write(th, "Ada", "My private number is 555", "")
				h.Write(th, "Ada", "It comes on Monday", "")
				time.Sleep(5 * time.Minute)
				away(t, h, func() {
					time.Sleep(time.Minute)
					h.Edit(th, price, "It costs 1000 EUR")
					h.Delete(th, "Ada", private)
				})
				time.Sleep(time.Hour)
				list := h.Messages(session)
				if len(list) != 4 || list[1].Content != "It costs 1000 EUR" || list[2].DeletedAt == 0 || list[2].Content != "" || list[3].DeletedAt != 0 {
					t.Errorf("the conversation holds %+v", list)
				}
			})
		})
	}
}
