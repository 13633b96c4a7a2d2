package bench

import (
	"fmt"
	"html"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestMain draws the gates of all benchmarks as one table.
func TestMain(m *testing.M) {
	code := m.Run()
	if folder := os.Getenv("BENCH_PICTURES"); folder != "" && len(judged) > 0 {
		if err := draw(folder, judged); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	os.Exit(code)
}

// theme is the colours of a picture.
type theme struct{ name, ground, border, text, faint, bar, missed string }

var themes = []theme{
	{"light", "#ffffff", "#d0d7de", "#1f2328", "#656d76", "#54aeff", "#cf222e"},
	{"dark", "#0d1117", "#30363d", "#e6edf3", "#8d96a0", "#1f6feb", "#f85149"},
}

// The columns of a picture, and what a bar takes.
const (
	pictureWidth, line      = 1100, 24
	atWhat, atFloor         = 18, 480
	atRelay, atRatio, atBar = 590, 690, 750
	barOfOne, mostBar       = 60, 180
	atLimit                 = 950
)

// draw writes the table as bench-light.svg and bench-dark.svg: a bar is relay's ratio to the
// floor, which ends at the mark of 1.
func draw(folder string, gates []*gate) error {
	for _, c := range themes {
		if err := os.WriteFile(filepath.Join(folder, "bench-"+c.name+".svg"), []byte(picture(c, gates)), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func picture(c theme, gates []*gate) string {
	var out strings.Builder
	height := line*(len(gates)+3) + 10
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %[1]d %[2]d" `+
		`font-family="system-ui, -apple-system, 'Segoe UI', Roboto, sans-serif" font-size="13">`+"\n", pictureWidth, height)
	fmt.Fprintf(&out, `<rect width="100%%" height="100%%" rx="8" fill="%s" stroke="%s"/>`+"\n", c.ground, c.border)
	write := func(x, row int, colour, text string) {
		fmt.Fprintf(&out, `<text x="%d" y="%d" fill="%s">%s</text>`+"\n", x, line*(row+1)+6, colour, html.EscapeString(text))
	}
	write(atWhat, 0, c.text, "relay beside bare floors on the same machine, in one run: make bench")
	for i, title := range []string{"floor", "relay", "ratio"} {
		write([]int{atFloor, atRelay, atRatio}[i], 1, c.faint, title)
	}
	write(atLimit, 1, c.faint, "limit")
	for i, g := range gates {
		row, colour := i+2, c.bar
		if !g.held() {
			colour = c.missed
		}
		write(atWhat, row, c.text, g.what)
		write(atFloor, row, c.faint, g.value(g.floor))
		write(atRelay, row, c.text, g.value(g.relay))
		write(atRatio, row, c.text, fmt.Sprintf("%.2f", g.ratio()))
		fmt.Fprintf(&out, `<rect x="%d" y="%d" width="%.0f" height="12" rx="3" fill="%s"/>`+"\n",
			atBar, line*(row+1)-5, min(g.ratio()*barOfOne, mostBar), colour)
		if !g.figure {
			write(atLimit, row, c.faint, strings.TrimSuffix(g.verdict(), " ok"))
		}
	}
	fmt.Fprintf(&out, `<path d="M%d %dV%d" stroke="%s"/>`+"\n</svg>\n", atBar+barOfOne, 2*line+6, height-line/2, c.faint)
	return out.String()
}

// TestPicture: both pictures have every row, with what HTML would read as a tag escaped.
func TestPicture(t *testing.T) {
	gates := []*gate{
		{name: "A", what: "kept", format: "%.1f ms", limit: 2, floor: []float64{1, 2, 3}, relay: []float64{2, 3, 4}},
		{name: "B", what: "missed <b>", format: "%.0f/s", limit: 5, atLeast: true, floor: []float64{10}, relay: []float64{20}},
		{name: "C", what: "a figure", format: "%.0f", figure: true, floor: []float64{1}, relay: []float64{90}},
	}
	folder := t.TempDir()
	if err := draw(folder, gates); err != nil {
		t.Fatal(err)
	}
	for _, c := range themes {
		text, err := os.ReadFile(filepath.Join(folder, "bench-"+c.name+".svg"))
		for _, part := range []string{
			">kept<", ">2.0 ms<", ">3.0 ms<", ">1.50<", "missed &lt;b&gt;", ">&gt;= 5.00 MISSED<", ">a figure<", ">90.00<", c.missed,
		} {
			if err != nil || !strings.Contains(string(text), part) {
				t.Errorf("%s: no %q in %s, %v", c.name, part, text, err)
			}
		}
	}
}
