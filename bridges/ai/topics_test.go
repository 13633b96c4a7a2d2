package ai

import (
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges/ai/aitest"
	"github.com/relay-chat/relay/server/chat"
)

func TestTopicOf(t *testing.T) {
	const topics = "refund\nmoney back\nallergies\nKündigung\nloan\n返金\n환불"
	for text, want := range map[string]string{
		"I want a refund":              "refund",
		"Was it REFUNDED?":             "refund",
		"re-fund":                      "",
		"I refuse":                     "",
		"give me my money back!":       "money back",
		"is the money on its way back": "",
		"I am allergic to nuts":        "allergies",
		"Wie ist die Kündigungsfrist?": "Kündigung",
		"wie ist die kundigung":        "Kündigung",
		"a loan":                       "loan",
		"loaned out":                   "",
		"この商品は返金できますか":                 "返金",
		"환불해 주세요":                      "환불",
		"When do you open?":            "",
		"":                             "",
		strings.Repeat("refuse ", 500) + "refund": "refund",
	} {
		if got := topicOf(text, topics); got != want {
			t.Errorf("%.60q is about %q, want %q", text, got, want)
		}
	}
	if got := topicOf("anything", "?\n"); got != "" {
		t.Errorf("a topic without words is %q", got)
	}
}

// TestTopics: what is about a topic goes to a person, and no model reads it.
func TestTopics(t *testing.T) {
	settings := map[string]chat.Raw{"aiTopics": chat.Raw(`["refund"]`), "aiHandOver": chat.Raw(`"Mia answers you here."`), "aiTakeoverDelay": chat.Raw("0")}
	inTime(t, settings, aitest.Says("We ship."), func(t *testing.T, h *harness) {
		id := h.open("de")
		h.say(visitor, id, "Do you ship?")
		passes(5 * time.Second)
		h.say(visitor, id, "And refunds?")
		passes(5 * time.Second)
		h.is("handed over in the owner's words", h.said(id), "v: Do you ship?|a: We ship.|v: And refunds?|a: Mia answers you here.")
		h.is("why", h.takeovers(id), "true false:topic")
		h.asked(1)
		asked, err := h.sink.Answer(t.Context(), "", "Can I get a refund?")
		h.is("a visitor's agent", asked.Text+"/"+asked.Ended, "/topic")
		if err != nil {
			t.Error(err)
		}
		h.asked(1)
	})
}

// TestOpening: the owner's first words come once, before the first answer.
func TestOpening(t *testing.T) {
	settings := map[string]chat.Raw{"aiOpening": chat.Raw(`"Hi, I am Robo."`), "aiTone": chat.Raw(`"formal"`), "aiTakeoverDelay": chat.Raw("0")}
	inTime(t, settings, aitest.Says("We ship."), func(t *testing.T, h *harness) {
		id := h.open("en")
		h.say(visitor, id, "Do you ship?")
		passes(5 * time.Second)
		h.say(visitor, id, "Sure?")
		passes(5 * time.Second)
		h.is("once", h.said(id), "v: Do you ship?|a: Hi, I am Robo.\n\nWe ship.|v: Sure?|a: We ship.")
		if rules := h.model.Asked()[0].System; !strings.Contains(rules, tones[chat.ToneFormal]) {
			t.Errorf("the rules do not say how to write:\n%s", rules)
		}
		other := h.open("en")
		h.say(visitor, other, "I want to talk to a human")
		passes(5 * time.Second)
		h.is("not where it only hands over", h.said(other), "v: I want to talk to a human|a: A colleague will answer here.")
	})
}
