package words

import "unicode"

// stemLength is how much of a long word stands for its other forms: "deliver" and
// "delivery", "liefern" and "Lieferung". It is the same for all languages, because
// visitors do not say which one they write.
const stemLength = 5

// stemMark ends a stem, so that it is no word.
const stemMark = "·"

// WithStems returns the words of a text by which knowledge is found: folded, in order, each
// with its stem, and pairs of characters where a script has no spaces.
func WithStems(text string) (list []string) {
	for _, run := range Runs(text) {
		if run.Paired {
			list = append(list, Pairs(run.Text)...)
			continue
		}
		word := Fold(run.Text)
		if word == "" {
			continue
		}
		list = append(list, word)
		if stem := Stem(word); stem != "" {
			list = append(list, stem)
		}
	}
	return list
}

// Stem returns the stem of a word, "" of a short one and of a number.
func Stem(word string) string {
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
