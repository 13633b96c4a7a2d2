package ai

import (
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges/ai/aitest"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// TestDraftMode: the AI proposes and operators send, and go on getting proposals.
func TestDraftMode(t *testing.T) {
	n := 0
	inTime(t, map[string]chat.Raw{"aiMode": chat.Raw(`"draft"`)}, func(aitest.Request) aitest.Answer {
		n++
		return aitest.Answer{Text: "Draft " + string(rune('0'+n)) + ".", Tokens: 1}
	}, func(t *testing.T, h *harness) {
		n = 0
		id := h.open("en")
		h.say(visitor, id, "one")
		passes(4 * time.Second)
		h.is("to operators", h.told(id, operator), "v: one|[draft: Draft 1.]")
		h.is("to the visitor", h.said(id), "v: one")
		h.is("!send", h.do(id, "!send"), "Sent to the visitor: Draft 1.")
		h.is("again", h.do(id, "!send"), "There is no draft to send: !draft asks for one, or just write the answer")
		h.say(visitor, id, "two")
		passes(4 * time.Second)
		h.is("!send text", h.do(id, "!send Better."), "Sent to the visitor: Better.")
		by := operator
		by.Person = "ada"
		h.say(visitor, id, "and")
		passes(4 * time.Second)
		if sent, err := h.SendDraft(t.Context(), by, id, "Best."); err != nil || sent.OperatorID != "ada" {
			t.Errorf("a draft is sent by %q, %v", sent.OperatorID, err)
		}
		h.is("all", h.told(id, operator), "v: one|[sent: Draft 1.]|o: Draft 1.|v: two|[sent: Draft 2.]|o: Better.|v: and|[sent: Draft 3.]|o: Best.")
		h.say(visitor, id, "three")
		passes(4 * time.Second)
		h.say(operator, id, "My own.")
		h.is("answered otherwise", h.do(id, "!send"), "There is no draft to send: !draft asks for one, or just write the answer")
		h.do(id, "!ai off")
		h.say(visitor, id, "four")
		passes(time.Minute)
		h.asked(4)
		h.is("no takeover", h.takeovers(id), "")
	})
}

// TestRequests: what operators ask for comes as a note, also while they are there,
// and ahead of what waits for them.
func TestRequests(t *testing.T) {
	inTime(t, nil, func(r aitest.Request) aitest.Answer {
		if strings.Contains(r.System, "three short lines") {
			return aitest.Answer{Text: "wants shoes\nnothing yet\nthe size", Tokens: 1}
		}
		return aitest.Answer{Text: "Try these.", Tokens: 1}
	}, func(t *testing.T, h *harness) {
		id := h.open("en")
		h.say(visitor, id, "Shoes?")
		h.do(id, "!draft")
		passes(time.Second)
		h.do(id, "!summary")
		passes(time.Second)
		h.is("notes", h.told(id, operator), "v: Shoes?|[draft: Try these.]|[Summary:\nwants shoes\nnothing yet\nthe size]")
		h.model.Script(func(aitest.Request) aitest.Answer { return aitest.Answer{Status: 401} })
		h.do(id, "!draft")
		passes(time.Second)
		if told := h.told(id, operator); !strings.Contains(told, "The AI cannot do this now: the endpoint refuses the API key (401). To fix it: check AI_API_KEY.") {
			t.Error(told)
		}
	})
}

// TestOnce: whatever is delivered again, because relay died before it noted that it
// was delivered, is answered once.
func TestOnce(t *testing.T) {
	inTime(t, nil, aitest.Says("We ship."), func(t *testing.T, h *harness) {
		id := h.open("en")
		h.say(visitor, id, "one")
		var lane []chat.Delivery
		err := h.Store.ReadOne(t.Context(), func(r chat.Reader) (err error) {
			lane, err = r.Lane(chat.AISink, id, 0)
			return err
		})
		if err != nil || len(lane) != 1 {
			t.Fatal(lane, err)
		}
		passes(6 * time.Minute)
		for range 3 {
			if n, err := h.sink.Deliver(t.Context(), lane[:1]); n != 1 || err != nil {
				t.Fatal(n, err)
			}
		}
		turn, _ := h.AITurn(t.Context(), &chat.Delivery{SessionID: id, Rev: 1 << 30})
		out, err := h.AIAnswer(t.Context(), engine.AIReply{SessionID: id, ClientID: lane[0].ID(), Content: "Again.", Seen: turn.Seen})
		if out != engine.AIDropped || err != nil {
			t.Errorf("stored again: %v, %v", out, err)
		}
		h.is("once", h.said(id), "v: one|a: We ship.")
		h.is("taken over once", h.takeovers(id), "true")
		h.asked(1)
	})
}

// TestAskForPerson: the widget's button needs no model.
func TestAskForPerson(t *testing.T) {
	inTime(t, nil, aitest.Says("We ship."), func(t *testing.T, h *harness) {
		id := h.open("fr-FR")
		for range 2 {
			if err := h.AskForPerson(t.Context(), visitor, id); err != nil { // nothing was written yet
				t.Fatal(err)
			}
		}
		h.say(visitor, id, "Bonjour")
		passes(6 * time.Minute)
		for range 2 {
			if err := h.AskForPerson(t.Context(), visitor, id); err != nil {
				t.Fatal(err)
			}
		}
		h.is("once", h.said(id), "v: Bonjour|a: We ship.|a: "+engine.HandBackText("", "fr", chat.AIEndAsked))
		h.is("why", h.takeovers(id), "true false:asked")
	})
}

// TestModelInput: the conversation, the page and a first name; no address of
// e-mail, no secret, no other conversation.
func TestModelInput(t *testing.T) {
	settings := map[string]chat.Raw{"aiSystemPrompt": chat.Raw(`"We bake bread."`), "aiTakeoverDelay": chat.Raw("0"), "aiApiKey": chat.Raw(`"sk-secret"`)}
	inTime(t, settings, aitest.Says("We ship [1]."), func(t *testing.T, h *harness) {
		h.asks.passages = append([]chat.Passage{{Title: "Returns", URL: shop[0].URL, Text: "We ship."}}, shop...)
		h.say(visitor, h.open("en"), "another conversation")
		passes(5 * time.Second)
		id := h.open("en")
		if _, err := h.Identify(t.Context(), visitor, id, map[string]any{"name": "Grace Hopper", "email": "grace@navy.example", "id": "u-17", "phone": "555-0199"}, ""); err != nil {
			t.Fatal(err)
		}
		h.say(operator, id, "Good morning")
		h.do(id, "!note she is difficult")
		h.do(id, "!ai on")
		passes(6 * time.Minute)
		h.say(visitor, id, "My mail is grace@navy.example, do you ship?")
		passes(10 * time.Second)
		asked := h.model.Asked()
		last := asked[len(asked)-1]
		for _, want := range []string{"Visitor (Grace): My mail is [e-mail address], do you ship?", "Operator: Good morning", "https://shop.example/checkout", "[1] Returns"} {
			if !strings.Contains(last.Data, want) {
				t.Errorf("it does not see %q:\n%s", want, last.Data)
			}
		}
		if !strings.Contains(last.System, "HOUSE, by the owner of the website:\nWe bake bread.") {
			t.Errorf("it has no instructions: %s", last.System)
		}
		for _, secret := range []string{"Hopper", "navy", "u-17", "0199", "hunter2", "search.example", "difficult", "another conversation", "sk-secret", id} {
			if strings.Contains(last.Raw, secret) {
				t.Errorf("it sees %q:\n%s", secret, last.Raw)
			}
		}
		if history := h.said(id); !strings.HasSuffix(history, "a: We ship.") {
			t.Error(history)
		}
	})
}
