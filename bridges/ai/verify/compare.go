package verify

import "slices"

// How a model's answer to a question agrees with a person's.
const (
	Same    = "same"    // the same facts, or the same words where there are none
	Differs = "differs" // another fact, a missing one, or the opposite
	Unclear = "unclear" // a person has to look
)

// Why answers do not agree.
const (
	OtherFact   = "it says a number that the person did not say"
	MissingFact = "it leaves out a number that the person said"
	Opposite    = "one of the answers denies"
	OtherWords  = "the answers share few words"
	OtherTongue = "the answers are in two languages"
)

// sharedWords is which part of a person's words another answer has, so that it says the same.
const sharedWords = 0.4

// Compare compares a model's answer with a person's answer to the same question: their numbers,
// dates, times and amounts first, then whether they deny, then their words.
func Compare(person, model string) (verdict, reason string) {
	g := tongueOf(person, "")
	speaks := tongueOf(model, g.code)
	a, b := read(person, g), read(model, speaks)
	said, says := a.facts(), b.facts()
	lacks := func(facts, other []*fact) bool {
		return slices.ContainsFunc(facts, func(f *fact) bool { return !carries(other, f) })
	}
	switch {
	case lacks(said, says) && lacks(says, said):
		return Differs, OtherFact
	case lacks(said, says):
		return Differs, MissingFact
	case lacks(says, said):
		return Unclear, OtherFact
	case speaks != g && len(said) == 0:
		return Unclear, OtherTongue
	case speaks == g && (len(a.negated) > 0) != (len(b.negated) > 0):
		return Differs, Opposite
	case len(said) == 0 && a.sharedWith(b) < sharedWords:
		return Unclear, OtherWords
	}
	return Same, ""
}

// sharedWith is which part of a text's words another one has.
func (r *reading) sharedWith(other *reading) float64 {
	words, found := 0, 0
	for i := range r.items {
		if r.items[i].word == "" {
			continue
		}
		words++
		if has(other.items, &r.items[i]) {
			found++
		}
	}
	if words == 0 {
		return 0
	}
	return float64(found) / float64(words)
}
