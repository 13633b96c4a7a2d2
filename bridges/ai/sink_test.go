package ai

import (
	"bytes"
	"context"
	"log/slog"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/relay-chat/relay/bridges/ai/aitest"
	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/server/chat"
)

var (
	visitor  = chat.Author{Sender: chat.SenderVisitor, Source: chat.SourceWidget}
	operator = chat.Author{Sender: chat.SenderOperator, Source: "telegram", Name: "Ada"}
)

// harness is a relay with an AI, in memory and in a time of its own.
type harness struct {
	*chat.Engine
	t     *testing.T
	model *aitest.Model
	asks  *library
	log   *bytes.Buffer
	sink  *Sink
	stop  func()
}

// library is a knowledge that notes what it could not answer.
type library struct {
	mu         sync.Mutex
	passages   []chat.Passage
	unanswered []string
}

func (l *library) Passages(context.Context, string, int) ([]chat.Passage, error) {
	return l.passages, nil
}

func (l *library) Unanswered(_ context.Context, _, question string) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unanswered = append(l.unanswered, question)
	return nil
}

// inTime runs a test in a time that passes as fast as nothing happens.
func inTime(t *testing.T, settings map[string]chat.Raw, answer func(aitest.Request) aitest.Answer, test func(t *testing.T, h *harness)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		store, err := db.Memory(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		h := openHarness(t, store, settings, answer)
		test(t, h)
		h.stop()
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
}

func openHarness(t *testing.T, store *db.DB, settings map[string]chat.Raw, answer func(aitest.Request) aitest.Answer) *harness {
	t.Helper()
	env := map[string]chat.Raw{"aiBaseUrl": chat.Raw(`"http://model.example"`), "aiModel": chat.Raw(`"m"`)}
	for name, value := range settings {
		env[name] = value
	}
	h := &harness{t: t, model: aitest.New(t, answer), asks: &library{}, log: &bytes.Buffer{}}
	log := slog.New(slog.NewTextHandler(h.log, nil))
	var err error
	h.Engine, err = chat.Open(t.Context(), chat.Config{Store: store, Log: log, Settings: env, Targets: func(s *chat.Settings) []chat.Target {
		ai := s.AI()
		return []chat.Target{ai.Target()}
	}})
	if err != nil {
		t.Fatal(err)
	}
	of := h.Settings().AI()
	h.sink = NewSink(Options{Engine: h.Engine, Settings: of, Client: NewClient(of, h.model), Knowledge: h.asks, Health: NewHealth(log)})
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() {
		ended <- h.Run(ctx, func(ctx context.Context) error { return h.Outbox.Serve(ctx, h.sink) },
			func(ctx context.Context) error { return h.Outbox.Serve(ctx, Requests{h.sink}) })
	}()
	h.stop = func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	}
	return h
}

// open opens a session.
func (h *harness) open(language string) string {
	h.t.Helper()
	v, err := h.Init(h.t.Context(), chat.Visit{VisitorID: chat.NewID(), New: true, Metadata: chat.Metadata{Language: language,
		URL: "https://shop.example/checkout?token=hunter2#x", Referrer: "https://search.example/?q=secret"}})
	if err != nil {
		h.t.Fatal(err)
	}
	return v.Session.ID
}

func (h *harness) say(by chat.Author, id, text string) {
	h.t.Helper()
	if _, err := h.Send(h.t.Context(), by, chat.Post{SessionID: id, Content: text}); err != nil {
		h.t.Fatal(err)
	}
}

func (h *harness) do(id, command string) string {
	h.t.Helper()
	parsed, _ := chat.ParseCommand(command, true)
	result, err := h.Execute(h.t.Context(), operator, id, parsed, "")
	if err != nil {
		return err.Error()
	}
	return result.Answer
}

// passes lets time pass and what it brings happen.
func passes(d time.Duration) {
	time.Sleep(d) // of the bubble: it takes none
	synctest.Wait()
}

// said is the conversation as a visitor reads it, told as "v: text|ai: text".
func (h *harness) said(id string) string { return h.told(id, visitor) }

// told is the conversation as somebody reads it; notes stand in brackets.
func (h *harness) told(id string, by chat.Author) string {
	h.t.Helper()
	history, err := h.History(h.t.Context(), by, chat.HistoryQuery{SessionID: id, Limit: 100})
	if err != nil {
		h.t.Fatal(err)
	}
	var lines []string
	for _, m := range history.Messages {
		line := string(m.Sender[:1]) + ": " + m.Content
		switch {
		case m.Draft && m.SentAt != 0:
			line = "[sent: " + m.Content + "]"
		case m.Draft:
			line = "[draft: " + m.Content + "]"
		case m.Internal:
			line = "[" + m.Content + "]"
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "|")
}

// takeovers are the events of the AI in a session, like "true false:asked".
func (h *harness) takeovers(id string) string {
	h.t.Helper()
	var list []chat.TimelineEntry
	err := h.Store.ReadOne(h.t.Context(), func(r chat.Reader) (err error) {
		list, err = r.Timeline(id, 0, 0, 100)
		return err
	})
	if err != nil {
		h.t.Fatal(err)
	}
	var events []string
	for _, e := range list {
		if e.Type == chat.EventAITakeover {
			switch text := string(e.Data); {
			case strings.Contains(text, `"active":true`):
				events = append(events, "true")
			default:
				_, reason, _ := strings.Cut(text, `"reason":"`)
				reason, _, _ = strings.Cut(reason, `"`)
				events = append(events, "false:"+reason)
			}
		}
	}
	return strings.Join(events, " ")
}

func (h *harness) is(what, got, want string) {
	h.t.Helper()
	if got != want {
		h.t.Errorf("%s:\n got %s\nwant %s", what, got, want)
	}
}

func (h *harness) asked(n int) {
	h.t.Helper()
	if got := len(h.model.Asked()); got != n {
		h.t.Errorf("the model was asked %d times, want %d", got, n)
	}
}

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
				want := "v: " + tt.says + "|a: " + chat.HandBackText(&turn.Session, "de", strings.TrimPrefix(tt.reason, "false:"))
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
	inTime(t, settings, aitest.Says("Yes."), func(t *testing.T, h *harness) {
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
	inTime(t, map[string]chat.Raw{"aiDailyTokens": chat.Raw("50"), "aiTakeoverDelay": chat.Raw("0")}, aitest.Says("Yes."), func(t *testing.T, h *harness) {
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
	inTime(t, nil, aitest.Says("Yes."), func(t *testing.T, h *harness) {
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
		h.is("when they have left", h.said(id), "v: one|a: Yes.")
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
	inTime(t, nil, aitest.Says("Yes."), func(t *testing.T, h *harness) {
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
		out, err := h.AIAnswer(t.Context(), chat.AIReply{SessionID: id, ClientID: lane[0].ID(), Content: "Again.", Seen: turn.Seen})
		if out != chat.AIDropped || err != nil {
			t.Errorf("stored again: %v, %v", out, err)
		}
		h.is("once", h.said(id), "v: one|a: Yes.")
		h.is("taken over once", h.takeovers(id), "true")
		h.asked(1)
	})
}

// TestAskForPerson: the widget's button needs no model.
func TestAskForPerson(t *testing.T) {
	inTime(t, nil, aitest.Says("Yes."), func(t *testing.T, h *harness) {
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
		turn, _ := h.AITurn(t.Context(), &chat.Delivery{SessionID: id, Rev: 1 << 30})
		h.is("once", h.said(id), "v: Bonjour|a: Yes.|a: "+chat.HandBackText(&turn.Session, "fr", chat.AIEndAsked))
		h.is("why", h.takeovers(id), "true false:asked")
	})
}

// TestModelInput: the conversation, the page and a first name; no address of
// e-mail, no secret, no other conversation.
func TestModelInput(t *testing.T) {
	settings := map[string]chat.Raw{"aiSystemPrompt": chat.Raw(`"We bake bread."`), "aiTakeoverDelay": chat.Raw("0"), "aiApiKey": chat.Raw(`"sk-secret"`)}
	inTime(t, settings, aitest.Says("Yes [1]."), func(t *testing.T, h *harness) {
		h.asks.passages = shop
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
		if history := h.said(id); !strings.HasSuffix(history, "a: Yes.") {
			t.Error(history)
		}
	})
}
