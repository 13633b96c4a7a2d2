package ai

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/relay-chat/relay/server/words"
)

//go:embed filter.txt
var filterText string

// filters are the lists of filter.txt by name.
var filters = sync.OnceValue(func() map[string][]string {
	lists := map[string][]string{}
	for line := range strings.Lines(filterText) {
		name, list, _ := strings.Cut(strings.TrimSpace(line), ":")
		for phrase := range strings.SplitSeq(strings.TrimSpace(list), "|") {
			if phrase = words.Plain(phrase); phrase != "" && !strings.HasPrefix(name, "#") {
				lists[name] = append(lists[name], phrase)
			}
		}
	}
	return lists
})

// harmful reports whether a text asks for secrets, claims to be human, or repeats what relay
// tells the model, in whatever letters: whoever wrote it, no visitor reads it.
func harmful(text string) bool {
	seen := see(readable(text))
	shown := words.Plain(strings.NewReplacer("’", "'", "0", "o", "1", "l", "@", "a", "\n", " ").Replace(string(seen.seen)))
	for _, shown := range []string{shown, words.Plain(readable(text))} {
		if hasAny(shown, filters()["secrets"]) && (hasAny(shown, filters()["asking"]) || strings.ContainsAny(text, "?？؟")) && !hasAny(shown, filters()["refusing"]) {
			return true
		}
		if hasAny(shown, filters()["human"]) {
			return true
		}
	}
	return repeatsRules(text)
}

// longestShared is how many words of relay's rules in a row a text may have.
const longestShared = 7

// repeatsRules reports whether a text repeats relay's rules or its markers.
func repeatsRules(text string) bool {
	if marker.MatchString(text) || strings.Contains(text, "PASSAGES") || strings.Contains(text, handOver) || strings.Contains(text, "restated") {
		return true
	}
	list := strings.Fields(normal(text))
	for i := 0; i+longestShared <= len(list); i++ {
		if strings.Contains(rulesNormal(), " "+strings.Join(list[i:i+longestShared], " ")+" ") {
			return true
		}
	}
	return false
}

var rulesNormal = sync.OnceValue(func() string { return " " + normal(answerRules+" "+actingRules+" "+draftRules+" "+summaryRules) + " " })
