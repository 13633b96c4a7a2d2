// Package quote finds what somebody wrote in an answer to an e-mail.
package quote

import (
	"slices"
	"strings"
	"unicode"
)

// line is a line of an e-mail.
type line struct {
	raw    string // as it was written
	words  string // to compare: without invisible characters, with plain spaces, trimmed
	quoted bool   // it begins with ">"
}

func (l line) blank() bool { return l.words == "" }

// Text returns the words that the author of an answer wrote, given the plain text of the
// e-mail: without the text it quotes, the line that introduces the quote, the signature, the
// footer of the mail program, and a legal disclaimer at the end. In doubt, or if nothing would
// be left, the words stay. Words are never joined or changed.
func Text(plain string) string {
	all := readLines(plain)
	parts, whole := split(unwrapSigned(all))
	if whole {
		return join(all)
	}
	own := slices.Clone(parts)
	rounds := maxRounds
	own[0] = withoutFooters(own[0], &rounds)
	for i := len(own) - 1; i > 0; i-- { // the first and the last ones matter most
		own[i] = withoutFooters(own[i], &rounds)
	}
	switch first := written(own); {
	case first == len(own) && written(parts) == len(parts):
		return join(all)
	case first == len(own):
		return join(parts...)
	case first+1 < len(own) && written(own[first+1:]) == len(own)-first-1 && pointsBelow(own[first]):
		return join(all)
	}
	return join(own...)
}

// written is the index of the first part with words, len(parts) if there is none.
func written(parts [][]line) int {
	for i, part := range parts {
		for _, l := range part {
			if !l.blank() {
				return i
			}
		}
	}
	return len(parts)
}

// readLines splits a text into its lines.
func readLines(text string) []line {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\u2028", "\n", "\u2029", "\n\n", "\v", "\n", "\f", "\n").Replace(text)
	raw := strings.Split(text, "\n")
	all := make([]line, len(raw))
	prompts := true // lines that begin with ">>>" and nothing less are a program's, not a quote
	for i, r := range raw {
		all[i] = line{raw: r, words: comparable(r)}
		all[i].quoted = isQuoted(all[i].words)
		prompts = prompts && (!all[i].quoted || strings.HasPrefix(all[i].words, ">>>"))
	}
	if prompts {
		for i := range all {
			all[i].quoted = false
		}
	}
	return all
}

// invisible reports whether a character has no width.
func invisible(r rune) bool {
	return r >= '\u200b' && r <= '\u200f' || r >= '\u202a' && r <= '\u202e' || r >= '\u2060' && r <= '\u2069' || r == '\ufeff' || r == '\u00ad' || r == '\u034f'
}

// comparable is a line without what the eye does not see.
func comparable(raw string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case invisible(r):
			return -1
		case unicode.IsSpace(r):
			return ' '
		}
		return r
	}, raw))
}

// isQuoted reports whether a line begins like a quote, and not like ">:(".
func isQuoted(words string) bool {
	rest, ok := strings.CutPrefix(words, ">")
	if !ok {
		rest, ok = strings.CutPrefix(words, "＞")
	}
	if !ok || rest == "" {
		return ok
	}
	if strings.ContainsAny(rest[:1], ":;._=") {
		return strings.HasPrefix(rest, "...") || strings.HasPrefix(rest, "__")
	}
	return true
}

// split returns the parts of an e-mail between its quotes; whole says that it cannot be told
// what is quoted.
func split(all []line) (parts [][]line, whole bool) {
	start, lone := 0, isLone(all)
	for i := 0; i < len(all); {
		if all[i].quoted {
			end := quoteEnd(all, i)
			before := introBefore(all[start:i])
			if end == i+1 && before == i-start && (isComparison(all[i].words) || lone && isAmong(all, i)) {
				i++
				continue
			}
			parts = append(parts, all[start:start+before])
			start, i = end, end
			continue
		}
		n := headLength(all, i)
		if n == 0 {
			i++
			continue
		}
		parts = append(parts, all[start:i])
		start, i = i+n, i+n
		if next := skipBlank(all, i); next < len(all) && all[next].quoted {
			continue
		}
		rounds := maxRounds
		for _, part := range parts {
			if written([][]line{withoutFooters(part, &rounds)}) == 0 {
				return append(parts, nil), false
			}
		}
		return nil, true // nothing is written above: it is sent on, or answered below
	}
	return append(parts, all[start:]), false
}

// skipBlank is the index of the first line from i on that is not blank.
func skipBlank(all []line, i int) int {
	for i < len(all) && all[i].blank() {
		i++
	}
	return i
}

// quoteEnd is where the quoted lines end that begin at i.
func quoteEnd(all []line, i int) int {
	for i < len(all) {
		next := skipBlank(all, i)
		if next == len(all) || !all[next].quoted {
			return i
		}
		i = next + 1
	}
	return i
}

// isLone reports whether only one line is quoted.
func isLone(all []line) bool {
	count := 0
	for _, l := range all {
		if l.quoted {
			count++
		}
	}
	return count == 1
}

// isAmong reports whether a line stands in the middle of a paragraph, and what is above does not
// announce it: it can be a command that somebody typed.
func isAmong(all []line, i int) bool {
	return i > 0 && i+1 < len(all) && !all[i-1].blank() && !strings.HasSuffix(all[i-1].words, ":") && !all[i+1].blank()
}

// isComparison reports whether a line is like "> 100 EUR", which people write in lists.
func isComparison(words string) bool {
	rest := strings.TrimSpace(strings.TrimPrefix(words, ">"))
	return rest != "" && (rest[0] >= '0' && rest[0] <= '9' || rest[0] == '=')
}

// pointsBelow reports whether somebody says that there is more to read in the quoted text.
func pointsBelow(part []line) bool {
	var text strings.Builder
	for _, l := range part {
		text.WriteString(small(l.words) + " ")
		if text.Len() > 2000 {
			return false
		}
	}
	words := strings.TrimSpace(text.String())
	return words == "fyi" || containsOne(words, below) || containsOne(words, answers) && containsOne(words, places)
}

// join writes lines with at most one blank line between others.
func join(parts ...[]line) string {
	var out strings.Builder
	blank := false
	for _, part := range parts {
		for _, l := range part {
			if l.blank() {
				blank = true
				continue
			}
			if blank && out.Len() > 0 {
				out.WriteByte('\n')
			}
			blank = false
			out.WriteString(strings.TrimRightFunc(strings.TrimLeftFunc(l.raw, invisible), func(r rune) bool { return unicode.IsSpace(r) || invisible(r) }))
			out.WriteByte('\n')
		}
		blank = true
	}
	return strings.TrimSuffix(out.String(), "\n")
}
