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
	"github.com/relay-chat/relay/server/engine"
)

var (
	visitor  = chat.Author{Sender: chat.SenderVisitor, Source: chat.SourceWidget}
	operator = chat.Author{Sender: chat.SenderOperator, Source: "telegram", Name: "Ada"}
)

// harness is a relay with an AI, in memory and in a time of its own.
type harness struct {
	*engine.Engine
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
	by         map[string][]chat.Passage // for these questions
	titles     []string
	unanswered []string
}

func (l *library) Passages(_ context.Context, _ *string, question string, _ int) ([]chat.Passage, error) {
	if found, known := l.by[question]; known {
		return found, nil
	}
	return l.passages, nil
}

func (l *library) Titles(context.Context, *string, int) ([]string, error) { return l.titles, nil }

func (l *library) Unanswered(_ context.Context, q chat.Question) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.unanswered = append(l.unanswered, q.Question)
	return nil
}

// says is a passage with what the models of the tests say.
var says = chat.Passage{Source: "own", Title: "Typed in", Text: "We ship. We open at seven. The AI works. At last it works. You asked red, blue, green or white.\nAnswer 1, 2, 3, 4, 5, 6, 7, 8 or 9."}

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

func openHarness(t *testing.T, store chat.Store, settings map[string]chat.Raw, answer func(aitest.Request) aitest.Answer) *harness {
	t.Helper()
	env := map[string]chat.Raw{"aiBaseUrl": chat.Raw(`"http://model.example"`), "aiModel": chat.Raw(`"m"`)}
	for name, value := range settings {
		env[name] = value
	}
	h := &harness{t: t, model: aitest.New(t, answer), asks: &library{passages: []chat.Passage{says}}, log: &bytes.Buffer{}}
	log := slog.New(slog.NewTextHandler(h.log, nil))
	var err error
	h.Engine, err = engine.Open(t.Context(), engine.Config{Store: store, Log: log, Settings: env, Targets: func(s *chat.Settings) []chat.Target {
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
	v, err := h.Init(h.t.Context(), engine.Visit{VisitorID: chat.NewID(), New: true, Metadata: chat.Metadata{Language: language,
		URL: "https://shop.example/checkout?token=hunter2#x", Referrer: "https://search.example/?q=secret"}})
	if err != nil {
		h.t.Fatal(err)
	}
	return v.Session.ID
}

func (h *harness) say(by chat.Author, id, text string) {
	h.t.Helper()
	if _, err := h.Send(h.t.Context(), by, engine.Post{SessionID: id, Content: text}); err != nil {
		h.t.Fatal(err)
	}
}

func (h *harness) do(id, command string) string {
	h.t.Helper()
	parsed, _ := engine.ParseCommand(command, true)
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
	history, err := h.History(h.t.Context(), by, engine.HistoryQuery{SessionID: id, Limit: 100})
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
