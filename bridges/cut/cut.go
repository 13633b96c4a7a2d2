// Package cut measures and cuts texts for platforms that count UTF-16 units. It
// imports the standard library only.
package cut

import (
	"strings"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"
)

// zeroWidthJoiner joins characters into one.
const zeroWidthJoiner = '\u200D'

// Units is the length of a text in UTF-16 units.
func Units(text string) int {
	n := 0
	for _, r := range text {
		n += max(utf16.RuneLen(r), 1)
	}
	return n
}

// To returns the longest beginning of text that is not over limit units.
func To(text string, limit int) string {
	n := 0
	for i, r := range text {
		if n += max(utf16.RuneLen(r), 1); n > limit {
			return text[:i]
		}
	}
	return text
}

// Line returns a text as one line of at most limit units, without control
// characters; a text that was cut ends with "…".
func Line(text string, limit int) string {
	text = strings.Join(strings.Fields(strings.Map(printed, text)), " ")
	if Units(text) <= limit {
		return text
	}
	return strings.TrimRight(To(text, limit-1), " ") + "…"
}

// printed maps control characters to spaces and drops format characters, which
// may change the direction of text, and invalid bytes.
func printed(r rune) rune {
	switch {
	case unicode.Is(unicode.Cc, r), r == '\u2028', r == '\u2029':
		return ' '
	case r == utf8.RuneError:
		return -1
	case unicode.Is(unicode.Cf, r) && r != zeroWidthJoiner && !unicode.Is(unicode.Prepended_Concatenation_Mark, r):
		return -1
	}
	return r
}

// Pieces cuts text into pieces that fit into first, then into limit. fit returns as
// much of a text as fits; pieces of white space, which platforms reject, are dropped.
func Pieces(text string, first, limit int, fit func(text string, room int) string) (pieces []string) {
	for room := first; text != ""; room = limit {
		piece := fit(text, room)
		if strings.TrimSpace(piece) != "" {
			pieces = append(pieces, piece)
		}
		text = text[len(piece):]
	}
	return pieces
}

// AtBreak shortens piece, the beginning of text: it ends after a paragraph, else a
// line, else a word, if that keeps half of it, and never inside a character.
func AtBreak(piece, text string) string {
	if len(piece) == len(text) {
		return piece
	}
	for _, mark := range []string{"\n\n", "\n", " "} {
		if i := strings.LastIndex(piece, mark); i >= len(piece)/2 {
			return piece[:i+len(mark)]
		}
	}
	return piece[:wholeCharacter(piece, text)]
}

// wholeCharacter moves a cut before a nearby character whose combining marks or
// joined parts it would tear off.
func wholeCharacter(piece, text string) int {
	cut := len(piece)
	for range 16 {
		next, _ := utf8.DecodeRuneInString(text[cut:])
		last, size := utf8.DecodeLastRuneInString(text[:cut])
		if !unicode.In(next, unicode.Mn, unicode.Me) && next != zeroWidthJoiner && last != zeroWidthJoiner {
			return cut
		}
		if cut -= size; cut <= 0 {
			break
		}
	}
	return len(piece)
}
