package limits

import (
	"sync"
	"time"
)

// allowanceTime is for how long an allowance lasts.
const allowanceTime = time.Hour

// maxSpenders is how many clients an allowance remembers before it drops
// those whose hour is over.
const maxSpenders = 10_000

// Allowance bounds how many bytes each client may upload in an hour.
type Allowance struct {
	mu     sync.Mutex
	spent  map[string]spending
	others elsewhere // by the end of the client's hour
	most   int64
}

type spending struct {
	until time.Time
	bytes int64
}

// Take counts bytes, or rejects them and returns the time until the client's next hour.
// The client may spend most bytes, a network of several clients that many times as much.
func (a *Allowance) Take(key string, bytes, most, clients int64) (wait time.Duration, ok bool) {
	now := time.Now()
	a.mu.Lock()
	defer a.mu.Unlock()
	s := a.spent[key]
	if !now.Before(s.until) {
		s = spending{until: now.Add(allowanceTime)}
	}
	a.most = most
	if s.bytes+a.elsewhere(key, now)+bytes > most*clients {
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

func (a *Allowance) forget(now time.Time) {
	for key, s := range a.spent {
		if !now.Before(s.until) {
			delete(a.spent, key)
		}
	}
}

// elsewhere is what a client has spent at other nodes.
func (a *Allowance) elsewhere(key string, now time.Time) int64 {
	if len(a.others.uses) == 0 {
		return 0
	}
	return a.others.sum(clientOf(key), func(until int64) bool { return until > now.Unix() })
}

// busy implements sharedLimit.
func (a *Allowance) busy(now time.Time) (list []use) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for key, s := range a.spent {
		if now.Before(s.until) && s.bytes >= a.most/sharePart {
			list = append(list, use{clientOf(key), s.until.Unix(), s.bytes})
		}
	}
	return list
}

// learn implements sharedLimit.
func (a *Allowance) learn(node string, u use) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.others.learn(node, u)
	now := time.Now().Unix()
	a.others.expire(func(u use) bool { return u.when > now })
}

// dropNode implements sharedLimit. What the node counted still counts, for its hour.
func (a *Allowance) dropNode(string) {}
