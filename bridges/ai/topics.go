package ai

import (
	"slices"
	"strings"

	"github.com/relay-chat/relay/server/words"
)

// shortTopic is how many letters a word of a topic has at most that stands for itself alone;
// longer ones stand for their other forms, too.
const shortTopic = 4

// topicOf returns the first of some topics, one a line, that a text is about, "" for none: one whose
// words it has one behind the other.
func topicOf(text, topics string) string {
	said, plain := words.Runs(text), words.Plain(text)
	for topic := range strings.SplitSeq(topics, "\n") {
		wanted := words.Runs(topic)
		paired := func(r words.Run) bool { return r.Paired }
		switch {
		case len(wanted) == 0:
		case slices.ContainsFunc(wanted, paired): // there are no spaces to tell words by
			if strings.Contains(plain, words.Plain(topic)) {
				return topic
			}
		case hasRuns(said, wanted):
			return topic
		}
	}
	return ""
}

// hasRuns reports whether words stand one behind the other among others.
func hasRuns(said, wanted []words.Run) bool {
	for from := range max(len(said)-len(wanted)+1, 0) {
		same := 0
		for same < len(wanted) && sameWord(words.Fold(said[from+same].Text), words.Fold(wanted[same].Text)) {
			same++
		}
		if same == len(wanted) {
			return true
		}
	}
	return false
}

// sameWord reports whether words differ in their ending alone: "refund" and "refunded",
// "allergy" and "allergic", but not "contract" and "contrast".
func sameWord(a, b string) bool {
	if a == b {
		return true
	}
	x, y := []rune(a), []rune(b)
	shorter, common := min(len(x), len(y)), 0
	for common < shorter && x[common] == y[common] {
		common++
	}
	return shorter > shortTopic && common >= shorter-1
}
