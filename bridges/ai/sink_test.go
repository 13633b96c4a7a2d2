package ai

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges/ai/aitest"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// TestTakeover: operators have their time from the first message on. Then the AI
// takes over once, and answers what comes later soon.
func TestTakeover(t *testing.T) {
	inTime(t, nil, aitest.Says("We open at seven."), func(t *testing.T, h *harness) {
		id := h.open("en")
		h.say(visitor, id, "When do you open?")
		passes(4 * time.Minute)
		h.say(visitor, id, "Hello?")
		h.asked(0)
		passes(time.Minute)
		h.is("after five minutes", h.said(id), "v: When do you open?|v: Hello?|a: We open at seven.")
		h.say(visitor, id, "And on Mondays?")
		passes(2 * time.Second)
		h.say(visitor, id, "I mean today")
		h.asked(1)
		passes(2 * time.Second)
		h.is("soon", h.said(id), "v: When do you open?|v: Hello?|a: We open at seven.|v: And on Mondays?|v: I mean today|a: We open at seven.")
		passes(time.Hour)
		h.asked(2)
		h.is("takeovers", h.takeovers(id), "true")
	})
}

// TestOperatorsWord: an operator's message from anywhere ends the AI, also while the
// model thinks, until it is let again.
func TestOperatorsWord(t *testing.T) {
	for _, source := range []string{"telegram", "discord", "slack", chat.SourceConsole, chat.SourceAPI} {
		t.Run(source, func(t *testing.T) {
			held := make(chan struct{})
			inTime(t, nil, func(aitest.Request) aitest.Answer { return aitest.Answer{Text: "AI", Wait: held} }, func(t *testing.T, h *harness) {
				held = make(chan struct{})
				by := chat.Author{Sender: chat.SenderOperator, Source: source, Name: "Ada"}
				early, late, active := h.open("en"), h.open("en"), h.open("en")
				h.say(visitor, early, "one")
				passes(299 * time.Second)
				h.say(by, early, "ours") // who acts is online for five minutes
				passes(6 * time.Minute)
				h.asked(0)
				h.say(visitor, late, "two")
				passes(5 * time.Minute)
				h.asked(1) // it thinks
				h.say(by, late, "ours")
				close(held)
				passes(time.Minute)
				h.is("before it was due", h.said(early), "v: one|o: ours")
				h.is("while it thought", h.said(late), "v: two|o: ours")
				h.is("nothing was taken over", h.takeovers(early)+h.takeovers(late), "")

				h.say(visitor, active, "three")
				passes(10 * time.Minute)
				h.say(by, active, "ours")
				h.say(visitor, active, "four")
				passes(time.Hour)
				h.is("while it answers", h.said(active), "v: three|a: AI|o: ours|v: four")
				h.is("what ended it", h.takeovers(active), "true false:operator")
				h.do(active, "!ai on")
				passes(10 * time.Minute)
				h.is("let again", h.said(active), "v: three|a: AI|o: ours|v: four|a: AI")
				h.do(active, "!ai off")
				h.say(visitor, active, "five")
				passes(time.Hour)
				h.is("switched off", h.takeovers(active), "true false:operator true false:off")
				h.asked(3)
			})
		})
	}
}

// TestThinksAgain: a message that comes while the model thinks makes it think again,
// once; what comes then is answered next.
func TestThinksAgain(t *testing.T) {
	var turns []chan struct{}
	var mu sync.Mutex
	inTime(t, nil, func(r aitest.Request) aitest.Answer {
		mu.Lock()
		defer mu.Unlock()
		turns = append(turns, make(chan struct{}))
		return aitest.Answer{Text: "Answer " + string(rune('0'+len(turns))) + ".", Wait: turns[len(turns)-1]}
	}, func(t *testing.T, h *harness) {
		turns = nil
		id := h.open("en")
		h.say(visitor, id, "one")
		passes(5 * time.Minute)
		h.say(visitor, id, "two")
		close(turns[0])
		passes(time.Second)
		h.asked(2)
		if last := h.model.Asked()[1].Data; !strings.Contains(last, "one") || !strings.Contains(last, "two") {
			t.Errorf("the second time it reads %s", last)
		}
		h.say(visitor, id, "three")
		close(turns[1])
		passes(time.Second)
		h.is("no third time", h.said(id), "v: one|v: two|v: three|a: Answer 2.")
		passes(3 * time.Second)
		h.asked(3)
		if last := h.model.Asked()[2].Data; !strings.Contains(last, "You: Answer 2.\nVisitor: three\n") {
			t.Errorf("the third time it reads %s", last)
		}
		close(turns[2])
		passes(time.Hour)
		h.is("what it had not seen", h.said(id), "v: one|v: two|v: three|a: Answer 2.|a: Answer 3.")
		h.asked(3)
	})
}

// TestHandBack: the AI hands a session back once, and says so in the visitor's
// language.
func TestHandBack(t *testing.T) {
	failing := aitest.Answer{Status: 500}
	tests := []struct {
		name, says string
		settings   map[string]chat.Raw
		answer     aitest.Answer
		reason     string
		asked      int
		unanswered string
	}{
		{name: "asked by a phrase", says: "Ich möchte mit einem Menschen sprechen", reason: "false:asked"},
		{name: "asked, the model finds", says: "Genug davon, Robot", answer: aitest.Answer{Text: "HANDOVER asked"}, reason: "false:asked", asked: 1},
		{name: "unsure", says: "Gibt es Leben auf dem Mond?", answer: aitest.Answer{Text: "HANDOVER unsure"}, reason: "false:unsure", asked: 1, unanswered: "Gibt es Leben auf dem Mond?"},
		{name: "invented", says: "Was kostet es?", answer: aitest.Answer{Text: "Es kostet 99 €."}, reason: "false:unsure", asked: 1, unanswered: "Was kostet es?"},
		{name: "failing", says: "Hallo", answer: failing, reason: "false:failed", asked: 3},
		{name: "a bad key", says: "Hallo", answer: aitest.Answer{Status: 401}, reason: "false:failed", asked: 1},
		{name: "for long", says: "Hallo", answer: aitest.Answer{Status: 429, RetryAfter: "3600"}, reason: "false:failed", asked: 1},
		{name: "garbage", says: "Hallo", answer: aitest.Answer{Body: "<html>"}, reason: "false:failed", asked: 3},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			inTime(t, tt.settings, func(aitest.Request) aitest.Answer { return tt.answer }, func(t *testing.T, h *harness) {
				id := h.open("de-AT")
				h.say(visitor, id, tt.says)
				passes(10 * time.Minute)
				turn, err := h.AITurn(t.Context(), &chat.Delivery{SessionID: id, Rev: 1 << 30})
				if err != nil {
					t.Fatal(err)
				}
				want := "v: " + tt.says + "|a: " + engine.HandBackText("", "de", strings.TrimPrefix(tt.reason, "false:"))
				h.is("once", h.said(id), want)
				h.say(visitor, id, "Und jetzt?")
				passes(time.Hour)
				h.is("and no second time", h.said(id), want+"|v: Und jetzt?")
				h.is("why", h.takeovers(id), tt.reason)
				h.is("unanswered", strings.Join(h.asks.unanswered, "|"), tt.unanswered)
				h.asked(tt.asked)
				if turn.Session.Unread == 0 {
					t.Error("no operator sees that the visitor waits")
				}
			})
		})
	}
}

// TestLimits: so many answers in a session, so many tokens on a day.
func TestLimits(t *testing.T) {
	settings := map[string]chat.Raw{"aiMaxAnswers": chat.Raw("2"), "aiDailyTokens": chat.Raw("350"), "aiTakeoverDelay": chat.Raw("0")}
	inTime(t, settings, aitest.Says("We ship."), func(t *testing.T, h *harness) {
		id, other, third := h.open("en"), h.open("en"), h.open("en")
		for _, text := range []string{"one", "two", "three"} {
			h.say(visitor, id, text)
			passes(5 * time.Second)
		}
		h.is("the third time", h.takeovers(id), "true false:limit")
		h.say(visitor, other, "one")
		passes(5 * time.Second)
		h.say(visitor, other, "two")
		passes(5 * time.Second)
		h.asked(4)
		h.say(visitor, other, "three")
		h.say(visitor, third, "one")
		passes(5 * time.Second)
		h.is("no tokens left", h.takeovers(other), "true false:limit")
		h.is("as if there were no AI", h.said(third), "v: one")
		if used, err := h.TokensToday(t.Context()); used != 400 || err != nil {
			t.Errorf("used %d, %v", used, err)
		}
		passes(24 * time.Hour)
		h.say(visitor, third, "two")
		passes(5 * time.Second)
		h.is("the next day", h.takeovers(third), "true")
		if n := strings.Count(h.log.String(), "today's tokens"); n != 1 {
			t.Errorf("reported %d times:\n%s", n, h.log)
		}
	})
}

// TestBudgetEndsActive: who is being answered is not left alone when the tokens end.
func TestBudgetEndsActive(t *testing.T) {
	inTime(t, map[string]chat.Raw{"aiDailyTokens": chat.Raw("50"), "aiTakeoverDelay": chat.Raw("0")}, aitest.Says("We ship."), func(t *testing.T, h *harness) {
		id := h.open("en")
		h.say(visitor, id, "one")
		passes(5 * time.Second)
		h.say(visitor, id, "two")
		passes(5 * time.Second)
		h.is("handed back", h.takeovers(id), "true false:budget")
		h.asked(1)
	})
}

// TestPatience: a 429 is waited for as long as it asks, and failures heal.
func TestPatience(t *testing.T) {
	answers := []aitest.Answer{{Status: 429, RetryAfter: "30"}, {Status: 503}, {Text: "At last."}}
	next := 0
	inTime(t, map[string]chat.Raw{"aiTakeoverDelay": chat.Raw("0")}, func(aitest.Request) aitest.Answer {
		next++
		return answers[next-1]
	}, func(t *testing.T, h *harness) {
		next = 0
		id := h.open("en")
		h.say(visitor, id, "one")
		passes(29 * time.Second)
		h.asked(1)
		passes(2 * time.Second)
		h.asked(2)
		passes(10 * time.Second)
		h.is("answered", h.said(id), "v: one|a: At last.")
		if log := h.log.String(); strings.Count(log, "endpoint fails") != 1 || !strings.Contains(log, "works again") {
			t.Errorf("logged:\n%s", log)
		}
	})
}

// TestOutageIsReportedOnce: an endpoint that is down is one line, whoever waits.
func TestOutageIsReportedOnce(t *testing.T) {
	inTime(t, map[string]chat.Raw{"aiTakeoverDelay": chat.Raw("0")}, func(aitest.Request) aitest.Answer { return aitest.Answer{Status: 500} }, func(t *testing.T, h *harness) {
		for range 5 {
			h.say(visitor, h.open("en"), "hello")
		}
		passes(time.Hour)
		h.asked(15)
		if n := strings.Count(h.log.String(), "level="); n != 1 {
			t.Errorf("%d lines:\n%s", n, h.log)
		}
		if since, why := h.sink.Health.Failing(); since == 0 || why.Fix == "" {
			t.Errorf("since %d: %+v", since, why)
		}
	})
}

// TestNotWanted: nobody is answered while an operator is there, in closed sessions,
// or long after.
func TestNotWanted(t *testing.T) {
	inTime(t, nil, aitest.Says("We ship."), func(t *testing.T, h *harness) {
		id, closed, blocked := h.open("en"), h.open("en"), h.open("en")
		for _, one := range []string{id, closed, blocked} {
			h.say(visitor, one, "one")
		}
		for _, err := range []error{h.SetOperatorStatus(t.Context(), true), h.Close(t.Context(), operator, closed), h.Block(t.Context(), operator, blocked, true)} {
			if err != nil {
				t.Fatal(err)
			}
		}
		passes(time.Hour)
		h.asked(0)
		if err := h.SetOperatorStatus(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		passes(time.Minute)
		h.is("when they have left", h.said(id), "v: one|a: We ship.")
		h.asked(1)
		old := h.open("en")
		if err := h.SetOperatorStatus(t.Context(), true); err != nil {
			t.Fatal(err)
		}
		h.say(visitor, old, "one")
		passes(13 * time.Hour)
		if err := h.SetOperatorStatus(t.Context(), false); err != nil {
			t.Fatal(err)
		}
		passes(time.Hour)
		h.is("half a day later", h.said(old), "v: one")
	})
}

// TestBudgetAtOnce: calls at the same time do not exceed a day's tokens together, and who
// had to wait for them is answered when there is something left.
func TestBudgetAtOnce(t *testing.T) {
	settings := map[string]chat.Raw{"aiDailyTokens": chat.Raw("350"), "aiTakeoverDelay": chat.Raw("0")}
	var held chan struct{}
	answer := func(aitest.Request) aitest.Answer { return aitest.Answer{Text: "We ship.", Tokens: 100, Wait: held} }
	inTime(t, settings, answer, func(t *testing.T, h *harness) {
		held = make(chan struct{})
		for range 8 {
			h.say(visitor, h.open("en"), "hello")
		}
		passes(20 * time.Second)
		h.asked(1)
		close(held)
		passes(time.Minute)
		h.asked(4)
		if used, err := h.TokensToday(t.Context()); used != 400 || err != nil {
			t.Errorf("used %d, %v", used, err)
		}
	})
}

// TestBudgetOfLostCall: what a call set aside that never ended is free again.
func TestBudgetOfLostCall(t *testing.T) {
	settings := map[string]chat.Raw{"aiDailyTokens": chat.Raw("350"), "aiTakeoverDelay": chat.Raw("0")}
	inTime(t, settings, aitest.Says("We ship."), func(t *testing.T, h *harness) {
		if _, ok, err := h.PlanTokens(t.Context(), 350, 1000); !ok || err != nil {
			t.Fatal(ok, err)
		}
		h.say(visitor, h.open("en"), "hello")
		passes(time.Minute)
		h.asked(0)
		passes(2 * time.Minute)
		h.asked(1)
	})
}
