// Package quote finds what somebody wrote in an answer to an e-mail: without the text that it
// quotes, and without what mail programs and companies add. In doubt words stay.
package quote

import (
	"strings"
	"unicode"
)

// Limits of what is looked at together.
const (
	headerWindow   = 10 // lines of the header of a quoted e-mail
	introduction   = 4  // lines that a mail program's line before a quote is wrapped to
	longestIntro   = 500
	longestSign    = 30 // lines of a signature behind "-- "
	longestLooks   = 10 // lines of what looks like one, behind "--"
	shortIntro     = 80
	longestLabel   = 60 // of a field, in bytes
	wrappedAt      = 60
	longestFooter  = 160
	longestNotice  = 40 // lines
	mostFooters    = 5
	longestAddress = 300
)

// Text returns the words of the author of an answer, given its plain text with lines that end
// in \n. When nothing else would be left, it returns what there is.
func Text(plain string) string {
	lines := strings.Split(withoutArmour(plain), "\n")
	own, forwarded := beforeQuote(lines)
	if forwarded {
		return tidy(lines)
	}
	words := tidy(ownOf(own))
	if words != "" && len(own) < len(lines) && elsewhere.MatchString(words) {
		return tidy(lines) // nobody knows which of them
	}
	if words != "" {
		return words
	}
	if words := tidy(ownOf(lines)); words != "" { // written below a quote without marks
		return words
	}
	return tidy(lines)
}

// tidy joins lines, without blank ones at the ends and with at most one between.
func tidy(lines []string) string {
	var b strings.Builder
	blank := 0
	for _, line := range lines {
		if normal(line) == "" {
			blank++
			continue
		}
		switch {
		case b.Len() == 0:
		case blank > 0:
			b.WriteString("\n\n")
		default:
			b.WriteString("\n")
		}
		blank = 0
		b.WriteString(strings.TrimRightFunc(line, unicode.IsSpace))
	}
	return b.String()
}

// normal is a line to be compared: without marks that nobody sees, with usual spaces.
func normal(line string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		switch {
		case unicode.Is(unicode.Cf, r):
			return -1
		case unicode.IsSpace(r):
			return ' '
		}
		return r
	}, line))
}

// isQuoted reports whether a line has the mark of a quote.
func isQuoted(line string) bool { return strings.HasPrefix(normal(line), ">") }

// beforeQuote returns the lines before a quote that goes on to the end without marks. forwarded:
// the e-mail is nothing but what its author sends on.
func beforeQuote(lines []string) (own []string, forwarded bool) {
	for i, line := range lines {
		text := normal(line)
		if text == "" || isQuoted(line) {
			continue
		}
		switch {
		case forwardLine.MatchString(text) && tidy(ownOf(lines[:i])) == "" && !anyQuoted(lines[:i]):
			return nil, true
		case replyAbove.MatchString(text), originalLine.MatchString(text), forwardLine.MatchString(text), beginsHeader(lines[i:]), beginsIntroduction(lines[i:]):
			return lines[:rule(lines, i)], false
		}
	}
	return lines, false
}

func anyQuoted(lines []string) bool {
	for _, line := range lines {
		if isQuoted(line) {
			return true
		}
	}
	return false
}

// rule is the place of a ruled line right above a place, or the place itself.
func rule(lines []string, at int) int {
	above := at
	for above > 0 && normal(lines[above-1]) == "" {
		above--
	}
	if above > 0 && ruledLine.MatchString(normal(lines[above-1])) {
		return above - 1
	}
	return at
}

// beginsHeader reports whether lines begin with the header of another e-mail: who sent it, and
// two more of its fields.
func beginsHeader(lines []string) bool {
	if kind := headerKind(normal(lines[0])); kind == "" {
		return false
	}
	seen := map[string]bool{}
	for _, line := range lines[:min(len(lines), headerWindow)] {
		if kind := headerKind(normal(line)); kind != "" {
			seen[kind] = true
		}
	}
	return seen["from"] && len(seen) >= 3
}

// headerKind is the kind of a header's field that a line shows, in whatever language.
func headerKind(line string) string {
	if head := line[:min(len(line), longestLabel)]; !strings.ContainsAny(head, ":：|") {
		return ""
	}
	found := headerField.FindStringSubmatch(line)
	if found == nil {
		return ""
	}
	return headerKinds[strings.ToLower(found[1])]
}

// beginsIntroduction reports whether lines begin with the line of a mail program before a
// quote that has no marks: a date, a time or an address, and "wrote:".
func beginsIntroduction(lines []string) bool {
	joined := ""
	for i, line := range lines[:min(len(lines), introduction)] {
		text := normal(line)
		if text == "" || isQuoted(line) || len(joined) > longestIntro {
			return false
		}
		if joined = strings.TrimSpace(joined + " " + text); isIntroduction(joined, true) {
			return !quoteFollows(lines[i+1:])
		}
	}
	return false
}

// quoteFollows reports whether the next words have the mark of a quote.
func quoteFollows(lines []string) bool {
	for _, line := range lines {
		if normal(line) != "" {
			return isQuoted(line)
		}
	}
	return false
}

// isIntroduction reports whether a text introduces a quote. sure: what follows has no mark of
// a quote, so that the text must leave no doubt.
func isIntroduction(text string, sure bool) bool {
	if len(text) > longestIntro || !endOfIntro.MatchString(text) {
		return false
	}
	verb, day, hour, address := wroteWord.MatchString(text), dayIn.MatchString(text), hourIn.MatchString(text), strings.Contains(text, "@")
	if sure {
		return day && (hour || address) && (verb || address && beginsWithDay.MatchString(text))
	}
	return verb && (day || hour || address || len(text) <= shortIntro) || address && (day || hour)
}

// certain reports whether a text has more than "wrote:".
func certain(text string) bool {
	return dayIn.MatchString(text) || hourIn.MatchString(text) || strings.Contains(text, "@")
}

// introducedBy is how many of the lines right before a quote introduce it.
func introducedBy(lines []string) (count int) {
	end := len(lines)
	for end > 0 && normal(lines[end-1]) == "" {
		end--
	}
	joined := ""
	for k := 1; k <= min(introduction, end); k++ {
		text := normal(lines[end-k])
		if text == "" || isQuoted(lines[end-k]) {
			break
		}
		if joined = strings.TrimSpace(text + " " + joined); !isIntroduction(joined, false) {
			continue
		}
		wrapped := k == 2 && len(text) >= wrappedAt && count > 0 && !certain(normal(lines[end-1]))
		if count == 0 || wrapped {
			count = len(lines) - end + k
		}
		if beginsIntro.MatchString(text) {
			return len(lines) - end + k
		}
	}
	return count
}

// ownOf returns the lines without marked quotes, and each part between them without its
// signature and footers.
func ownOf(lines []string) (own []string) {
	for len(lines) > 0 {
		end := 0
		for end < len(lines) && !isQuoted(lines[end]) {
			end++
		}
		part, rest := lines[:end], lines[end:]
		if len(rest) > 0 {
			part = part[:len(part)-introducedBy(part)]
		}
		own = append(append(own, withoutSignature(part)...), "")
		for len(rest) > 0 && isQuoted(rest[0]) {
			rest = rest[1:]
		}
		lines = rest
	}
	return own
}

// withoutSignature cuts a signature and the footers off. They stay if there is nothing else.
func withoutSignature(lines []string) []string {
	for i, line := range lines {
		rest := len(lines) - i - 1
		if line == "-- " && rest <= longestSign || normal(line) == "--" && rest <= longestLooks {
			lines = lines[:i]
			break
		}
	}
	for range mostFooters {
		lines = withoutFooter(lines)
	}
	return lines
}

// withoutFooter cuts one footer off: the last paragraph that one of the rules knows.
func withoutFooter(lines []string) []string {
	end := len(lines)
	for end > 0 && normal(lines[end-1]) == "" {
		end--
	}
	lines = lines[:end]
	start := end
	for start > max(0, end-longestNotice) && normal(lines[start-1]) != "" {
		start--
	}
	if start == end {
		return lines
	}
	last := normal(lines[end-1])
	if len(last) <= longestFooter && (sentWord.MatchString(last) && deviceWord.MatchString(last) || virusLine.MatchString(last)) || ruledLine.MatchString(last) {
		return lines[:end-1]
	}
	paragraph := normal(strings.Join(lines[start:end], " "))
	if confidential(paragraph) || virusLine.MatchString(paragraph) && len(paragraph) <= 2*longestFooter {
		return lines[:start]
	}
	for i := end - 2; i >= max(start, end-6); i-- { // the footer of a mailing list
		if ruledLine.MatchString(normal(lines[i])) && listLine.MatchString(normal(lines[i+1])) {
			return lines[:i]
		}
	}
	return lines
}

// confidential reports whether a paragraph is a company's notice about who may read it.
func confidential(paragraph string) bool {
	return noticeBegin.MatchString(paragraph) && noticeWord.MatchString(paragraph)
}

// withoutArmour leaves out what OpenPGP puts around a signed text (RFC 9580, 7).
func withoutArmour(text string) string {
	const begin, sign, end = "-----BEGIN PGP SIGNED MESSAGE-----", "-----BEGIN PGP SIGNATURE-----", "-----END PGP SIGNATURE-----"
	before, rest, found := strings.Cut(text, begin)
	if !found {
		return text
	}
	signed, rest, found := strings.Cut(rest, sign)
	if !found {
		return text
	}
	_, after, _ := strings.Cut(rest, end)
	if _, body, headed := strings.Cut(strings.TrimLeft(signed, "\n"), "\n\n"); headed { // behind Hash: and the like
		signed = body
	}
	signed = strings.ReplaceAll("\n"+signed, "\n- ", "\n")[1:]
	return before + signed + after
}

// Flowed joins the lines of a text that a mail program has broken (RFC 3676): those that end in
// a space, which delSp removes.
func Flowed(text string, delSp bool) string {
	var b strings.Builder
	flows, depth := false, 0
	for line := range strings.SplitSeq(text, "\n") {
		quoted := len(line) - len(strings.TrimLeft(line, ">"))
		words := strings.TrimPrefix(line[quoted:], " ")
		sign := words == "-- "
		if b.Len() > 0 && (!flows || depth != quoted || sign) {
			b.WriteString("\n")
			flows = false
		}
		if !flows && quoted > 0 {
			b.WriteString(strings.Repeat(">", quoted) + " ")
		}
		depth, flows = quoted, strings.HasSuffix(words, " ") && !sign
		if flows && delSp {
			words = strings.TrimSuffix(words, " ")
		}
		b.WriteString(words)
	}
	return b.String()
}
