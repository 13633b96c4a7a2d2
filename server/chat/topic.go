package chat

// Topic is a group of alike rehearsed questions of one site's visitors.
type Topic struct {
	ID   string `db:"id"`
	Site string `db:"site"`
	// Name is what a person called it, "" until then.
	Name   string `db:"name"`
	MadeAt Time   `db:"made_at"`
}

// MaxTopicName is how long a topic's name may be, in characters.
const MaxTopicName = 60

// ErrTopicNotFound means that there is none with this id.
var ErrTopicNotFound = &Error{Kind: NotFound, Text: "Topic not found"}

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
			if !broken {
				sum.Row++
			}
		case r.Judged == "" && (r.Verdict == RehearsedHandOver || r.Verdict == RehearsedFailed):
		default:
			broken = true
		}
	}
	return sum
}
