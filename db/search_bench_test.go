package db_test

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/words"
)

// said is a message of about fifteen words, of which some are said often.
func said(n int) string {
	r := rand.New(rand.NewPCG(uint64(n), 1))
	var list []string
	for range 5 + r.IntN(20) {
		list = append(list, "w"+strconv.FormatInt(int64(r.ExpFloat64()*300), 36)+"ord")
	}
	return strings.Join(list, " ") + fmt.Sprint(" order", n)
}

// BenchmarkSearch fills a database, 20,000 messages unless SEARCH_MESSAGES says more,
// indexes it and searches in it.
func BenchmarkSearch(b *testing.B) {
	total, err := strconv.Atoi(os.Getenv("SEARCH_MESSAGES"))
	if err != nil {
		total = 20_000
	}
	for name, url := range map[string]func(testing.TB) string{"sqlite": dbtest.FileURL, "postgres": dbtest.PostgresURL} {
		b.Run(name, func(b *testing.B) {
			d := dbtest.Open(b, url(b))
			fillSaid(b, d, total)
			before, _, err := d.Size(b.Context())
			begun := time.Now()
			s := index(b, d)
			took := time.Since(begun)
			after, _, err2 := d.Size(b.Context())
			if err != nil || err2 != nil {
				b.Fatal(err, err2)
			}
			b.Logf("%d messages: indexed in %v, %v each; %d MB before, %d MB after", total, took.Round(time.Millisecond), took/time.Duration(total), before>>20, after>>20)
			for _, search := range []string{"order777", "w0ord", "w", "wo", "w1", "w2ord w3ord w4", "w9word w8ord", "nothing", "order"} {
				b.Run(strings.ReplaceAll(search, " ", "+"), func(b *testing.B) {
					for b.Loop() {
						if _, err := s.Find(b.Context(), words.Terms(search), nil, 0, 21); err != nil {
							b.Fatal(err)
						}
					}
				})
			}
		})
	}
}

// fillSaid stores messages in sessions of ten.
func fillSaid(b *testing.B, d *db.DB, total int) {
	const each = 10
	for first := 0; first < total/each; first += 100 {
		apply(b, d, func(tx chat.Tx) error {
			for i := first; i < first+100; i++ {
				id := fmt.Sprint("S", i)
				s := visitorSession(id)
				s.StartedAt, s.LastActivity, s.Rev = 1, chat.Time(1_700_000_000_000+i*1000), each
				if err := tx.CreateSession(s); err != nil {
					return err
				}
				for n := range each {
					m := newMessage(id, fmt.Sprint(id, "-", n), int64(n)+1)
					m.Content, m.Timestamp = said(i*each+n), s.LastActivity+chat.Time(n)
					if err := tx.InsertMessage(m); err != nil {
						return err
					}
				}
			}
			return nil
		})
	}
}
