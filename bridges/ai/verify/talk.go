package verify

import "strings"

// IsTalk reports whether a text has no more than greetings, thanks and the like; a question back
// may have words of what was said before as well.
func IsTalk(text, before string) bool {
	g := tongueOf(text, "")
	r := read(text, g)
	var heard []item
	if strings.ContainsAny(text, "?？؟") {
		heard = read(before, g).items
	}
	for i := range r.items {
		it := &r.items[i]
		switch {
		case it.word != "" && (g.lists["talk"][it.word] || g.isTalkSign(it.word)):
		case has(heard, it):
		default:
			return false
		}
	}
	return (len(r.items) > 0 || r.tongue.greets(text)) && !r.answer
}

// greets reports whether one of a language's usual words stands in a text whose words are all
// usual.
func (g *tongue) greets(text string) bool {
	for word := range g.lists["talk"] {
		if strings.Contains(plain(text), word) {
			return true
		}
	}
	return false
}

// isTalkSign reports whether a sign is in a usual word of a language without spaces.
func (g *tongue) isTalkSign(sign string) bool {
	if !g.unspaced {
		return false
	}
	for word := range g.lists["talk"] {
		if strings.Contains(word, sign) {
			return true
		}
	}
	return false
}

// Quoted is what a page says, as it is shown to somebody who writes as text does.
func Quoted(text, title, words string) string {
	from := tongueOf(text, "").from
	if title == "" {
		return words
	}
	return strings.Replace(from, "#", title, 1) + " " + words
}

// Relates reports whether a place has enough of a sentence's words to be of any use for who
// wanted to read it.
func Relates(text, words string) bool {
	g := tongueOf(words, "")
	said := read(text, tongueOf(text, g.code))
	return said.tongue != g || said.shareIn(read(words, g)) >= related
}

// related is how much of a sentence its place must have to be shown instead.
const related = 0.5
