package telegram

import (
	"sync"
	"time"
)

// createdTopics are the topics that the bot created lately, as Telegram's updates
// report them. When the answer to createForumTopic was lost, the retry adopts the
// topic of the first attempt instead of creating a second one.
type createdTopics struct {
	mu     sync.Mutex
	topics map[int64]createdTopic
	lost   map[string]int // lost answers, by the topic's name
}

type createdTopic struct {
	name    string
	at      time.Time
	claimed bool
}

// A topic can be adopted for ten minutes. It is remembered for an hour, so that a
// late or repeated update does not offer it again.
const (
	adoptable     = 10 * time.Minute
	createdMemory = time.Hour
)

func newCreatedTopics() *createdTopics {
	return &createdTopics{topics: map[int64]createdTopic{}, lost: map[string]int{}}
}

// add stores a topic that an update reports.
func (b *createdTopics) add(topic int64, name string, at time.Time) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.forget()
	if _, known := b.topics[topic]; !known && time.Since(at) < adoptable {
		b.topics[topic] = createdTopic{name: name, at: time.Now()}
	}
}

// addLost counts a lost answer.
func (b *createdTopics) addLost(name string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.lost[name]++
}

// claim assigns a topic to the caller. It is false when another call adopted it.
func (b *createdTopics) claim(topic int64, name string) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.forget()
	if b.topics[topic].claimed {
		return false
	}
	b.topics[topic] = createdTopic{name: name, at: time.Now(), claimed: true}
	return true
}

// adopt assigns an unclaimed topic of this name to the caller, if an answer was
// lost; 0 when there is none.
func (b *createdTopics) adopt(name string) int64 {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.lost[name] == 0 {
		return 0
	}
	for id, one := range b.topics {
		if one.name == name && !one.claimed && time.Since(one.at) < adoptable {
			b.topics[id] = createdTopic{name: name, at: time.Now(), claimed: true}
			if b.lost[name]--; b.lost[name] == 0 {
				delete(b.lost, name)
			}
			return id
		}
	}
	return 0
}

func (b *createdTopics) forget() {
	for id, old := range b.topics {
		if time.Since(old.at) > createdMemory {
			delete(b.topics, id)
		}
	}
}
