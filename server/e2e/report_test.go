package e2e

import (
	"fmt"
	"html"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"text/tabwriter"
)

// report is a table that a long test prints and keeps as a picture.
type report struct {
	title string
	head  []string
	rows  [][]string
}

func (r *report) add(cells ...any) {
	row := make([]string, len(cells))
	for i, c := range cells {
		row[i] = fmt.Sprint(c)
	}
	r.rows = append(r.rows, row)
}

// print prints the table.
func (r *report) print(t *testing.T) {
	t.Helper()
	var out strings.Builder
	w := tabwriter.NewWriter(&out, 0, 0, 2, ' ', 0)
	for _, row := range append([][]string{r.head}, r.rows...) {
		fmt.Fprintln(w, strings.Join(row, "\t"))
	}
	w.Flush()
	t.Logf("%s\n\n%s", r.title, out.String())
}

// picture writes the table as an SVG beside the README's other pictures.
func (r *report) picture(t *testing.T, folder, name string) {
	t.Helper()
	const line, char, pad = 22, 7.3, 18
	widths := make([]float64, len(r.head))
	for _, row := range append([][]string{r.head}, r.rows...) {
		for i, cell := range row {
			widths[i] = max(widths[i], float64(len([]rune(cell)))*char+pad)
		}
	}
	total := float64(pad)
	for _, w := range widths {
		total += w
	}
	height := line*(len(r.rows)+3) + 10
	var out strings.Builder
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%d" viewBox="0 0 %.0f %d" font-family="ui-monospace, SFMono-Regular, Menlo, Consolas, monospace" font-size="12.5">`+"\n", total, height, total, height)
	fmt.Fprintf(&out, `<rect width="100%%" height="100%%" rx="8" fill="#ffffff" stroke="#d0d7de"/>`+"\n")
	fmt.Fprintf(&out, `<text x="%d" y="28" font-weight="bold" fill="#1f2328">%s</text>`+"\n", pad, html.EscapeString(r.title))
	for n, row := range append([][]string{r.head}, r.rows...) {
		x, colour := float64(pad), "#1f2328"
		if n == 0 {
			colour = "#656d76"
		}
		for i, cell := range row {
			fmt.Fprintf(&out, `<text x="%.0f" y="%d" fill="%s">%s</text>`+"\n", x, 36+line*(n+1), colour, html.EscapeString(cell))
			x += widths[i]
		}
	}
	out.WriteString("</svg>\n")
	if err := os.WriteFile(filepath.Join(folder, name), []byte(out.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}
