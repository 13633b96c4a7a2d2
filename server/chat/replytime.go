package chat

import (
	"context"
	"time"
)

// The usual reply time is the median over this many days, computed this often, and
// only reported once enough conversations were answered.
const (
	replyTimeDays  = 30
	replyTimeEvery = time.Hour
	fewestReplies  = 5
)

// ReplyTime returns how long visitors usually wait for the first answer, 0 while
// that is unknown.
func (r *Relay) ReplyTime() time.Duration { return time.Duration(r.replyTime.Load()) }

// keepReplyTime computes the usual reply time beside everything else until ctx
// ends.
func (r *Relay) keepReplyTime(ctx context.Context) {
	tick := time.NewTicker(replyTimeEvery)
	defer tick.Stop()
	for {
		if err := r.computeReplyTime(ctx); err != nil && ctx.Err() == nil {
			r.log.Warn("the usual reply time could not be computed", "err", err)
		}
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		}
	}
}

func (r *Relay) computeReplyTime(ctx context.Context) error {
	return r.store.ReadOne(ctx, func(rd Reader) error {
		median, n, err := rd.FirstAnswers(Now().Add(-replyTimeDays * 24 * time.Hour))
		if err == nil && n < fewestReplies {
			median = 0
		}
		if err == nil {
			r.replyTime.Store(int64(median))
		}
		return err
	})
}
