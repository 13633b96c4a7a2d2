package ai

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"

	"github.com/relay-chat/relay/server/chat"
)

// form is how a model answers: each sentence with what it rests on.
type form struct {
	Sentences []formSentence `json:"sentences"`
	// HandOver is asked, unsure or no.
	HandOver string `json:"handOver"`
	// Act is what the model asks for instead of answering.
	Act formAct `json:"act"`
}

// formAct names an action and has what is given to it, an object or its text.
type formAct struct {
	Name      string   `json:"name"`
	Arguments chat.Raw `json:"arguments"`
}

// given is the object that an action is given, as a text.
func (a *formAct) given() string {
	var text string
	if json.Unmarshal(a.Arguments, &text) == nil {
		return text
	}
	return string(a.Arguments)
}

// formSentence is one sentence of an answer.
type formSentence struct {
	Text string `json:"text"`
	// Passage is the number of the passage that carries it, 0 for HOUSE, -1 for none.
	Passage int `json:"passage"`
	// Quote is a literal part of that passage.
	Quote string `json:"quote"`
	// Restated is the sentence in the passage's language.
	Restated string `json:"restated"`

	prose  bool   // the model did not keep the form
	also   []int  // further passages that it names
	behind string // the white space that follows
}

// formSchema describes a form to endpoints that can keep one.
var formSchema = json.RawMessage(`{"type":"object","additionalProperties":false,"required":["sentences","handOver"],"properties":{` + formProperties + `}}`)

// actingSchema is formSchema with what the model may ask for.
var actingSchema = json.RawMessage(`{"type":"object","additionalProperties":false,"required":["sentences","handOver","act"],"properties":{` + formProperties + `,` +
	`"act":{"type":"object","additionalProperties":false,"required":["name","arguments"],"properties":{"name":{"type":"string"},"arguments":{"type":"string"}}}}}`)

const formProperties = `"sentences":{"type":"array","items":{"type":"object","additionalProperties":false,"required":["text","passage","quote","restated"],"properties":{` +
	`"text":{"type":"string"},"passage":{"type":"integer"},"quote":{"type":"string"},"restated":{"type":"string"}}}},` +
	`"handOver":{"type":"string","enum":["no","unsure","asked"]}`

// maxSentences bounds a form.
const maxSentences = 30

// noPassage is the passage of a sentence that rests on none.
const noPassage = -1

// readForm reads a model's text. One that is no form is read as prose, with the numbers of
// passages in brackets: then the places are looked for.
func readForm(text string) form {
	text = chat.Clip(text, maxRead)
	if f, ok := decodeForm(text); ok {
		return f
	}
	return readProse(text)
}

// decodeForm finds a form in a text, which models like to put between marks.
func decodeForm(text string) (f form, ok bool) {
	begin, end := strings.IndexByte(text, '{'), strings.LastIndexByte(text, '}')
	switch {
	case !strings.Contains(text, `"sentences"`) && !strings.Contains(text, `"act"`):
		return form{}, false
	case begin < 0 || end < begin:
		return form{}, true
	}
	if err := json.Unmarshal([]byte(text[begin:end+1]), &f); err != nil {
		return form{}, true // half of one, or another: nothing of it is said
	}
	f.Sentences = f.Sentences[:min(len(f.Sentences), maxSentences)]
	for i := range f.Sentences {
		s := &f.Sentences[i]
		var numbers []int
		if s.Text, numbers = takeCitations(s.Text); len(numbers) > 0 && s.Passage == 0 && s.Quote == "" {
			s.Passage = numbers[0]
		}
		if s.Passage == 0 && s.Quote == "" {
			s.Passage = noPassage
		}
		s.behind = " "
	}
	return f, true
}

// readProse reads the sentences of a text.
func readProse(text string) (f form) {
	found := handOverLine.FindStringSubmatch(text)
	if found != nil {
		f.HandOver = chat.AIEndUnsure
		if strings.EqualFold(found[1], chat.AIEndAsked) {
			f.HandOver = chat.AIEndAsked
		}
		text = handOverLine.ReplaceAllString(text, "")
	}
	for _, part := range partsOf(text) {
		said := strings.TrimRight(part, " \t\n")
		s := formSentence{Passage: noPassage, prose: true, behind: part[len(said):]}
		var numbers []int
		if s.Text, numbers = takeCitations(said); len(numbers) > 0 {
			s.Passage, s.also = numbers[0], numbers[1:]
		}
		f.Sentences = append(f.Sentences, s)
	}
	return f
}

// prosePart matches a sentence of prose, with the numbers of passages behind it and the white space
// that follows. A full stop within an address or a number ends none.
var prosePart = regexp.MustCompile(`(?s).*?(?:[.!?…]+["”»)]*` + cites + `(?:\s+|$)|[。！？؟।]+` + cites + `\s*|\n+|$)`)

const cites = `(?:[ \t]*[\[【][^\]】\n]*[\]】])*`

// partsOf parts a text into its sentences.
func partsOf(text string) []string {
	return slices.DeleteFunc(prosePart.FindAllString(text, -1), func(part string) bool { return strings.TrimSpace(part) == "" })
}
