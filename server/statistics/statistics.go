// Package statistics counts what happened in conversations, for the pages of the console
// and for the reply time that visitors see.
package statistics

import (
	"context"
	"log/slog"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// Store is what counting reads.
type Store interface {
	Read(ctx context.Context, op func(chat.Reader) error) error
}

// Counter counts.
type Counter struct {
	store    Store
	settings func(site string) *chat.Settings
	log      *slog.Logger
	counting sync.Mutex // one range at a time
	replies  atomic.Pointer[map[string]time.Duration]
}

// New returns a counter of what a store has. It knows no reply time before its Run.
func New(store Store, settings func(site string) *chat.Settings, log *slog.Logger) *Counter {
	c := &Counter{store: store, settings: settings, log: log}
	c.replies.Store(&map[string]time.Duration{})
	return c
}

// maxStatDays bounds the range of statistics.
const maxStatDays = 366

// Statistics are the numbers of a range of days in a time zone. schema/openapi.yaml
// defines each of them.
type Statistics struct {
	From     string       `json:"from"` // the first and the last day, like 2026-11-22
	To       string       `json:"to"`
	TimeZone string       `json:"timezone"`
	Totals   Totals       `json:"totals"`
	Previous Totals       `json:"previous"` // of as many days right before
	Waiting  chat.Waiting `json:"waiting"`
	Days     []StatDay    `json:"days"`
	Hours    []StatHour   `json:"hours"`
	// Week counts visitors' messages by weekday, Monday first, and hour.
	Week     [7][24]int  `json:"week"`
	People   []StatGroup `json:"people"`
	Channels []StatGroup `json:"channels"`
	Ratings  StatRatings `json:"ratings"`
}

// Totals are the numbers of a whole range. Durations are in seconds, nil without
// any.
type Totals struct {
	Conversations       int      `json:"conversations"`
	Answered            int      `json:"answered"`
	Closed              int      `json:"closed"`
	VisitorMessages     int      `json:"visitorMessages"`
	OperatorMessages    int      `json:"operatorMessages"`
	AIMessages          int      `json:"aiMessages"`
	FirstResponseMedian *float64 `json:"firstResponseMedianSeconds"`
	FirstResponseP90    *float64 `json:"firstResponseP90Seconds"`
	ResolutionMedian    *float64 `json:"resolutionMedianSeconds"`
	ResolutionP90       *float64 `json:"resolutionP90Seconds"`
	AIConversations     int      `json:"aiConversations"`
	AIOnly              int      `json:"aiOnlyConversations"`
	AIShare             *float64 `json:"aiShare"`
	HandBacks           int      `json:"aiHandBacks"`
	Ratings             int      `json:"ratings"`
	Score               *float64 `json:"averageScore"`
}

// StatDay is one day of a range.
type StatDay struct {
	Date                string   `json:"date"`
	Conversations       int      `json:"conversations"`
	Closed              int      `json:"closed"`
	VisitorMessages     int      `json:"visitorMessages"`
	OperatorMessages    int      `json:"operatorMessages"`
	AIMessages          int      `json:"aiMessages"`
	FirstResponseMedian *float64 `json:"firstResponseMedianSeconds"`
	Ratings             int      `json:"ratings"`
	Score               *float64 `json:"averageScore"`
}

// StatHour is an hour of the day, over all days of a range.
type StatHour struct {
	Hour          int `json:"hour"`
	Conversations int `json:"conversations"`
	Messages      int `json:"messages"`
}

// StatGroup are the answers of a person, or on a channel. Without an id it is a name that
// belongs to nobody in the team.
type StatGroup struct {
	ID                  string   `json:"id,omitempty"`
	Name                string   `json:"name"`
	Messages            int      `json:"messages"`
	Conversations       int      `json:"conversations"`
	FirstResponses      int      `json:"firstResponses"`
	FirstResponseMedian *float64 `json:"firstResponseMedianSeconds"`
	FirstResponseP90    *float64 `json:"firstResponseP90Seconds"`
}

// StatRatings are the ratings of a range. Scores counts those from 1 to 5.
type StatRatings struct {
	Scores   [5]int       `json:"scores"`
	Comments []StatRating `json:"comments"` // the newest, with a comment
}

// StatRating is a rating with a comment.
type StatRating struct {
	SessionID string    `json:"sessionId"`
	Score     int       `json:"score"`
	Comment   string    `json:"comment"`
	At        chat.Time `json:"at"`
}

// StatRange is a range of days, both included. The zero value is the last 30 days.
type StatRange struct {
	From, To string
	Sites    chat.SiteSet // those that count
}

// zone is the time zone of the range's days: that of the only site, or of the first.
func (q *StatRange) zone(settings func(site string) *chat.Settings) *time.Location {
	if len(q.Sites) == 1 {
		return settings(q.Sites[0]).TimeZone()
	}
	return settings("").TimeZone()
}

// days returns the first day and the number of days. A day is its midnight in UTC,
// wherever it is: not all days have one in their time zone.
func (q StatRange) days(zone *time.Location) (first time.Time, n int, err error) {
	now := chat.Now().Std().In(zone)
	last := time.Date(now.Year(), now.Month(), now.Day(), 0, 0, 0, 0, time.UTC)
	if q.To != "" {
		if last, err = time.Parse(time.DateOnly, q.To); err != nil {
			return last, 0, chat.Errorf(chat.Invalid, "to must be a date like 2026-11-22")
		}
	}
	first = last.AddDate(0, 0, -29)
	if q.From != "" {
		if first, err = time.Parse(time.DateOnly, q.From); err != nil {
			return first, 0, chat.Errorf(chat.Invalid, "from must be a date like 2026-11-22")
		}
	}
	n = calendarDays(first, last) + 1
	switch {
	case first.Year() < 2000 || last.Year() > 9000:
		return first, n, chat.Errorf(chat.Invalid, "from and to must be dates between 2000 and 9000")
	case n < 1:
		return first, n, chat.Errorf(chat.Invalid, "from must not be after to")
	case n > maxStatDays:
		return first, n, chat.Errorf(chat.Invalid, "a range has at most %d days", maxStatDays)
	}
	return first, n, nil
}

// dayBegins returns the first instant of a day in a time zone. Where clocks skip midnight
// it shows a later time; where they show it twice, it is the first.
func dayBegins(day time.Time, zone *time.Location) time.Time {
	const mostAhead = 15 * time.Hour // of UTC; the day before, everywhere
	for t := day.Add(-mostAhead).In(zone); ; {
		_, offset := t.Zone()
		_, changes := t.ZoneBounds()
		midnight := day.Add(-time.Duration(offset) * time.Second)
		if t.Before(midnight) {
			t = midnight.In(zone)
		}
		if changes.IsZero() || t.Before(changes) {
			return t
		}
		t = changes
	}
}

// calendarDays counts the days from one to another, whatever their length.
func calendarDays(from, to time.Time) int {
	utc := func(t time.Time) time.Time { return time.Date(t.Year(), t.Month(), t.Day(), 0, 0, 0, 0, time.UTC) }
	return int(utc(to).Sub(utc(from)) / (24 * time.Hour))
}

// Statistics counts what happened in a range, and in as many days before it.
func (c *Counter) Statistics(ctx context.Context, q StatRange) (Statistics, error) {
	zone := q.zone(c.settings)
	first, n, err := q.days(zone)
	if err != nil {
		return Statistics{}, err
	}
	c.counting.Lock() // one at a time leaves the database to the others
	defer c.counting.Unlock()
	var out Statistics
	err = c.store.Read(ctx, func(rd chat.Reader) error {
		people, err := rd.People()
		if err != nil {
			return err
		}
		count := newStatCount(zone, first, n, people)
		err = rd.Facts(chat.TimeOf(dayBegins(first.AddDate(0, 0, -n), zone)), func(s *chat.SessionFacts) error {
			if q.Sites.Has(s.Site) {
				count.session(s)
			}
			return ctx.Err()
		})
		if err != nil {
			return err
		}
		out = count.result()
		if out.Waiting, err = rd.WaitingSessions(q.Sites); err != nil {
			return err
		}
		out.Ratings.Comments, err = count.comments(rd)
		return err
	})
	return out, err
}

// median and p90 return the value that half, or nine in ten, do not exceed, in seconds.
func median(list []int64) *float64 { return quantile(list, 50) }
func p90(list []int64) *float64    { return quantile(list, 90) }

// quantile sorts a list of milliseconds and returns its nearest-rank percentile.
func quantile(list []int64, percent int) *float64 {
	if len(list) == 0 {
		return nil
	}
	slices.Sort(list)
	rank := (len(list)*percent + 99) / 100
	return new(float64(list[max(rank, 1)-1]) / 1000)
}

func ratio(part, whole int) *float64 {
	if whole == 0 {
		return nil
	}
	return new(float64(part) / float64(whole))
}
