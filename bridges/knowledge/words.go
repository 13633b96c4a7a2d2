package knowledge

import (
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// stemLength is how much of a long word stands for its other forms: "deliver" and
// "delivery", "liefern" and "Lieferung". It is the same for all languages, because
// visitors do not say which one they write.
const stemLength = 5

// stemMark ends a stem, so that it is no word.
const stemMark = "·"

// WordsOf returns the words of a text by which it is found: folded, in order, each
// with its stem, and pairs of characters where a script has no spaces.
func WordsOf(text string) (words []string) {
	for _, run := range runsOf(text) {
		if run.paired {
			words = append(words, pairs(run.text)...)
			continue
		}
		word := fold(run.text)
		if word == "" {
			continue
		}
		words = append(words, word)
		if stem := stemOf(word); stem != "" {
			words = append(words, stem)
		}
	}
	return words
}

// maxAsked is how many different words of a question count.
const maxAsked = 64

// askedWords are those of a question without the ones that every text has.
func askedWords(question string) (words []string) {
	for _, run := range runsOf(question) {
		if run.paired {
			words = append(words, slices.DeleteFunc(pairs(run.text), common)...)
			continue
		}
		word := fold(run.text)
		if word == "" || common(word) {
			continue
		}
		words = append(words, word)
		if stem := stemOf(word); stem != "" {
			words = append(words, stem)
		}
	}
	words = unique(words)
	return words[:min(len(words), maxAsked)]
}

func unique(words []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(words, func(w string) bool {
		again := seen[w]
		seen[w] = true
		return again
	})
}

// maxWord is how many characters of a word count.
const maxWord = 40

// run is a word, or a run of characters of a script without spaces.
type run struct {
	text   string
	paired bool
}

// runsOf parts a text into words.
func runsOf(text string) (runs []run) {
	var word []rune
	paired := false
	end := func() {
		if len(word) > 0 {
			runs = append(runs, run{string(word), paired})
		}
		word = word[:0]
	}
	for _, r := range norm.NFKC.String(text) {
		switch {
		case !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r):
			end()
			continue
		case !unicode.IsMark(r) && len(word) > 0 && paired != isPaired(r), len(word) >= maxWord && !paired:
			end()
		}
		if !unicode.IsMark(r) {
			paired = isPaired(r)
		}
		word = append(word, unicode.ToLower(r))
	}
	end()
	return runs
}

// isPaired reports whether words of the character's script are not parted by spaces,
// or change their endings as in Korean.
func isPaired(r rune) bool {
	return r >= 0x0E00 && (unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) || r == 'ー')
}

// pairs returns every pair of neighbours, which find words of two characters and
// more. A single character stands for itself.
func pairs(text string) []string {
	runes := []rune(text)
	if len(runes) == 1 {
		return []string{text}
	}
	list := make([]string, len(runes)-1)
	for i := range list {
		list[i] = string(runes[i : i+2])
	}
	return list
}

// letters are those that people write otherwise than texts do.
var letters = strings.NewReplacer("ß", "ss", "æ", "ae", "œ", "oe", "ø", "o", "ł", "l", "đ", "d", "þ", "th", "ı", "i", "ς", "σ",
	"أ", "ا", "إ", "ا", "آ", "ا", "ٱ", "ا", "ى", "ي", "ة", "ه", "ؤ", "و", "ئ", "ي", "ـ", "")

// fold removes accents and the signs of vowels, and what Arabic writes before a word.
func fold(word string) string {
	var out strings.Builder
	for _, r := range letters.Replace(word) {
		if unicode.In(r, unicode.Latin, unicode.Greek, unicode.Cyrillic) {
			r = []rune(norm.NFD.String(string(r)))[0]
		}
		if !isAccent(r) {
			out.WriteRune(r)
		}
	}
	return withoutArticle(out.String())
}

// isAccent reports whether a mark may be left out, unlike those of Indian scripts.
func isAccent(r rune) bool {
	return unicode.Is(unicode.Mn, r) && (r < 0x0370 || r >= 0x0483 && r < 0x0488 || r >= 0x0591 && r < 0x0700)
}

// articles are what Arabic writes together with the word that follows.
var articles = []string{"وال", "بال", "كال", "فال", "لل", "ال"}

func withoutArticle(word string) string {
	for _, article := range articles {
		if rest, ok := strings.CutPrefix(word, article); ok && len([]rune(rest)) >= 3 {
			return rest
		}
	}
	return word
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
