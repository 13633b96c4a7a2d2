package knowledge

import (
	"cmp"
	"slices"
	"strings"
	"unicode"

	"github.com/relay-chat/relay/server/chat"
	"github.com/relay-chat/relay/server/words"
)

// How alike questions must be to stand together: their letters, in shares of both, or their
// meaning for the embedding model.
const (
	alikeLetters = 0.6
	alikeMeaning = 0.8
)

// Group puts alike questions of one site's visitors together: those that are asked less often stand
// below the first one, whose count becomes that of all. The list is the most asked first.
func (k *Knowledge) Group(list []chat.Question) []chat.Question {
	_, model := k.opts.Embedding()
	var heads []chat.Question
	var forms []form
	for _, q := range list {
		f := formOf(&q, model)
		i := slices.IndexFunc(forms, func(other form) bool { return f.alike(&other) })
		if i < 0 {
			heads, forms = append(heads, q), append(forms, f)
			continue
		}
		head := &heads[i]
		head.Count, head.AskedAt = head.Count+q.Count, max(head.AskedAt, q.AskedAt)
		head.Alike = append(head.Alike, q)
	}
	slices.SortStableFunc(heads, func(a, b chat.Question) int {
		return cmp.Or(cmp.Compare(b.Count, a.Count), cmp.Compare(b.AskedAt, a.AskedAt))
	})
	return heads
}

// form is by what a question is compared.
type form struct {
	site   string
	parts  []string  // its runs of three letters, sorted
	vector []float32 // of the length 1, nil without a model
	packed []byte
}

// fewWords is of how many words of its own a question has to be to stand for itself. One of fewer
// goes on with what was asked before.
const fewWords = 2

func formOf(q *chat.Question, model string) form {
	own := telling(q.Question)
	if len(own) < fewWords {
		own = append(telling(q.Context), own...)
	}
	f := form{site: q.Site, parts: threes(strings.Join(own, " "))}
	if model != "" && q.Model == model {
		f.packed, f.vector = q.Vector, unpack(q.Vector)
	}
	return f
}

// telling are the words of a question that others do not have anyway, or all of one that has
// only such.
func telling(question string) (list []string) {
	runs := words.Runs(question)
	for _, run := range runs {
		word := words.Fold(run.Text)
		if run.Paired {
			word = strings.Map(withoutHiragana, word)
		}
		if word != "" && !common(word) {
			list = append(list, word)
		}
	}
	if len(list) == 0 {
		for _, run := range runs {
			list = append(list, words.Fold(run.Text))
		}
	}
	slices.Sort(list) // their order says little
	return slices.Compact(list)
}

// withoutHiragana leaves out what in Japanese are mostly endings and particles.
func withoutHiragana(r rune) rune {
	if unicode.Is(unicode.Hiragana, r) {
		return -1
	}
	return r
}

// threes are the runs of three letters of a text and of its edges, sorted.
func threes(text string) []string {
	letters := []rune(" " + text + " ")
	list := make([]string, 0, len(letters))
	for i := range max(len(letters)-2, 0) {
		list = append(list, string(letters[i:i+3]))
	}
	slices.Sort(list)
	return slices.Compact(list)
}

// alike reports whether two questions ask the same.
func (f *form) alike(other *form) bool {
	switch {
	case f.site != other.site:
		return false
	case f.vector != nil && likeness(f.vector, other.packed) >= alikeMeaning:
		return true
	}
	return 2*float64(shared(f.parts, other.parts)) >= alikeLetters*float64(len(f.parts)+len(other.parts)) && len(f.parts) > 0
}

// shared counts what two sorted lists have in common.
func shared(a, b []string) (n int) {
	for len(a) > 0 && len(b) > 0 {
		switch order := cmp.Compare(a[0], b[0]); {
		case order == 0:
			n++
			a, b = a[1:], b[1:]
		case order < 0:
			a = a[1:]
		default:
			b = b[1:]
		}
	}
	return n
}
