package bench

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/relay-chat/relay/db/dbtest"
)

const (
	nodeRounds  = 5
	nodeTalks   = 500         // visitors of each site
	nodeWriting = time.Second // of one measurement
	nodeStreams = 500         // a stream has its turn each 2.5 s: the last message has arrived
)

// BenchmarkNodes compares one relay on SQLite, one on PostgreSQL and two on one
// PostgreSQL. It says what more relays and the other engine cost or gain on this
// machine, where they share the processors with the database and the load.
func BenchmarkNodes(b *testing.B) {
	programs := os.Getenv("BENCH_PROGRAMS")
	if programs == "" {
		b.Skip("this needs the programs that make bench builds")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1)) // collected between the measurements
	for b.Loop() {
		sites := []*nodeSite{
			newNodeSite(b, programs, "SQLite", "sqlite://"+filepath.Join(b.TempDir(), "relay.db"), 1),
			newNodeSite(b, programs, "PostgreSQL", dbtest.PostgresURL(b), 1),
			newNodeSite(b, programs, "two nodes", dbtest.PostgresURL(b), 2),
		}
		for round := range nodeRounds {
			for i := range sites {
				sites[(i+round)%len(sites)].measure(b)
			}
		}
		printNodes(sites)
		for _, s := range sites {
			s.stop(b)
		}
	}
}

// nodeSite is an installation: one relay or more on a database.
type nodeSite struct {
	name     string
	nodes    []*server
	visitors []*visitor
	written  int

	one, many, p50, p99 []float64 // by rounds
}

func newNodeSite(b *testing.B, programs, name, database string, nodes int) *nodeSite {
	b.Helper()
	s := startSite(b, programs, name, database, nodes)
	s.makeVisitors(b, nodeTalks)
	return s
}

func startSite(b *testing.B, programs, name, database string, nodes int) *nodeSite {
	b.Helper()
	s := &nodeSite{name: name}
	for range nodes {
		node, err := start(func(port string) *exec.Cmd { return nodeCommand(b, programs, port, database) })
		check(b, err)
		s.nodes = append(s.nodes, node)
	}
	return s
}

func (s *nodeSite) makeVisitors(b *testing.B, n int) {
	b.Helper()
	s.visitors = make([]*visitor, n)
	check(b, each(n, 8, func(i int) (err error) {
		s.visitors[i], err = newVisitor(s.nodes[i%len(s.nodes)].address, i)
		return err
	}))
}

// nodeCommand starts a relay in a folder of its own.
func nodeCommand(b *testing.B, programs, port, database string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(programs, "relay"), "serve")
	cmd.Dir = b.TempDir()
	cmd.Env = []string{"HOST=127.0.0.1", "PORT=" + port, "RELAY_PUBLIC_KEY=" + publicKey, "RELAY_SECRET_KEY=" + secretKey, "DATABASE_URL=" + database}
	return cmd
}

func check(b *testing.B, err error) {
	b.Helper()
	if err != nil {
		b.Fatal(err)
	}
}

// measure takes all measurements of a site once.
func (s *nodeSite) measure(b *testing.B) {
	b.Helper()
	runtime.GC()
	s.one = append(s.one, s.post(b, 1))
	s.many = append(s.many, s.post(b, writers))
	took := s.deliver(b)
	s.p50, s.p99 = append(s.p50, ms(took.p50)), append(s.p99, ms(took.p99))
}

// post lets n writers post to the nodes in turn and returns how many messages were
// accepted per second.
func (s *nodeSite) post(b *testing.B, n int) float64 {
	b.Helper()
	lists := make([][]*requests, len(s.nodes))
	for i := range n {
		lists[i%len(lists)] = append(lists[i%len(lists)], s.visitors[s.written%len(s.visitors)].relay)
		s.written++
	}
	rates := make([]float64, len(s.nodes))
	check(b, each(len(s.nodes), len(s.nodes), func(i int) (err error) {
		if len(lists[i]) > 0 {
			rates[i], err = postFor(s.nodes[i].address, lists[i], nodeWriting)
		}
		return err
	}))
	total := 0.0
	for _, r := range rates {
		total += r
	}
	return total
}

// deliver measures how long messages take from the first node to streams on the last.
func (s *nodeSite) deliver(b *testing.B) latency {
	b.Helper()
	_, _, list := sides(s.visitors[:nodeStreams])
	last := s.nodes[len(s.nodes)-1]
	open, err := openStreams(last.address, list)
	check(b, err)
	defer open.close()
	took, err := open.publish(s.nodes[0].address, list, listening)
	check(b, err)
	return took
}

func (s *nodeSite) stop(b *testing.B) {
	b.Helper()
	for _, n := range s.nodes {
		check(b, n.stop())
	}
}

// printNodes prints the medians of each site and the ratios within the rounds.
func printNodes(sites []*nodeSite) {
	sqlite, one, two := sites[0], sites[1], sites[2]
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "\n\tSQLite\tPostgreSQL\ttwo nodes\tPostgreSQL / SQLite\ttwo / one\n")
	for _, row := range []struct {
		what, format string
		of           func(*nodeSite) []float64
	}{
		{"messages a second, 1 writer", "%.0f", func(s *nodeSite) []float64 { return s.one }},
		{fmt.Sprintf("messages a second, %d writers", writers), "%.0f", func(s *nodeSite) []float64 { return s.many }},
		{"post to stream, p50 ms", "%.2f", func(s *nodeSite) []float64 { return s.p50 }},
		{"post to stream, p99 ms, best round", "%.2f", func(s *nodeSite) []float64 { return []float64{slices.Min(s.p99)} }},
	} {
		fmt.Fprintf(t, "%s\t"+row.format+"\t"+row.format+"\t"+row.format+"\t%.2f\t%.2f\n", row.what, median(row.of(sqlite)), median(row.of(one)),
			median(row.of(two)), ratioOf(row.of(one), row.of(sqlite)), ratioOf(row.of(two), row.of(one)))
	}
	t.Flush()
}

// ratioOf is the median of the ratios within the rounds.
func ratioOf(a, b []float64) float64 {
	list := make([]float64, len(a))
	for i := range a {
		list[i] = a[i] / b[i]
	}
	return median(list)
}
