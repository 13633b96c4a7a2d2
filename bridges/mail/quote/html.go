package quote

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Limits of the HTML that is read.
const (
	maxOpen    = 500     // elements within each other; those within more are read as if they stood outside
	maxTags    = 200_000 // text that follows them is read as one line
	maxDepth   = 4       // how many ">" a line gets
	maxImplied = 20      // elements that one tag can close
)

// element is an open element.
type element struct {
	name                                       string
	kind                                       atom.Atom
	hidden, quote, intro, sign, pre, p, colour bool
}

// textLine is a line that is being written.
type textLine struct {
	text   string
	depth  int // of quotes
	sign   int // number of the signature that it is part of, 0 if none
	intro  bool
	colour bool // all of it is coloured, and no mail program shows that it is quoted
	header bool // it is the first one below a border
}

// writer turns HTML into lines.
type writer struct {
	open                                             []element
	names                                            map[string]int // open elements with a name
	hidden, depth, intro, sign, pre, skipped, colour int            // open elements that do this
	signs                                            int            // signatures so far
	rest                                             int            // depth that the rest of the page has beside
	lines                                            []textLine
	line                                             strings.Builder
	bullet                                           string // what the next line begins with
	plain                                            bool   // the line has words without colour
	space                                            bool   // there was space before the next word
	gap                                              bool   // a blank line is due
	header                                           bool   // the next line is the first one below a border
	link, linkText                                   string
	showHidden                                       bool
}

// Plain turns the HTML of an e-mail into the plain text that Text reads: a paragraph, an item
// of a list or a row of a table is a line, quotes begin with "> ", signatures stand behind a
// line "-- ", what nobody sees is left out.
func Plain(page string) string {
	text := write(page, false)
	if strings.TrimSpace(text) == "" { // in doubt words stay
		text = write(page, true)
	}
	return text
}

func write(page string, showHidden bool) string {
	w := &writer{names: map[string]int{}, showHidden: showHidden}
	z := html.NewTokenizer(strings.NewReader(page))
	for tags := 0; ; {
		switch z.Next() {
		case html.ErrorToken:
			w.endLink()
			w.endLine(false)
			return w.text()
		case html.TextToken:
			w.words(string(z.Text()))
		case html.StartTagToken, html.SelfClosingTagToken:
			if tags++; tags <= maxTags {
				w.start(z)
			} else {
				w.space = true
			}
		case html.EndTagToken:
			if tags++; tags <= maxTags {
				name, _ := z.TagName()
				w.end(string(name))
			} else {
				w.space = true
			}
		}
	}
}

// start reads a tag that opens an element.
func (w *writer) start(z *html.Tokenizer) {
	raw, more := z.TagName()
	name := string(raw)
	kind := atom.Lookup(raw)
	a := readAttributes(z, more)
	w.closeImplied(kind)
	if blocks[kind] {
		w.endLine(false)
	}
	switch kind {
	case atom.Br:
		w.endLine(true)
		return
	case atom.Hr:
		w.endLine(false)
		w.gap = true
	case atom.Img:
		if w.hidden == 0 && w.skipped == 0 && isEmoji(a.alt) {
			w.words(a.alt)
		}
	case atom.A:
		w.endLink()
		w.link = linkAddress(a.href)
	case atom.Li:
		w.bullet = "- "
	case atom.Td, atom.Th:
		w.space = true
	case atom.P, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Ul, atom.Ol, atom.Blockquote, atom.Pre:
		w.gap = w.gap || spaced(kind, a)
	}
	if void[kind] || len(w.open) >= maxOpen {
		return
	}
	e := element{name: name, kind: kind, hidden: !w.showHidden && a.hidden(), quote: isQuote(kind, a), intro: isIntro(a), sign: isSignatureElement(a),
		pre: kind == atom.Pre || a.pre(), p: spaced(kind, a), colour: isColoured(a)}
	w.push(e, a)
}

// push opens an element.
func (w *writer) push(e element, a attributes) {
	if w.sign == 0 && e.sign {
		w.signs++
	}
	w.open = append(w.open, e)
	w.names[e.name]++
	w.count(e, 1)
	if dropped[e.kind] {
		w.skipped++
	}
	if beginsRest(a) && w.hidden == 0 && w.depth == 0 {
		w.endLine(false)
		w.rest = 1
	}
	w.header = w.header || a.bordered()
}

// count notes what an element does to the text within it.
func (w *writer) count(e element, n int) {
	for _, one := range []struct {
		set   bool
		count *int
	}{{e.hidden, &w.hidden}, {e.quote, &w.depth}, {e.intro, &w.intro}, {e.sign, &w.sign}, {e.pre, &w.pre}, {e.colour, &w.colour}} {
		if one.set {
			*one.count += n
		}
	}
}

// end reads a tag that closes an element, with those within it that are still open.
func (w *writer) end(name string) {
	kind := atom.Lookup([]byte(name))
	if kind == atom.A {
		w.endLink()
	}
	if kind == atom.Br {
		w.endLine(true)
	}
	if w.names[name] == 0 || !w.reaches(name, kind) {
		return
	}
	for {
		e := w.open[len(w.open)-1]
		w.pop()
		if e.name == name {
			return
		}
	}
}

// reaches reports whether the end of an element is not within another one that it cannot close:
// that of a block for others, that of a table for what is no part of one.
func (w *writer) reaches(name string, kind atom.Atom) bool {
	for i := len(w.open) - 1; w.open[i].name != name; i-- {
		open := w.open[i].kind
		if blocks[open] && !blocks[kind] && !tables[kind] || tables[open] && !tables[kind] && kind != atom.Body && kind != atom.Html {
			return false
		}
	}
	return true
}

// pop closes the innermost element.
func (w *writer) pop() {
	e := w.open[len(w.open)-1]
	if blocks[e.kind] || e.quote || e.sign {
		w.endLine(false)
	}
	w.gap = w.gap || e.p
	w.space = w.space || e.kind == atom.Td || e.kind == atom.Th
	w.open = w.open[:len(w.open)-1]
	w.names[e.name]--
	w.count(e, -1)
	if dropped[e.kind] {
		w.skipped--
	}
}

// closeImplied closes a paragraph, an item or a cell whose end is left out, as HTML allows.
func (w *writer) closeImplied(kind atom.Atom) {
	ends := implied[kind]
	if ends == nil && blocks[kind] {
		ends = implied[atom.P]
	}
	for i, n := len(w.open)-1, 0; ends != nil && i >= 0 && n < maxImplied; i, n = i-1, n+1 {
		open := w.open[i].kind
		if ends[open] {
			for len(w.open) > i {
				w.pop()
			}
			return
		}
		if bounds[open] {
			return
		}
	}
}

// words adds text to the line.
func (w *writer) words(text string) {
	if w.hidden > 0 || w.skipped > 0 {
		return
	}
	if w.pre > 0 {
		for i, one := range strings.Split(strings.ReplaceAll(text, "\r\n", "\n"), "\n") {
			if i > 0 {
				w.endLine(true)
			}
			w.add(one)
		}
		return
	}
	for i, one := range strings.FieldsFunc(text, collapses) {
		first, _ := utf8.DecodeRuneInString(text)
		if w.space || i > 0 || collapses(first) {
			w.add(" ")
		}
		w.space = false
		w.add(one)
	}
	if last, _ := utf8.DecodeLastRuneInString(text); collapses(last) {
		w.space = true
	}
}

func collapses(r rune) bool { return r == ' ' || r == '\n' || r == '\t' || r == '\r' || r == '\f' }

// add writes text into the line. A line begins with no space but its own.
func (w *writer) add(text string) {
	if w.line.Len() == 0 {
		if w.pre == 0 && text == " " || text == "" {
			return
		}
		if w.gap && len(w.lines) > 0 {
			w.lines = append(w.lines, textLine{depth: -1})
		}
		w.gap = false
		w.line.WriteString(w.bullet)
		w.bullet = ""
	}
	w.line.WriteString(text)
	w.plain = w.plain || (w.colour == 0 || w.names["a"] > 0) && strings.TrimSpace(text) != ""
	if w.link != "" && len(w.linkText) < 2*maxLink {
		w.linkText += text
	}
}

// endLine ends the line. A break also ends one without words.
func (w *writer) endLine(broken bool) {
	spaced := w.space
	w.space = false
	if w.hidden > 0 || w.skipped > 0 || w.line.Len() == 0 && !broken {
		return
	}
	sign := 0
	if w.sign > 0 {
		sign = w.signs
	}
	text := strings.TrimRightFunc(strings.ReplaceAll(w.line.String(), "\u00a0", " "), unicode.IsSpace)
	if text == "--" && (spaced || w.line.Len() > len(text)) { // the space means that a signature follows
		text = "-- "
	}
	w.line.Reset()
	w.lines = append(w.lines, textLine{text: text, depth: min(w.depth+w.rest, maxDepth), sign: sign, intro: w.intro > 0,
		colour: text != "" && !w.plain && w.names["blockquote"] == 0, header: w.header && text != ""})
	w.plain = false
	w.header = w.header && text == ""
}

// text is the lines as Text reads them.
func (w *writer) text() string {
	for i := range w.lines { // Outlook's header stands below a border, and the quote has no end
		if w.lines[i].header && w.lines[i].depth == 0 && isHeader(w.lines[i:]) {
			for j := i; j < len(w.lines); j++ {
				if w.lines[j].depth == 0 {
					w.lines[j].depth = 1
				}
			}
			break
		}
	}
	sentOn, headers := false, 0
	for i := range w.lines {
		l := &w.lines[i]
		sentOn = l.intro && (sentOn || (i == 0 || !w.lines[i-1].intro) && isSeparator(comparable(l.text)))
		if l.intro && l.depth == 0 && !sentOn {
			l.depth = 1
		}
		if l.depth > 0 && isFrom(line{words: l.text}) {
			headers++
		}
		if l.depth > 0 && l.colour && headers < 2 { // "my answers are in red": those of an older message are not
			l.depth = 0
		}
	}
	return layOut(w.lines)
}
