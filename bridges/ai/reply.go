package ai

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/engine"
)

// Bounds of an answer, in characters.
const (
	maxText = 2000
	maxRead = 8 * maxText // with markup
)

// reply is a model's text as relay uses it.
type reply struct {
	text    string
	sources chat.Sources
	// handBack is why the model does not answer, "" when it does. With a text it answers a
	// part.
	handBack string
	judged   []Judgement // its sentences
	// act is what the model asks for instead.
	act *formAct
	// noted is what operators read of what was done for the answer.
	noted string
}

// grounds are the texts that an answer may be based on.
type grounds struct {
	passages     []chat.Passage
	instructions string // those of the settings
	conversation string
	acts         bool // the model may ask for an action
}

func groundsOf(settings *chat.AI, turn *engine.AITurn, passages []chat.Passage) *grounds {
	return &grounds{passages: passages, instructions: settings.Instructions, conversation: conversationText(settings, turn)}
}

// known returns the texts that state facts: instructions and passages.
func (g *grounds) known() string {
	var b strings.Builder
	b.WriteString(g.instructions)
	for _, p := range g.passages {
		b.WriteString("\n" + p.Title + "\n" + p.URL + "\n" + p.Text)
	}
	return b.String()
}

var handOverLine = regexp.MustCompile(`\b` + handOver + `\b[\s:.\-]*(\w*)`)

// readAnswer turns a model's text into an answer for a visitor, of which every sentence is carried
// by what the model was given, or into a hand-back. What it knows of an answer goes with the
// hand-back.
func readAnswer(done Completion, g *grounds) reply {
	if marker.MatchString(done.Text) { // it repeats what it was given
		return reply{handBack: chat.AIEndUnsure}
	}
	f := readForm(strings.ReplaceAll(done.Text, "\r", "")) // which some show as nothing
	return g.compose(&f, done.Cut)
}

// readDraft turns a model's text into a draft for an operator.
func readDraft(done Completion, g *grounds) reply {
	done.Text = strings.TrimSpace(handOverLine.ReplaceAllString(done.Text, ""))
	return read(done, g)
}

// read takes the numbers of passages out of a text, which become its sources, and
// links that lead elsewhere, and bounds it.
func read(done Completion, g *grounds) (r reply) {
	done.Text = strings.ReplaceAll(chat.Clip(done.Text, maxRead), "\r", "") // which some show as nothing
	text, numbers := takeCitations(done.Text)
	for _, n := range numbers {
		if n >= 1 && n <= len(g.passages) {
			r.cite(&g.passages[n-1])
		}
	}
	r.text = g.clean(shorten(g.clean(text), done.Cut))
	return r
}

// citation is the number of a passage, or several, as models write them.
var citation = regexp.MustCompile(`[ \t]*[\[【](\d{1,3}(?:\s*[,;]\s*\d{1,3})*)(?:†[^\]】]*)?[\]】]`)

// takeCitations takes the numbers of passages out of a text and returns them in
// their order.
func takeCitations(text string) (without string, numbers []int) {
	for _, found := range citation.FindAllStringSubmatch(text, -1) {
		for _, digits := range strings.FieldsFunc(found[1], func(r rune) bool { return r < '0' || r > '9' }) {
			n, _ := strconv.Atoi(digits) // three digits always fit
			numbers = append(numbers, n)
		}
	}
	return citation.ReplaceAllString(text, ""), numbers
}

var (
	markdownLink  = regexp.MustCompile(`!?\[([^\]]*)\]\([^)]*\)`)
	markupTag     = regexp.MustCompile(`(?s)<!--.*?-->|</?[a-zA-Z][^>]*>`)
	heading       = regexp.MustCompile(`(?m)^#{1,6}\s+`)
	emptyBrackets = regexp.MustCompile(`\(\s*\)`)
	emptyLine     = regexp.MustCompile(`\n{3,}`)
	lostSpace     = regexp.MustCompile(` +([.,])(\s|$)`)
	twoSpaces     = regexp.MustCompile(`[ \t]{2,}`)
)

// cleanings is how often a text is looked at again: what is left when markup and
// addresses are gone can be markup or an address.
const cleanings = 10

// clean takes markup and then foreign addresses out of a text, until nothing is to be
// taken out. Of a text that goes on making new ones nothing is left.
func (g *grounds) clean(text string) string {
	text = readable(text)
	for range cleanings {
		next := g.withoutForeignLinks(plain(text))
		if next == text {
			return text
		}
		text = next
	}
	return ""
}

// plain takes the usual markup out of a text.
func plain(text string) string {
	text = markdownLink.ReplaceAllString(text, "$1")
	text = markupTag.ReplaceAllString(text, "")
	text = strings.NewReplacer("**", "", "__", "", "```", "").Replace(text)
	text = heading.ReplaceAllString(text, "")
	text = emptyBrackets.ReplaceAllString(text, "")
	text = lostSpace.ReplaceAllString(text, "$1$2")
	text = twoSpaces.ReplaceAllString(text, " ")
	return strings.TrimSpace(emptyLine.ReplaceAllString(text, "\n\n"))
}

// sentenceEnds are the signs that end a sentence, in any script.
const sentenceEnds = ".!?…。！？؟।"

// shorten bounds a text at the end of a sentence. Of one that was cut off the last
// sentence goes, unless there is no other.
func shorten(text string, cut bool) string {
	runes := []rune(text)
	if len(runes) <= maxText && !cut {
		return text
	}
	runes = runes[:min(len(runes), maxText)]
	if end := strings.LastIndexAny(string(runes), sentenceEnds); end > 0 {
		_, size := utf8.DecodeRuneInString(string(runes)[end:])
		return string(runes)[:end+size]
	}
	if cut {
		return ""
	}
	return string(runes[:maxText-1]) + "…"
}
