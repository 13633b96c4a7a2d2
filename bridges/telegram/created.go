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
	lost   map[string]lostTopic // by the topic's name
	begun  time.Time
	heard  time.Time // when all updates were read
	pushes bool      // Telegram pushes updates: nobody knows whether one is on its way
}

// lostTopic tells how many answers were lost, and when the last one was.
type lostTopic struct {
	count int
	at    time.Time
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

// reportTime is how long a retry waits for the report of a topic whose answer was lost:
// until then, what looks as if it had not been created may only be late.
const reportTime = 15 * time.Second

func newCreatedTopics() *createdTopics {
	return &createdTopics{topics: map[int64]createdTopic{}, lost: map[string]lostTopic{}, begun: time.Now()}
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
	b.lost[name] = lostTopic{b.lost[name].count + 1, time.Now()}
}

// read notes that all updates until now are read, or that Telegram pushes them.
func (b *createdTopics) read(pushes bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.heard, b.pushes = time.Now(), pushes
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

// adopt assigns an unclaimed topic of this name to the caller, if an answer was lost: here
// or, when the name is one session's alone, before relay was started. Without a topic, wait
// is the time until it is worth while to ask again, 0 when there is none to come.
func (b *createdTopics) adopt(name string, unique bool) (topic int64, wait time.Duration) {
	b.mu.Lock()
	defer b.mu.Unlock()
	lost, here := b.lost[name]
	if !here && !unique {
		return 0, 0
	}
	for id, one := range b.topics {
		if one.name == name && !one.claimed && time.Since(one.at) < adoptable {
			b.topics[id] = createdTopic{name: name, at: time.Now(), claimed: true}
			if lost.count--; lost.count > 0 {
				b.lost[name] = lost
			} else {
				delete(b.lost, name)
			}
			return id, 0
		}
	}
	if !here {
		lost.at = b.begun
	}
	return 0, b.reported(lost.at)
}

// reported returns how long to wait until a topic that was created at a time must have
// been reported.
func (b *createdTopics) reported(at time.Time) time.Duration {
	passed := time.Since(at)
	switch {
	case passed < reportTime:
		return reportTime - passed
	case passed < adoptable && !b.pushes && b.heard.Before(at):
		return reportTime // the updates cannot be read at the moment
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
