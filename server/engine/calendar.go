package engine

import (
	"context"
	"encoding/json"
	"log/slog"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// calendarHaste is how much faster than real time the calendar may go: it makes up
// for a day in an hour.
const calendarHaste = 25

// metaCalendar is the fact under which the calendar's time is stored.
const metaCalendar = "calendar"

// Calendar is the time that decides which data is old. It is the clock's, but
// follows a leap forward slowly, also over a restart: a wrong clock
// must not make everything old, and leaves hours to notice it.
type Calendar struct {
	store  chat.Store
	log    *slog.Logger
	last   time.Time // the last call of Now, by the monotonic clock
	warned bool
}

// NewCalendar makes a calendar that continues from the stored time.
func NewCalendar(store chat.Store, log *slog.Logger) *Calendar {
	return &Calendar{store: store, log: log, last: time.Now()}
}

// Now returns the calendar's time and stores it.
func (c *Calendar) Now(ctx context.Context) (chat.Time, error) {
	now, asked := chat.Now(), time.Now()
	ran := asked.Sub(c.last)
	var at chat.Time
	err := c.store.Apply(ctx, func(tx chat.Tx) error {
		at = now
		stored, err := tx.Meta(metaCalendar)
		if err != nil {
			return err
		}
		var before chat.Time
		if stored != "" && json.Unmarshal([]byte(stored), &before) == nil {
			at = min(now, before.Add(ran*calendarHaste))
		}
		return tx.PutMeta(metaCalendar, string(chat.MustJSON(at)))
	})
	if err != nil {
		return 0, err
	}
	c.last = asked
	if behind := now.Sub(at); behind > 24*time.Hour && !c.warned {
		c.warned = true
		c.log.Info("the clock is far ahead of relay's last run; old data is erased later", "in", (behind / (calendarHaste - 1)).Round(time.Minute))
	}
	return at, nil
}
