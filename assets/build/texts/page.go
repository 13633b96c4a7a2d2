package texts

import (
	"html"
	rx "regexp"
	"slices"
	"strings"
)

// A page has its texts as they are: what stands between tags is a text, with the tags within a sentence in it, and so are
// the attributes that people read.
var (
	tag        = rx.MustCompile(`(?s)<!--.*?-->|<[^>]+>`)
	tagName    = rx.MustCompile(`^</?([a-z0-9]+)`)
	attribute  = rx.MustCompile(` (title|aria-label|placeholder|alt|label|data-copied|data-failed)="([^"]*)"`)
	inSentence = []string{"a", "b", "bdi", "code"}
	untold     = []string{"script", "style", "svg", "kbd", "textarea"}
	slot       = rx.MustCompile(`\$\{\w+\}`)
	pageAsIs   = rx.MustCompile(`^((· )?relay|relay keys rotate secret|sk_….*|X+(-X+)*|Ctrl K)$`)
)

// piece is a tag of a page, or what stands between two.
type piece struct {
	tag  bool
	text string
}

func (p piece) name() string {
	if m := tagName.FindStringSubmatch(p.text); p.tag && m != nil {
		return m[1]
	}
	return ""
}

func (p piece) ends() bool { return strings.HasPrefix(p.text, "</") }

// Page translates a built page by a function that is given its texts, in their order.
func Page(page string, translate func(string) string) string {
	var out strings.Builder
	var run []piece
	skip := ""
	flush := func() {
		out.WriteString(sentence(run, translate))
		run = nil
	}
	for _, p := range pieces(page) {
		name := p.name()
		switch {
		case skip != "":
			out.WriteString(p.text)
			if name == skip && p.ends() {
				skip = ""
			}
			continue
		case p.tag && slices.Contains(inSentence, name), !p.tag:
			run = append(run, p)
			continue
		}
		flush()
		out.WriteString(translateTag(p.text, translate))
		if slices.Contains(untold, name) && !p.ends() && !strings.HasSuffix(p.text, "/>") {
			skip = name
		}
	}
	flush()
	return out.String()
}

// PageTexts lists the texts of a built page.
func PageTexts(page string) []string {
	var all []string
	Page(page, func(text string) string {
		all = append(all, text)
		return text
	})
	return all
}

func pieces(page string) []piece {
	var out []piece
	at := 0
	for _, m := range tag.FindAllStringIndex(page, -1) {
		if m[0] > at {
			out = append(out, piece{false, page[at:m[0]]})
		}
		out = append(out, piece{true, page[m[0]:m[1]]})
		at = m[1]
	}
	return append(out, piece{false, page[at:]})
}

// isText reports whether people read words in it.
func isText(text string) bool {
	plain := tag.ReplaceAllString(slot.ReplaceAllString(text, ""), "")
	return letters.MatchString(plain) && !pageAsIs.MatchString(strings.TrimSpace(plain))
}

func translateTag(text string, translate func(string) string) string {
	return attribute.ReplaceAllStringFunc(text, func(one string) string {
		m := attribute.FindStringSubmatch(one)
		if !isText(m[2]) {
			return one
		}
		return " " + m[1] + `="` + escape(translate(html.UnescapeString(m[2]))) + `"`
	})
}

func escape(text string) string { return strings.ReplaceAll(html.EscapeString(text), "&#39;", "'") }

// sentence translates what stands between two tags that end one. What has half of a tag is several texts.
func sentence(run []piece, translate func(string) string) string {
	from, to := core(run)
	if !balanced(run[from:to]) {
		return each(run, translate)
	}
	var key strings.Builder
	for _, p := range run[from:to] {
		key.WriteString(p.text)
	}
	text := key.String()
	if isText(text) {
		text = told(text, translate)
	}
	return each(run[:from], translate) + text + each(run[to:], translate)
}

// each translates the pieces of a run by themselves.
func each(run []piece, translate func(string) string) string {
	var out strings.Builder
	for _, p := range run {
		switch {
		case p.tag:
			out.WriteString(translateTag(p.text, translate))
		case isText(p.text):
			out.WriteString(told(p.text, translate))
		default:
			out.WriteString(p.text)
		}
	}
	return out.String()
}

// core is the part of a run without spaces, halves of tags, and tags around all of it.
func core(run []piece) (from, to int) {
	to = len(run)
	for from < to && (run[from].outside() || run[from].tag && (run[from].ends() || !hasEnd(run[from:to]))) {
		from++
	}
	for to > from && (run[to-1].outside() || run[to-1].tag && (!run[to-1].ends() || !hasStart(run[from:to]))) {
		to--
	}
	if to-from > 2 && wraps(run[from:to]) {
		inner, rest := core(run[from+1 : to-1])
		return from + 1 + inner, from + 1 + rest
	}
	return from, to
}

// outside reports whether it only separates.
func (p piece) outside() bool { return !p.tag && strings.TrimSpace(p.text) == "" }

// hasEnd reports whether the first tag of a run ends in it, hasStart whether the last one begins there.
func hasEnd(run []piece) bool {
	return slices.ContainsFunc(run[1:], func(p piece) bool { return p.ends() && p.name() == run[0].name() })
}

func hasStart(run []piece) bool {
	last := run[len(run)-1]
	return slices.ContainsFunc(run[:len(run)-1], func(p piece) bool { return !p.ends() && p.name() == last.name() })
}

// wraps reports whether the first tag of a run ends with it.
func wraps(run []piece) bool {
	last := run[len(run)-1]
	return run[0].tag && !run[0].ends() && last.ends() && last.name() == run[0].name() && balanced(run[1:len(run)-1])
}

func balanced(run []piece) bool {
	var open []string
	for _, p := range run {
		switch {
		case !p.tag:
		case !p.ends():
			open = append(open, p.name())
		case len(open) == 0 || open[len(open)-1] != p.name():
			return false
		default:
			open = open[:len(open)-1]
		}
	}
	return len(open) == 0
}

// told translates a text, and keeps the spaces around it. One with tags is a piece of HTML in every language.
func told(text string, translate func(string) string) string {
	core := strings.TrimSpace(text)
	at := strings.Index(text, core)
	out := ""
	if strings.Contains(core, "<") {
		out = translate(core)
	} else {
		out = escape(translate(html.UnescapeString(core)))
	}
	return text[:at] + out + text[at+len(core):]
}
