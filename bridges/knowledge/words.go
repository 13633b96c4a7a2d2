package knowledge

import (
	"slices"

	"github.com/relay-chat/relay/server/words"
)

// maxAsked is how many different words of a question count.
const maxAsked = 64

// askedWords are those of a question without the ones that every text has.
func askedWords(question string) (list []string) {
	for _, run := range words.Runs(question) {
		if run.Paired {
			list = append(list, slices.DeleteFunc(words.Pairs(run.Text), common)...)
			continue
		}
		word := words.Fold(run.Text)
		if word == "" || common(word) {
			continue
		}
		list = append(list, word)
		if stem := words.Stem(word); stem != "" {
			list = append(list, stem)
		}
	}
	list = unique(list)
	return list[:min(len(list), maxAsked)]
}

func unique(list []string) []string {
	seen := map[string]bool{}
	return slices.DeleteFunc(list, func(w string) bool {
		again := seen[w]
		seen[w] = true
		return again
	})
}
