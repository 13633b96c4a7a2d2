package knowledge

import (
	"cmp"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// markdownOf writes what a node says as Markdown: headings, paragraphs, items of lists,
// rows of tables with their heads, and code. It takes time and space in proportion to the text.
func markdownOf(root *html.Node) string {
	p := prose{tables: dataTables(root)}
	for n, leaving := root, false; n != nil; n, leaving = nextNode(n, leaving, root) {
		switch {
		case n.Type == html.TextNode && !leaving:
			p.text(n.Data)
		case n.Type != html.ElementNode:
		case n.Data == endHeading:
			if leaving && p.code == 0 {
				p.end("\n\n")
				p.endHeading()
			}
		case leaving:
			p.leave(n)
		default:
			p.enter(n)
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
	term   bool // the line is a term whose definition begins

	tables   map[*html.Node]bool // those with heads
	table    *table              // the one that is open
	rowHead  bool                // the line is the head of a row
	repeated int                 // bytes of what rows repeat
}

// headings are the marks of headings by element.
var headings = map[atom.Atom]string{atom.H1: "# ", atom.H2: "## ", atom.H3: "### ", atom.H4: "#### ", atom.H5: "##### ", atom.H6: "###### "}

func (p *prose) enter(n *html.Node) {
	kind := n.DataAtom
	if p.code > 0 && kind != atom.Pre {
		return
	}
	switch kind {
	case atom.Table:
		p.end("\n\n")
		if p.tables[n] {
			p.table = &table{}
		}
	case atom.Br:
		p.breakLine()
	case atom.Td, atom.Th:
		p.cell(n)
	case atom.Li:
		if p.inCell() {
			p.breakLine()
			return
		}
		p.end("\n")
		p.prefix = "- "
	case atom.Tr:
		p.end("\n")
		if p.table != nil {
			p.table.enterRow(n)
		}
	case atom.Dt, atom.Option:
		p.end("\n")
	case atom.Dd:
		p.define()
	case atom.Caption:
		p.end("\n\n")
		p.prefix = headings[atom.H6]
	case atom.Pre:
		p.end("\n\n")
		p.out.WriteString("```\n")
		p.code++
	default:
		p.block(kind)
	}
}

// block begins a paragraph or a heading. Within a cell it only parts what is said.
func (p *prose) block(kind atom.Atom) {
	mark, heading := headings[kind]
	switch {
	case !heading && (inline[kind] || inCell[kind]):
	case p.inCell():
		p.breakLine()
	case p.term && !heading: // the definition stays with its term
	default:
		p.end("\n\n")
		p.prefix = cmp.Or(mark, p.prefix)
	}
}

// inCell reports whether a cell of a table with heads is open: its row is one line.
func (p *prose) inCell() bool { return p.table != nil && p.table.span > 0 }

// breakLine ends a line, or parts what stands in a cell.
func (p *prose) breakLine() {
	switch line := p.line.String(); {
	case !p.inCell():
		p.end("\n")
	case len(line) > p.table.from && !strings.HasSuffix(line, ",") && !strings.HasSuffix(line, ":") && !strings.HasSuffix(line, "|"):
		p.line.WriteByte(',')
		p.gap = true
	}
}

// cell begins a cell.
func (p *prose) cell(n *html.Node) {
	switch {
	case p.table != nil && p.rowHead:
		p.rowHead, p.gap = false, true
		p.table.span, p.table.from = spanOf(n, "colspan", maxColumns), p.line.Len()
	case p.table != nil:
		p.enterCell(n)
	case p.line.Len() > 0:
		p.line.WriteString(" |")
		p.gap = true
	}
}

// define begins a definition, on the line of its term.
func (p *prose) define() {
	line := p.line.String()
	if line == "" || p.inCell() {
		p.end("\n")
		return
	}
	if !strings.HasSuffix(line, ":") && !strings.HasSuffix(line, "?") {
		p.line.WriteByte(':')
	}
	p.gap, p.term = true, true
}

func (p *prose) leave(n *html.Node) {
	kind := n.DataAtom
	switch {
	case kind == atom.Pre:
		p.code--
		p.endCode()
	case p.code > 0:
	case kind == atom.Table:
		p.leaveTable(n)
	case kind == atom.Td || kind == atom.Th:
		if p.table != nil {
			p.leaveCell()
			p.table.span = 0
		}
	case kind == atom.Tr && p.table != nil:
		p.carry()
		p.rowHead = false
		p.end("\n")
	case kind == atom.Dt:
		if strings.TrimSpace(p.line.String()) == "" {
			p.end("\n")
		}
	case p.inCell():
	case kind == atom.Li || kind == atom.Tr || kind == atom.Dd || kind == atom.Option:
		p.end("\n")
	case kind != atom.Br && !inline[kind] && !inCell[kind] && !p.term:
		p.end("\n\n")
	}
	if kind == atom.Li || headings[kind] != "" || kind == atom.Caption {
		p.prefix = "" // it was empty
	}
}

func (p *prose) leaveTable(n *html.Node) {
	p.end("\n\n")
	if p.tables[n] {
		p.table = nil
		if n.FirstChild != nil && n.FirstChild.DataAtom == atom.Caption {
			p.endHeading()
		}
	}
}

// endHeading ends what stands below the deepest heading.
func (p *prose) endHeading() {
	p.endParagraph()
	p.out.WriteString(strings.TrimSpace(headings[atom.H6]) + "\n\n")
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
		p.gap, p.term = false, false
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
	p.gap, p.term = false, false
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
