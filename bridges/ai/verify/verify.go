package verify

import (
	"slices"
	"strings"
	"unicode"
)

// Claim is a sentence that a model wants to say, and what it rests on.
type Claim struct {
	Text string
	// Quote is a literal part of Page.
	Quote string
	Page  Page
	// Restated is the sentence in the page's language, when it is in another one.
	Restated string
	// House are the site's own facts, which any sentence may use.
	House string
}

// The reasons for which a sentence is not said.
const (
	NoQuote  = "the quoted words are not on the page"
	NoNumber = "a number is not on the page, or belongs to something else there"
	NoWord   = "the page does not say this"
	Negation = "the page says the opposite"
	Mixed    = "the page connects these words in another way"
	Foreign  = "the sentence cannot be compared with the page's language"
	Empty    = "the sentence says nothing that can be compared"
)

// Check returns why a claim is not carried by its page, "" if it is, and the page's own words.
func Check(c *Claim) (reason, words string) {
	found, ok := c.Page.place(c.Quote)
	if !ok {
		return NoQuote, ""
	}
	words = strings.Join(found, " ")
	if !isKnown(c.Page.Text) && scriptOf(words) == "" {
		return Foreign, words
	}
	page := tongueOf(words, tongueOf(c.Page.Title+"\n"+c.Page.Text, "").code)
	speaks := tongueOf(c.Text, page.code)
	if speaks != page {
		return c.foreign(found, page, speaks), words
	}
	return c.carried(c.Text, found, page), words
}

// foreign checks a sentence in another language than the page's: what it says again in the page's
// is checked, and both must have the same numbers and negations.
func (c *Claim) foreign(found []string, page, speaks *tongue) string {
	if c.Restated == "" || tongueOf(c.Restated, page.code) != page {
		return Foreign
	}
	if reason := c.carried(c.Restated, found, page); reason != "" {
		return reason
	}
	said, again := read(c.Text, speaks), read(c.Restated, page)
	facts := again.facts()
	for _, f := range said.facts() {
		if !carries(facts, f) {
			return NoNumber
		}
	}
	if (len(said.negated) > 0) != (len(again.negated) > 0) {
		return Negation
	}
	if words := len(said.items) - len(facts); words > 3*len(again.items)+3 {
		return Foreign
	}
	return ""
}

// carried checks a sentence in the page's language.
func (c *Claim) carried(text string, found []string, g *tongue) string {
	said := read(text, g)
	if len(said.items) == 0 {
		return Empty
	}
	source := read(strings.Join(found, "\n"), g)
	around := append(read(c.Page.Title, g).items, read(c.House, g).items...)
	for _, check := range []func() string{
		func() string { return said.numbersIn(source, around) },
		func() string { return said.wordsIn(source, around) },
		func() string { return said.boundAs(found, g) },
		func() string { return said.deniesAs(found, g) },
	} {
		if reason := check(); reason != "" {
			return reason
		}
	}
	return ""
}

// numbersIn checks that every number of a sentence is in its source, or around it. A sum may be
// new when it is written out.
func (r *reading) numbersIn(source *reading, around []item) string {
	facts := append(source.facts(), (&reading{items: around}).facts()...)
	for _, f := range r.facts() {
		if !carries(facts, f) {
			return NoNumber
		}
	}
	return ""
}

// wordsIn checks that the source says the sentence's words.
func (r *reading) wordsIn(source *reading, around []item) string {
	all := slices.Concat(source.items, around)
	count, missing, run := 0, 0, 0
	for _, it := range r.items {
		if it.word == "" {
			continue
		}
		count++
		if !has(all, &it) {
			missing, run = missing+1, run+1
			if it.strict || it.name && r.tongue.code != "de" || hasDigit(it.word) || r.tongue.unspaced && run > 1 {
				return NoWord
			}
			continue
		}
		run = 0
	}
	if missing > count/6 {
		return NoWord
	}
	return ""
}

func hasDigit(word string) bool { return strings.ContainsFunc(word, unicode.IsDigit) }

func has(list []item, it *item) bool {
	return slices.ContainsFunc(list, func(other item) bool {
		if it.fact != nil || other.fact != nil {
			return it.fact != nil && other.fact != nil && other.fact.says(it.fact, []*fact{other.fact})
		}
		return alike(it.word, other.word, it.strict || other.strict)
	})
}

// alike reports whether two words are forms of one.
func alike(a, b string, strict bool) bool {
	if a == b || strict {
		return a == b
	}
	x, y := []rune(a), []rune(b)
	if len(x) > len(y) {
		x, y = y, x
	}
	if len(x) < 3 {
		return false
	}
	if first := x[0]; unicode.In(first, unicode.Hebrew, unicode.Arabic) {
		return withoutLetter(a) == withoutLetter(b)
	}
	n := 0
	for n < len(x) && x[n] == y[n] {
		n++
	}
	switch {
	case n == len(x) && len(y)-n <= 3, n >= 4 && n*10 >= len(y)*7:
		return true
	}
	return len(x) >= 5 && strings.Contains(string(y), string(x))
}

// withoutLetter takes off what Hebrew and Arabic write together with a word: and, in, the, to.
func withoutLetter(word string) string {
	runes := []rune(word)
	for len(runes) > 3 && strings.ContainsRune("ובהלשמכوفبلك", runes[0]) {
		runes = runes[1:]
	}
	return strings.TrimRight(string(runes), "اه")
}

// shareIn is how much of a reading is in another one.
func (r *reading) shareIn(other *reading) float64 {
	if len(r.items) == 0 {
		return 0
	}
	n := 0
	for i := range r.items {
		if has(other.items, &r.items[i]) {
			n++
		}
	}
	return float64(n) / float64(len(r.items))
}

// deniesAs checks that a clause says no where the clause of the page that it rests on does.
func (r *reading) deniesAs(found []string, g *tongue) string {
	var clauses []*reading
	for _, s := range found {
		clauses = append(clauses, read(s, g).parts()...)
	}
	for _, said := range r.parts() {
		best, same := 0.0, false
		for _, clause := range clauses {
			share := said.shareIn(clause)
			equal := len(clause.negated) > 0 == (len(said.negated) > 0)
			if share > best {
				best, same = share, equal
			} else if share == best && best > 0 {
				same = same || equal && len(clauses) > 1 && clause.shareIn(said) >= 0.5
			}
		}
		if !same {
			return Negation
		}
	}
	return ""
}

// parts are the clauses of a reading. One without a word of its own belongs to the next one.
func (r *reading) parts() (list []*reading) {
	part := &reading{tongue: r.tongue, negated: map[int]bool{}}
	for c := range r.clauses {
		for _, it := range r.items {
			if it.clause == c {
				part.items = append(part.items, it)
			}
		}
		if r.negated[c] {
			part.negated[0] = true
		}
		if len(part.items) >= 2 {
			list = append(list, part)
			part = &reading{tongue: r.tongue, negated: map[int]bool{}}
		}
	}
	switch {
	case len(list) == 0, len(part.items) > 0 && len(part.negated) != len(list[len(list)-1].negated):
		list = append(list, part)
	case len(part.items) > 0 || len(part.negated) > 0:
		last := list[len(list)-1]
		last.items = append(last.items, part.items...)
		if len(part.negated) > 0 {
			last.negated[0] = true
		}
	}
	return list
}
