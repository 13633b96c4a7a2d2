package server

import (
	"sync"
	"time"
)

// allowanceTime is for how long an allowance lasts.
const allowanceTime = time.Hour

// maxSpenders is how many clients an allowance remembers before it drops
// those whose hour is over.
const maxSpenders = 10_000

// allowance bounds how many bytes each client may upload in an hour.
type allowance struct {
	mu    sync.Mutex
	spent map[string]spending
}

type spending struct {
	until time.Time
	bytes int64
}

// take counts bytes, or rejects them and returns the time until the client's next hour.
func (a *allowance) take(key string, bytes, most int64) (wait time.Duration, ok bool) {
	now := time.Now()
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.spent[key]
	if !now.Before(s.until) {
		s = spending{until: now.Add(allowanceTime)}
	}
	if s.bytes+bytes > most {
		return s.until.Sub(now), false
	}
	s.bytes += bytes
	if a.spent == nil {
		a.spent = map[string]spending{}
	}
	if len(a.spent) >= maxSpenders {
		a.forget(now)
	}
	a.spent[key] = s
	return 0, true
}

func (a *allowance) forget(now time.Time) {
	for key, s := range a.spent {
		if !now.Before(s.until) {
			delete(a.spent, key)
		}
	}
}
