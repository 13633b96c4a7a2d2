package knowledge

import (
	"cmp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// markdownOf writes what a node says as Markdown: headings, paragraphs, items of lists,
// rows of tables and code. It takes time and space in proportion to the text.
func markdownOf(root *html.Node) string {
	var p prose
	for n, leaving := root, false; n != nil; n, leaving = nextNode(n, leaving, root) {
		switch {
		case n.Type == html.TextNode && !leaving:
			p.text(n.Data)
		case n.Type != html.ElementNode:
		case leaving:
			p.leave(n.DataAtom)
		default:
			p.enter(n.DataAtom)
		}
	}
	p.end("\n\n")
	return p.out.String()
}

// nextNode returns the node after n in document order, and whether it is left
// or entered; nil after the root. It needs no stack: pages may nest without bounds.
func nextNode(n *html.Node, leaving bool, root *html.Node) (next *html.Node, leavingNext bool) {
	switch {
	case !leaving && n.FirstChild != nil:
		return n.FirstChild, false
	case !leaving:
		return n, true
	case n == root:
		return nil, false
	case n.NextSibling != nil:
		return n.NextSibling, false
	}
	return n.Parent, true
}

// prose is Markdown under way.
type prose struct {
	out    strings.Builder
	prefix string // of the line: "## ", "- "
	line   strings.Builder
	gap    bool // white space stands before the next word
	code   int  // so many pre elements are open
}

// headings are the marks of headings by element.
var headings = map[atom.Atom]string{atom.H1: "# ", atom.H2: "## ", atom.H3: "### ", atom.H4: "#### ", atom.H5: "##### ", atom.H6: "###### "}

func (p *prose) enter(kind atom.Atom) {
	if p.code > 0 && kind != atom.Pre {
		return
	}
	switch kind {
	case atom.Br:
		p.end("\n")
	case atom.Td, atom.Th:
		if p.line.Len() > 0 {
			p.line.WriteString(" |")
			p.gap = true
		}
	case atom.Li:
		p.end("\n")
		p.prefix = "- "
	case atom.Tr, atom.Dt, atom.Dd, atom.Option:
		p.end("\n")
	case atom.Pre:
		p.end("\n\n")
		p.out.WriteString("```\n")
		p.code++
	default:
		if mark, heading := headings[kind]; heading || !inline[kind] && !inCell[kind] {
			p.end("\n\n")
			p.prefix = cmp.Or(mark, p.prefix)
		}
	}
}

func (p *prose) leave(kind atom.Atom) {
	switch {
	case kind == atom.Pre:
		p.code--
		p.endCode()
	case p.code > 0:
	case kind == atom.Li || kind == atom.Tr || kind == atom.Dt || kind == atom.Dd || kind == atom.Option:
		p.end("\n")
	case kind != atom.Br && !inline[kind] && !inCell[kind]:
		p.end("\n\n")
	}
	if kind == atom.Li || headings[kind] != "" {
		p.prefix = "" // it was empty
	}
}

// inline are the elements that do not end a line.
var inline = map[atom.Atom]bool{atom.A: true, atom.Abbr: true, atom.B: true, atom.Bdi: true, atom.Bdo: true, atom.Cite: true, atom.Code: true, atom.Data: true, atom.Del: true,
	atom.Dfn: true, atom.Em: true, atom.Font: true, atom.I: true, atom.Ins: true, atom.Kbd: true, atom.Label: true, atom.Mark: true, atom.Q: true, atom.S: true, atom.Samp: true, atom.Small: true,
	atom.Span: true, atom.Strong: true, atom.Sub: true, atom.Sup: true, atom.Time: true, atom.Tt: true, atom.U: true, atom.Var: true, atom.Wbr: true, 0: true}

// inCell are the elements between a table and its cells: its rows end the lines.
var inCell = map[atom.Atom]bool{atom.Td: true, atom.Th: true, atom.Thead: true, atom.Tbody: true, atom.Tfoot: true, atom.Colgroup: true, atom.Col: true}

// text adds words, with one space for white space of any length. Code stays as it is.
func (p *prose) text(text string) {
	if p.code > 0 {
		p.out.WriteString(strings.ReplaceAll(text, "```", "'''"))
		return
	}
	for i, word := range strings.Fields(text) {
		if (i > 0 || p.gap || startsWithSpace(text)) && p.line.Len() > 0 {
			p.line.WriteByte(' ')
		}
		p.line.WriteString(word)
		p.gap = false
	}
	p.gap = p.gap || endsWithSpace(text)
}

func startsWithSpace(text string) bool { return text != strings.TrimLeft(text, " \t\r\n\u00a0") }

func endsWithSpace(text string) bool { return text != strings.TrimRight(text, " \t\r\n\u00a0") }

// end writes the line that is under way, and what parts it from the next one. What a
// page says is no mark of Markdown: neither heading nor fence.
func (p *prose) end(parting string) {
	if line := strings.TrimLeft(p.line.String(), "#`~ "); line != "" {
		p.out.WriteString(p.prefix + line + "\n")
		p.prefix = ""
	}
	p.line.Reset()
	p.gap = false
	if parting == "\n\n" && p.prefix == "" { // else nothing was written since the mark
		p.endParagraph()
	}
}

// endParagraph leaves an empty line.
func (p *prose) endParagraph() {
	if text := p.out.String(); text != "" && !strings.HasSuffix(text, "\n\n") {
		p.out.WriteByte('\n')
	}
}

func (p *prose) endCode() {
	if !strings.HasSuffix(p.out.String(), "\n") {
		p.out.WriteByte('\n')
	}
	p.out.WriteString("```\n\n")
}
