package watch

import (
	"fmt"
	"io"
	"slices"
	"strings"
	"sync"
)

// histogram counts values by upper bounds.
type histogram struct {
	bounds []float64

	mu     sync.Mutex
	counts []uint64 // one more than bounds, each without those below
	sum    float64
}

func newHistogram(bounds []float64) *histogram {
	return &histogram{bounds: bounds, counts: make([]uint64, len(bounds)+1)}
}

func (h *histogram) update(v float64) {
	i, _ := slices.BinarySearch(h.bounds, v)
	h.mu.Lock()
	h.counts[i]++
	h.sum += v
	h.mu.Unlock()
}

// write writes the histogram in the text format of Prometheus. labels are like
// `route="/ready"`, or "".
func (h *histogram) write(w io.Writer, name, labels string) {
	h.mu.Lock()
	counts, sum := slices.Clone(h.counts), h.sum
	h.mu.Unlock()
	total, more := uint64(0), strings.TrimPrefix(labels+",", ",")
	for i, n := range counts {
		bound := "+Inf"
		if i < len(h.bounds) {
			bound = fmt.Sprint(h.bounds[i])
		}
		total += n
		fmt.Fprintf(w, "%s_bucket{%sle=%q} %d\n", name, more, bound, total)
	}
	if labels != "" {
		labels = "{" + labels + "}"
	}
	fmt.Fprintf(w, "%s_sum%s %g\n%s_count%s %d\n", name, labels, sum, name, labels, total)
}
