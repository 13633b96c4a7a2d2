package knowledge

import (
	"context"
	"math"
	"math/bits"
	"sort"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/relay-chat/relay/server/chat"
)

// vocabulary are the words of all passages: what is misspelt or put together otherwise is looked
// for among them.
type vocabulary struct {
	state    string
	words    []string // sorted, also stems and pairs of characters
	grams    []uint64 // of each word, a bit for each trigram by its hash; 0 of stems and pairs
	passages []int32  // that have the word
	most     int32    // passages of the commonest word
}

// heldVocabulary is the last vocabulary that was read. Reading it takes one twentieth of the time at most.
type heldVocabulary struct {
	sync.Mutex
	current *vocabulary
	read    time.Time
	took    time.Duration
}

const vocabularyShare = 20

// vocabulary returns the words of all passages, which may be those of a moment ago.
func (k *Knowledge) vocabulary(ctx context.Context) (*vocabulary, error) {
	h := &k.held
	h.Lock()
	defer h.Unlock()
	known := ""
	if h.current != nil {
		if known = h.current.state; time.Since(h.read) < vocabularyShare*h.took {
			return h.current, nil
		}
	}
	begun := time.Now()
	list, state, err := k.store.Vocabulary(ctx, known)
	if err != nil {
		return nil, err
	}
	if state != known || h.current == nil {
		h.current = newVocabulary(state, list)
	}
	h.read, h.took = time.Now(), time.Since(begun)
	return h.current, nil
}

func newVocabulary(state string, list []chat.WordCount) *vocabulary {
	sort.Slice(list, func(i, j int) bool { return list[i].Word < list[j].Word })
	v := &vocabulary{state: state, words: make([]string, len(list)), grams: make([]uint64, len(list)), passages: make([]int32, len(list))}
	for i, w := range list {
		v.words[i], v.passages[i] = w.Word, int32(min(w.Passages, math.MaxInt32))
		v.most = max(v.most, v.passages[i])
		if isSpelt(w.Word) {
			v.grams[i] = signature(w.Word)
		}
	}
	return v
}

// isSpelt reports whether a word is one that can be misspelt: neither a stem nor a number nor short.
func isSpelt(word string) bool {
	letters := 0
	for _, r := range word {
		if !unicode.IsLetter(r) && !unicode.IsMark(r) {
			return false
		}
		letters++
	}
	return letters >= shortestSpelt
}

const shortestSpelt = 4

// count is how many passages have a word.
func (v *vocabulary) count(word string) int {
	i := sort.SearchStrings(v.words, word)
	if i == len(v.words) || v.words[i] != word {
		return 0
	}
	return int(v.passages[i])
}

// weight is how much a word says: more, the fewer passages have it.
func (v *vocabulary) weight(word string) float64 {
	n := float64(v.count(word))
	return math.Log(1 + (float64(v.most)+1-min(n, float64(v.most))+0.5)/(n+0.5))
}

// trigrams calls with each three characters of a word, which begins and ends with spaces.
func trigrams(word string, with func(gram string)) {
	padded := "  " + word + " "
	var starts [3]int
	count := 0
	for i := range padded {
		if count >= 3 {
			with(padded[starts[count%3]:i])
		}
		starts[count%3] = i
		count++
	}
	if count >= 3 {
		with(padded[starts[count%3]:])
	}
}

// signature has a bit for each trigram of a word.
func signature(word string) (bits uint64) {
	trigrams(word, func(gram string) {
		hash := uint32(2166136261)
		for i := range len(gram) {
			hash = (hash ^ uint32(gram[i])) * 16777619
		}
		bits |= 1 << ((hash ^ hash>>15) & 63)
	})
	return bits
}

// The likeness of words, from 0 to 1, that may be meant instead of one that no passage has, and of one that
// some have; and how many of them.
const (
	alikeUnknown = 0.5
	alikeKnown   = 0.6
	mostAlike    = 4
	shortWord    = 5 // bytes: a slip changes most of its trigrams
)

// alike returns the words that are most like one, by their trigrams or the letters that are wrong.
func (v *vocabulary) alike(word string) (list []string) {
	if !isSpelt(word) {
		return nil
	}
	type scored struct {
		word  string
		score float64
	}
	least := alikeKnown
	unknown := v.count(word) == 0
	if unknown {
		least = alikeUnknown
	}
	var best []scored
	grams := gramsOf(word)
	own := signature(word)
	need := 1
	if len(word) > shortWord {
		need = bits.OnesCount64(own) * 2 / 5
	}
	for i, other := range v.grams {
		if other == 0 || bits.OnesCount64(own&other) < need || v.words[i] == word {
			continue
		}
		score := likenessOf(grams, v.words[i])
		if unknown && score < least && slipped(word, v.words[i]) {
			score = least
		}
		if score >= least {
			best = append(best, scored{v.words[i], score})
		}
	}
	sort.Slice(best, func(i, j int) bool {
		return best[i].score > best[j].score || best[i].score == best[j].score && best[i].word < best[j].word
	})
	for _, s := range best[:min(len(best), mostAlike)] {
		list = append(list, s.word)
	}
	return list
}

func gramsOf(word string) map[string]bool {
	set := map[string]bool{}
	trigrams(word, func(gram string) { set[gram] = true })
	return set
}

// likenessOf is the share of trigrams that two words have in common; of a word within a longer one, at least most of it.
func likenessOf(grams map[string]bool, other string) float64 {
	shared, count := 0, 0
	trigrams(other, func(gram string) {
		count++
		if grams[gram] {
			shared++
		}
	})
	whole := 2 * float64(shared) / float64(len(grams)+count)
	const longPart = 7 // trigrams of a word that may be part of a compound
	if shorter := min(len(grams), count); shorter >= longPart {
		whole = max(whole, 0.8*float64(shared)/float64(shorter))
	}
	return whole
}

// slipped reports whether a word becomes another one by one slip: a letter too many, too few, another
// one, or two in the wrong order; by two in a long word.
func slipped(a, b string) bool {
	x, y := []rune(a), []rune(b)
	most := 1
	if len(x) >= 8 {
		most = 2
	}
	if x[0] != y[0] || len(x)-len(y) > most || len(y)-len(x) > most {
		return false
	}
	return slips(x, y) <= most
}

// slips is the distance of two words by Damerau and Levenshtein.
func slips(x, y []rune) int {
	before, last, row := make([]int, len(y)+1), make([]int, len(y)+1), make([]int, len(y)+1)
	for j := range last {
		last[j] = j
	}
	for i := 1; i <= len(x); i++ {
		row[0] = i
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			row[j] = min(last[j]+1, row[j-1]+1, last[j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				row[j] = min(row[j], before[j-2]+1)
			}
		}
		before, last, row = last, row, before
	}
	return last[len(y)]
}

// isStem reports whether a word of an index is the beginning of words.
func isStem(word string) bool { return strings.HasSuffix(word, "·") }
