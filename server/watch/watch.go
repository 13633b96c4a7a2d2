// Package watch counts what relay does and answers it on a listener of its own, in
// the text format of Prometheus. The parts of relay call its hooks; what they can
// return at any time is asked for when somebody looks.
package watch

import (
	"fmt"
	"io"
	"maps"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/VictoriaMetrics/metrics"

	"github.com/relay-chat/relay/server/chat"
)

// The buckets of durations, in seconds, and of the operations in a commit.
var (
	answerBuckets = []float64{.001, .0025, .005, .01, .025, .05, .1, .25, .5, 1, 2.5, 5, 10}
	commitBuckets = []float64{.0005, .001, .0025, .005, .01, .025, .05, .1, .25, 1, 5}
	batchBuckets  = []float64{1, 2, 4, 8, 16, 32, 64, 128, 256}
)

// Watch keeps the metrics of one process. A nil Watch keeps none.
type Watch struct {
	set           *metrics.Set
	batch, commit *histogram
	asked         sync.Mutex // one scrape at a time asks the database

	mu       sync.RWMutex
	answers  map[answer]*metrics.Counter
	routes   map[string]*histogram
	attempts map[attempt]*metrics.Counter
}

// answer is what requests are counted by.
type answer struct {
	method, route string
	status        int
}

// attempt is what deliveries are counted by.
type attempt struct {
	dest string
	came chat.Outcome
}

// New returns the metrics of a relay of this version.
func New(version string) *Watch {
	w := &Watch{set: metrics.NewSet(), answers: map[answer]*metrics.Counter{}, routes: map[string]*histogram{},
		attempts: map[attempt]*metrics.Counter{}, batch: newHistogram(batchBuckets), commit: newHistogram(commitBuckets)}
	w.set.NewGauge(fmt.Sprintf(`relay_build_info{version=%q,go=%q}`, version, runtime.Version()), func() float64 { return 1 })
	return w
}

// Hooks are what the parts of relay call; nil where nobody watches.
type Hooks struct {
	// Answered is called when the answer to a request begins. A route is its
	// pattern, so that there are few.
	Answered func(method, route string, status int, took time.Duration)
	// Committed is called after each commit to the database.
	Committed func(operations int, took time.Duration)
	// Attempted is called after each attempt at a delivery.
	Attempted func(dest string, came chat.Outcome)
}

// Hooks returns what to call.
func (w *Watch) Hooks() Hooks {
	if w == nil {
		return Hooks{}
	}
	return Hooks{w.answered, w.committed, w.attempted}
}

func (w *Watch) answered(method, route string, status int, took time.Duration) {
	key := answer{method, route, status}
	w.mu.RLock()
	count, times := w.answers[key], w.routes[route]
	w.mu.RUnlock()
	if count == nil || times == nil {
		count = w.set.GetOrCreateCounter(`relay_http_requests_total{method="` + method + `",route="` + route + `",status="` + strconv.Itoa(status) + `"}`)
		w.mu.Lock()
		if times = w.routes[route]; times == nil {
			times = newHistogram(answerBuckets)
		}
		w.answers[key], w.routes[route] = count, times
		w.mu.Unlock()
	}
	count.Inc()
	times.update(took.Seconds())
}

func (w *Watch) committed(operations int, took time.Duration) {
	w.batch.update(float64(operations))
	w.commit.update(took.Seconds())
}

// attempted counts an attempt. All outcomes of a sink appear with its first one:
// a rate needs the zero before.
func (w *Watch) attempted(dest string, came chat.Outcome) {
	dest = chat.KindOfSink(dest)
	w.mu.RLock()
	count := w.attempts[attempt{dest, came}]
	w.mu.RUnlock()
	if count == nil {
		w.mu.Lock()
		for _, any := range chat.Outcomes {
			w.attempts[attempt{dest, any}] = w.set.GetOrCreateCounter(fmt.Sprintf(`relay_deliveries_total{dest=%q,outcome=%q}`, dest, any))
		}
		count = w.attempts[attempt{dest, came}]
		w.mu.Unlock()
	}
	count.Inc()
}

// write writes what was counted.
func (w *Watch) write(out io.Writer) {
	w.set.WritePrometheus(out)
	w.batch.write(out, "relay_commit_operations", "")
	w.commit.write(out, "relay_commit_duration_seconds", "")
	w.mu.RLock()
	defer w.mu.RUnlock()
	for _, route := range slices.Sorted(maps.Keys(w.routes)) {
		w.routes[route].write(out, "relay_http_answer_seconds", fmt.Sprintf("route=%q", route))
	}
}
