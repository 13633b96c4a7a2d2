package telegram

import (
	"sync"
	"time"
)

// births are the topics that the bot made lately, as Telegram tells them: the
// bot is told of its own topics like everybody else. When the answer to
// createForumTopic was lost, the next attempt takes the topic that came of it
// instead of making a second one.
type births struct {
	mu     sync.Mutex
	topics map[int64]birth
	lost   map[string]int // calls without an answer, by the topic's name
}

type birth struct {
	name    string
	at      time.Time
	claimed bool
}

// A topic that nobody took can be taken for ten minutes. Who took one is known
// for an hour, so that a late or repeated update does not offer it again.
const (
	adoptable   = 10 * time.Minute
	birthMemory = time.Hour
)

func newBirths() *births { return &births{topics: map[int64]birth{}, lost: map[string]int{}} }

// tell notes that a topic was made at a time.
func (b *births) tell(topic int64, name string, at time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.forget()
	if _, known := b.topics[topic]; !known && time.Since(at) < adoptable {
		b.topics[topic] = birth{name: name, at: time.Now()}
	}
}

// miss notes that the answer to a call was lost.
func (b *births) miss(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lost[name]++
}

// claim takes a topic as the caller's own. It is false when another already
// took it.
func (b *births) claim(topic int64, name string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.forget()
	if b.topics[topic].claimed {
		return false
	}
	b.topics[topic] = birth{name: name, at: time.Now(), claimed: true}
	return true
}

// adopt takes a topic with this name that nobody took, if an answer was lost;
// 0 when there is none.
func (b *births) adopt(name string) int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.lost[name] == 0 {
		return 0
	}
	for id, one := range b.topics {
		if one.name == name && !one.claimed && time.Since(one.at) < adoptable {
			b.topics[id] = birth{name: name, at: time.Now(), claimed: true}
			if b.lost[name]--; b.lost[name] == 0 {
				delete(b.lost, name)
			}
			return id
		}
	}
	return 0
}

func (b *births) forget() {
	for id, old := range b.topics {
		if time.Since(old.at) > birthMemory {
			delete(b.topics, id)
		}
	}
}
