package bench

import (
	"fmt"
	"io"
	"os"
	"slices"
	"testing"
	"text/tabwriter"
)

// gate is a limit on the ratio of relay to its floor. Only ratios within a
// round say something: the machine's speed changes from minute to minute.
type gate struct {
	name, what   string
	format       string // of the values
	limit        float64
	atLeast      bool // the limit is the least, not the most
	best         bool // compare the best of all rounds, not the median of their ratios
	figure       bool // has no limit
	floor, relay []float64
}

func (g *gate) add(floor, relay float64) {
	g.floor, g.relay = append(g.floor, floor), append(g.relay, relay)
}

// ratio is the gate's result.
func (g *gate) ratio() float64 {
	if g.best {
		return slices.Min(g.relay) / slices.Min(g.floor)
	}
	return median(g.ratios())
}

// ratios returns the ratio of each round.
func (g *gate) ratios() []float64 {
	list := make([]float64, len(g.floor))
	for i := range list {
		list[i] = g.relay[i] / g.floor[i]
	}
	return list
}

func (g *gate) held() bool {
	if g.atLeast {
		return g.ratio() >= g.limit
	}
	return g.figure || g.ratio() <= g.limit
}

// value is the median of the rounds, or the best.
func (g *gate) value(rounds []float64) string {
	if g.best {
		return fmt.Sprintf(g.format, slices.Min(rounds))
	}
	return fmt.Sprintf(g.format, median(rounds))
}

// verdict is the limit, and whether it is kept.
func (g *gate) verdict() string {
	sign, verdict := "<=", "ok"
	if g.atLeast {
		sign = ">="
	}
	if !g.held() {
		verdict = "MISSED"
	}
	if g.figure {
		return "-"
	}
	return fmt.Sprintf("%s %.2f %s", sign, g.limit, verdict)
}

// judged are the gates of all benchmarks so far, for the picture.
var judged []*gate

// judge prints the gates and fails if one is missed.
func judge(b *testing.B, gates []*gate) {
	b.Helper()
	printTable(os.Stdout, gates)
	judged = append(judged, gates...)
	for _, g := range gates {
		if !g.held() {
			b.Errorf("%s is missed: %s", g.name, g.what)
		}
	}
}

func median(list []float64) float64 {
	sorted := slices.Sorted(slices.Values(list))
	n := len(sorted)
	return (sorted[(n-1)/2] + sorted[n/2]) / 2
}

// printTable prints one line a gate. Values are medians of the rounds, or the
// best.
func printTable(w io.Writer, gates []*gate) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "\ngate\t\tfloor\trelay\tratio\tlimit\trounds\n")
	for _, g := range gates {
		lines, floor, relay := g.ratios(), g.value(g.floor), g.value(g.relay)
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%.2f\t%s\t%.2f - %.2f\n",
			g.name, g.what, floor, relay, g.ratio(), g.verdict(), slices.Min(lines), slices.Max(lines))
	}
	t.Flush()
}
