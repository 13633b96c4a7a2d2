package db_test

import (
	"context"
	"fmt"
	"log/slog"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/statistics"
	"github.com/relay-chat/relay/server/words"
)

const (
	growthEach  = 10  // messages of a session
	growthReads = 9   // of each kind
	growthIdle  = 100 // sessions that retention erases
)

// BenchmarkGrowth measures what people wait for and what runs behind, on both engines, with a
// tenth of the sessions and with all: 5,000, unless GROWTH_SESSIONS says more, of ten messages in
// a year. The slope is the power of the size by which the time grows: 0 is flat, 1 is linear.
func BenchmarkGrowth(b *testing.B) {
	total, err := strconv.Atoi(os.Getenv("GROWTH_SESSIONS"))
	if err != nil {
		total = 5000
	}
	for b.Loop() {
		table := &growthTable{total: total}
		for _, sessions := range []int{total / 10, total} {
			file := dbtest.FileURL(b)
			fillGrowth(b, file, sessions)
			server := dbtest.PostgresURL(b)
			if _, err := db.Copy(b.Context(), file, server, db.CopyOptions{}); err != nil {
				b.Fatal(err)
			}
			(&grown{b, "SQLite", file, sessions, table}).measure()
			(&grown{b, "PostgreSQL", server, sessions, table}).measure()
		}
		table.print()
	}
}

var growthBegin = time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)

// fillGrowth makes a file with sessions, each tenth of a second site.
func fillGrowth(b *testing.B, url string, sessions int) {
	d := dbtest.Open(b, url)
	step := 360 * 24 * time.Hour / time.Duration(sessions)
	for first := 0; first < sessions; first += 500 {
		apply(b, d, func(tx chat.Tx) error {
			for i := first; i < min(first+500, sessions); i++ {
				if err := putGrowth(tx, i, chat.TimeOf(growthBegin.Add(time.Duration(i)*step))); err != nil {
					return err
				}
			}
			return nil
		})
	}
	if err := d.Close(); err != nil {
		b.Fatal(err)
	}
}

func growthID(i int) string { return fmt.Sprint("S", i) }

func putGrowth(tx chat.Tx, i int, at chat.Time) error {
	s := visitorSession(growthID(i))
	s.StartedAt, s.AnsweredAt, s.LastActivity, s.Rev = at, at.Add(time.Minute), at.Add(growthEach*time.Minute), growthEach
	s.Site = map[bool]string{true: "shop"}[i%10 == 0]
	if i%20 != 0 {
		s.Status = chat.StatusClosed
	}
	if err := tx.CreateSession(s); err != nil {
		return err
	}
	for n := range int64(growthEach) {
		m := newMessage(s.ID, fmt.Sprint(s.ID, "-", n), n+1)
		m.Timestamp, m.Content = at.Add(time.Duration(n)*time.Minute), said(i*growthEach+int(n))
		if n%2 == 1 {
			m.Sender, m.OperatorName = chat.SenderOperator, fmt.Sprint("Ada ", i%4)
		}
		if err := tx.InsertMessage(m); err != nil {
			return err
		}
	}
	return nil
}

// grown is a database of a size.
type grown struct {
	*testing.B
	engine, url string
	sessions    int
	table       *growthTable
}

func (g *grown) add(what string, took time.Duration) { g.table.add(g.engine, what, took) }

func (g *grown) must(err error) {
	g.Helper()
	if err != nil {
		g.Fatal(err)
	}
}

func (g *grown) measure() {
	begun := time.Now()
	d, err := db.Open(g.Context(), g.url, db.Options{})
	g.must(err)
	g.add("start", time.Since(begun))
	defer d.Close()
	s := index(g.B, d)
	g.must(db.NewDigests(d, slog.New(slog.DiscardHandler)).Round(g.Context()))
	g.lists(d)
	g.reads(d, s)
	g.behind(d)
}

// repeat adds the median of some runs.
func (g *grown) repeat(what string, run func(n int) error) {
	g.Helper()
	var took []time.Duration
	for n := range growthReads {
		begun := time.Now()
		g.must(run(n))
		took = append(took, time.Since(begun))
	}
	slices.Sort(took)
	g.add(what, took[len(took)/2])
}

func (g *grown) lists(d *db.DB) {
	for _, l := range []struct {
		what string
		q    chat.SessionQuery
	}{
		{"list", chat.SessionQuery{Limit: 50}},
		{"list of a site", chat.SessionQuery{Sites: chat.SiteSet{"shop"}, Status: chat.StatusOpen, Limit: 50}},
		{"list, in the middle", chat.SessionQuery{Before: chat.Cursor{At: chat.TimeOf(growthBegin.AddDate(0, 0, 180))}, Limit: 50}},
		{"session search, no hit", chat.SessionQuery{Search: "nobody", Limit: 50}},
	} {
		g.repeat(l.what, func(int) error {
			return d.Read(g.Context(), func(r chat.Reader) error {
				_, err := r.Sessions(l.q)
				return err
			})
		})
	}
}

func (g *grown) reads(d *db.DB, s *db.Search) {
	g.repeat("conversation", func(n int) error {
		return d.Read(g.Context(), func(r chat.Reader) error { return readConversation(r, growthID(n*g.sessions/growthReads)) })
	})
	for _, search := range []string{"order777", "w0ord", "w9word w8ord"} {
		g.repeat("messages with "+search, func(int) error {
			_, err := s.Find(g.Context(), words.Terms(search), nil, 0, 21)
			return err
		})
	}
	counter := statistics.New(d, func(string) *chat.Settings { return new(chat.Settings) }, slog.New(slog.DiscardHandler))
	for _, days := range []int{30, 180} {
		to := growthBegin.AddDate(0, 0, 359)
		g.repeat(fmt.Sprintf("statistics of %d days", days), func(int) error {
			from := to.AddDate(0, 0, 1-days)
			_, err := counter.Statistics(g.Context(), statistics.StatRange{From: from.Format(time.DateOnly), To: to.Format(time.DateOnly)})
			return err
		})
	}
	g.repeat("export of 50", func(n int) error {
		return d.Read(g.Context(), func(r chat.Reader) error {
			list, _, err := r.Export(nil, int64(n*g.sessions/growthReads), 50)
			for i := range list {
				if err == nil {
					err = readConversation(r, list[i].ID)
				}
			}
			return err
		})
	})
}

func readConversation(r chat.Reader, id string) error {
	if _, err := r.Session(id); err != nil {
		return err
	}
	_, err := r.Messages(chat.MessageQuery{SessionID: id, Limit: 100})
	return err
}

// behind measures what runs behind, and how long a writer waits meanwhile.
func (g *grown) behind(d *db.DB) {
	g.beside(d, "nothing", func() error { time.Sleep(time.Second); return nil })
	g.beside(d, "erase", func() error { return d.Erase(g.Context(), growthID(g.sessions/2)) })
	g.beside(d, "retention of 100", func() error {
		return d.EraseIdle(g.Context(), nil, chat.TimeOf(growthBegin.Add(growthIdle*360*24*time.Hour/time.Duration(g.sessions))))
	})
	if strings.HasPrefix(g.url, "sqlite") {
		g.beside(d, "backup", func() error { return d.Backup(g.Context(), filepath.Join(g.TempDir(), "backup.db")) })
	}
}

// beside runs work while somebody writes all the time.
func (g *grown) beside(d *db.DB, what string, work func() error) {
	g.Helper()
	ctx, stop := context.WithCancel(g.Context())
	writer := growthID(g.sessions - 1)
	waited := make(chan []time.Duration)
	go func() {
		var took []time.Duration
		for ctx.Err() == nil {
			begun := time.Now()
			if d.ApplyTo(g.Context(), writer, visitorMessage(writer, chat.NewID())) == nil {
				took = append(took, time.Since(begun))
			}
		}
		waited <- took
	}()
	begun := time.Now()
	err := work()
	g.add(what, time.Since(begun))
	stop()
	took := <-waited
	g.must(err)
	slices.Sort(took)
	g.add("  a writer beside "+what+", p99", took[len(took)*99/100])
	g.add("  longest", took[len(took)-1])
}

// growthTable has a row for each thing that was measured on an engine, in the order in which they were.
type growthTable struct {
	total int
	rows  []*growthRow
	next  int // the row of the larger size
}

type growthRow struct {
	engine, what string
	took         []time.Duration // by sizes
}

// add adds a measurement. The larger size has those of the smaller again.
func (t *growthTable) add(engine, what string, took time.Duration) {
	if t.next < len(t.rows) && t.rows[t.next].engine == engine && t.rows[t.next].what == what {
		t.rows[t.next].took = append(t.rows[t.next].took, took)
		t.next++
		return
	}
	t.rows = append(t.rows, &growthRow{engine, what, []time.Duration{took}})
}

func (t *growthTable) print() {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintf(w, "\ngrowth\t\t%d sessions\t%d sessions\tslope\n", t.total/10, t.total)
	for _, r := range t.rows {
		few, many := r.took[0], r.took[1]
		fmt.Fprintf(w, "%s\t%s\t%v\t%v\t%.2f\n", r.engine, r.what, few.Round(10*time.Microsecond), many.Round(10*time.Microsecond),
			math.Log10(float64(many)/float64(few)))
	}
	w.Flush()
}
