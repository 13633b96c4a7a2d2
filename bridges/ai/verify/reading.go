package verify

import (
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/relay-chat/relay/server/words"
)

// item is a word or a fact of a text that says something.
type item struct {
	word   string
	name   bool // it begins with a capital letter within a sentence
	strict bool // a page must say the same word
	fact   *fact
	clause int
}

// reading is a text as it is compared.
type reading struct {
	tongue  *tongue
	items   []item
	negated map[int]bool // clauses
	clauses int
	answer  bool // it began with yes or no
}

func (r *reading) facts() (list []*fact) {
	for i := range r.items {
		if r.items[i].fact != nil {
			list = append(list, r.items[i].fact)
		}
	}
	return list
}

// scanner reads a text from its beginning to its end.
type scanner struct {
	*reading
	text    string
	at      int
	mark    int // of a time, before its number
	lastDay int // from which "through" leads on
	through bool
}

// read reads a text of a language.
func read(text string, g *tongue) *reading {
	s := &scanner{reading: &reading{tongue: g, negated: map[int]bool{}}}
	names := namesIn(text)
	s.text = strings.TrimSpace(g.rewrite.Replace(" " + spaced(plain(text)) + " "))
	for s.at < len(s.text) {
		s.next(names)
	}
	s.clauses++
	return s.reading
}

// parted matches punctuation behind a word.
var parted = regexp.MustCompile(`(\p{L})([,;:!?)]|\.(?:\s|$))`)

// spaced parts punctuation from words, so that phrases are found before it.
func spaced(text string) string {
	return strings.Join(strings.Fields(parted.ReplaceAllString(text, "$1 $2")), " ")
}

// namesIn are the words that begin with a capital letter, but not a sentence.
func namesIn(text string) map[string]bool {
	names := map[string]bool{}
	begins := true
	for _, word := range strings.Fields(text) {
		bare := strings.TrimFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
		if first, _ := utf8.DecodeRuneInString(bare); unicode.IsUpper(first) && !begins {
			names[words.Fold(strings.ReplaceAll(plain(bare), "-", ""))] = true
		}
		begins = strings.ContainsAny(word[len(word)-1:], ".!?:")
	}
	return names
}

// next reads what comes next.
func (s *scanner) next(names map[string]bool) {
	rest := s.text[s.at:]
	r, size := utf8.DecodeRuneInString(rest)
	switch {
	case s.numberAt(rest), s.phraseAt(rest):
	case unicode.IsLetter(r) || unicode.IsDigit(r):
		s.word(rest, names)
	default:
		if strings.ContainsRune(",;:!?\n", r) || r == '.' && (len(rest) == size || rest[size] == ' ') || r == '-' && strings.HasPrefix(rest, "- ") {
			s.endClause()
		}
		s.at += size
	}
}

func (s *scanner) endClause() {
	s.clauses++
	s.through = false
}

// phraseAt reads the name of a day, or what belongs to the number that follows.
func (s *scanner) phraseAt(rest string) bool {
	g := s.tongue
	if day, length := g.days.at(rest, g.unspaced); length > 0 {
		s.addDay(day)
		s.at += length
		return true
	}
	if _, length := g.through.at(rest, g.unspaced); length > 0 && s.lastDay != 0 {
		s.through = true
		s.at += length
		return true
	}
	if strings.HasPrefix(rest, "-") && s.lastDay != 0 {
		s.through = true
	}
	if month, length := g.months.at(rest, g.unspaced); length > 0 && s.monthFirst(month, rest[length:], length) {
		return true
	}
	if mark, length := g.marks.at(rest, g.unspaced); length > 0 {
		s.mark = mark
		s.at += length
		return true
	}
	if minutes, length := g.before.at(rest, g.unspaced); length > 0 {
		return s.halfAt(minutes, length, rest)
	}
	if u, length := known().named.at(rest, g.unspaced); length > 0 && strings.HasPrefix(known().units[u].kind, "cur:") {
		return s.amountAt(u, length, rest)
	}
	return false
}

// addDay adds a day of the week, and those between when it ends a range.
func (s *scanner) addDay(day int) {
	if s.through && s.lastDay != 0 {
		for between := s.lastDay%7 + 1; between != day; between = between%7 + 1 {
			s.add(&fact{day: between})
		}
	}
	s.add(&fact{day: day})
	s.lastDay, s.through = day, false
}

func (s *scanner) add(f *fact) { s.items = append(s.items, item{fact: f, clause: s.clauses}) }

// monthFirst reads "December 24, 1998".
func (s *scanner) monthFirst(month int, rest string, length int) bool {
	trimmed := strings.TrimLeft(rest, " .")
	raw := justDigit.FindString(trimmed)
	f := dateFact(number(raw), month, 0, false)
	if raw == "" || f == nil {
		return false
	}
	s.at += length + len(rest) - len(trimmed) + len(raw)
	for _, ordinal := range []string{"st", "nd", "rd", "th"} {
		if strings.HasPrefix(s.text[s.at:], ordinal) {
			s.at += len(ordinal)
		}
	}
	s.year(f)
	s.add(f)
	return true
}

// year reads the year behind a date.
func (s *scanner) year(f *fact) {
	trimmed := strings.TrimLeft(s.text[s.at:], " ,.")
	for _, word := range []string{"de ", "del ", "of "} {
		trimmed = strings.TrimPrefix(trimmed, word)
	}
	if raw := justDigit.FindString(trimmed); len(raw) == 4 {
		for i := range f.meanings {
			f.meanings[i].year = number(raw)
		}
		s.at = len(s.text) - len(trimmed) + len(raw)
	}
}

// halfAt reads "half past seven".
func (s *scanner) halfAt(minutes, length int, rest string) bool {
	behind := strings.TrimLeft(rest[length:], " ")
	list, size := s.plainNumber(behind)
	if size == 0 {
		return false
	}
	if clockFact(int(list[0]), minutes, 0) == nil {
		return false
	}
	s.at += len(rest) - len(behind) + size
	s.add(clockFact(int(list[0]), minutes, s.noon()))
	return true
}

// amountAt reads an amount behind its currency.
func (s *scanner) amountAt(u, length int, rest string) bool {
	behind := strings.TrimLeft(rest[length:], " ")
	list, size := s.plainNumber(behind)
	if size == 0 {
		return false
	}
	s.add(measured(list, u))
	s.at += len(rest) - len(behind) + size
	return true
}

// plainNumber reads a number in digits or words.
func (s *scanner) plainNumber(text string) (list []float64, length int) {
	if raw := digits.FindString(text); raw != "" {
		return values(raw), len(raw)
	}
	if s.tongue.unspaced {
		if n, length := numeral(text); length > 0 {
			return []float64{float64(n)}, length
		}
		return nil, 0
	}
	if n, length := s.tongue.numbers.at(strings.ReplaceAll(head(text), "-", " "), false); length > 0 {
		return []float64{float64(n)}, length
	}
	return nil, 0
}

// longestNumber is longer than any number in words, in bytes.
const longestNumber = 60

func head(text string) string { return text[:min(len(text), longestNumber)] }

func measured(list []float64, u int) *fact {
	f := &fact{bare: list, unit: true}
	for _, v := range list {
		f.meanings = append(f.meanings, meaning{kind: known().units[u].kind, value: v * known().units[u].factor})
	}
	return f
}

// word reads a word.
func (s *scanner) word(rest string, names map[string]bool) {
	g := s.tongue
	r, size := utf8.DecodeRuneInString(rest)
	if unspacedScript(r) {
		s.sign(rest, r, size)
		return
	}
	end := strings.IndexFunc(rest, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) && r != '-'
	})
	if end < 0 {
		end = len(rest)
	}
	if letter, number, _ := strings.Cut(rest[:end], "-"); utf8.RuneCountInString(letter) == 1 && number != "" && unicode.IsDigit(rune(number[0])) {
		end = len(letter) // as Hebrew joins "at" and "on" with a number
	}
	raw := strings.TrimRight(rest[:end], "-")
	s.at += len(raw)
	word := words.Fold(strings.ReplaceAll(raw, "-", ""))
	switch {
	case g.denies(raw):
		if g.lists["answer"][raw] && len(s.items) == 0 && !s.negated[s.clauses] && strings.HasPrefix(strings.TrimLeft(s.text[s.at:], " "), ",") {
			s.answer = true
			return
		}
		s.negated[s.clauses] = true
	case g.lists["but"][raw]:
		s.endClause()
	case g.lists["strict"][raw] || g.lists["strict"][word]:
		s.items = append(s.items, item{word: word, strict: true, clause: s.clauses})
	case g.lists["function"][raw], g.lists["function"][word]:
	case g.lists["answer"][raw] && len(s.items) == 0:
		s.answer = true
	case word != "":
		s.items = append(s.items, item{word: word, name: names[word], clause: s.clauses})
	}
}

// sign reads one sign of a script without spaces. A word in Katakana is one.
func (s *scanner) sign(rest string, r rune, size int) {
	g := s.tongue
	s.lastDay = 0
	for _, no := range g.not {
		if strings.HasPrefix(rest, no) {
			s.negated[s.clauses] = true
			s.at += len(no)
			return
		}
	}
	for _, list := range []string{"answer", "function", "strict"} {
		for length := min(len(rest), 15); length >= 3; length-- {
			if !g.lists[list][rest[:length]] {
				continue
			}
			if list == "strict" {
				s.items = append(s.items, item{word: rest[:length], strict: true, clause: s.clauses})
			}
			s.at += length
			return
		}
	}
	end := size
	if unicode.Is(unicode.Katakana, r) || r == 'ー' {
		if end = strings.IndexFunc(rest, func(r rune) bool { return !unicode.Is(unicode.Katakana, r) && r != 'ー' }); end < 0 {
			end = len(rest)
		}
	}
	s.at += max(end, size)
	if !unicode.Is(unicode.Hiragana, r) {
		s.items = append(s.items, item{word: rest[:max(end, size)], clause: s.clauses})
	}
}

// denies reports whether a word is a negation.
func (g *tongue) denies(word string) bool {
	return slices.ContainsFunc(g.not, func(no string) bool {
		if begin, open := strings.CutSuffix(no, "~"); open {
			return strings.HasPrefix(word, begin)
		}
		if end, open := strings.CutPrefix(no, "*"); open {
			return strings.HasSuffix(word, end) && word != end
		}
		return word == no
	})
}
