package ai

import (
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges/ai/aitest"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// thinking is a model that holds each answer until it may go on, and then answers
// with what it was asked.
type thinking struct{ turns chan chan struct{} }

func (m *thinking) answer(r aitest.Request) aitest.Answer {
	turn := make(chan struct{})
	m.turns <- turn
	_, said, _ := strings.Cut(r.Data, "Visitor: ")
	said, _, _ = strings.Cut(said, "\n")
	return aitest.Answer{Text: "You asked: " + said, Wait: turn, Tokens: 1}
}

// goOn lets the model answer what it was asked last.
func (m *thinking) goOn(h *harness) {
	h.t.Helper()
	select {
	case turn := <-m.turns:
		close(turn)
	default:
		h.t.Error("the model is not asked")
	}
	passes(time.Second)
}

// TestQuestionChangesWhileItThinks: what the model made of a text that is edited or
// deleted meanwhile reaches nobody: of an edited one it is asked again.
func TestQuestionChangesWhileItThinks(t *testing.T) {
	edit := func(h *harness, id, message, text string) {
		if _, err := h.Edit(h.t.Context(), visitor, id, message, text); err != nil {
			h.t.Fatal(err)
		}
	}
	remove := func(h *harness, id, message string) {
		if err := h.Delete(h.t.Context(), visitor, id, message); err != nil {
			h.t.Fatal(err)
		}
	}
	for _, tt := range []struct{ name, mode, before string }{
		{"answer", "answer", "a: You asked: %"}, {"draft", "draft", "[draft: You asked: %]"}, {"asked for", "answer", "[draft: You asked: %]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			m := &thinking{}
			settings := map[string]chat.Raw{"aiMode": chat.Raw(`"` + tt.mode + `"`), "aiTakeoverDelay": chat.Raw("0")}
			inTime(t, settings, m.answer, func(t *testing.T, h *harness) {
				m.turns = make(chan chan struct{}, 10)
				begin := func() (id, message string) {
					id = h.open("en")
					if tt.name == "asked for" {
						if err := h.SetOperatorStatus(t.Context(), true); err != nil {
							t.Fatal(err)
						}
					}
					sent, err := h.Send(t.Context(), visitor, engine.Post{SessionID: id, Content: "red?"})
					if err != nil {
						t.Fatal(err)
					}
					if tt.name == "asked for" {
						h.do(id, "!draft")
					}
					passes(4 * time.Second)
					return id, sent.ID
				}
				comes := func(text string) string { return "v: " + text + "|" + strings.ReplaceAll(tt.before, "%", text) }

				id, message := begin()
				edit(h, id, message, "blue?")
				m.goOn(h)
				h.is("of the old text", h.told(id, operator), "v: blue?")
				m.goOn(h)
				h.is("of the new text", h.told(id, operator), comes("blue?"))

				id, message = begin()
				for _, text := range []string{"blue?", "green?", "white?"} {
					edit(h, id, message, text)
					m.goOn(h)
					passes(4 * time.Second)
				}
				h.is("while it changes", h.told(id, operator), "v: white?")
				m.goOn(h)
				h.is("when it stays", h.told(id, operator), comes("white?"))

				id, message = begin()
				remove(h, id, message)
				m.goOn(h)
				passes(10 * time.Second)
				if told := h.told(id, operator); strings.Contains(told, "red") {
					t.Errorf("of a deleted text: %s", told)
				}
			})
		})
	}
}
