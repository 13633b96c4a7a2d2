package chat

import (
	"context"
	"time"
)

// Stats count what happened since a time.
type Stats struct {
	Sessions int `json:"sessions" db:"sessions"` // begun in the period
	Answered int `json:"answered" db:"answered"` // of those, answered by an operator
	Visitor  int `json:"visitorMessages" db:"visitor"`
	Operator int `json:"operatorMessages" db:"operator"`
	AI       int `json:"aiMessages" db:"ai"`
	// FirstAnswer is how long visitors waited for it on average, in seconds;
	// 0 when nobody was answered.
	FirstAnswer float64 `json:"averageFirstAnswerSeconds" db:"first_answer"`
	Ratings     int     `json:"ratings" db:"ratings"`
	Score       float64 `json:"averageScore" db:"score"` // 0 without ratings
	Days        []Day   `json:"days" db:"-"`
}

// Day is a part of Stats: one day in UTC.
type Day struct {
	Date     string `json:"date" db:"-"`
	Number   int64  `json:"-" db:"day"` // days since 1970
	Sessions int    `json:"sessions" db:"sessions"`
	Messages int    `json:"messages" db:"messages"`
}

// Stats counts the last days, today included.
func (r *Relay) Stats(ctx context.Context, days int) (Stats, error) {
	const day = 24 * time.Hour
	first := time.Now().UTC().Truncate(day).Add(-time.Duration(days-1) * day)
	var stats Stats
	err := r.store.Read(ctx, func(rd Reader) (err error) {
		stats, err = rd.Stats(TimeOf(first))
		return err
	})
	counted := map[int64]Day{}
	for _, d := range stats.Days {
		counted[d.Number] = d
	}
	stats.Days = make([]Day, days)
	for i := range stats.Days {
		at := first.Add(time.Duration(i) * day)
		stats.Days[i] = counted[at.Unix()/int64(day.Seconds())]
		stats.Days[i].Date = at.Format(time.DateOnly)
	}
	return stats, err
}
