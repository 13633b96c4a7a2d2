package telegram

import (
	"errors"
	"math"
	"sync"
	"time"

	"golang.org/x/time/rate"

	"github.com/relay-chat/relay/bridges/call"
	"github.com/relay-chat/relay/server/chat"
)

// Telegram lets a bot write 20 messages a minute in a group and about one a
// second in a chat, with short bursts (Bots FAQ). All topics share it; edits
// and new topics count as well.
const (
	groupBudget = 20
	window      = time.Minute + time.Second // a second for clocks and ways that differ
	burst       = 5
	typingPause = 4 * time.Second // Telegram shows typing for 5 s
)

var errBudget = errors.New("the group's messages of this minute are used up")

// budget counts the bot's messages in its group. It never sleeps: a caller that
// is too early learns when to retry.
type budget struct {
	perMinute int
	pace      *rate.Limiter

	mu      sync.Mutex
	spent   []*expense // of the last minute
	blocked time.Time  // until then, by a 429
	typed   time.Time
}

// expense is one message of the budget. It counts from its arrival: an upload
// takes a while.
type expense struct {
	at       time.Time
	inFlight bool
}

func newBudget(perMinute int) *budget {
	if perMinute <= 0 {
		perMinute = groupBudget
	}
	perSecond := math.Max(1, float64(perMinute)/groupBudget)
	return &budget{perMinute: perMinute, pace: rate.NewLimiter(rate.Limit(perSecond), int(perSecond)*burst)}
}

// urgency is whether a call has to wait for the budget.
type urgency bool

const (
	inTurn urgency = false
	// atOnce is for another form of what was just rejected. If that had to wait, the
	// next attempt would start with the rejected form again and use up the message
	// that it waits for, forever.
	atOnce urgency = true
)

// spend takes one message out of the budget, or returns a [chat.RetryAfter]. The
// caller calls arrived when the call has ended.
func (b *budget) spend(when urgency) (arrived func(), err error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	wait := b.wait(now)
	if when == atOnce {
		wait = b.blocked.Sub(now)
	}
	if wait > 0 {
		return nil, call.Later(wait, chat.ScopeSink, errBudget)
	}
	e := &expense{at: now, inFlight: true}
	b.spent = append(b.spent, e)
	return func() {
		b.mu.Lock()
		defer b.mu.Unlock()
		e.at, e.inFlight = time.Now(), false
	}, nil
}

// wait returns how long the next message has to wait. Zero counts the message in
// the pace.
func (b *budget) wait(now time.Time) time.Duration {
	if wait := b.blocked.Sub(now); wait > 0 {
		return wait
	}
	b.forget(now)
	if len(b.spent) >= b.perMinute {
		return b.spent[0].at.Add(window).Sub(now)
	}
	if r := b.pace.ReserveN(now, 1); r.DelayFrom(now) > 0 {
		wait := r.DelayFrom(now)
		r.CancelAt(now)
		return wait
	}
	return 0
}

// forget drops what was spent more than a minute ago and puts the oldest first.
// Requests in flight count as spent now.
func (b *budget) forget(now time.Time) {
	kept := b.spent[:0]
	for _, e := range b.spent {
		if e.inFlight {
			e.at = now
		}
		if now.Sub(e.at) < window {
			kept = append(kept, e)
		}
	}
	b.spent = kept
	for i, e := range kept {
		if e.at.Before(kept[0].at) {
			kept[0], kept[i] = kept[i], kept[0]
		}
	}
}

// block stops sending for as long as Telegram asked. Messages that the bridge did
// not count, of an earlier start or another program, are added in even steps, so
// that the next ones do not come all at once and too early again.
func (b *budget) block(d time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	if until := now.Add(d); until.After(b.blocked) {
		b.blocked = until
	}
	b.forget(now)
	step := window / time.Duration(b.perMinute)
	for unknown := b.perMinute - len(b.spent); unknown > 0; unknown-- {
		b.spent = append(b.spent, &expense{at: b.blocked.Add(time.Duration(unknown-1)*step - window)})
	}
	b.forget(now)
}

// blockedFor returns how long the group still has to be left alone.
func (b *budget) blockedFor() time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	return time.Until(b.blocked)
}

// mayType reports whether a typing indicator may be sent: it is the first to be
// dropped when messages are scarce.
func (b *budget) mayType() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	now := time.Now()
	b.forget(now)
	if b.blocked.After(now) || len(b.spent) >= b.perMinute/2 || now.Sub(b.typed) < typingPause {
		return false
	}
	b.typed = now
	return true
}
