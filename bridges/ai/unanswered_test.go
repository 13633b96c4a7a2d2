package ai

import (
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges/ai/aitest"
	"github.com/relay-chat/relay/server/chat"
)

// TestAnswersAfterTold: what relay itself tells a visitor who waits is no answer: the AI
// still gives one.
func TestAnswersAfterTold(t *testing.T) {
	settings := map[string]chat.Raw{"aiTakeoverDelay": chat.Raw("120"), "unanswered": chat.Raw(`[{"after":1,"do":"tell","text":"One moment."}]`)}
	inTime(t, settings, aitest.Says("We open at 7."), func(t *testing.T, h *harness) {
		id := h.open("en")
		h.say(visitor, id, "When do you open?")
		passes(90 * time.Second)
		h.is("a minute later", h.said(id), "v: When do you open?|o: One moment.")
		passes(time.Minute)
		h.is("then", h.said(id), "v: When do you open?|o: One moment.|a: We open at 7.")
	})
}
