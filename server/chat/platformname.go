package chat

import (
	"context"
	"sync"
	"time"
)

// namesAge is how long the names on platforms are trusted: another process may change
// them.
const namesAge = time.Second

// platformNames are the people by their names on platforms.
type platformNames struct {
	mu     sync.Mutex
	people map[string]Person
	readAt time.Time
}

// Colleague completes an operator from a platform: whoever has one of the ids or user
// names there counts as that person.
func (r *Relay) Colleague(ctx context.Context, by Author, names ...string) Author {
	if r.backend {
		return by
	}
	people := r.namesOnPlatforms(ctx)
	for _, name := range names {
		if key := platformKey(name); key != "" {
			if p, known := people[by.Source+" "+key]; known {
				by.Person, by.Name, by.Role = p.ID, p.Name, p.Role
				return by
			}
		}
	}
	return by
}

// namesOnPlatforms returns the names, those last known if the store fails.
func (r *Relay) namesOnPlatforms(ctx context.Context) map[string]Person {
	r.names.mu.Lock()
	defer r.names.mu.Unlock()
	if time.Since(r.names.readAt) < namesAge {
		return r.names.people
	}
	err := r.store.ReadOne(ctx, func(rd Reader) (err error) {
		r.names.people, err = rd.NamesOnPlatforms()
		return err
	})
	if err != nil {
		r.log.Warn("cannot read the names on platforms", "err", err)
	}
	r.names.readAt = time.Now()
	return r.names.people
}

// forgetNames makes the next operator's names be read again.
func (r *Relay) forgetNames() {
	r.names.mu.Lock()
	defer r.names.mu.Unlock()
	r.names.readAt = time.Time{}
}
