package ai

import (
	"regexp"
	"strings"
	"unicode"
)

// breaks are the signs that end a line, beside the usual one: in some program or
// another each of them does.
const breaks = "\r\v\f\x1c\x1d\x1e\u0085\u2028\u2029"

// readable leaves of a text what can be read: every line break is the usual one, and
// signs that nobody sees are gone but those that join letters and emojis.
func readable(text string) string {
	text = strings.ToValidUTF8(strings.ReplaceAll(text, "\r\n", "\n"), "")
	return strings.Map(func(r rune) rune {
		const joiner, nonJoiner = '\u200d', '\u200c'
		switch {
		case r == '\n' || r == '\t' || r == joiner || r == nonJoiner:
			return r
		case strings.ContainsRune(breaks, r):
			return '\n'
		case unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co):
			return -1
		}
		return r
	}, text)
}

// lineEnd stands for the end of a line in a text that must stay in one.
const lineEnd = " ⏎ "

// oneLine is a text in one line, whose lines can still be told apart.
func oneLine(text string) string {
	lines := strings.FieldsFunc(readable(text), func(r rune) bool { return r == '\n' })
	for i := range lines {
		lines[i] = strings.Join(strings.Fields(lines[i]), " ")
	}
	return strings.Join(lines, lineEnd)
}

// numbered matches what looks like the number of a passage.
var numbered = regexp.MustCompile(`[\[［【〔]\s*(\p{Nd}[\p{Nd}\s,;]*)[\]］】〕]`)

// withoutNumbers turns the brackets around numbers into others: only relay numbers
// passages.
func withoutNumbers(text string) string {
	return numbered.ReplaceAllString(text, "($1)")
}
