package verify

import (
	"regexp"
	"strings"
	"unicode"
)

// Page is a text that sentences may rest on.
type Page struct{ Title, Text string }

// sentences parts a text by its lines and full stops. A stop behind a digit or one letter, and one
// before a small letter, ends none.
func sentences(text string) (list []string) {
	for line := range strings.Lines(text) {
		begin := 0
		runes := []rune(strings.TrimSpace(line))
		for i, r := range runes {
			if endsSentence(runes, i, r) {
				list = append(list, strings.TrimSpace(string(runes[begin:i+1])))
				begin = i + 1
			}
		}
		if rest := strings.TrimSpace(string(runes[begin:])); rest != "" {
			list = append(list, rest)
		}
	}
	return list
}

func endsSentence(runes []rune, i int, r rune) bool {
	if strings.ContainsRune("。！？؟।", r) {
		return true
	}
	if !strings.ContainsRune(".!?", r) || i+2 >= len(runes) || !unicode.IsSpace(runes[i+1]) {
		return false
	}
	next := runes[i+2]
	if r != '.' {
		return true
	}
	isOrdinal := i > 0 && unicode.IsDigit(runes[i-1]) && isMonth(string(runes[i+2:]))
	return !(isOrdinal || unicode.IsLower(next) || i < 2 || !unicode.IsLetter(runes[i-2]) && unicode.IsLetter(runes[i-1]))
}

// isMonth reports whether a text begins with the name of a month, in any language.
func isMonth(text string) bool {
	text = plain(text)
	for _, code := range known().codes {
		if _, length := known().tongues[code].months.at(text, false); length > 0 {
			return true
		}
	}
	return false
}

// skeleton is a text without all that may be written otherwise.
func skeleton(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.Is(unicode.Sc, r) || r == '%' {
			return r
		}
		return -1
	}, plain(text))
}

// shortestQuote is how much a quote must have, in bytes of its skeleton.
const shortestQuote = 4

var ellipsis = regexp.MustCompile(`\s*(?:…|\.\.\.|\[…\]|\[\.\.\.\])\s*`)

// place finds the sentences of a page that a quote is of. ok is false when it is no literal part
// of the page.
func (p *Page) place(quote string) (found []string, ok bool) {
	list := sentences(p.Text)
	ends, all := make([]int, len(list)), ""
	for i, s := range list {
		all += skeleton(s)
		ends[i] = len(all)
	}
	marked := make([]bool, len(list))
	for part := range strings.SplitSeq(ellipsis.ReplaceAllString(quote, "…"), "…") {
		bones := skeleton(part)
		if bones == "" {
			continue
		}
		from := strings.Index(all, bones)
		if from < 0 || len(bones) < shortestQuote {
			return nil, false
		}
		ok = true
		for i, end := range ends {
			begin := 0
			if i > 0 {
				begin = ends[i-1]
			}
			marked[i] = marked[i] || begin < from+len(bones) && end > from
		}
	}
	for i, s := range list {
		if marked[i] {
			found = append(found, s)
		}
	}
	return found, ok
}

// Nearest is the sentence of pages that has most of what a text says, and its page's index; -1
// when none has a word of it.
func Nearest(text string, pages []Page) (sentence string, page int) {
	best := 0.0
	page = -1
	for i, p := range pages {
		g := tongueOf(p.Title+"\n"+p.Text, "")
		asked := read(text, g)
		for _, s := range sentences(p.Text) {
			if share := asked.shareIn(read(s, g)); share > best {
				best, sentence, page = share, s, i
			}
		}
	}
	return sentence, page
}
