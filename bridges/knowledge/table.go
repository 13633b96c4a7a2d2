package knowledge

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// The bounds of what rows of tables repeat: columns, characters of a head, rows that a cell reaches
// over, and bytes of a page in all.
const (
	maxColumns  = 60
	maxHead     = 80
	maxRowSpan  = 200
	maxRepeated = 256 << 10
)

// dataTables are the tables of a page whose cells have heads. The others only arrange things.
func dataTables(root *html.Node) map[*html.Node]bool {
	tables := map[*html.Node]bool{}
	var open []*html.Node
	for n, leaving := root, false; n != nil; n, leaving = nextNode(n, leaving, root) {
		switch {
		case n.DataAtom == atom.Table && leaving:
			open = open[:len(open)-1]
		case n.DataAtom == atom.Table:
			for _, outer := range open[max(len(open)-1, 0):] {
				tables[outer] = false
			}
			open = append(open, n)
		case leaving || len(open) == 0:
		case n.DataAtom == atom.Th:
			if _, known := tables[open[len(open)-1]]; !known {
				tables[open[len(open)-1]] = true
			}
		}
	}
	return tables
}

// table is a table with heads under way: each of its rows is written with them.
type table struct {
	heads  [maxColumns]string
	above  [maxColumns]carried // cells of rows before that reach into this one
	column int
	head   bool // the row has heads only
	begun  bool // a row without heads was seen
	from   int  // where the cell begins in the line
	span   int  // how many columns the cell has
	rows   int  // how many rows the cell reaches over
	isHead bool // the cell is one
}

// carried is a cell that reaches over several rows.
type carried struct {
	text string
	rows int
}

// enterRow begins a row.
func (t *table) enterRow(row *html.Node) {
	t.column, t.head = 0, !t.begun && onlyHeads(row)
	t.begun = t.begun || !t.head
}

// onlyHeads reports whether a row has heads of columns.
func onlyHeads(row *html.Node) bool {
	cells := 0
	for n := row.FirstChild; n != nil; n = n.NextSibling {
		switch {
		case n.DataAtom == atom.Td && row.Parent.DataAtom != atom.Thead:
			return false
		case n.DataAtom == atom.Th || n.DataAtom == atom.Td:
			cells++
		}
	}
	return cells > 1
}

// enterCell begins a cell: behind what reaches into its row from above, with the head of its column.
func (p *prose) enterCell(n *html.Node) {
	t := p.table
	p.carry()
	t.span, t.rows, t.isHead = spanOf(n, "colspan", maxColumns), spanOf(n, "rowspan", maxRowSpan), n.DataAtom == atom.Th
	p.column(t.column)
	t.from = p.line.Len()
}

// column parts two columns, and writes the head of the next one.
func (p *prose) column(column int) {
	t := p.table
	if p.line.Len() > 0 {
		p.line.WriteString(" |")
		p.gap = true
	}
	if t.head || column >= maxColumns || t.heads[column] == "" || p.repeated > maxRepeated {
		return
	}
	p.repeated += len(t.heads[column])
	p.text(t.heads[column] + ":")
	p.gap = true
}

// carry writes the cells that reach into a row from above, as far as the next one of its own.
func (p *prose) carry() {
	t := p.table
	for t.column < maxColumns && t.above[t.column].rows > 0 {
		c := &t.above[t.column]
		if c.rows--; p.repeated <= maxRepeated && !t.head {
			p.column(t.column)
			p.repeated += len(c.text)
			p.text(c.text)
		}
		t.column++
	}
}

// leaveCell keeps a head for the rows below.
func (p *prose) leaveCell() {
	t := p.table
	line := p.line.String()
	text := oneText(line[min(t.from, len(line)):])
	for i := t.column; i < min(t.column+t.span, maxColumns); i++ {
		if t.head {
			if head := t.heads[i]; head != text {
				t.heads[i] = clip(strings.TrimSpace(head+" "+text), maxHead)
			}
		} else if t.rows > 1 {
			t.above[i] = carried{clip(text, 2*maxHead), t.rows - 1}
		}
	}
	if t.isHead && !t.head && t.column == 0 && t.heads[0] == "" && t.heads[1] == "" && text != "" {
		p.line.WriteString(":") // the head of its row
		p.rowHead = true
	}
	t.column += t.span
}

func spanOf(n *html.Node, name string, most int) int {
	span, err := strconv.Atoi(strings.TrimSpace(attribute(n, name)))
	if err != nil {
		return 1
	}
	return max(1, min(span, most))
}
