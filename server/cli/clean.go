package cli

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// Strangers write what these commands print. A terminal obeys some signs, and shows others where
// they are not: none of them gets there.

// hostile reports whether a terminal may do more with a sign than show it. The two joiners make
// letters and emojis of several signs.
func hostile(r rune) bool {
	switch {
	case r == '\u200c' || r == '\u200d':
		return false
	case r == utf8.RuneError, r == '\u2028', r == '\u2029':
		return true
	}
	return unicode.Is(unicode.C, r)
}

// Clean returns a text of several lines without what terminals obey.
func Clean(text string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\n':
			return r
		case r == '\t':
			return ' '
		case hostile(r):
			return utf8.RuneError
		}
		return r
	}, strings.ReplaceAll(text, "\r\n", "\n"))
}

// OneLine is Clean for a text that must not begin a line of its own.
func OneLine(text string) string { return strings.Join(strings.Fields(Clean(text)), " ") }

// cut shortens a line to a number of signs.
func cut(line string, signs int) string {
	runes := []rune(line)
	if len(runes) <= signs {
		return line
	}
	return strings.TrimSpace(string(runes[:signs-1])) + "…"
}

// indented is a clean text with each line indented, so that none looks like relay's own.
func indented(text string) string { return "    " + strings.ReplaceAll(Clean(text), "\n", "\n    ") }

// cleanJSON writes the signs that terminals obey as JSON escapes: it means the same.
func cleanJSON(text string) string {
	var b strings.Builder
	for _, r := range text {
		switch {
		case r == '\n' || !hostile(r) || r == utf8.RuneError:
			b.WriteRune(r)
		case r > 0xffff:
			high, low := utf16.EncodeRune(r)
			fmt.Fprintf(&b, `\u%04x\u%04x`, high, low)
		default:
			fmt.Fprintf(&b, `\u%04x`, r)
		}
	}
	return b.String()
}
