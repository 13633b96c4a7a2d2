package team

import (
	"context"
	"sync"
	"time"

	"github.com/relay-chat/relay/server/chat"
)

// namesAge is how long the names on platforms are trusted: another process may change
// them.
const namesAge = time.Second

// platformNames are the people by their names on platforms.
type platformNames struct {
	mu     sync.Mutex
	people map[string]chat.Person
	readAt time.Time
}

// Colleague completes an operator from a platform: whoever has one of the ids or user
// names there counts as that person.
func (t *People) Colleague(ctx context.Context, by chat.Author, names ...string) chat.Author {
	people := t.namesOnPlatforms(ctx)
	for _, name := range names {
		if key := PlatformKey(name); key != "" {
			if p, known := people[by.Source+" "+key]; known {
				by.Person, by.Name, by.Role = p.ID, p.Name, p.Role
				return by
			}
		}
	}
	return by
}

// namesOnPlatforms returns the names, those last known if the store fails.
func (t *People) namesOnPlatforms(ctx context.Context) map[string]chat.Person {
	t.names.mu.Lock()
	defer t.names.mu.Unlock()
	if time.Since(t.names.readAt) < namesAge {
		return t.names.people
	}
	err := t.store.ReadOne(ctx, func(rd Reader) (err error) {
		t.names.people, err = rd.NamesOnPlatforms()
		return err
	})
	if err != nil {
		t.log.Warn("cannot read the names on platforms", "err", err)
	}
	t.names.readAt = time.Now()
	return t.names.people
}

// forgetNames makes the next operator's names be read again.
func (t *People) forgetNames() {
	t.names.mu.Lock()
	defer t.names.mu.Unlock()
	t.names.readAt = time.Time{}
}
