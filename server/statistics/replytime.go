package statistics

import (
	"context"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// The usual reply time is the median over this many days, computed this often, and
// only reported once enough conversations were answered.
const (
	replyTimeDays  = 30
	replyTimeEvery = time.Hour
	fewestReplies  = 5
)

// ReplyTime returns how long visitors of a site usually wait for the first answer, 0 while
// that is unknown.
func (c *Counter) ReplyTime(site string) time.Duration { return (*c.replies.Load())[site] }

// Run computes the usual reply time beside everything else until ctx ends.
func (c *Counter) Run(ctx context.Context) error {
	tick := time.NewTicker(replyTimeEvery)
	defer tick.Stop()
	for {
		if err := c.computeReplyTime(ctx); err != nil && ctx.Err() == nil {
			c.log.Warn("the usual reply time could not be computed", "err", err)
		}
		select {
		case <-ctx.Done():
			return nil
		case <-tick.C:
		}
	}
}

func (c *Counter) computeReplyTime(ctx context.Context) error {
	from := chat.Now().Add(-replyTimeDays * 24 * time.Hour)
	return c.store.Read(ctx, func(rd chat.Reader) error {
		waits := map[string][]int64{}
		err := rd.Facts(from, func(s *chat.SessionFacts) error {
			if s.StartedAt >= from && s.AnsweredAt > 0 {
				waits[s.Site] = append(waits[s.Site], max(int64(s.AnsweredAt-s.StartedAt), 0))
			}
			return ctx.Err()
		})
		if err == nil {
			replies := make(map[string]time.Duration, len(waits))
			for site, list := range waits {
				replies[site] = usualReply(list)
			}
			c.replies.Store(&replies)
		}
		return err
	})
}

// usualReply returns the median of waits in milliseconds, 0 if they are few.
func usualReply(waits []int64) time.Duration {
	if len(waits) < fewestReplies {
		return 0
	}
	return time.Duration(*median(waits) * float64(time.Second)).Round(time.Millisecond)
}
