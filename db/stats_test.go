package db_test

import (
	"errors"
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/relay-chat/relay/db"
	"github.com/relay-chat/relay/db/dbtest"
	"github.com/relay-chat/relay/server/chat"
)

// TestStats counts in days that are numbered since 1970.
func TestStats(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		const day = 86_400_000
		apply(t, d, func(tx chat.Tx) error {
			for i, at := range []chat.Time{day - 5, 3*day + 1, 3*day + 2, 4 * day} {
				id := fmt.Sprint(i)
				s := newSession(id, at)
				s.AnsweredAt, s.Score = at+2500, i
				s.RespondedAt = at
				if i == 2 {
					s.AnsweredAt, s.RespondedAt = 0, 0
				}
				m := newMessage(id, "m", 1)
				m.Timestamp = at
				if i == 3 {
					m.Sender = chat.SenderAI
				}
				if err := errors.Join(tx.CreateSession(s), tx.InsertMessage(m)); err != nil {
					return err
				}
			}
			return nil
		})
		read(t, d, func(r chat.Reader) error {
			stats, err := r.Stats(3 * day)
			slices.SortFunc(stats.Days, func(a, b chat.Day) int { return int(a.Number - b.Number) })
			if got := fmt.Sprintf("%+v", stats); got != wantedStats {
				t.Errorf("\n got %s\nwant %s", got, wantedStats)
			}
			return err
		})
	})
}

const wantedStats = "{Sessions:3 Answered:2 Visitor:2 Operator:0 AI:1 FirstAnswer:2.5 Ratings:2 Score:2 " +
	"Days:[{Date: Number:3 Sessions:2 Messages:2} {Date: Number:4 Sessions:1 Messages:1}]}"

// TestAverages are the same to the last digit, whatever the database is.
func TestAverages(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		apply(t, d, func(tx chat.Tx) (err error) {
			for i, score := range []int{1, 1, 1, 2, 3, 3, 3, 4, 5} {
				s := newSession(fmt.Sprint(i), 1000)
				s.AnsweredAt, s.Score, s.RespondedAt = 1000+chat.Time(score), score, 1000
				err = errors.Join(err, tx.CreateSession(s))
			}
			return err
		})
		read(t, d, func(r chat.Reader) error {
			stats, err := r.Stats(0)
			var mean = 23.0 / 9
			if stats.Score != mean || stats.FirstAnswer != mean/1000 {
				t.Errorf("averages are %v and %v", stats.Score, stats.FirstAnswer)
			}
			return err
		})
	})
}

// TestFirstAnswers: half of the visitors waited at most as long as the median.
func TestFirstAnswers(t *testing.T) {
	dbtest.Each(t, func(t *testing.T, d *db.DB) {
		expect := func(wantMedian time.Duration, wantCount int) {
			t.Helper()
			read(t, d, func(r chat.Reader) error {
				median, n, err := r.FirstAnswers(1000)
				if median != wantMedian || n != wantCount {
					t.Errorf("median %s of %d, want %s of %d", median, n, wantMedian, wantCount)
				}
				return err
			})
		}
		expect(0, 0)
		for i, wait := range []chat.Time{9000, 1, 5, 0, 7} { // 0: not answered
			apply(t, d, func(tx chat.Tx) error {
				s := newSession(fmt.Sprint(i), 1000)
				s.AnsweredAt = 0
				if wait > 0 {
					s.AnsweredAt = s.StartedAt + wait
				}
				old := newSession(fmt.Sprint("old", i), 900)
				old.LastActivity = 2000
				return errors.Join(tx.CreateSession(s), tx.CreateSession(old))
			})
		}
		expect(5*time.Millisecond, 4)
	})
}

// TestSurvey: a reader keeps its usual number of pages after it has read many rows.
func TestSurvey(t *testing.T) {
	d := dbtest.Open(t, dbtest.FileURL(t))
	read(t, d, func(r chat.Reader) error {
		_, _, err := r.FirstAnswers(0)
		return err
	})
	if kept, err := d.Reader(t.Context(), "PRAGMA cache_size"); kept != "-2000" || err != nil {
		t.Errorf("cache_size: %s, %v", kept, err)
	}
}
