package statistics

import (
	"context"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// Stats count what happened since a time.
type Stats struct {
	Sessions int `json:"sessions"` // begun in the period
	Answered int `json:"answered"` // of those, answered by an operator
	Visitor  int `json:"visitorMessages"`
	Operator int `json:"operatorMessages"`
	AI       int `json:"aiMessages"`
	// FirstAnswer is how long visitors waited for it on average, in seconds;
	// 0 when nobody was answered.
	FirstAnswer float64 `json:"averageFirstAnswerSeconds"`
	Ratings     int     `json:"ratings"`
	Score       float64 `json:"averageScore"` // 0 without ratings
	Days        []Day   `json:"days"`
}

// Day is a part of Stats: one day in UTC.
type Day struct {
	Date     string `json:"date"`
	Sessions int    `json:"sessions"`
	Messages int    `json:"messages"`
}

// Stats counts the last days of sites, today included.
func (c *Counter) Stats(ctx context.Context, sites chat.SiteSet, days int) (stats Stats, err error) {
	first := time.Now().UTC().Truncate(24*time.Hour).AddDate(0, 0, 1-days)
	err = c.store.Read(ctx, func(rd chat.Reader) error {
		p := newPeriod(first, days)
		err := rd.Facts(p.from, func(s *chat.SessionFacts) error {
			if sites.Has(s.Site) {
				p.session(s)
			}
			return ctx.Err()
		})
		stats = p.result()
		return err
	})
	return stats, err
}

// period counts what happened since a day.
type period struct {
	Stats
	from           chat.Time
	waited, scores int64
}

func newPeriod(first time.Time, days int) *period {
	c := &period{from: chat.TimeOf(first)}
	for i := range days {
		c.Days = append(c.Days, Day{Date: first.AddDate(0, 0, i).Format(time.DateOnly)})
	}
	return c
}

// day returns the day of a moment of the period, one that nobody sees for the days to come.
func (c *period) day(at chat.Time) *Day {
	i := int(at.Sub(c.from) / (24 * time.Hour))
	if i >= len(c.Days) {
		return new(Day)
	}
	return &c.Days[i]
}

func (c *period) session(s *chat.SessionFacts) {
	if s.StartedAt >= c.from {
		c.Sessions++
		c.day(s.StartedAt).Sessions++
		if s.AnsweredAt > 0 {
			c.Answered++
			c.waited += int64(s.AnsweredAt - s.StartedAt)
		}
	}
	if s.RespondedAt >= c.from {
		c.Ratings++
		c.scores += int64(s.Score)
	}
	for _, m := range s.Messages {
		if m.At < c.from {
			continue
		}
		c.day(m.At).Messages++
		switch m.By.Sender {
		case chat.SenderVisitor:
			c.Visitor++
		case chat.SenderOperator:
			c.Operator++
		case chat.SenderAI:
			c.AI++
		}
	}
}

func (c *period) result() Stats {
	if c.Answered > 0 {
		c.FirstAnswer = float64(c.waited) / float64(c.Answered) / 1000
	}
	if c.Ratings > 0 {
		c.Score = float64(c.scores) / float64(c.Ratings)
	}
	return c.Stats
}
