package ai

import (
	"regexp"
	"slices"
	"strings"
	"sync"
)

// admits reports whether a model says in its own words that it does not know the answer,
// and whether it says something else that it was given.
func admits(text string) (unsure, knows bool) {
	asksBack := strings.ContainsAny(text, "?？؟")
	refers, cited := false, false
	for _, part := range sentence.FindAllString(text, -1) {
		s := readSentence(part)
		_, numbers := takeCitations(part)
		says := s.has(unknowing()) && !(asksBack && s.has(clarifying()))
		unsure, refers = unsure || says, refers || s.has(referring())
		cited = cited || len(numbers) > 0
		knows = knows || len(numbers) > 0 && !says
	}
	return unsure || refers && !cited, knows
}

// sentence matches one with the numbers of passages behind its end.
var sentence = regexp.MustCompile(`[^.!?…。！？؟।\n]+(?:[.!?…。！？؟।]|\n|$)+(?:[ \t]*[\[【][^\]】\n]*[\]】])*`)

// spoken is a sentence as phrases are looked for in it: its words, folded, and which of its
// clauses each of them is in.
type spoken struct {
	words  []string
	clause []int
	joined string // for scripts without spaces
}

func readSentence(text string) (s spoken) {
	text, _ = takeCitations(text)
	if !strings.ContainsAny(text, "?？؟") {
		s.words, s.clause = []string{"^"}, []int{0}
	}
	for i, clause := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(",;:()–—，、；،؛", r) }) {
		for _, word := range strings.Fields(fold(normal(clause))) {
			s.words, s.clause = append(s.words, word), append(s.clause, i)
		}
		s.joined += strings.ReplaceAll(normal(clause), " ", "") + ","
	}
	return s
}

// folded brings the usual short forms and other spellings of words into one.
var folded = sync.OnceValue(func() *strings.Replacer {
	return strings.NewReplacer(" don t ", " do not ", " dont ", " do not ", " doesn t ", " does not ", " didn t ", " did not ", " can t ", " can not ", " cant ", " can not ",
		" cannot ", " can not ", " couldn t ", " could not ", " isn t ", " is not ", " aren t ", " are not ", " wasn t ", " was not ", " haven t ", " have not ", " wouldn t ", " would not ",
		" i m ", " i am ", " im ", " i am ", " i ve ", " i have ", " i ll ", " i will ", " i d ", " i would ", " there s ", " there is ", " that s ", " that is ", " it s ", " it is ",
		" we re ", " we are ", " we ve ", " we have ", " we ll ", " we will ", " they ll ", " they will ", "ß", "ss", "ё", "е", "أ", "ا", "إ", "ا", "آ", "ا", "ي", "ی", "ك", "ک")
})

// fold works twice: of two neighbours the first pass sees only one.
func fold(words string) string { return folded().Replace(folded().Replace(" " + words + " ")) }

// gap is how many words may stand where a phrase has "*".
const gap = 5

// phrase is words in order. "*" stands for up to gap others, "a|b" for one of several, "a~"
// for all that begin with it, and "^" for the beginning of what is no question. Of scripts without spaces it is one text.
type phrase struct {
	words  [][]string
	joined string
}

// phrases reads a table of them. It is read on first use.
func phrases(table map[string]string) func() []phrase {
	return sync.OnceValue(func() (list []phrase) {
		for language, lines := range table {
			for line := range strings.SplitSeq(lines, ",") {
				p := phrase{}
				if slices.Contains(unspaced, language) {
					p.joined = strings.TrimSpace(line)
				} else {
					for word := range strings.FieldsSeq(fold(line)) {
						p.words = append(p.words, strings.Split(word, "|"))
					}
				}
				list = append(list, p)
			}
		}
		return list
	})
}

// has reports whether the sentence says one of the phrases, and not as a condition: "if
// you do not know" is no answer's lack.
func (s *spoken) has(list []phrase) bool {
	return slices.ContainsFunc(list, func(p phrase) bool {
		if p.joined != "" {
			return s.hasJoined(p.joined)
		}
		for i := range s.words {
			if matches(s.words[i:], p.words) && !s.conditional(i) {
				return true
			}
		}
		return false
	})
}

func (s *spoken) hasJoined(text string) bool {
	_, behind, found := strings.Cut(s.joined, text)
	return found && !slices.ContainsFunc(joinedConditions, func(c string) bool { return strings.HasPrefix(behind, c) })
}

// conditional reports whether a clause begins with a condition before its word i.
func (s *spoken) conditional(i int) bool {
	for j := i - 1; j >= 0 && s.clause[j] == s.clause[i]; j-- {
		if strings.Contains(conditions, " "+s.words[j]+" ") {
			return true
		}
	}
	return false
}

// matches reports whether words begin with a phrase.
func matches(words []string, phrase [][]string) bool {
	if len(phrase) == 0 {
		return true
	}
	if phrase[0][0] == "*" {
		for skip := 0; skip <= gap && skip <= len(words); skip++ {
			if matches(words[skip:], phrase[1:]) {
				return true
			}
		}
		return false
	}
	return len(words) > 0 && isOneOf(words[0], phrase[0]) && matches(words[1:], phrase[1:])
}

func isOneOf(word string, forms []string) bool {
	return slices.ContainsFunc(forms, func(form string) bool {
		begin, open := strings.CutSuffix(form, "~")
		return word == form || open && strings.HasPrefix(word, begin)
	})
}
