package chat

import "slices"

// Topic is a group of alike rehearsed questions of one site's visitors.
type Topic struct {
	ID   string `db:"id"`
	Site string `db:"site"`
	// Name is what a person called it, "" until then.
	Name   string `db:"name"`
	MadeAt Time   `db:"made_at"`
	State  string `db:"state"`
	// Reason is why the AI answers it no longer, since FellAt.
	Reason string `db:"reason"`
	FellAt Time   `db:"fell_at"`
	// SessionID is where it was asked whether the AI may answer, or where it was seen that it may not.
	SessionID string `db:"session"`
}

// The states of a topic, where the AI rehearses.
const (
	TopicLearning = "learning" // people answer it
	TopicOffered  = "offered"  // people answer it; the AI has asked whether it may
	TopicAnswers  = "answers"  // the AI answers it by itself
)

// TopicAnswer is what the AI answered by itself because of a topic.
type TopicAnswer struct {
	ClientID  string `db:"client"` // of the message
	SessionID string `db:"session_id"`
	Topic     string `db:"topic"`
	At        Time   `db:"at"`
}

// TopicNote is what operators are told of a topic in a session.
type TopicNote struct {
	ClientID  string `db:"client"` // of the message
	SessionID string `db:"session_id"`
	Site      string `db:"site"`
	Content   string `db:"content"`
}

// MaxTopicName is how long a topic's name may be, in characters.
const MaxTopicName = 60

// ErrTopicNotFound means that there is none with this id.
var ErrTopicNotFound = &Error{Kind: NotFound, Text: "Topic not found"}

// TopicIn is the topic with an id among some, nil if there is none.
func TopicIn(topics []Topic, id string) *Topic {
	if i := slices.IndexFunc(topics, func(t Topic) bool { return t.ID == id }); i >= 0 {
		return &topics[i]
	}
	return nil
}

// TopicSum is what came of a topic's questions.
type TopicSum struct {
	Asked  int   // and answered by the AI, or handed over by it
	Right  int   // see [Rehearsal.Right]
	Row    int   // how many of the newest are right, one behind the other
	Tokens int64 // that all answers took
}

// Sum counts what came of the topic's questions among some, newest first. What the AI hands over is
// not wrong, and earns nothing.
func (t *Topic) Sum(newestFirst []Rehearsal) (sum TopicSum) {
	broken := false
	for i := range newestFirst {
		r := &newestFirst[i]
		if r.Topic != t.ID {
			continue
		}
		sum.Tokens += r.Tokens
		if r.Verdict == "" {
			continue
		}
		sum.Asked++
		switch {
		case r.Right():
			sum.Right++
			if !broken && r.AskedAt > t.FellAt {
				sum.Row++
			}
		case r.Judged == "" && (r.Verdict == RehearsedHandOver || r.Verdict == RehearsedFailed):
		default:
			broken = true
		}
	}
	return sum
}
