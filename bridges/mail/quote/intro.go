package quote

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Limits of what is looked at together.
const (
	maxIntroLines  = 4
	maxIntroLength = 400 // bytes
	maxHeaderLines = 25
)

// introBefore returns how many of the lines before a quote stay when the line that introduces
// it is left out. Mail programs break it anywhere.
func introBefore(before []line) int {
	end := len(before)
	for end > 0 && len(before)-end < 3 && before[end-1].blank() {
		end--
	}
	text, best, bestKind := "", len(before), introNone
	for k := 1; k <= maxIntroLines && k <= end && !before[end-k].blank(); k++ {
		first := before[end-k].words
		text = first + " " + text
		if len(text) > maxIntroLength || k > 1 && endsSentence(first) {
			break
		}
		switch kind := introKind(text, true); {
		case k == 1 && announces(first):
			return end - 1
		case k == 1 && kind > introNone, k > 1 && kind >= introDated && beginsIntro(first) && (kind > bestKind || !complete(before[best].words)):
			best, bestKind = end-k, kind
		}
		if bestKind >= introDated && complete(before[best].words) {
			break
		}
	}
	return best
}

// announces reports whether a line stands above a message that is quoted or sent on.
func announces(words string) bool {
	return isSeparator(words) || strings.HasSuffix(words, ":") && separators[small(strings.Trim(words, " :"))]
}

// intro says how sure it is that a text introduces a quote.
type intro int

const (
	introNone  intro = iota
	introShort       // "Ana wrote:"
	introAddress
	introDated
	introWhole // with a date and an address: nobody writes that by hand
)

var (
	timeOfDay = regexp.MustCompile(`\p{Nd}{1,2} ?[:.hH時时] ?\p{Nd}{2}`)
	dateIn    = regexp.MustCompile(`\p{Nd}{4}|\p{Nd}{1,2}[./-]\p{Nd}{1,2}[./-]\p{Nd}{2}`)
	addressIn = regexp.MustCompile(`[^\s<>()"]@[^\s<>()"@]+\.[^\s<>()"@]`)
)

// introKind classifies a text. What is quoted stands below, so some words that are not known
// may be in it.
func introKind(text string, quoted bool) intro {
	text = strings.TrimSpace(text)
	trimmed := strings.TrimRight(text, " -*")
	colon := strings.HasSuffix(trimmed, ":") || strings.HasSuffix(trimmed, "：")
	if !colon && (!strings.HasPrefix(text, "---") || !strings.HasSuffix(text, "---")) || len(text) > maxIntroLength {
		return introNone
	}
	text = strings.Trim(text, " -*")
	fields := strings.Fields(text)
	verb, digits := hasVerb(text, fields), addressFree(text)
	date := timeOfDay.MatchString(digits) || dateIn.MatchString(digits)
	address := addressIn.MatchString(text)
	others := 0
	if quoted && date && address {
		others = 2
	}
	if !verb && (!date || !address) || !likeNames(fields, date, others) {
		return introNone
	}
	switch {
	case date && address:
		return introWhole
	case date:
		return introDated
	case address:
		return introAddress
	case len(fields) <= 6 && (utf8.RuneCountInString(text) <= 20 || !caseless(text)):
		return introShort
	}
	return introNone
}

// addressFree leaves addresses out of a text: their digits are no dates.
func addressFree(text string) string {
	var out []string
	for _, field := range strings.Fields(text) {
		if !strings.Contains(field, "@") {
			out = append(out, field)
		} else if at := strings.IndexAny(field, "<>"); at > 0 && !strings.Contains(field[:at], "@") {
			out = append(out, field[:at])
		} else if at := strings.LastIndexAny(field, ">)"); at >= 0 {
			out = append(out, field[at:])
		}
	}
	return strings.Join(out, " ")
}

func caseless(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) && !unicode.IsUpper(r) && !unicode.IsLower(r) })
}

// bare is a word in small letters without the punctuation around it.
func bare(field string) string {
	return small(strings.Trim(field, " ,;:：.()<>[]\"'“”„«»*|،"))
}

func hasVerb(text string, fields []string) bool {
	for _, field := range fields {
		if verbs[bare(field)] {
			return true
		}
	}
	for _, verb := range verbsWithin {
		if strings.Contains(text, verb) {
			return true
		}
	}
	return false
}

// likeNames reports whether a text has only names, dates, the small words between them, and
// some others: a sentence has more.
func likeNames(fields []string, dated bool, some int) bool {
	first, last := len(fields), -1
	for i, field := range fields {
		if dated && strings.ContainsFunc(field, unicode.IsDigit) && !strings.Contains(field, "@") {
			first, last = min(first, i), i
		}
	}
	var others [3]int // before the date, in it, behind it
	for i, field := range fields {
		word := bare(field)
		r, _ := utf8.DecodeRuneInString(word)
		initial, _ := utf8.DecodeRuneInString(strings.TrimLeft(field, "(<[\"'“„«*"))
		switch {
		case strings.ContainsAny(field, "!?"), i > 0 && i < first && last >= 0 && starters[field] && isDay(fields[i+1]):
			return false // words of the author stand above it on the same line
		case !unicode.IsLetter(r), !unicode.IsLower(initial), connectors[word], verbs[word], i < first && openers[word]:
		case strings.ContainsFunc(field, unicode.IsDigit), strings.Contains(field, "@"), beforeAddress(fields[i:]):
		case i < first && last >= 0:
			if i+1 < first { // it is no day
				return false
			}
			others[0]++
		case i < last:
			others[1]++
		default:
			others[2]++
		}
	}
	return others[0] <= 1 && others[1] <= 4 && (others[2] <= some || others[2] == 1 && len(fields) <= 2)
}

// isDay reports whether a word can begin a date.
func isDay(field string) bool {
	return openers[bare(field)] || strings.ContainsFunc(field, unicode.IsDigit)
}

// beforeAddress reports whether a name in small letters is followed by its address.
func beforeAddress(fields []string) bool {
	for i := 1; i < min(4, len(fields)); i++ {
		if strings.Contains(fields[i], "@") {
			return true
		}
		if r, _ := utf8.DecodeRuneInString(fields[i]); !unicode.IsLower(r) || connectors[bare(fields[i])] || verbs[bare(fields[i])] {
			return false
		}
	}
	return false
}

// beginsIntro reports whether a line can be the first one of an introduction that is broken.
func beginsIntro(first string) bool {
	fields := strings.Fields(first)
	return len(fields) > 0 && (openers[bare(fields[0])] || strings.ContainsFunc(fields[0], unicode.IsDigit) || strings.HasPrefix(fields[0], "-") ||
		strings.HasSuffix(fields[0], ",") || strings.ContainsAny(first, "@<"))
}

// complete reports whether a line looks like the beginning of an introduction.
func complete(first string) bool {
	fields := strings.Fields(first)
	return len(fields) > 0 && openers[bare(fields[0])] || dateIn.MatchString(addressFree(first))
}

// endsSentence reports whether a line ends a sentence, and not with an abbreviation.
func endsSentence(words string) bool {
	if strings.HasSuffix(words, "!") || strings.HasSuffix(words, "?") || strings.HasSuffix(words, "。") || strings.HasSuffix(words, ":") {
		return true
	}
	at := strings.LastIndexByte(words, ' ')
	return strings.HasSuffix(words, ".") && utf8.RuneCountInString(words[at+1:]) > 5
}

// headLength is the number of lines from i on that stand before a quote that is not marked by
// ">", 0 if there is none.
func headLength(all []line, i int) int {
	words := all[i].words
	if words == "" {
		return 0
	}
	if isMarker(words) {
		return 1
	}
	next := skipBlank(all[:min(len(all), i+4)], i+1)
	decorated := isSeparator(words)
	if decorated || isRule(words) || separators[small(strings.Trim(words, " :：*"))] {
		n, valid := headerLength(all, next)
		switch {
		case valid || decorated && n > 0:
			return next + n - i
		case n > 0 && next+n < len(all) && introLength(all, next+n) > 0: // Yandex
			return next + n + introLength(all, next+n) - i
		case decorated:
			return 1
		}
		return 0
	}
	if n, valid := headerLength(all, i); valid && (i == 0 || all[i-1].blank() || isFrom(all[i])) {
		return n
	}
	return introLength(all, i)
}

// introLength is the number of lines from i on that introduce a quote beyond doubt.
func introLength(all []line, i int) int {
	if !beginsIntro(all[i].words) && !addressIn.MatchString(all[i].words) {
		return 0
	}
	before, _, inLine := strings.Cut(all[i].raw, ":  ") // Yahoo, with the quote on the same line
	if inLine && introKind(comparable(before)+":", false) == introWhole {
		return 1
	}
	text := ""
	for k := 0; k < maxIntroLines && i+k < len(all) && !all[i+k].blank() && !all[i+k].quoted; k++ {
		text += all[i+k].words + " "
		if len(text) > maxIntroLength {
			return 0
		}
		if introKind(text, false) == introWhole {
			listed := i+k+1 < len(all) && !all[i+k+1].blank() && !hasVerb(text, strings.Fields(text))
			if listed || beginsLater(all[i+1:i+k+1]) {
				return 0
			}
			return k + 1
		}
		if endsSentence(all[i+k].words) {
			return 0
		}
	}
	return 0
}

// beginsLater reports whether an introduction is whole without the line above these.
func beginsLater(lines []line) bool {
	text := ""
	for i := len(lines) - 1; i >= 0; i-- {
		text = lines[i].words + " " + text
		if complete(lines[i].words) && introKind(text, false) == introWhole {
			return true
		}
	}
	return false
}

// isRule reports whether a line is drawn with "_" or "-", as Outlook does.
func isRule(words string) bool {
	return len(words) >= 5 && (strings.Trim(words, "_") == "" || strings.Trim(words, "-") == "" || strings.Trim(words, "=") == "")
}

// separatorSigns are drawn around the words of a separator.
const separatorSigns = "-_=*#~<>—–‐─━＝－・"

// isSeparator reports whether a line is like "-----Original Message-----".
func isSeparator(words string) bool {
	if len(words) > 150 {
		return false
	}
	words = strings.ReplaceAll(words, "&nbsp;", " ")
	inner := strings.Trim(words, separatorSigns+" :：")
	drawn := len(words) - len(strings.TrimLeft(words, separatorSigns+" "))
	return drawn >= 3 && separators[small(inner)] && (drawn >= 5 || strings.Contains(inner, " ") || caseless(inner))
}

// isMarker reports whether a line asks to answer above it.
func isMarker(words string) bool {
	if len(words) > 200 {
		return false
	}
	inner := small(strings.Trim(words, "-_=*#~<>—–─━[]() "))
	for _, marker := range markers {
		if strings.HasPrefix(inner, marker) {
			return true
		}
	}
	return false
}

// headerLength is the number of lines of a block like "From: … Sent: … To: … Subject: …" at i;
// it is valid if nobody would write it like that.
func headerLength(all []line, i int) (n int, valid bool) {
	var seen [labelOther + 1]bool
	kinds, address, first := 0, false, labelNone
	for j := i; j < len(all) && j < i+maxHeaderLines; j++ {
		kind, value := labelOf(all[j])
		if kind == labelNone {
			if kinds == 0 || all[j].blank() && first != labelFrom { // what stands above the blank line can be of the author
				break
			}
			if j = nextLabel(all, j); j < 0 {
				break
			}
			kind, value = labelOf(all[j])
		}
		if kinds == 0 {
			first = kind
		}
		if !seen[kind] {
			seen[kind] = true
			kinds++
		}
		if (kind == labelFrom || kind == labelTo) && addressIn.MatchString(value) {
			address = true
		}
		n = j + 1 - i
	}
	return n, seen[labelFrom] && (seen[labelSubject] && (seen[labelDate] || seen[labelTo]) || address && kinds >= 3 || address && seen[labelDate])
}

func isFrom(l line) bool {
	kind, _ := labelOf(l)
	return kind == labelFrom
}

// nextLabel finds the next label behind the second line of a value, or behind one blank line.
func nextLabel(all []line, j int) int {
	if all[j].blank() && j+1 < len(all) {
		if kind, _ := labelOf(all[j+1]); kind != labelNone {
			return j + 1
		}
		return -1
	}
	for k := j + 1; k < min(len(all), j+4) && !all[k].blank(); k++ {
		if kind, _ := labelOf(all[k]); kind != labelNone {
			return k
		}
	}
	return -1
}

// labelOf returns the label that a line begins with, and what follows.
func labelOf(l line) (label, string) {
	words := strings.TrimLeft(l.words, "*|• ")
	at := strings.IndexAny(words, ":：")
	if l.quoted || at <= 0 || at > 60 {
		return labelNone, ""
	}
	return labels[small(strings.Trim(words[:at], " *_|"))], words[at+1:]
}
