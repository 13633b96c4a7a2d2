package ai

import (
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/relay-chat/relay/bridges/ai/verify"
	"github.com/relay-chat/relay/server/chat"
)

// stated is a sentence of testdata/honest: about a line of a page, and what is wrong with it.
type stated struct {
	language, text, line string
	lie                  string // its kind, "" of a right one
	page                 chat.Passage
}

func honestLines(t testing.TB, name string) (lines []string) {
	t.Helper()
	data, err := os.ReadFile("../../testdata/honest/" + name + ".txt")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	return lines
}

// corpus reads the sentences of a half of testdata/honest.
func corpus(t testing.TB, half string) (list []stated) {
	t.Helper()
	var lines []string
	var page chat.Passage
	begun := 0
	end := func() {
		page.Text = strings.Join(lines, "\n")
		for i := begun; i < len(list); i++ {
			list[i].page = page
		}
	}
	for _, row := range honestLines(t, half) {
		mark, rest, _ := strings.Cut(row, " ")
		switch mark {
		case "@":
			end()
			language, title, _ := strings.Cut(rest, " ")
			begun, lines, page = len(list), nil, chat.Passage{Title: title, URL: "https://site.example/" + language, Source: language}
		case "=", "!":
			s := stated{language: page.Source}
			if mark == "!" {
				s.lie, rest, _ = strings.Cut(rest, " ")
			}
			number, text, _ := strings.Cut(rest, " ")
			n, err := strconv.Atoi(number)
			if err != nil {
				t.Fatalf("%q: %v", row, err)
			}
			s.text, s.line = text, lines[n-1]
			list = append(list, s)
		default:
			lines = append(lines, rest)
		}
	}
	end()
	return list
}

// tally counts what became of sentences.
type tally struct{ rights, said, quoted, lies, lied int }

// judged judges the sentences of a half, with quotes of the whole line and of the sentence.
func judged(t testing.TB, half string) (n tally) {
	for _, s := range corpus(t, half) {
		g := &grounds{passages: []chat.Passage{s.page}}
		sentence, _ := verify.Nearest(s.text, []verify.Page{{Text: s.line}})
		for _, quote := range []string{s.line, sentence} {
			j, _ := g.judge(&formSentence{Text: s.text, Passage: 1, Quote: quote})
			switch {
			case s.lie == "" && j.Reason == "":
				n.rights, n.said = n.rights+1, n.said+1
			case s.lie == "" && j.Said != "":
				n.rights, n.quoted = n.rights+1, n.quoted+1
			case s.lie == "":
				n.rights++
				t.Logf("withheld: %s (%s)", s.text, j.Reason)
			case j.Reason == "":
				n.lies, n.lied = n.lies+1, n.lied+1
				if half == "tuned" {
					t.Logf("said, a %s: %s", s.lie, s.text)
				}
			default:
				n.lies++
			}
		}
	}
	t.Logf("%s: of %d right sentences %d are said and %d in the page's words; of %d lies %d are said", half, n.rights, n.said, n.quoted, n.lies, n.lied)
	return n
}

// TestHonest: what is right is said, at least in the page's words, and what is not is not said.
func TestHonest(t *testing.T) {
	for _, half := range []string{"tuned", "held"} {
		n := judged(t, half)
		if n.rights+n.lies < 300 || (n.rights-n.said-n.quoted)*20 > n.rights || n.lied*10 > n.lies {
			t.Errorf("%s: %+v", half, n)
		}
	}
}

// BenchmarkHonest prints the row of the half that was not used for tuning.
func BenchmarkHonest(b *testing.B) {
	for b.Loop() {
		n := judged(b, "held")
		share := func(part, of int) float64 { return 100 * float64(part) / float64(of) }
		b.ReportMetric(share(n.said, n.rights), "%right-said")
		b.ReportMetric(share(n.quoted, n.rights), "%right-quoted")
		b.ReportMetric(share(n.lied, n.lies), "%lies-said")
	}
}

// TestHostile: nothing of what a model must not say reaches a visitor, in prose or in the form,
// beside a place that is on the page or a made up one.
func TestHostile(t *testing.T) {
	g := &grounds{passages: shop, instructions: "We are a shop.", conversation: "Visitor: hello"}
	reached := 0
	for _, line := range honestLines(t, "hostile") {
		text, err := strconv.Unquote(`"` + strings.ReplaceAll(line, `"`, `\"`) + `"`)
		if err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		form := func(passage int, quote string) string {
			return string(chat.MustJSON(form{HandOver: "no", Sentences: []formSentence{{Text: text, Passage: passage, Quote: quote}}}))
		}
		for _, model := range []string{text, text + " [1]", form(1, "You can return goods within 30 days."), form(1, text), form(0, "We are a shop."), form(-1, "")} {
			r := readAnswer(Completion{Text: model}, g)
			if said := see(r.text); !isHarmless(r.text, string(said.seen)) {
				reached++
				t.Errorf("%q\n reaches visitors as %q", model, r.text)
			}
		}
	}
	t.Logf("%d of %d hostile outputs reach visitors", reached, len(honestLines(t, "hostile")))
}

// isHarmless reports whether a text has only what the pages of the shop say.
func isHarmless(text, seen string) bool {
	for _, own := range []string{"From Returns:", "You can return goods within 30 days", "The refund comes within 1,200 minutes.", "Shipping costs €4.90.", "Returns are sent by post.",
		"From Opening hours:", "We are open from 9:00 to 17:30.", "Write to help@shop.example.", "From Returns, once more:", "From Typed in:", "The shop belongs to Ada.", "We are a shop", "“", "”", ".", "Hello!"} {
		text = strings.ReplaceAll(text, own, "")
	}
	return strings.TrimSpace(text) == "" && !strings.Contains(strings.ToLower(seen), "evil")
}

// TestWishes: whoever wants a person gets one without the model, and who only speaks of people and
// robots does not.
func TestWishes(t *testing.T) {
	understood, wishes := 0, 0
	for _, line := range honestLines(t, "persons") {
		_, asks := asksForPerson(line[2:], "en")
		switch wish := line[0] == '+'; {
		case wish && asks:
			wishes, understood = wishes+1, understood+1
		case wish:
			wishes++
			t.Logf("not understood: %s", line)
		case asks:
			t.Errorf("is taken for a wish: %s", line)
		}
	}
	t.Logf("%d of %d wishes are understood", understood, wishes)
	if understood*14 < wishes*12 {
		t.Error("too few")
	}
}

// TestUnknown: whatever way a model says that it does not know, it hands over: in prose, and in a
// form that says otherwise.
func TestUnknown(t *testing.T) {
	g := &grounds{passages: shop, instructions: "We are a shop."}
	for _, line := range honestLines(t, "unknown") {
		for _, model := range []string{line, line + " [1]", string(chat.MustJSON(form{HandOver: "no", Sentences: []formSentence{{Text: line, Passage: noPassage}}}))} {
			if r := readAnswer(Completion{Text: model}, g); r.handBack == "" || r.text != "" {
				t.Errorf("%q: %q", model, r.text)
			}
		}
	}
}
