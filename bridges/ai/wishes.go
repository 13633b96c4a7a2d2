package ai

import (
	_ "embed"
	"maps"
	"slices"
	"strings"
	"sync"
	"unicode/utf8"

	"github.com/relay-chat/relay/server/words"
)

//go:embed wishes.txt
var wishesText string

// wish is how a language's speakers ask for a person.
type wish struct{ talk, want, human, person []string }

var wishes = sync.OnceValue(func() map[string]*wish {
	table := map[string]*wish{}
	for line := range strings.Lines(wishesText) {
		head, list, _ := strings.Cut(strings.TrimSpace(line), ": ")
		language, part, ok := strings.Cut(head, " ")
		if !ok || language == "#" || len(language) != 2 {
			continue
		}
		if table[language] == nil {
			table[language] = &wish{}
		}
		var forms []string
		for form := range strings.SplitSeq(list, "|") {
			forms = append(forms, words.Plain(strings.ReplaceAll(form, "'", " ")))
		}
		switch w := table[language]; part {
		case "talk":
			w.talk = forms
		case "want":
			w.want = forms
		case "human":
			w.human = forms
		default:
			w.person = forms
		}
	}
	return table
})

// wishesPerson reports whether a text's words ask for a person, and in which language.
func wishesPerson(text, visitors string) (language string, asks bool) {
	text = words.Plain(text)
	for _, language := range append([]string{visitors}, slices.Sorted(maps.Keys(wishes()))...) {
		if w := wishes()[language]; w != nil && w.in(text, language) {
			return language, true
		}
	}
	return "", false
}

// nearWish is how many words may stand between wanting and the person.
const nearWish = 4

// in reports whether a text says that somebody wants to talk to a person, or wants one who answers.
func (w *wish) in(text, language string) bool {
	return near(text, language, w.talk, slices.Concat(w.human, w.person)) || near(text, language, w.want, w.human)
}

// near reports whether a text has one of some forms close to one of others. English says who is
// wanted after it.
func near(text, language string, first, second []string) bool {
	if slices.Contains(unspaced, language) {
		return hasAny(text, first) && hasAny(text, second)
	}
	for _, a := range placesOf(text, first) {
		for _, b := range placesOf(text, second) {
			if b.from >= a.to && b.from-a.to <= nearWish || a.from >= b.to && a.from-b.to <= nearWish && language != "en" {
				return true
			}
		}
	}
	return false
}

// placesOf are the places of forms in a text, as numbers of words.
func placesOf(text string, forms []string) (list []span) {
	padded := " " + text + " "
	for _, form := range forms {
		begin, open := strings.CutSuffix(form, "~")
		find := " " + begin
		if !open {
			find += " "
		}
		for at := 0; ; {
			i := strings.Index(padded[at:], find)
			if i < 0 {
				break
			}
			from := strings.Count(padded[:at+i], " ")
			list = append(list, span{from, from + strings.Count(begin, " ") + 1})
			_, size := utf8.DecodeRuneInString(padded[at+i:])
			at += i + size
		}
	}
	return list
}
