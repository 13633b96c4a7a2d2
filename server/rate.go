package server

import (
	"sync"
	"time"
)

// rateWindow is the time in which a rate counts.
const rateWindow = time.Minute

// rate limits the requests of each client in any minute. It weighs the count of the
// last full minute by how much of it still lies within the last 60 seconds, so that
// nobody gets twice the limit around the turn of a minute.
type rate struct {
	limit int

	mu               sync.Mutex
	minute           int64 // since 1970, of latest
	latest, previous map[uint64]int
	others           elsewhere // by minute
}

func perMinute(limit int) *rate {
	return &rate{limit: limit, latest: map[uint64]int{}, previous: map[uint64]int{}}
}

// allow counts a request of a client, or reports that it is one too many.
func (l *rate) allow(key string, now time.Time) bool { return l.allowUpTo(key, l.limit, now) }

// allowNetwork counts a request of a network, if it comes from one that is counted.
func (l *rate) allowNetwork(network string, now time.Time) bool {
	return network == "" || l.allowUpTo(network, l.limit*addressesPerNetwork, now)
}

func (l *rate) allowUpTo(key string, limit int, now time.Time) bool {
	client := clientOf(key)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.turn(now.UnixMilli() / rateWindow.Milliseconds())
	rest := 1 - float64(now.UnixMilli()%rateWindow.Milliseconds())/float64(rateWindow.Milliseconds())
	before, since := l.previous[client], l.latest[client]
	if len(l.others.uses) > 0 {
		before += int(l.others.sum(client, func(minute int64) bool { return minute == l.minute-1 }))
		since += int(l.others.sum(client, func(minute int64) bool { return minute == l.minute }))
	}
	if float64(before)*rest+float64(since) >= float64(limit)-0.5 {
		return false
	}
	l.latest[client]++
	return true
}

// turn begins the minute's counts.
func (l *rate) turn(minute int64) {
	if minute == l.minute {
		return
	}
	l.latest, l.previous = l.previous, l.latest
	clear(l.latest)
	if minute != l.minute+1 {
		clear(l.previous)
	}
	l.minute = minute
	l.others.expire(func(u use) bool { return u.when >= minute-1 })
}

// busy implements sharedLimit.
func (l *rate) busy(now time.Time) (list []use) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.turn(now.UnixMilli() / rateWindow.Milliseconds())
	for client, n := range l.latest {
		if n >= max(l.limit/sharePart, 1) {
			list = append(list, use{client, l.minute, int64(n)})
		}
	}
	return list
}

// learn implements sharedLimit.
func (l *rate) learn(node string, u use) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.turn(time.Now().UnixMilli() / rateWindow.Milliseconds()); u.when >= l.minute-1 && u.when <= l.minute+1 { // the other's clock may be ahead
		l.others.learn(node, u)
	}
}

// dropNode implements sharedLimit. What the node counted still counts, for a minute.
func (l *rate) dropNode(string) {}
