package knowledge

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/words"
)

// alikeTopic is how alike a question must be to those of a topic, so that it belongs to it.
const alikeTopic = 0.5

// Topics tells which topic a question belongs to, by the questions that it knows.
type Topics struct{ sites map[string]*sorted }

// Add adds a question of a site, what people answered if that counts, too, and its topic, "" for
// none yet. What is known says what is rare, and what is rare says what a question is about: so add
// all before the first is sorted.
func (t *Topics) Add(site, question, answer, topic string) {
	if t.sites == nil {
		t.sites = map[string]*sorted{}
	}
	if t.sites[site] == nil {
		t.sites[site] = &sorted{seen: map[string]int{}}
	}
	t.sites[site].add(partsOf(question, "", answer), topic)
}

// Sort returns the topic of the question that was added as the n-th of its site, from 0. If none
// is alike enough it gets one of its own, with a new id.
func (t *Topics) Sort(site string, n int) (topic string, isNew bool) {
	s := t.sites[site]
	topic = s.nearest(s.texts[n])
	if isNew = topic == ""; isNew {
		topic = chat.NewID()
	}
	s.topics[n] = topic
	return topic, isNew
}

// Of returns the topic of a question, "" if none is alike enough, or two are as alike. One of few
// words goes on with what was asked before.
func (t *Topics) Of(site, question, before string) (topic string) {
	if t.sites[site] == nil {
		return ""
	}
	return t.sites[site].nearest(partsOf(question, before, ""))
}

// partsOf are the parts of a question's words, and of its answer's.
func partsOf(question, before, answer string) []string {
	parts := formOf(&chat.Question{Question: question, Context: before}, "").parts
	if answer != "" {
		parts = slices.Concat(parts, threes(strings.Join(telling(answer), " ")))
		slices.Sort(parts)
		parts = slices.Compact(parts)
	}
	return parts
}

// sorted are texts and their topics, "" for none yet.
type sorted struct {
	texts  [][]string // their parts
	topics []string
	seen   map[string]int // in how many texts a part is
}

func (s *sorted) add(parts []string, topic string) {
	s.texts, s.topics = append(s.texts, parts), append(s.topics, topic)
	for _, part := range parts {
		s.seen[part]++
	}
}

// fewTexts is of how many texts nothing can be said yet about what is rare.
const fewTexts = 10

// weight is how much a part says: what is in every text says little.
func (s *sorted) weight(part string) float64 {
	rare := math.Log(1 + float64(len(s.texts)+fewTexts)/float64(s.seen[part]+1))
	return rare * rare
}

// weights is what all parts say.
func (s *sorted) weights(parts []string) (sum float64) {
	for _, part := range parts {
		sum += s.weight(part)
	}
	return sum
}

// nearest returns the topic of which texts are most alike: the mean of the one that is most alike
// and of all of the topic, so that one question that is put in the same words as another does not
// join two topics.
func (s *sorted) nearest(parts []string) (topic string) {
	type likeness struct{ most, sum, count float64 }
	all := map[string]likeness{}
	own := s.weights(parts)
	for i, id := range s.topics {
		if id == "" || own == 0 {
			continue
		}
		share := 0.0
		if common := s.common(parts, s.texts[i]); common > 0 {
			share = common / min(own, s.weights(s.texts[i]))
		}
		l := all[id]
		all[id] = likeness{max(l.most, share), l.sum + share, l.count + 1}
	}
	best, tied := alikeTopic, false
	for id, l := range all {
		switch score := (l.most + l.sum/l.count) / 2; {
		case score < best:
		case score > best || topic == "" && !tied:
			best, topic, tied = score, id, false
		default:
			topic, tied = "", true
		}
	}
	return topic
}

// common is what the parts say that both have.
func (s *sorted) common(a, b []string) (sum float64) {
	for len(a) > 0 && len(b) > 0 {
		switch order := cmp.Compare(a[0], b[0]); {
		case order == 0:
			sum += s.weight(a[0])
			a, b = a[1:], b[1:]
		case order < 0:
			a = a[1:]
		default:
			b = b[1:]
		}
	}
	return sum
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
