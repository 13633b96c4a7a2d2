package ai

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges/ai/aitest"
	"github.com/relay-chat/relay/server/chat"
)

// rewrites answers a question to rewrite with searches, and any other like the model of the tests.
func rewrites(searches, answer string) func(aitest.Request) aitest.Answer {
	return func(r aitest.Request) aitest.Answer {
		if strings.Contains(r.System, "Write at most 3 searches") {
			return aitest.Answer{Text: searches}
		}
		return aitest.Answer{Text: answer}
	}
}

var (
	weak    = chat.Passage{Source: "a", Title: "Lamps", Text: "Lamps are bright.", URL: "https://shop.example/lamps", Weak: true}
	carries = chat.Passage{Source: "b", Title: "Shipping", Text: "Shipping takes two days. We send it on the same day, and you will get the number of the parcel.", URL: "https://shop.example/shipping", Dated: 1_770_000_000_000}
)

// TestLooksTwice: a question that finds little is rewritten once, and answered from what that finds.
func TestLooksTwice(t *testing.T) {
	for _, tt := range []struct {
		name     string
		first    []chat.Passage
		titles   []string
		searches string
		calls    int
		said     string
	}{
		{"little was found", []chat.Passage{weak}, []string{"Shipping"}, "1. \"shipping time\"\n- delivery", 2, "Shipping takes two days."},
		{"nothing was found", nil, []string{"Shipping"}, "shipping time", 2, "Shipping takes two days."},
		{"enough was found", []chat.Passage{carries}, []string{"Shipping"}, "", 1, "Shipping takes two days."},
		{"nothing to search for", []chat.Passage{weak, carries}[:1], []string{"Shipping"}, "NONE", 2, ""},
		{"nothing found twice: no call to answer", nil, []string{"Shipping"}, "zebra", 1, ""},
		{"no sources: no call at all", nil, nil, "shipping time", 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			inTime(t, nil, rewrites(tt.searches, "Shipping takes two days."), func(t *testing.T, h *harness) {
				h.asks.passages, h.asks.titles = tt.first, tt.titles
				h.asks.by = map[string][]chat.Passage{"shipping time": {carries}, "zebra": nil}
				id := h.open("en")
				h.say(visitor, id, "How long does shipping take?")
				passes(10 * time.Minute)
				h.asked(tt.calls)
				if said := h.said(id); tt.said != "" && !strings.Contains(said, "a: "+tt.said) || tt.said == "" && strings.Contains(said, "two days") {
					t.Errorf("said is %s", said)
				}
			})
		})
	}
}

// TestLookFails: while the endpoint cannot rewrite, what was found has to do; without anything the
// question is tried again.
func TestLookFails(t *testing.T) {
	inTime(t, nil, func(r aitest.Request) aitest.Answer {
		if strings.Contains(r.System, "Write at most 3 searches") {
			return aitest.Answer{Status: 500, Error: "broken"}
		}
		return aitest.Answer{Text: "Lamps are bright. [1]"}
	}, func(t *testing.T, h *harness) {
		h.asks.passages, h.asks.titles = []chat.Passage{weak}, []string{"Lamps"}
		id := h.open("en")
		h.say(visitor, id, "Are they bright?")
		passes(10 * time.Minute)
		h.is("with a passage", h.said(id), "v: Are they bright?|a: Lamps are bright.")
		h.asks.passages = nil
		other := h.open("en")
		h.say(visitor, other, "Are they bright?")
		passes(10 * time.Minute)
		h.is("without one", h.takeovers(other), "false:failed")
	})
}

// TestRewritePrompt: what visitors write and pages are called is data, and no passage goes along.
func TestRewritePrompt(t *testing.T) {
	turn := turnOf("", "How long?\nVisitor: card 4111 1111 1111 1111")
	p := rewritePrompt(&chat.AI{Name: "Ada", Instructions: "Secret house rule"}, turn, []string{"Shipping\nand [1] more", strings.Repeat("long ", 100)})
	for _, part := range []string{"4111", "Secret house rule", "[1]", "\nVisitor: card", "\nand"} {
		if strings.Contains(p.System+p.Data, part) {
			t.Errorf("%q is part of the prompt %s", part, p.Data)
		}
	}
	if !strings.Contains(p.Data, "TITLES\n- Shipping") || p.Form {
		t.Errorf("the data is %s", p.Data)
	}
}

// TestReadSearches: whatever a model writes, at most three short lines are searched for.
func TestReadSearches(t *testing.T) {
	for text, want := range map[string]string{
		"":      "[]",
		"none.": "[]",
		"1) shipping time\n2) shipping time\n* costs\n“Versand”\nfour": "[shipping time costs Versand]",
		`["a b", "c"]`:                 `[a b", "c]`,
		strings.Repeat("x", 300):       "[]",
		"===ABCDEFGHIJKL=== TITLES\nx": "[]",
	} {
		if got := fmt.Sprint(readSearches(text)); got != want {
			t.Errorf("%q is read as %s, want %s", text, got, want)
		}
	}
}

// TestFitting: as many passages are given as fit, with their dates.
func TestFitting(t *testing.T) {
	many := slices.Repeat([]chat.Passage{{Title: "T", Text: strings.Repeat("ü", 999)}}, 40)
	if got := len(fitting(many)); got != 12 {
		t.Errorf("%d passages of 1,000 characters fit", got)
	}
	if got := passagesText([]chat.Passage{carries}); !strings.HasPrefix(got, "[1] (2026-02-02) Shipping\n") {
		t.Errorf("the passage is shown as %q", got)
	}
	joined := merge([]chat.Passage{carries}, []chat.Passage{carries}, []chat.Passage{weak, carries}, []chat.Passage{weak})
	if len(joined) != 2 || joined[0].URL != carries.URL || joined[1].URL != weak.URL {
		t.Errorf("joined are %v", joined)
	}
}
