package ai

import (
	"slices"
	"strings"

	"github.com/relay-chat/relay/bridges/ai/verify"
	"github.com/relay-chat/relay/server/chat"
)

// Judgement is what relay makes of one sentence of a model.
type Judgement struct {
	// Text is what the model wrote, and Said what the visitor reads of it: the same, the page's own
	// words, or nothing.
	Text, Said string
	// Reason is why it is not said as it is.
	Reason string
	// Passage is the number of the passage it rests on, 0 for the site's own facts, -1 for none.
	Passage int
}

// Why a sentence is not said, beside what verify finds.
const (
	reasonNoPlace = "it names no passage"
	reasonHarmful = "it asks for secrets, claims to be human or repeats relay's rules"
	reasonUnknown = "it says that the answer is not known"
	reasonPromise = "it promises what no passage does"
	reasonLeads   = "it leads to an address that no passage has"
)

// judge decides what is said of a sentence. known is false when it says that the answer is not known.
func (g *grounds) judge(s *formSentence) (j Judgement, known bool) {
	j = Judgement{Text: g.clean(s.Text), Passage: s.Passage}
	if j.Text == "" {
		return j, true
	}
	text := s.Text
	if g.hasPage(s.Passage) {
		text += " [1]" // a page may send people to the team as well
	}
	switch unsure, _ := admits(text); {
	case unsure:
		j.Reason = reasonUnknown
		return j, false
	case harmful(s.Text):
		j.Reason = reasonHarmful
	case g.leadsAway(s.Text):
		j.Reason = reasonLeads
	default:
		g.place(s, &j)
	}
	return j, true
}

// leadsAway reports whether addresses are taken out of a text when it is cleaned.
func (g *grounds) leadsAway(text string) bool {
	shown := plain(readable(text))
	letters := func(text string) string { return strings.Join(strings.Fields(text), "") }
	return letters(g.withoutForeignLinks(shown)) != letters(shown)
}

// place judges a sentence by the passages that it names, or by the nearest one when it names none
// and is more than a greeting.
func (g *grounds) place(s *formSentence, j *Judgement) {
	numbers := slices.DeleteFunc(append([]int{s.Passage}, s.also...), func(n int) bool { return !g.hasPage(n) })
	if len(numbers) == 0 && g.isTalk(j.Text) {
		j.Passage, j.Said = noPassage, j.Text
		return
	}
	one := *s
	if len(numbers) == 0 {
		numbers, one.prose = g.nearest(j.Text), true
	}
	j.Passage, j.Reason = noPassage, reasonNoPlace
	for _, n := range numbers {
		one.Passage = n
		next := Judgement{Text: j.Text, Passage: n}
		if g.verify(&one, &next); j.Said == "" || next.Reason == "" {
			*j = next
		}
		if j.Reason == "" {
			return
		}
	}
}

// hasPage reports whether a number is that of a passage, or of the site's own facts.
func (g *grounds) hasPage(n int) bool {
	return n >= 1 && n <= len(g.passages) || n == 0 && strings.TrimSpace(g.instructions) != ""
}

// nearest is the number of what has most of a text's words.
func (g *grounds) nearest(text string) []int {
	pages := []verify.Page{g.page(0)}
	for i := range g.passages {
		pages = append(pages, g.page(i+1))
	}
	if _, n := verify.Nearest(text, pages); n >= 0 {
		return []int{n}
	}
	return nil
}

// longestTalk is how long a sentence may be that rests on nothing, in bytes.
const longestTalk = 280

func (g *grounds) isTalk(text string) bool {
	return len(text) <= longestTalk && !promisesBeyond(strings.ToLower(text), "") && verify.IsTalk(text, g.conversation)
}

// verify compares a sentence with what it rests on. Where it is not carried, the page's own words
// stand in for it, if they are about the same.
func (g *grounds) verify(s *formSentence, j *Judgement) {
	page := g.page(s.Passage)
	quote := s.Quote
	if s.prose {
		quote, _ = verify.Nearest(j.Text, []verify.Page{page})
	}
	claim := &verify.Claim{Text: j.Text, Quote: quote, Page: page, Restated: s.Restated, House: g.instructions}
	reason, words := verify.Check(claim)
	if reason == "" && promisesBeyond(strings.ToLower(j.Text), strings.ToLower(g.known())) {
		reason = reasonPromise
	}
	if j.Reason = reason; reason == "" {
		j.Said = j.Text
		return
	}
	if words == "" {
		if words, _ = verify.Nearest(j.Text, []verify.Page{page}); words == "" {
			return
		}
	}
	if g.leadsAway(words) {
		return
	}
	words = g.clean(words)
	if s.Passage > 0 && words != "" && len(words) <= maxQuoted && !harmful(words) && verify.Relates(j.Text, words) {
		j.Said = verify.Quoted(j.Text, chat.Clip(oneLine(page.Title), 200), "“"+words+"”")
	}
}

// maxQuoted is how long a page's own words may be, in bytes.
const maxQuoted = 600

func (g *grounds) page(number int) verify.Page {
	if number == 0 {
		return verify.Page{Text: g.instructions}
	}
	p := &g.passages[number-1]
	return verify.Page{Title: p.Title, Text: readable(p.Text)}
}

// compose makes an answer of a form.
func (g *grounds) compose(f *form, cut bool) (r reply) {
	if g.acts && f.Act.Name != "" {
		return reply{act: &f.Act}
	}
	if f.HandOver == chat.AIEndAsked {
		return reply{handBack: chat.AIEndAsked}
	}
	unsure := f.HandOver != "" && f.HandOver != "no"
	var text strings.Builder
	talk := true
	for i := range f.Sentences {
		s := &f.Sentences[i]
		j, known := g.judge(s)
		unsure = unsure || !known
		r.judged = append(r.judged, j)
		if j.Said == "" || strings.Contains(text.String(), j.Said) {
			continue
		}
		text.WriteString(j.Said + s.behind)
		if talk = talk && j.Passage < 0; j.Passage > 0 {
			r.cite(&g.passages[j.Passage-1])
		}
	}
	r.text = shorten(g.clean(strings.TrimSpace(text.String())), cut)
	withheld := slices.ContainsFunc(r.judged, func(j Judgement) bool { return j.Said == "" && j.Text != "" && j.Reason != reasonUnknown })
	if talk && (withheld || unsure) || r.text == "" {
		return reply{handBack: chat.AIEndUnsure, judged: r.judged}
	}
	if unsure {
		r.handBack = chat.AIEndUnsure
	}
	return r
}

// cite adds a passage to the sources of an answer.
func (r *reply) cite(p *chat.Passage) {
	known := slices.ContainsFunc(r.sources, func(s chat.Source) bool { return s.URL == p.URL })
	if !known && isWebAddress(p.URL) {
		r.sources = append(r.sources, chat.Source{Title: chat.Clip(chat.OneLine(p.Title), 200), URL: p.URL})
	}
}

// withheld is what operators read of sentences that were not said as they were, "" if there is none.
func (r *reply) withheld() string {
	var b strings.Builder
	for _, j := range r.judged {
		if j.Reason != "" && j.Reason != reasonUnknown && j.Text != "" {
			b.WriteString("\n“" + chat.Clip(j.Text, 500) + "” – " + j.Reason + ".")
		}
	}
	if b.Len() == 0 {
		return ""
	}
	return "The AI wanted to say this, which the visitor did not get:" + b.String()
}
