package quote

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Limits of the HTML that is read. What is beyond them is read as if it stood outside.
const (
	maxOpen = 500
	maxTags = 200_000
)

// element is an open element, with what ends when it does.
type element struct {
	name          string
	quote, hidden bool
	block, spaced bool
	preformatted  bool
	link          string
	start         int // of a link's text
}

// writer turns HTML into text.
type writer struct {
	out     strings.Builder
	line    strings.Builder
	open    []element
	quotes  int // open elements that are quotes
	hidden  int
	pre     int
	wanted  int // line breaks before the next word
	spaced  bool
	started bool
}

// Plain turns the HTML of an e-mail into text: what it quotes as lines that begin with "> ", a
// signature behind a line "-- ".
func Plain(page string) string {
	w := &writer{}
	z := html.NewTokenizer(strings.NewReader(page))
	for tags := 0; ; {
		switch z.Next() {
		case html.ErrorToken:
			w.endLine()
			return w.out.String()
		case html.TextToken:
			w.text(string(z.Text()))
		case html.StartTagToken, html.SelfClosingTagToken:
			if tags++; tags <= maxTags {
				w.begin(z.Token())
			}
		case html.EndTagToken:
			if tags++; tags <= maxTags {
				name, _ := z.TagName()
				w.end(string(name))
			}
		}
	}
}

// The elements that mean something in text.
var (
	blocks = set("address", "article", "aside", "blockquote", "body", "center", "dd", "div", "dl", "dt", "fieldset", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "li", "main", "nav", "ol", "p", "pre", "section", "table", "tr", "ul")
	spaced = set("p", "h1", "h2", "h3", "h4", "h5", "h6", "blockquote", "ol", "ul", "pre", "dl", "table")
	unseen = set("head", "noscript", "script", "style", "svg", "template", "title", "select", "object", "iframe")
	single = set("area", "base", "br", "col", "embed", "hr", "img", "input", "link", "meta", "param", "source", "track", "wbr")
)

func set(names ...string) map[string]bool {
	all := map[string]bool{}
	for _, name := range names {
		all[name] = true
	}
	return all
}

// The classes, ids and names by which mail programs mark quotes and signatures, in small letters.
var (
	quoteMarks = set("gmail_quote", "gmail_quote_container", "gmail_attr", "yahoo_quoted", "protonmail_quote", "moz-cite-prefix", "moz-forward-container", "zmail_extra", "ntes-mailmaster-quote", "isreplycontent", "quote", "tutanota_quote", "mail-quote-collapse",
		"apple-mail-quote", "quoted_text", "mailru-blockquote", "reply_msg", "freenet_quote", "qt", "cite_prefix", "mcnt", "bloop_original_html")
	signMarks = set("gmail_signature", "moz-signature", "signature", "ms-outlook-mobile-signature", "protonmail_signature_block", "protonmail_signature_block-user", "applemailsignature", "ymail_signature", "yahoo_signature", "zmail_signature", "tutanota_signature", "mail-signature", "bloop_sign", "k9mail-signature",
		"composer_signature", "ms-outlook-ios-signature")
	originalMarks = set("divrplyfwdmsg", "outlookmessageheader", "appendonsend_header", "replyforwardmsg")
)

// begin opens an element.
func (w *writer) begin(t html.Token) {
	e := element{name: t.Data, block: blocks[t.Data], spaced: spaced[t.Data], preformatted: t.DataAtom == atom.Pre}
	attr := attributes(t.Attr)
	marks := append(append(strings.Fields(attr["class"]), attr["id"]), attr["name"])
	marked := func(with map[string]bool) bool {
		return slices.ContainsFunc(marks, func(m string) bool { return with[m] })
	}
	style := strings.ReplaceAll(attr["style"], " ", "")
	e.hidden = unseen[t.Data] || isHidden(attr, style)
	e.quote = marked(quoteMarks) || t.DataAtom == atom.Blockquote && !isIndent(attr, style)
	if w.hidden == 0 && !e.hidden {
		w.see(t, &e, attr)
		switch {
		case marked(originalMarks) && w.quotes == 0:
			w.lineOf("----- Original message -----")
		case marked(signMarks) && w.quotes == 0:
			w.lineOf("-- ")
		}
	}
	if single[t.Data] || len(w.open) >= maxOpen {
		return
	}
	w.open = append(w.open, e)
	w.count(&e, 1)
}

// see writes what an element without its content says.
func (w *writer) see(t html.Token, e *element, attr map[string]string) {
	if e.block {
		w.breakLine(1)
		if e.spaced && w.started {
			w.breakLine(2)
		}
	}
	switch t.DataAtom {
	case atom.Br:
		w.wanted++
		w.spaced = false
	case atom.Hr:
		w.lineOf("________________________________")
	case atom.Li:
		w.word("- ")
	case atom.Td, atom.Th:
		w.spaced = true
	case atom.Img:
		if alt := strings.TrimSpace(attr["alt"]); isEmoji(alt) {
			w.word(alt)
		}
	case atom.A:
		e.link, e.start = address(attr["href"]), w.line.Len()
	}
}

// end closes an element, with those inside it that nobody closed.
func (w *writer) end(name string) {
	at := len(w.open) - 1
	for at >= 0 && w.open[at].name != name {
		at--
	}
	if at < 0 {
		return
	}
	for i := len(w.open) - 1; i >= at; i-- {
		e := w.open[i]
		if w.hidden == 0 {
			w.leave(&e)
		}
		w.open = w.open[:i]
		w.count(&e, -1)
	}
}

func (w *writer) leave(e *element) {
	if e.link != "" {
		shown := ""
		if e.start <= w.line.Len() {
			shown = strings.TrimSpace(w.line.String()[e.start:])
		}
		if shown != "" && !sameLink(shown, e.link) {
			w.word(" (" + e.link + ")")
		}
	}
	if e.block {
		w.breakLine(1)
		if e.spaced {
			w.breakLine(2)
		}
	}
}

// count counts an element that opens, or closes with -1.
func (w *writer) count(e *element, by int) {
	if e.quote {
		w.endLine()
		w.quotes += by
	}
	if e.hidden {
		w.hidden += by
	}
	if e.preformatted {
		w.pre += by
	}
}

// text writes text.
func (w *writer) text(text string) {
	if w.hidden > 0 {
		return
	}
	if w.pre > 0 {
		for i, line := range strings.Split(text, "\n") {
			if i > 0 {
				w.wanted++
			}
			if line != "" {
				w.word(line)
			}
		}
		return
	}
	rest := text
	for rest != "" {
		end := strings.IndexFunc(rest, isBlank)
		if end == 0 {
			w.spaced = true
			_, size := utf8.DecodeRuneInString(rest)
			rest = rest[size:]
			continue
		}
		if end < 0 {
			end = len(rest)
		}
		w.word(rest[:end])
		rest = rest[end:]
	}
}

func isBlank(r rune) bool { return r == ' ' || r == '\n' || r == '\t' || r == '\r' || r == '\f' }

// word writes a word, behind the breaks or the space that are due.
func (w *writer) word(word string) {
	if w.wanted > 0 && w.started {
		breaks := min(w.wanted, 2)
		w.endLine()
		for range breaks - 1 {
			w.lineOf("")
		}
		w.spaced = false
	}
	w.wanted = 0
	if w.spaced && w.line.Len() > 0 {
		w.line.WriteByte(' ')
	}
	w.spaced, w.started = false, true
	w.line.WriteString(word)
}

// breakLine has at least so many breaks before the next word.
func (w *writer) breakLine(count int) {
	w.wanted = max(w.wanted, count)
	w.spaced = false
}

// endLine ends the line under way.
func (w *writer) endLine() {
	if w.line.Len() == 0 {
		return
	}
	text := w.line.String()
	w.line.Reset()
	w.lineOf(text)
}

// lineOf writes a line of its own, with the mark of a quote inside one.
func (w *writer) lineOf(text string) {
	w.endLine()
	if w.quotes > 0 {
		w.out.WriteString("> ")
	}
	w.out.WriteString(text)
	w.out.WriteByte('\n')
	w.started = true
}

// attributes are an element's attributes that are read, in small letters but for addresses.
func attributes(list []html.Attribute) map[string]string {
	all := map[string]string{}
	for _, a := range list {
		if a.Key == "href" || a.Key == "alt" {
			all[a.Key] = a.Val
			continue
		}
		all[a.Key] = strings.ToLower(a.Val)
	}
	return all
}

func isHidden(attr map[string]string, style string) bool {
	_, hidden := attr["hidden"]
	for _, mark := range []string{"display:none", "visibility:hidden", "mso-hide:all", "max-height:0", "font-size:0", "opacity:0;"} {
		hidden = hidden || strings.Contains(style+";", mark) && !strings.Contains(style, mark+".")
	}
	return hidden
}

// isIndent reports whether a blockquote is what mail programs make of an indented paragraph.
func isIndent(attr map[string]string, style string) bool {
	return attr["type"] != "cite" && (strings.Contains(style, "border:none") || strings.Contains(style, "border:0")) && strings.Contains(style, "margin")
}

// isEmoji reports whether a picture's text is a sign.
func isEmoji(alt string) bool {
	return alt != "" && utf8.RuneCountInString(alt) <= 8 && !strings.ContainsFunc(alt, func(r rune) bool {
		return r < 0x2000 && (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsPunct(r))
	})
}

// address is where a link leads, if people can use it.
func address(href string) string {
	href = strings.TrimSpace(href)
	switch {
	case len(href) > longestAddress:
	case strings.HasPrefix(href, "http://"), strings.HasPrefix(href, "https://"):
		return href
	case strings.HasPrefix(href, "mailto:"):
		to, _, _ := strings.Cut(strings.TrimPrefix(href, "mailto:"), "?")
		return to
	}
	return ""
}

// sameLink reports whether a link's text shows where it leads.
func sameLink(shown, link string) bool {
	bare := func(text string) string {
		text = strings.ToLower(strings.TrimSuffix(text, "/"))
		for _, begin := range []string{"https://", "http://", "www."} {
			text = strings.TrimPrefix(text, begin)
		}
		return text
	}
	return strings.Contains(bare(shown), bare(link))
}
