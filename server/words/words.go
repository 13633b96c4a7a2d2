// Package words parts texts of any language into words that are compared without case
// and accents. It imports only the tables of Unicode.
package words

import (
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// maxWord is how many characters of a word count.
const maxWord = 40

// Run is a word, or a run of characters of a script without spaces.
type Run struct {
	Text   string // in small letters
	Paired bool   // it has no spaces: its pairs of characters are its words
	places []place
}

// place is where a character comes from, in bytes of the text.
type place struct{ start, end int }

// Runs parts a text.
func Runs(text string) (runs []Run) {
	var word []rune
	var places []place
	paired := false
	end := func() {
		if len(word) > 0 {
			runs = append(runs, Run{string(word), paired, places})
		}
		word, places = word[:0], nil
	}
	var parts norm.Iter
	parts.InitString(norm.NFKC, text)
	for !parts.Done() {
		at := parts.Pos()
		for _, r := range string(parts.Next()) {
			if !counts(r) {
				end()
				continue
			}
			mark := unicode.IsMark(r)
			if !mark && len(word) > 0 && paired != isPaired(r) || len(word) >= maxWord && !paired || isPicture(r) {
				end()
			}
			if !mark {
				paired = isPaired(r)
			}
			word, places = append(word, unicode.ToLower(r)), append(places, place{at, parts.Pos()})
			if isPicture(r) {
				end()
			}
		}
	}
	end()
	return runs
}

// counts reports whether a character is part of a word.
func counts(r rune) bool {
	return unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r) && !isVariant(r) || isPicture(r)
}

// isVariant reports whether a character only chooses the look of the one before.
func isVariant(r rune) bool { return r >= 0xFE00 && r <= 0xFE0F || r >= 0xE0100 && r <= 0xE01EF }

// isPicture reports whether a character is an emoji, which is a word of its own.
func isPicture(r rune) bool { return r >= 0x2600 && unicode.Is(unicode.So, r) }

// isPaired reports whether words of the character's script are not parted by spaces,
// or change their endings as in Korean.
func isPaired(r rune) bool {
	return r >= 0x0E00 && (unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) || r == 'ー')
}

// Pairs returns every pair of neighbours, which find words of two characters and
// more. A single character stands for itself.
func Pairs(text string) []string {
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

// Fold removes accents and the signs of vowels, and what Arabic writes before a word.
// The word is in small letters.
func Fold(word string) string {
	if isPlain(word) {
		return word
	}
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

// Plain returns a text in small letters without accents, for searches in which parts of
// words and signs count.
func Plain(text string) string {
	text = strings.ToLower(text)
	if isPlain(text) {
		return text
	}
	var out strings.Builder
	for _, r := range norm.NFKD.String(letters.Replace(text)) {
		if !isAccent(r) {
			out.WriteRune(r)
		}
	}
	return norm.NFC.String(out.String())
}

func isPlain(word string) bool {
	for i := range len(word) {
		if word[i] >= 0x80 {
			return false
		}
	}
	return true
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
