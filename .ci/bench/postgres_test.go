package bench

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/relay-chat/relay/db/dbtest"
)

const (
	postgresRounds  = 5
	postgresWriting = 3 * time.Second // of one measurement
)

// bareTables and bareScript are what relay on PostgreSQL is measured against: three prepared
// statements in a transaction on tables of the same shape, by pgbench on the same server.
const (
	bareTables = `
		CREATE TABLE sessions (number BIGINT PRIMARY KEY, rev BIGINT NOT NULL, unread INT NOT NULL, last_activity BIGINT NOT NULL);
		CREATE TABLE messages (session BIGINT NOT NULL REFERENCES sessions, seq BIGINT NOT NULL, content TEXT NOT NULL, at BIGINT NOT NULL,
			PRIMARY KEY (session, seq));
		CREATE TABLE deliveries (session BIGINT NOT NULL REFERENCES sessions, rev BIGINT NOT NULL, dest TEXT NOT NULL, state INT NOT NULL,
			PRIMARY KEY (session, rev, dest));
		CREATE SEQUENCE seqs CACHE 100;
		INSERT INTO sessions SELECT n, 0, 0, 0 FROM generate_series(1, 256) n`
	bareScript = `\set session random(1, 256)
\set at random(1, 1000000000)
BEGIN;
UPDATE sessions SET rev = rev + 1, unread = unread + 1, last_activity = :at WHERE number = :session;
INSERT INTO messages VALUES (:session, nextval('seqs'), '%s', :at);
INSERT INTO deliveries VALUES (:session, currval('seqs'), 'webhook', 0);
COMMIT;
`
)

// BenchmarkPostgres compares relay's durable posts on PostgreSQL with pgbench's bare loop
// on the same server, both beside it on the same processors. The processor time is that of
// the program and of the server, with what relay indexes for the search meanwhile.
func BenchmarkPostgres(b *testing.B) {
	programs := os.Getenv("BENCH_PROGRAMS")
	if programs == "" {
		b.Skip("this needs the programs that make bench builds")
	}
	for b.Loop() {
		printPostgres(measurePostgres(b, programs))
	}
}

func measurePostgres(b *testing.B, programs string) []*postgresRow {
	b.Helper()
	floor, site := newBareLoop(b), newNodeSite(b, programs, "PostgreSQL", dbtest.PostgresURL(b), 1)
	defer site.stop(b)
	rows := []*postgresRow{{writers: 1}, {writers: 8}, {writers: writers}}
	for round := range postgresRounds {
		for i := range rows {
			rows[(i+round)%len(rows)].measure(b, floor, site)
		}
	}
	return rows
}

// gate is the row as one of the table of all.
func (r *postgresRow) gate() *gate {
	what := fmt.Sprintf("PostgreSQL: messages of %d at a time over pgbench's transactions", r.writers)
	return &gate{name: "P", what: what, format: "%.0f/s", figure: true, floor: r.floor, relay: r.relay}
}

// postgresRow is a number of writers, with what each round measured.
type postgresRow struct {
	writers         int
	floor, relay    []float64 // per second
	floorWork, work []float64 // µs of processor for each, the server's included
	p50, p99        []float64 // of relay, in ms
}

func (r *postgresRow) measure(b *testing.B, floor *bareLoop, s *nodeSite) {
	b.Helper()
	before := floor.worked(b)
	rate, own := floor.run(b, r.writers)
	r.floor = append(r.floor, rate)
	r.floorWork = append(r.floorWork, us(floor.worked(b)-before+own)/(rate*postgresWriting.Seconds()))
	list := make([]*requests, r.writers)
	for i := range list {
		list[i] = s.visitors[s.written%len(s.visitors)].relay
		s.written++
	}
	before = floor.worked(b) + s.nodes[0].worked()
	took, err := timedPosts(s.nodes[0].address, list, postgresWriting)
	check(b, err)
	r.work = append(r.work, us(floor.worked(b)+s.nodes[0].worked()-before)/float64(len(took)))
	slices.Sort(took)
	r.relay = append(r.relay, float64(len(took))/postgresWriting.Seconds())
	r.p50 = append(r.p50, ms(took[len(took)/2]))
	r.p99 = append(r.p99, ms(took[len(took)*99/100]))
}

// timedPosts has writers post for a while and returns how long each post took.
func timedPosts(address string, list []*requests, while time.Duration) (all []time.Duration, err error) {
	var mu sync.Mutex
	begin := time.Now()
	err = each(len(list), len(list), func(i int) error {
		c, err := connect(address)
		if err != nil {
			return err
		}
		defer c.Close()
		var took []time.Duration
		for sent := time.Now(); sent.Sub(begin) < while; sent = time.Now() {
			if _, err := c.do(list[i].post()); err != nil {
				return err
			}
			took = append(took, time.Since(sent))
		}
		mu.Lock()
		defer mu.Unlock()
		all = append(all, took...)
		return nil
	})
	return all, err
}

// bareLoop is pgbench with a script of three statements.
type bareLoop struct {
	program, url, script string
	server               int // its process
}

func newBareLoop(b *testing.B) *bareLoop {
	b.Helper()
	l := &bareLoop{url: dbtest.PostgresURL(b), script: filepath.Join(b.TempDir(), "loop.sql")}
	found, err := filepath.Glob("/usr/lib/postgresql/*/bin/pgbench")
	if err == nil && len(found) > 0 {
		l.program = found[len(found)-1]
	} else {
		l.program, err = exec.LookPath("pgbench")
	}
	check(b, err)
	check(b, os.WriteFile(l.script, fmt.Appendf(nil, bareScript, text), 0o600))
	c, err := pgx.Connect(b.Context(), l.url)
	check(b, err)
	backend := int(c.PgConn().PID())
	if p, ok := processOf(backend); ok {
		l.server = p.parent
	}
	_, err = c.Exec(b.Context(), bareTables)
	check(b, errors.Join(err, c.Close(context.Background())))
	return l
}

var perSecondOf = regexp.MustCompile(`tps = ([0-9.]+)`)

// run returns how many transactions a second so many clients make, and the processor time
// of pgbench itself.
func (l *bareLoop) run(b *testing.B, clients int) (float64, time.Duration) {
	b.Helper()
	cmd := exec.Command(l.program, "-n", "-M", "prepared", "-f", l.script, "-c", fmt.Sprint(clients), "-j", fmt.Sprint(min(clients, 2)),
		"-T", fmt.Sprint(postgresWriting.Seconds()), l.url)
	out, err := cmd.CombinedOutput()
	m := perSecondOf.FindSubmatch(out)
	if err != nil || m == nil {
		b.Fatalf("pgbench: %v\n%s", err, out)
	}
	rate, err := strconv.ParseFloat(string(m[1]), 64)
	check(b, err)
	return rate, cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
}

// worked returns the processor time of the server and its processes, ended ones too.
func (l *bareLoop) worked(b *testing.B) (total time.Duration) {
	b.Helper()
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	check(b, err)
	for _, path := range stats {
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(path)))
		check(b, err)
		if p, ok := processOf(pid); ok && (pid == l.server || p.parent == l.server) {
			total += p.worked
			if pid == l.server {
				total += p.ended
			}
		}
	}
	return total
}

// process is what the system says of a process: its parent, its processor time, and that
// of its children that have ended.
type process struct {
	parent        int
	worked, ended time.Duration
}

// processOf reads a process; see proc_pid_stat(5).
func processOf(pid int) (p process, ok bool) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	_, rest, found := bytes.Cut(text, []byte(") "))
	fields := strings.Fields(string(rest))
	if err != nil || !found || len(fields) < 15 {
		return p, false // it has ended
	}
	ticks := func(i int) time.Duration {
		n, _ := strconv.Atoi(fields[i])
		return time.Duration(n) * time.Second / 100
	}
	p.parent, _ = strconv.Atoi(fields[1])
	p.worked, p.ended = ticks(11)+ticks(12), ticks(13)+ticks(14)
	return p, true
}

func (s *server) worked() time.Duration {
	p, _ := processOf(s.cmd.Process.Pid)
	return p.worked
}

func us(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }

// printPostgres prints the medians and the ratios within the rounds.
func printPostgres(rows []*postgresRow) {
	t := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprint(t, "\nPostgreSQL\tpgbench\trelay\tratio\tp50 ms\tp99 ms\tp99 / p50\tpgbench µs\trelay µs\tratio\n")
	for _, r := range rows {
		fmt.Fprintf(t, "%d writers\t%.0f/s\t%.0f/s\t%.2f\t%.2f\t%.2f\t%.1f\t%.0f\t%.0f\t%.2f\n", r.writers, median(r.floor), median(r.relay), ratioOf(r.relay, r.floor),
			median(r.p50), slices.Min(r.p99), ratioOf(r.p99, r.p50),
			median(r.floorWork), median(r.work), ratioOf(r.work, r.floorWork))
	}
	t.Flush()
}
