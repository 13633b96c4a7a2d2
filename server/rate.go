package server

import (
	"hash/maphash"
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
	seed  maphash.Seed

	mu               sync.Mutex
	minute           int64 // since 1970, of latest
	latest, previous map[uint64]int
}

func perMinute(limit int) *rate {
	return &rate{limit: limit, seed: maphash.MakeSeed(), latest: map[uint64]int{}, previous: map[uint64]int{}}
}

// allow counts a request of a client, or reports that it is one too many.
func (l *rate) allow(key string, now time.Time) bool {
	client := maphash.String(l.seed, key)
	l.mu.Lock()
	defer l.mu.Unlock()
	l.turn(now.UnixMilli() / rateWindow.Milliseconds())
	rest := 1 - float64(now.UnixMilli()%rateWindow.Milliseconds())/float64(rateWindow.Milliseconds())
	if float64(l.previous[client])*rest+float64(l.latest[client]) >= float64(l.limit)-0.5 {
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
}
