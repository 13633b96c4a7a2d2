package words

import (
	"strings"
	"unicode/utf8"
)

// Word is a word by which a text is found, and where it is in the text, in bytes.
type Word struct {
	Text       string
	Start, End int
}

// List returns the words of a text in order. In scripts without spaces they are the
// pairs of neighbours, and the last character alone.
func List(text string) (list []Word) {
	for _, run := range Runs(text) {
		if !run.Paired {
			if word := Fold(run.Text); word != "" {
				list = append(list, Word{word, run.places[0].start, run.places[len(run.places)-1].end})
			}
			continue
		}
		runes := []rune(run.Text)
		for i := range runes {
			next := min(i+1, len(runes)-1)
			list = append(list, Word{string(runes[i : next+1]), run.places[i].start, run.places[next].end})
		}
	}
	return list
}

// maxSet bounds a set, in bytes: far more than a message has, and less than an index
// takes.
const maxSet = 400 << 10

// Set returns the different words of texts.
func Set(texts ...string) (set []string) {
	seen, size := map[string]bool{}, 0
	for _, text := range texts {
		for _, w := range List(text) {
			if !seen[w.Text] && size < maxSet {
				seen[w.Text], set, size = true, append(set, w.Text), size+len(w.Text)
			}
		}
	}
	return set
}

// Term is what a text must have to be found: a word, or the beginning of one.
type Term struct {
	Text   string
	Prefix bool
}

// The shortest words of a search that may be the beginning of one: the last word is
// still being typed.
const (
	shortestPrefix = 3
	shortestTyped  = 2
)

// Terms returns what a search asks for.
func Terms(search string) (terms []Term) {
	seen := map[Term]bool{}
	add := func(t Term) {
		if t.Text != "" && !seen[t] {
			seen[t], terms = true, append(terms, t)
		}
	}
	runs := Runs(search)
	for i, run := range runs {
		if run.Paired {
			pairs := Pairs(run.Text)
			for _, pair := range pairs {
				add(Term{pair, len(pairs) == 1})
			}
			continue
		}
		word, least := Fold(run.Text), shortestPrefix
		if i == len(runs)-1 {
			least = shortestTyped
		}
		add(Term{word, utf8.RuneCountInString(word) >= least})
	}
	return terms
}

// Matches reports whether a word is what one of the terms asks for.
func Matches(terms []Term, word string) bool {
	for _, t := range terms {
		if t.Text == word || t.Prefix && strings.HasPrefix(word, t.Text) {
			return true
		}
	}
	return false
}
