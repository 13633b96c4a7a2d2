package db_test

import (
	"database/sql"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

// The benchmark measures in rounds, each contender for a while, because the
// disk's speed changes from minute to minute: only ratios within a round say
// something.
const (
	rounds = 5
	while  = 700 * time.Millisecond
)

// BenchmarkApply measures visitor messages (session locked, message, event and
// session written, no deliveries) on one, 8, 64 and 256 goroutines against two
// floors on the same disk: a bare loop that inserts a row of a message's size,
// committing each row or every 64. alone64 is what the schema allows: the same
// messages from one goroutine, 64 in one operation.
func BenchmarkApply(b *testing.B) {
	for b.Loop() {
		d := dbtest.Open(b, dbtest.FileURL(b))
		bare := openBare(b)
		contenders := []struct {
			name string
			run  func() float64 // per second
		}{
			{"raw1", func() float64 { return bare.insert(b, 1) }},
			{"raw64", func() float64 { return bare.insert(b, 64) }},
			{"alone64", func() float64 { return sendTogether(b, d, 64) }},
			{"apply1", func() float64 { return sendFor(b, d, 1) }},
			{"apply8", func() float64 { return sendFor(b, d, 8) }},
			{"apply64", func() float64 { return sendFor(b, d, 64) }},
			{"apply256", func() float64 { return sendFor(b, d, 256) }},
		}
		rates, ratios := map[string][]float64{}, map[string][]float64{}
		for range rounds {
			for _, c := range contenders {
				rates[c.name] = append(rates[c.name], c.run())
			}
			for _, pair := range []string{"apply64/raw64", "apply64/raw1", "apply64/apply1", "apply1/raw1", "apply256/raw64", "apply64/alone64"} {
				over, under, _ := strings.Cut(pair, "/")
				last := len(rates[over]) - 1
				ratios[pair] = append(ratios[pair], rates[over][last]/rates[under][last])
			}
		}
		for name, list := range rates {
			b.ReportMetric(median(list), name+"/s")
		}
		for name, list := range ratios {
			b.ReportMetric(median(list), name)
		}
	}
}

func median(list []float64) float64 {
	slices.Sort(list)
	return list[len(list)/2]
}

// sendFor sends messages from a number of writers, each in a session of its
// own.
func sendFor(b *testing.B, d *db.DB, writers int) float64 {
	b.Helper()
	ids := newSessions(b, d, writers)
	var wg sync.WaitGroup
	counts := make([]int, writers)
	begin := time.Now()
	for i, id := range ids {
		wg.Go(func() {
			for time.Since(begin) < while {
				if err := sendMessage(b, d, id); err != nil {
					b.Error(err)
					return
				}
				counts[i]++
			}
		})
	}
	wg.Wait()
	total := 0
	for _, n := range counts {
		total += n
	}
	return float64(total) / time.Since(begin).Seconds()
}

// sendTogether sends messages to as many sessions at once, in one operation.
func sendTogether(b *testing.B, d *db.DB, sessions int) float64 {
	b.Helper()
	ids := newSessions(b, d, sessions)
	n, begin := 0, time.Now()
	for ; time.Since(begin) < while; n += sessions {
		apply(b, d, func(tx chat.Tx) error {
			for _, id := range ids {
				if err := visitorMessage(id, chat.NewID())(tx); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return float64(n) / time.Since(begin).Seconds()
}

// bare is a database without relay, with the same settings.
type bare struct {
	db     *sql.DB
	insert func(b *testing.B, rows int) float64
}

func openBare(b *testing.B) *bare {
	b.Helper()
	pool, err := sql.Open("sqlite", "file:"+filepath.Join(b.TempDir(), "bare.db")+"?_busy_timeout=5000&_journal_mode=WAL&_synchronous=FULL")
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { pool.Close() })
	pool.SetMaxOpenConns(1)
	if _, err := pool.Exec("CREATE TABLE message (id INTEGER PRIMARY KEY, session TEXT, content TEXT, sender TEXT, at INTEGER)"); err != nil {
		b.Fatal(err)
	}
	prepare := func(query string) *sql.Stmt {
		s, err := pool.Prepare(query)
		if err != nil {
			b.Fatal(err)
		}
		return s
	}
	begin, commit := prepare("BEGIN IMMEDIATE"), prepare("COMMIT")
	row := prepare("INSERT INTO message (session, content, sender, at) VALUES (?, ?, ?, ?)")
	run := func(s *sql.Stmt, args ...any) {
		if _, err := s.Exec(args...); err != nil {
			b.Fatal(err)
		}
	}
	insert := func(b *testing.B, rows int) float64 {
		b.Helper()
		session, n, start := chat.NewID(), 0, time.Now()
		for time.Since(start) < while {
			run(begin)
			for range rows {
				run(row, session, text, "visitor", int64(chat.Now()))
			}
			run(commit)
			n += rows
		}
		return float64(n) / time.Since(start).Seconds()
	}
	return &bare{pool, insert}
}
