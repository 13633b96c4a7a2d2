package team

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/relay-chat/relay/server/chat"
)

// alphabets are those whose letters look like letters of another one.
var alphabets = []*unicode.RangeTable{unicode.Latin, unicode.Cyrillic, unicode.Greek, unicode.Armenian, unicode.Cherokee, unicode.Coptic, unicode.Lisu, unicode.Deseret}

// joining are the scripts in which zero-width joiners change how a word is written.
var joining = []*unicode.RangeTable{unicode.Arabic, unicode.Syriac, unicode.Devanagari, unicode.Bengali, unicode.Gurmukhi, unicode.Gujarati, unicode.Oriya, unicode.Tamil,
	unicode.Telugu, unicode.Kannada, unicode.Malayalam, unicode.Sinhala, unicode.Khmer, unicode.Myanmar, unicode.Mongolian}

// disguises are letters and digits in another form: full-width, in circles, mathematical.
var disguises = &unicode.RangeTable{
	R16: []unicode.Range16{{Lo: 0x2460, Hi: 0x24ff, Stride: 1}, {Lo: 0x2800, Hi: 0x2800, Stride: 1}, {Lo: 0xff01, Hi: 0xff5e, Stride: 1}},
	R32: []unicode.Range32{{Lo: 0x1d400, Hi: 0x1d7ff, Stride: 1}, {Lo: 0x1f100, Hi: 0x1f1ff, Stride: 1}},
}

// CheckName rejects what cannot be a person's name, and what only looks like another one.
func CheckName(name string) error { return checkName(name, maxPersonName) }

func checkName(name string, most int) error {
	if name == "" || utf8.RuneCountInString(name) > most || strings.ContainsFunc(name, unicode.IsControl) {
		return badName("name must be 1 to %d characters on one line", most)
	}
	before := ' '
	for _, r := range name {
		if isUnseen(r, before) {
			return badName("name must not have invisible characters: type it again instead of pasting it")
		}
		if unicode.Is(disguises, r) {
			return badName("name must be written in ordinary letters, without %q", string(r))
		}
		before = r
	}
	for word := range strings.FieldsSeq(name) {
		if isMixed(word) {
			return badName("name must not mix letters of several alphabets in one word: %q looks like something else", word)
		}
	}
	return nil
}

func badName(format string, args ...any) error {
	return chat.ErrorAt(chat.Invalid, "name", fmt.Sprintf(format, args...))
}

// isUnseen reports whether nobody sees a character, or only by what it does to others.
func isUnseen(r, before rune) bool {
	switch {
	case r == '\u200c' || r == '\u200d':
		return !unicode.In(before, joining...)
	case unicode.Is(unicode.Variation_Selector, r):
		return !unicode.IsSymbol(before) && !unicode.Is(unicode.Han, before)
	}
	return unicode.In(r, unicode.Cf, unicode.Co, unicode.Cs, unicode.Zl, unicode.Zp, unicode.Other_Default_Ignorable_Code_Point)
}

func isMixed(word string) bool {
	first := -1
	for _, r := range word {
		for i, alphabet := range alphabets {
			if !unicode.Is(alphabet, r) {
				continue
			}
			if first >= 0 && first != i {
				return true
			}
			first = i
		}
	}
	return false
}

// lookAlikes are small and capital letters of other alphabets that look like Latin ones,
// by "Confusable Detection" of Unicode's technical standard 39; ο stands for both.
var lookAlikes = strings.NewReplacer(
	"а", "a", "в", "b", "с", "c", "ԁ", "d", "е", "e", "ё", "e", "һ", "h", "н", "h", "і", "i", "ї", "i", "ј", "j", "к", "k", "ӏ", "l", "м", "m", "о", "o", "р", "p",
	"ԛ", "q", "ѕ", "s", "т", "t", "у", "y", "ү", "y", "ԝ", "w", "х", "x", "з", "3",
	"α", "a", "β", "b", "ε", "e", "ζ", "z", "η", "h", "ι", "i", "κ", "k", "μ", "m", "ν", "n", "ο", "o", "ρ", "p", "τ", "t", "υ", "y", "χ", "x",
	"օ", "o", "ս", "u", "ո", "n", "հ", "h", "ı", "i", "ɑ", "a", "ɡ", "g", "0", "o", "1", "l", "|", "l", "\u200c", "", "\u200d", "")

// looks is the same for names that people may take for each other.
func looks(name string) string { return lookAlikes.Replace(chat.NameKey(name)) }
