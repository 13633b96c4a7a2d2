package knowledge

import (
	"cmp"
	"slices"
	"strings"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/words"
)

// alikeTopic is how alike a question's letters must be to one of a topic, so that it belongs to it.
// Questions of one topic need not ask the same.
const alikeTopic = 0.45

// Topics tells which topic a question belongs to, by the questions that it knows.
type Topics struct {
	forms []form
	ids   []string
}

// Add adds a question and its topic.
func (t *Topics) Add(site, question, topic string) {
	t.forms = append(t.forms, formOf(&chat.Question{Site: site, Question: question}, ""))
	t.ids = append(t.ids, topic)
}

// Of returns the topic of the question that is most alike, "" if none is alike enough, or two topics
// have one that is as alike. One of few words goes on with what was asked before.
func (t *Topics) Of(site, question, before string) (topic string) {
	f := formOf(&chat.Question{Site: site, Question: question, Context: before}, "")
	best := alikeTopic
	for i := range t.forms {
		switch share := f.share(&t.forms[i]); {
		case f.site != t.forms[i].site || share < best:
		case share > best || topic == "" && share == alikeTopic:
			best, topic = share, t.ids[i]
		case t.ids[i] != topic:
			topic = ""
		}
	}
	return topic
}

// share is which part of their letters two questions have in common, from 0 to 1.
func (f *form) share(other *form) float64 {
	if len(f.parts) == 0 {
		return 0
	}
	return 2 * float64(shared(f.parts, other.parts)) / float64(len(f.parts)+len(other.parts))
}

// nameWords is how many words the name of a topic has at most.
const nameWords = 3

// TopicName is a name for a topic: the words that most of its questions have, and others have not
// anyway.
func TopicName(questions []string) string {
	type word struct {
		text  string
		count int
	}
	var list []word
	at := map[string]int{}
	for _, question := range questions {
		seen := map[string]bool{}
		for _, run := range words.Runs(question) {
			key := words.Stem(words.Fold(run.Text))
			if seen[key] || key == "" || common(words.Fold(run.Text)) {
				continue
			}
			seen[key] = true
			if i, known := at[key]; known {
				list[i].count++
				continue
			}
			at[key] = len(list)
			list = append(list, word{strings.ToLower(run.Text), 1})
		}
	}
	slices.SortStableFunc(list, func(a, b word) int { return cmp.Compare(b.count, a.count) })
	var name []string
	for i, w := range list[:min(len(list), nameWords)] {
		if i == 0 || 2*w.count >= len(questions) {
			name = append(name, w.text)
		}
	}
	if len(name) == 0 && len(questions) > 0 {
		return chat.Clip(chat.OneLine(questions[0]), chat.MaxTopicName)
	}
	return chat.Clip(strings.Join(name, " "), chat.MaxTopicName)
}
