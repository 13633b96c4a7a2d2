package e2e

import (
	"flag"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"
)

// soakTime is how long TestSoak runs relay, and the least of its lives.
var soakTime = flag.Duration("soak", 4*time.Second, "how long TestSoak runs")

const (
	soakRate    = 20 // messages a second
	soakStreams = 500
	soakLives   = 4 // relay is killed at the end of each
)

// sample is what relay takes at a moment.
type sample struct {
	at                               time.Duration
	memory, goroutines, handles, wal float64
}

// TestSoak runs relay under an even load, kills it now and then, and looks whether
// it takes more and more: each life must end as the first did.
func TestSoak(t *testing.T) {
	inBackground(t)
	streams := 50
	if *long {
		streams = soakStreams
	}
	w := newWorld(t, 4)
	s := &soak{world: w, begun: time.Now()}
	for range streams {
		s.readers = append(s.readers, &reader{})
	}
	s.openSessions()
	r := &report{title: fmt.Sprintf("%s at %d messages/s, %d streams, %d kills: make soak", *soakTime, soakRate, streams, soakLives-1),
		head: []string{"life", "messages", "memory MiB", "goroutines", "open files", "WAL MiB"}}
	for life := range soakLives {
		before, _ := w.said()
		end := s.live(*soakTime / soakLives)
		after, _ := w.said()
		r.add(life+1, after-before, fmt.Sprintf("%.1f", end.memory/(1<<20)), end.goroutines, end.handles, fmt.Sprintf("%.1f", end.wal/(1<<20)))
		s.ends = append(s.ends, end)
	}
	in := w.start()
	v := w.settle(in, 90*time.Second)
	in.stop()
	visitors, _ := w.said()
	r.add("all", visitors, fmt.Sprintf("lost %d", v.lost), fmt.Sprintf("doubled %d", v.doubled), fmt.Sprintf("out of order %d", v.disordered), "")
	r.print(t)
	if v != (verdict{}) || visitors < int(soakTime.Seconds()*soakRate/2) {
		t.Errorf("of %d messages: %+v", visitors, v)
	}
	s.flat(t)
	if *long && !t.Failed() {
		r.picture(t, "../../.github", "soak.svg")
		s.curves(t, "../../.github/soak-curves.svg")
	}
}

// soak is a world with many readers and the samples of its relay.
type soak struct {
	*world
	begun   time.Time
	readers []*reader
	samples []sample
	ends    []sample
}

// reader is an open stream.
type reader struct{ session string }

// openSessions opens a session for each stream.
func (s *soak) openSessions() {
	s.t.Helper()
	in := s.start()
	defer in.stop()
	for i, r := range s.readers {
		var answer struct{ SessionID string }
		if err := call("POST", in.base+"/api/widget/init", crashPublicKey, map[string]any{"visitorId": fmt.Sprint("reader", i)}, &answer); err != nil {
			s.t.Fatal(err)
		}
		r.session = answer.SessionID
	}
}

// live is one life of relay under load, which ends in a kill. It returns what relay
// took at the end of it.
func (s *soak) live(while time.Duration) sample {
	s.t.Helper()
	in := s.start()
	var all sync.WaitGroup
	var open atomic.Int64
	stop := make(chan struct{})
	for _, r := range s.readers {
		all.Go(func() { r.follow(in.base, &open) })
	}
	eventually(s.t, "all streams are open", func() bool { return int(open.Load()) == len(s.readers) })
	all.Go(func() { s.talk(in, stop) })
	end := time.After(while)
	tick := time.NewTicker(max(while/20, 100*time.Millisecond))
	defer tick.Stop()
	for ended := false; !ended; {
		select {
		case <-end:
			ended = true
		case <-tick.C:
		}
		s.samples = append(s.samples, s.sample(in))
	}
	in.kill()
	close(stop)
	all.Wait()
	return s.typical(len(s.samples) - min(5, len(s.samples)))
}

// talk writes at an even rate, visitors in turn.
func (s *soak) talk(in *instance, stop chan struct{}) {
	tick := time.NewTicker(time.Second / soakRate)
	defer tick.Stop()
	for n := 0; ; n++ {
		select {
		case <-stop:
			return
		case <-tick.C:
			s.visitors[n%len(s.visitors)].say(in.base)
		}
	}
}

// follow reads a stream to its end.
func (r *reader) follow(base string, open *atomic.Int64) {
	req, err := http.NewRequest(http.MethodGet, base+"/api/widget/stream?sessionId="+r.session, http.NoBody)
	if err != nil {
		return
	}
	req.Header.Set("Authorization", "Bearer "+crashPublicKey)
	resp, err := http.DefaultClient.Do(req)
	if err != nil {
		return
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusOK {
		open.Add(1)
	}
	_, _ = io.Copy(io.Discard, resp.Body) // it ends with relay
}

var metricLines = regexp.MustCompile(`(?m)^(process_resident_memory_anon_bytes|go_goroutines|process_open_fds|relay_database_log_bytes) (\S+)$`)

// sample asks relay's metrics.
func (s *soak) sample(in *instance) sample {
	s.t.Helper()
	_, scrape := fetch(s.t, in.metricsURL(s.t)+"/metrics")
	values := map[string]float64{}
	for _, found := range metricLines.FindAllStringSubmatch(scrape, -1) {
		values[found[1]], _ = strconv.ParseFloat(found[2], 64)
	}
	return sample{time.Since(s.begun), values["process_resident_memory_anon_bytes"], values["go_goroutines"], values["process_open_fds"], values["relay_database_log_bytes"]}
}

// typical is the median of each value from a sample on.
func (s *soak) typical(from int) sample {
	list := s.samples[from:]
	middle := func(value func(sample) float64) float64 {
		values := make([]float64, len(list))
		for i := range list {
			values[i] = value(list[i])
		}
		slices.Sort(values)
		return values[len(values)/2]
	}
	return sample{list[len(list)-1].at, middle(func(s sample) float64 { return s.memory }), middle(func(s sample) float64 { return s.goroutines }),
		middle(func(s sample) float64 { return s.handles }), middle(func(s sample) float64 { return s.wal })}
}

// flat compares the end of the last life with that of the first: what grows from life
// to life is kept in the database's size, what grows within one leaks.
func (s *soak) flat(t *testing.T) {
	t.Helper()
	first, last := s.ends[0], s.ends[len(s.ends)-1]
	for _, c := range []struct {
		what        string
		first, last float64
		more        float64 // may be so much more
	}{
		{"memory", first.memory, last.memory, first.memory/4 + 4<<20},
		{"goroutines", first.goroutines, last.goroutines, 20},
		{"open files", first.handles, last.handles, 20},
		{"the write-ahead log", 0, last.wal, 64 << 20},
	} {
		if c.last > c.first+c.more {
			t.Errorf("%s: %.0f at the end, %.0f at the end of the first life", c.what, c.last, c.first)
		}
	}
}

// curves draws the samples.
func (s *soak) curves(t *testing.T, path string) {
	t.Helper()
	const width, height, gap = 720, 70, 26
	series := []struct {
		name  string
		value func(sample) float64
		unit  string
	}{
		{"memory", func(s sample) float64 { return s.memory / (1 << 20) }, "MiB"}, {"goroutines", func(s sample) float64 { return s.goroutines }, ""},
		{"open files", func(s sample) float64 { return s.handles }, ""}, {"write-ahead log", func(s sample) float64 { return s.wal / (1 << 20) }, "MiB"},
	}
	var out strings.Builder
	total := len(series)*(height+gap) + gap
	fmt.Fprintf(&out, `<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" viewBox="0 0 %d %d" font-family="ui-monospace, Menlo, Consolas, monospace" font-size="12">`+"\n", width+40, total, width+40, total)
	fmt.Fprint(&out, `<rect width="100%" height="100%" rx="8" fill="#ffffff" stroke="#d0d7de"/>`+"\n")
	longest := s.samples[len(s.samples)-1].at
	for i, c := range series {
		top, most := float64(i*(height+gap)+gap), 0.0
		for _, p := range s.samples {
			most = max(most, c.value(p))
		}
		fmt.Fprintf(&out, `<text x="20" y="%.0f" fill="#1f2328">%s, at most %.0f %s</text>`+"\n", top-6, c.name, most, c.unit)
		var points []string
		for _, p := range s.samples {
			points = append(points, fmt.Sprintf("%.1f,%.1f", 20+width*float64(p.at)/float64(longest), top+height*(1-c.value(p)/max(most, 1))))
		}
		fmt.Fprintf(&out, `<polyline fill="none" stroke="#0969da" stroke-width="1.5" points="%s"/>`+"\n", strings.Join(points, " "))
	}
	out.WriteString("</svg>\n")
	if err := os.WriteFile(filepath.Clean(path), []byte(out.String()), 0o600); err != nil {
		t.Fatal(err)
	}
}
