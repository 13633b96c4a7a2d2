package ai

import (
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges/ai/aitest"
	"github.com/relay-chat/relay/server/chat"
)

// TestStepsIn: though somebody is there, the AI answers once nobody has for as long as the rule
// says, goes on until somebody does, and then waits again.
func TestStepsIn(t *testing.T) {
	settings := map[string]chat.Raw{"aiTakeoverDelay": chat.Raw("0"), "unanswered": chat.Raw(`[{"after":10,"do":"ai"}]`)}
	inTime(t, settings, aitest.Says("We ship."), func(t *testing.T, h *harness) {
		id, other := h.open("en"), h.open("en")
		if err := h.SetOperatorStatus(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		h.say(visitor, id, "Do you ship?")
		h.say(visitor, other, "Do you?")
		h.say(operator, other, "Yes.")
		passes(9*time.Minute + 50*time.Second)
		h.is("before", h.said(id), "v: Do you ship?")
		passes(30 * time.Second)
		h.is("after ten minutes", h.said(id), "v: Do you ship?|a: We ship.")
		h.is("who was answered", h.said(other), "v: Do you?|o: Yes.")
		h.say(visitor, id, "Sure?")
		passes(time.Minute)
		h.is("it goes on", h.said(id), "v: Do you ship?|a: We ship.|v: Sure?|a: We ship.")
		h.say(operator, id, "Quite sure.")
		h.do(id, "!ai on")
		h.say(visitor, id, "Thanks. And abroad?")
		passes(9 * time.Minute)
		h.asked(2)
		passes(2 * time.Minute)
		h.is("it waits again", h.takeovers(id), "true false:operator true")
	})
}

// TestStepsInNowhere: where the AI cannot answer, the step notifies the team.
func TestStepsInNowhere(t *testing.T) {
	settings := map[string]chat.Raw{"aiTakeoverDelay": chat.Raw("0"), "aiMode": chat.Raw(`"draft"`), "unanswered": chat.Raw(`[{"after":10,"do":"ai"}]`)}
	inTime(t, settings, aitest.Says("We ship."), func(t *testing.T, h *harness) {
		id := h.open("en")
		h.say(visitor, id, "Do you ship?")
		passes(11 * time.Minute)
		var told bool
		err := h.Store.ReadOne(t.Context(), func(r chat.Reader) error {
			list, err := r.Timeline(id, 0, 0, 100)
			for _, e := range list {
				told = told || e.Type == chat.EventUnanswered
			}
			return err
		})
		if err != nil || !told {
			t.Errorf("nobody was notified (%v)", err)
		}
	})
}
