package limits

import (
	"sync"
	"time"
)

// Rate limits the requests of each client in any window, a minute as a rule. It weighs the
// count of the last full window by how much of it still lies within the time of one until
// now, so that nobody gets twice the limit around the turn of a window.
type Rate struct {
	limit  int
	window time.Duration

	mu               sync.Mutex
	turned           int64 // windows since 1970, of latest
	latest, previous map[uint64]int
	others           elsewhere // by window
}

func perMinute(limit int) *Rate { return newRate(limit, time.Minute) }

func newRate(limit int, window time.Duration) *Rate {
	return &Rate{limit: limit, window: window, latest: map[uint64]int{}, previous: map[uint64]int{}}
}

// Allow counts a request of a client, or reports that it is one too many.
func (l *Rate) Allow(key string, now time.Time) bool { return l.AllowUpTo(key, l.limit, now) }

// AllowNetwork counts a request of a network, if it comes from one that is counted.
func (l *Rate) AllowNetwork(network string, now time.Time) bool {
	return network == "" || l.AllowUpTo(network, l.limit*AddressesPerNetwork, now)
}

// AllowUpTo is Allow with another limit.
func (l *Rate) AllowUpTo(key string, limit int, now time.Time) bool {
	client := clientOf(key)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.turn(l.at(now))
	rest := 1 - float64(now.UnixMilli()%l.window.Milliseconds())/float64(l.window.Milliseconds())
	before, since := l.previous[client], l.latest[client]
	if len(l.others.uses) > 0 {
		before += int(l.others.sum(client, func(at int64) bool { return at == l.turned-1 }))
		since += int(l.others.sum(client, func(at int64) bool { return at == l.turned }))
	}
	if float64(before)*rest+float64(since) >= float64(limit)-0.5 {
		return false
	}
	l.latest[client]++
	return true
}

// at is the window that a time is in.
func (l *Rate) at(now time.Time) int64 { return now.UnixMilli() / l.window.Milliseconds() }

// turn begins a window's counts.
func (l *Rate) turn(at int64) {
	if at == l.turned {
		return
	}
	l.latest, l.previous = l.previous, l.latest
	clear(l.latest)
	if at != l.turned+1 {
		clear(l.previous)
	}
	l.turned = at
	l.others.expire(func(u use) bool { return u.when >= at-1 })
}

// busy implements sharedLimit.
func (l *Rate) busy(now time.Time) (list []use) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.turn(l.at(now))
	for client, n := range l.latest {
		if n >= max(l.limit/sharePart, 1) {
			list = append(list, use{client, l.turned, int64(n)})
		}
	}
	return list
}

// learn implements sharedLimit.
func (l *Rate) learn(node string, u use) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.turn(l.at(time.Now())); u.when >= l.turned-1 && u.when <= l.turned+1 { // the other's clock may be ahead
		l.others.learn(node, u)
	}
}

// dropNode implements sharedLimit. What the node counted still counts, for a window.
func (l *Rate) dropNode(string) {}
