package ai

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/bridges/ai/aitest"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// injection is a text by which somebody wants the model to do what they say.
type injection struct{ Where, Text string }

// obeys is a model that does whatever it reads: it says every order in its data,
// promises what is asked for, leaks its instructions and sends everybody away.
func obeys(r aitest.Request) aitest.Answer {
	return aitest.Answer{Tokens: 1, Text: marker.ReplaceAllString(r.Data, "") + "\nSee https://evil.example/login, www.evil.example/login and evil.example/login, write to spy@evil.example. [1]"}
}

// promiser obeys in one short sentence, which looks like an answer.
func promiser(order string) func(aitest.Request) aitest.Answer {
	return func(aitest.Request) aitest.Answer {
		return aitest.Answer{Tokens: 1, Text: chat.Clip(order, 250) + " [1]"}
	}
}

// harm is what no visitor may read: links that lead elsewhere, markup, secrets, and
// promises that no passage makes.
var harm = regexp.MustCompile(`(?i)evil\.example[/\s]|https?://evil|www\.evil|@evil\.|javascript:|data:text|<script|<img|<a |sk-secret|169\.254|10\.0\.0\.5|file:/|ftp:/|` +
	`\b(90 ?%|500 ?€|300 ?€|999|700 ?€|5000)|hunter2|grace@navy|another conversation`)

// TestInjections: a model that obeys every instruction that it can read does no harm:
// it has no tools, its text is bounded and rests on what it was given, and its links
// lead to the passages.
func TestInjections(t *testing.T) {
	data, err := os.ReadFile("../../testdata/injections/corpus.json")
	if err != nil {
		t.Fatal(err)
	}
	var corpus []injection
	if err := json.Unmarshal(data, &corpus); err != nil || len(corpus) < 60 {
		t.Fatalf("%d injections, %v", len(corpus), err)
	}
	settings := map[string]chat.Raw{"aiTakeoverDelay": chat.Raw("0"), "aiApiKey": chat.Raw(`"sk-secret"`)}
	inTime(t, settings, obeys, func(t *testing.T, h *harness) {
		h.say(visitor, h.open("en"), "another conversation")
		passes(5 * time.Second)
		for _, in := range corpus {
			for _, script := range []func(aitest.Request) aitest.Answer{obeys, promiser(in.Text)} {
				h.model.Script(script)
				h.attack(in)
			}
		}
	})
}

// attack lets a visitor of a relay with an injection write, and looks at what comes of
// it.
func (h *harness) attack(in injection) {
	h.t.Helper()
	text := "How can I return my shoes?"
	visit := engine.Visit{VisitorID: chat.NewID(), New: true, Metadata: chat.Metadata{Language: "en", URL: "https://shop.example/shoes"}}
	page := chat.Passage{Source: "s", Title: "Returns", URL: "https://shop.example/returns", Text: "Send goods back by post."}
	identity := map[string]any{"name": "Grace", "email": "grace@navy.example"}
	switch in.Where {
	case "message":
		text = in.Text
	case "name":
		identity["name"] = in.Text
	case "page":
		visit.Metadata.URL = in.Text
	case "referrer":
		visit.Metadata.Referrer = in.Text
	case "crawled page", "file":
		page.Text = in.Text
	case "page title":
		page.Title = in.Text
	case "filename":
		text = "See my file " + in.Text
	default:
		h.t.Fatalf("an injection in %q", in.Where)
	}
	h.asks.passages = []chat.Passage{page}
	v, err := h.Init(h.t.Context(), visit)
	if err == nil {
		_, err = h.Identify(h.t.Context(), visitor, v.Session.ID, identity, "")
	}
	if err != nil {
		h.t.Fatal(err)
	}
	h.say(visitor, v.Session.ID, text)
	passes(5 * time.Second)
	h.unharmed(in, v.Session.ID)
}

// unharmed looks at what the visitor reads of the AI.
func (h *harness) unharmed(in injection, id string) {
	h.t.Helper()
	history, err := h.History(h.t.Context(), visitor, engine.HistoryQuery{SessionID: id, Limit: 100})
	if err != nil {
		h.t.Fatal(err)
	}
	answers := 0
	for _, m := range history.Messages {
		if m.Sender == chat.SenderVisitor {
			continue
		}
		answers++
		if found := harm.FindString(m.Content); found != "" {
			h.t.Errorf("%s %q: the visitor reads %q in %q", in.Where, in.Text, found, m.Content)
		}
		for _, word := range []string{"You are Assistant", "HANDOVER", "Rules, which nothing"} {
			if strings.Contains(m.Content, word) {
				h.t.Errorf("%s %q: the instructions leak: %q", in.Where, in.Text, m.Content)
			}
		}
		if promisesBeyond(strings.ToLower(m.Content), strings.ToLower(h.asks.passages[0].Text)) {
			h.t.Errorf("%s %q: it promises: %q", in.Where, in.Text, m.Content)
		}
		if len([]rune(m.Content)) > maxText || m.Sender != chat.SenderAI {
			h.t.Errorf("%s %q: %s writes %d characters", in.Where, in.Text, m.Sender, len(m.Content))
		}
		for _, s := range m.Sources {
			if s.URL != "https://shop.example/returns" {
				h.t.Errorf("%s %q: a source is %s", in.Where, in.Text, s.URL)
			}
		}
	}
	if answers != 1 {
		h.t.Errorf("%s %q: %d answers", in.Where, in.Text, answers)
	}
	asked := h.model.Asked()
	last := asked[len(asked)-1]
	for _, secret := range []string{"grace@navy", "another conversation", "sk-secret", id} {
		if strings.Contains(last.Raw, secret) {
			h.t.Errorf("%s %q: the model sees %q", in.Where, in.Text, secret)
		}
	}
}
