package quote

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of what is taken for a signature or a disclaimer.
const (
	maxRounds         = 64 // in all parts of an e-mail
	maxSignature      = 25 // lines behind "-- "
	maxShortSignature = 7  // lines behind "--"
	maxShortLine      = 70
	maxLegal          = 10   // paragraphs
	maxFooter         = 120  // characters of a line like "Sent from my iPhone"
	maxAfter          = 40   // bytes behind the sentence of a program
	minListRule       = 20   // bytes of the rule above the footer of a mailing list
	shortDisclaimer   = 200  // bytes; one that is shorter has two words of the law
	longPhrase        = 25   // bytes of a phrase that is enough to know a virus scanner
	minBroken         = 50   // bytes of a line that was broken
	maxPhrase         = 400  // bytes of a footer
	maxParagraph      = 2000 // bytes of a disclaimer that are read
	maxTries          = 3    // lines of a paragraph at which a disclaimer can begin
)

// withoutFooters leaves the signature and what programs and companies add out of a part of an
// e-mail. Rounds is how often it may look.
func withoutFooters(part []line, rounds *int) []line {
	for {
		part = trimEnd(part)
		n := len(part)
		if n > 1 && isRule(part[n-1].words) {
			part = part[:n-1]
			continue
		}
		if n == 0 || *rounds == 0 {
			return part
		}
		*rounds--
		part = withoutSignature(part)
		part = withoutFooter(part)
		part = withoutList(part)
		part = withoutDisclaimer(part)
		if len(part) == n {
			return part
		}
		part = trimEnd(part)
		if len(part) > 0 && isDash(part[len(part)-1].words) { // it stood above what was left out
			part = part[:len(part)-1]
		}
	}
}

func trimEnd(part []line) []line {
	for len(part) > 0 && part[len(part)-1].blank() {
		part = part[:len(part)-1]
	}
	return part
}

// isDash reports whether a line only separates.
func isDash(words string) bool {
	return words == "--" || words == "—" || words == "–" || isRule(words) || strings.Trim(words, "-=*_ ") == "" && len(words) >= 3
}

// withoutSignature leaves out what stands behind "-- ", up to a sentence below a blank line:
// some people write there.
func withoutSignature(part []line) []line {
	for i := max(0, len(part)-2*maxSignature); i < len(part); i++ {
		if part[i].words != "--" {
			continue
		}
		exact := strings.HasPrefix(strings.TrimLeftFunc(part[i].raw, invisible), "-- ") || strings.HasPrefix(part[i].raw, "--\u00a0")
		if !exact && i > 0 && !part[i-1].blank() {
			continue
		}
		if end := signatureEnd(part, i+1, exact); end == len(part) {
			return part[:i]
		} else if end > 0 {
			return append(part[:i:i], part[end:]...)
		}
	}
	return part
}

// signatureEnd is where a signature ends that begins at i, 0 if it is none.
func signatureEnd(part []line, i int, exact bool) int {
	end := len(part)
	if exact {
		for j := i + 2; j < len(part); j++ {
			if part[j-1].blank() && startsOwn(part[j].words) {
				end = j - 1
				break
			}
		}
	}
	if !isSignature(part[i:end], exact) {
		return 0
	}
	return end
}

// startsOwn reports whether a line is a sentence that neither programs nor companies write.
func startsOwn(words string) bool {
	text := plainWords(words[:min(len(words), maxParagraph)])
	return (isSentence(words) || strings.HasSuffix(words, "?") || postscript.MatchString(words)) &&
		!containsOne(text, legal) && !containsOne(text, lists) && !isProgramSentence(words) && !isFooter(words)
}

var postscript = regexp.MustCompile(`(?i)^(p\.? ?p?\.? ?s\.?\b|post ?scriptum|n\.b\.|nb:|з\.ы\.|ps[.:])`)

// isSignature reports whether lines can be a signature. Behind a "--" without its space they
// must look like one.
func isSignature(lines []line, exact bool) bool {
	count := 0
	for _, l := range lines {
		if l.blank() {
			continue
		}
		count++
		asks := strings.ContainsAny(l.words, "?!？！") && !strings.Contains(l.words, "//")
		long := count > maxShortSignature || utf8.RuneCountInString(l.words) > maxShortLine
		if count > maxSignature || postscript.MatchString(l.words) || !exact && (asks || long || isSentence(l.words)) {
			return false
		}
	}
	return exact || count > 0
}

// isSentence reports whether a line has many words in small letters and ends with a full stop.
func isSentence(words string) bool {
	small := 0
	for _, field := range strings.Fields(words) {
		if r, _ := utf8.DecodeRuneInString(field); unicode.IsLower(r) && !strings.ContainsAny(field, "@/") {
			small++
		}
	}
	return small >= 4 || small >= 2 && strings.HasSuffix(words, ".") || strings.HasSuffix(words, "。")
}

var (
	linkAtEnd  = regexp.MustCompile(` ?[<(\[]((https?://|mailto:|#)[^\s<>()\[\]]{3,500}|image: [^\[\]]{1,50})[>)\]]`)
	advertLink = regexp.MustCompile(`(?i)^(<(https?://\S*\b(avast|avg)\.com\S*|#[0-9a-f-]{30,50})>|\[image: avast logo\])$`)
)

// withoutFooter leaves out a last line like "Sent from my iPhone", and a sentence of a mail
// program or a virus scanner, which may be broken.
func withoutFooter(part []line) []line {
	for n := 1; n <= 4 && n <= len(part) && !part[len(part)-n].blank(); n++ {
		at := len(part) - n
		text := joined(part[at:])
		if (n == 1 || len(part[at].words) >= minBroken) && isProgramSentence(text) ||
			n == 1 && (isFooter(text) || advertLink.MatchString(text)) {
			return part[:at]
		}
		if n == 2 && isAddress(part[at+1].words) && isFooter(part[at].words) {
			return part[:at]
		}
	}
	return part
}

// isAddress reports whether a line is an address of the web and nothing else.
func isAddress(words string) bool {
	return strings.HasPrefix(words, "http") && !strings.Contains(words, " ")
}

// joined is the text of lines, of which the first maxPhrase bytes matter.
func joined(lines []line) string {
	var out strings.Builder
	for _, l := range lines {
		if out.Len() > maxPhrase {
			break
		}
		out.WriteString(l.words[:min(len(l.words), maxPhrase+1)] + " ")
	}
	return strings.TrimSpace(out.String())
}

// footerText is a text without links, and in small letters.
func footerText(text string) (plain, lower string) {
	plain = strings.Trim(linkAtEnd.ReplaceAllString(text, ""), " .。-—–*_[]|")
	plain = strings.ReplaceAll(plain, "’", "'")
	return plain, small(plain)
}

// isProgramSentence reports whether a text is a sentence that programs add as it is.
func isProgramSentence(text string) bool {
	if len(text) > maxPhrase {
		return false
	}
	_, lower := footerText(text)
	for _, f := range scanners {
		if strings.HasPrefix(lower, f) && (len(f) >= longPhrase || containsOne(lower, scannerNames)) {
			return true
		}
	}
	for _, f := range wholeFooters {
		if strings.HasPrefix(lower, f) && len(lower) <= len(f)+maxAfter {
			return true
		}
	}
	return false
}

// isFooter reports whether a line says by which device or mail program a message was sent.
func isFooter(text string) bool {
	if len(text) > maxPhrase {
		return false
	}
	plain, lower := footerText(text)
	if utf8.RuneCountInString(lower) > maxFooter || strings.ContainsAny(lower, "?？!！") {
		return false
	}
	return hasFooter(sentWith, devices, plain, lower) || hasFooter(getApp, apps, plain, lower)
}

// hasFooter reports whether a line has the words of one footer around a name, and says nothing
// else.
func hasFooter(list []footer, names []string, plain, lower string) bool {
	for _, f := range list {
		if !strings.HasPrefix(lower, f.before) || !strings.HasSuffix(lower, f.after) || len(lower) < len(f.before)+len(f.after) {
			continue
		}
		inner := strings.Fields(strings.TrimSuffix(lower[len(f.before):], f.after))
		if len(inner) == 0 || len(inner) > 9 {
			continue
		}
		named := lower
		if f.before == "" {
			named = inner[len(inner)-1]
		}
		if containsOne(named, names) && (f.after != "" || saysNoMore(plain, f.before)) {
			return true
		}
	}
	return false
}

func containsOne(text string, list []string) bool {
	for _, part := range list {
		if strings.Contains(text, part) {
			return true
		}
	}
	return false
}

// saysNoMore reports whether the words of a footer are names and the usual ones around them.
func saysNoMore(plain, before string) bool {
	fields := strings.Fields(plain)
	for _, field := range fields[min(len(fields), len(strings.Fields(before))):] {
		word := bare(field)
		r, _ := utf8.DecodeRuneInString(strings.TrimLeft(field, "(\"'"))
		if unicode.IsLower(r) && !connectors[word] && !footerWords[word] && !containsOne(word, devices) {
			return false
		}
	}
	return true
}

// withoutList leaves out what a mailing list adds below a rule.
func withoutList(part []line) []line {
	for i := len(part) - 1; i >= 0 && i >= len(part)-12; i-- {
		if (!isRule(part[i].words) || len(part[i].words) < minListRule) && !strings.HasPrefix(part[i].words, "-=-=-=-") {
			continue
		}
		text := small(joined(part[i+1:]))
		if containsOne(text, lists) && !strings.HasSuffix(text, "?") && !strings.Contains(text, "? ") {
			return part[:i]
		}
	}
	return part
}

// withoutDisclaimer leaves out the last paragraphs, if the first of them begins like the
// disclaimer of a company and the others have words of the law too.
func withoutDisclaimer(part []line) []line {
	part = trimEnd(part)
	end, found := len(part), -1
	for n := 0; n < maxLegal && end > 0; n++ {
		begin := end
		for begin > 0 && !part[begin-1].blank() && end-begin < 60 {
			begin--
		}
		paragraph := joinedParagraph(part[begin:end])
		if beginsDisclaimer(part[begin:end]) || found >= 0 && isHeading(paragraph) {
			found = begin
		} else if at := disclaimerLine(part[begin:end]); at >= 0 {
			return part[:begin+at]
		} else if !containsOne(paragraph, legal) && !isDash(paragraph) && !isFooter(paragraph) {
			break
		}
		for end = begin; end > 0 && part[end-1].blank(); {
			end--
		}
	}
	if found >= 0 {
		return part[:found]
	}
	return part
}

// joinedParagraph is a paragraph in small letters, without the signs around it.
func joinedParagraph(lines []line) string {
	var out strings.Builder
	for _, l := range lines {
		if out.Len() > maxParagraph {
			break
		}
		out.WriteString(l.words[:min(len(l.words), maxParagraph)] + " ")
	}
	return plainWords(out.String())
}

// plainWords is a text in small letters, without the signs around it and in the middle of
// "e-mail", which every company writes in another way.
func plainWords(text string) string {
	text = small(strings.Trim(text, " *_-=#|[]()<>\"“”«»"))
	return strings.NewReplacer("e-mail", "email", "e‑mail", "email", "courriel", "email", "’", "'").Replace(text)
}

// disclaimerLine is the index of the line of a paragraph at which a disclaimer begins, -1 if
// there is none. Only a heading or a rule tells it from the words above.
func disclaimerLine(lines []line) int {
	for i, tries := 1, 0; i < len(lines) && tries < maxTries; i++ {
		below, heading := isDash(lines[i-1].words), underHeading(lines[i])
		if !below && !heading {
			continue
		}
		if tries++; beginsDisclaimer(lines[i:]) {
			if below {
				return i - 1
			}
			return i
		}
	}
	return -1
}

// isHeading reports whether a paragraph is a heading of a disclaimer and nothing else.
func isHeading(paragraph string) bool {
	return slices.Contains(headings, strings.TrimRight(paragraph, " .:-–—"))
}

// underHeading reports whether a line begins with a heading.
func underHeading(l line) bool {
	words := plainWords(l.words[:min(len(l.words), maxPhrase)])
	for _, heading := range headings {
		rest, ok := strings.CutPrefix(words, heading)
		rest = strings.TrimLeft(rest, " *_")
		if ok && (rest == "" || strings.IndexAny(rest, ":.-–—/|：") == 0) {
			return true
		}
	}
	return false
}

// beginsDisclaimer reports whether lines begin like a disclaimer and have words of the law.
func beginsDisclaimer(lines []line) bool {
	paragraph := joinedParagraph(lines)
	known := len(lines) > 0 && underHeading(lines[0])
	for _, phrase := range disclaimers {
		known = known || strings.HasPrefix(paragraph, phrase)
	}
	if !known || containsOne(" "+paragraph, personal) {
		return false
	}
	count := 0
	for _, phrase := range legal {
		if strings.Contains(paragraph, phrase) {
			count++
		}
	}
	return count >= 2 || count == 1 && len(paragraph) >= shortDisclaimer
}
