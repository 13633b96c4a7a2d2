package knowledge

import (
	"slices"
	"unicode"

	"github.com/relay-chat/relay/server/words"
)

// stemLength is how much of a long word stands for its other forms: "deliver" and
// "delivery", "liefern" and "Lieferung". It is the same for all languages, because
// visitors do not say which one they write.
const stemLength = 5

// stemMark ends a stem, so that it is no word.
const stemMark = "·"

// WordsOf returns the words of a text by which it is found: folded, in order, each
// with its stem, and pairs of characters where a script has no spaces.
func WordsOf(text string) (list []string) {
	for _, run := range words.Runs(text) {
		if run.Paired {
			list = append(list, words.Pairs(run.Text)...)
			continue
		}
		word := words.Fold(run.Text)
		if word == "" {
			continue
		}
		list = append(list, word)
		if stem := stemOf(word); stem != "" {
			list = append(list, stem)
		}
	}
	return list
}

// maxAsked is how many different words of a question count.
const maxAsked = 64

// askedWords are those of a question without the ones that every text has.
func askedWords(question string) (list []string) {
	for _, run := range words.Runs(question) {
		if run.Paired {
			list = append(list, slices.DeleteFunc(words.Pairs(run.Text), common)...)
			continue
		}
		word := words.Fold(run.Text)
		if word == "" || common(word) {
			continue
		}
		list = append(list, word)
		if stem := stemOf(word); stem != "" {
			list = append(list, stem)
		}
	}
	list = unique(list)
	return list[:min(len(list), maxAsked)]
}

func unique(list []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(w string) bool {
		again := seen[w]
		seen[w] = true
		return again
	})
}

// stemOf returns the stem of a word, "" of a short one and of a number.
func stemOf(word string) string {
	runes := []rune(word)
	length := stemLength
	if unicode.Is(unicode.Arabic, runes[0]) {
		length = 3
	}
	if len(runes) <= length || unicode.IsDigit(runes[0]) {
		if len(runes) == length {
			return word + stemMark
		}
		return ""
	}
	return string(runes[:length]) + stemMark
}
