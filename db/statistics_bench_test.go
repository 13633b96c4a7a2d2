package db_test

import (
	"fmt"
	"log/slog"
	"os"
	"strconv"
	"testing"
	"time"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/statistics"
)

// BenchmarkStatistics counts 360 days with and without digests: 20,000 messages in sessions
// of ten, unless STATISTICS_MESSAGES says more.
func BenchmarkStatistics(b *testing.B) {
	total, err := strconv.Atoi(os.Getenv("STATISTICS_MESSAGES"))
	if err != nil {
		total = 20_000
	}
	for name, url := range map[string]func(testing.TB) string{"sqlite": dbtest.FileURL, "postgres": dbtest.PostgresURL} {
		b.Run(name, func(b *testing.B) {
			d := dbtest.Open(b, url(b))
			year := fillYear(b, d, total/10)
			counter := statistics.New(d, func(string) *chat.Settings { return new(chat.Settings) }, slog.New(slog.DiscardHandler))
			count := func(b *testing.B) {
				for b.Loop() {
					s, err := counter.Statistics(b.Context(), year)
					if err != nil || s.Totals.Conversations != total/10 {
						b.Fatal(s.Totals, err)
					}
				}
			}
			b.Run("rows", count)
			begun := time.Now()
			if err := db.NewDigests(d, slog.New(slog.DiscardHandler)).Round(b.Context()); err != nil {
				b.Fatal(err)
			}
			b.Logf("%d messages: digests made in %v, with pauses", total, time.Since(begun).Round(time.Millisecond))
			b.Run("digests", count)
		})
	}
}

// fillYear stores sessions of ten messages in 360 days, which it returns.
func fillYear(b *testing.B, d *db.DB, sessions int) statistics.StatRange {
	begin := time.Date(2025, 1, 1, 0, 0, 0, 0, time.UTC)
	step := 360 * 24 * time.Hour / time.Duration(sessions)
	for first := 0; first < sessions; first += 100 {
		apply(b, d, func(tx chat.Tx) error {
			for i := first; i < min(first+100, sessions); i++ {
				if err := chatAt(tx, fmt.Sprint("S", i), chat.TimeOf(begin.Add(time.Duration(i)*step)), i); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return statistics.StatRange{From: "2025-01-01", To: begin.AddDate(0, 0, 359).Format(time.DateOnly)}
}

// chatAt stores a session of ten messages.
func chatAt(tx chat.Tx, id string, at chat.Time, i int) error {
	s := visitorSession(id)
	s.Status, s.StartedAt, s.AnsweredAt, s.LastActivity, s.Rev = chat.StatusClosed, at, at.Add(time.Minute), at.Add(10*time.Minute), 10
	if err := tx.CreateSession(s); err != nil {
		return err
	}
	for n := range int64(10) {
		m := newMessage(id, fmt.Sprint(id, "-", n), n+1)
		m.Timestamp = at.Add(time.Duration(n) * time.Minute)
		if n%2 == 1 {
			m.Sender, m.OperatorName, m.SourceBridge = chat.SenderOperator, fmt.Sprint("Ada ", i%4), "slack"
		}
		if err := tx.InsertMessage(m); err != nil {
			return err
		}
	}
	return tx.PutEntry(&chat.TimelineEntry{SessionID: id, Rev: 11, Type: chat.EventSessionClosed, At: s.LastActivity, Data: chat.Raw("{}")})
}
