package verify

// segment is a part of a sentence with the numbers that belong to it.
type segment struct {
	words   []item
	numbers []*fact
}

// boundAs checks that the numbers of a sentence stand by the same words as on the page: of the
// parts of the page's sentence that have other numbers none fits the words better.
func (r *reading) boundAs(found []string, g *tongue) string {
	var all []segment
	for _, s := range found {
		all = append(all, read(s, g).segments()...)
	}
	if len(all) < 2 {
		return ""
	}
	for _, said := range r.segments() {
		if len(said.words) == 0 || len(said.numbers) == 0 {
			continue
		}
		if !said.fits(all) {
			return NoNumber
		}
	}
	if len(r.segments()) == 1 && len(r.segments()[0].numbers) == 0 {
		return r.within(found, g)
	}
	return ""
}

// segments part a reading behind its numbers. What follows the last one belongs to it, unless a
// new clause begins.
func (r *reading) segments() (list []segment) {
	var now segment
	last := -1
	for _, it := range r.items {
		isWord := it.fact == nil || it.fact.day != 0
		if isWord && len(now.numbers) > 0 && (it.clause != last || len(now.words) > 0) {
			list, now = append(list, now), segment{}
		}
		if isWord {
			now.words = append(now.words, it)
		} else {
			now.numbers = append(now.numbers, it.fact)
		}
		last = it.clause
	}
	if len(now.numbers) == 0 && len(list) > 0 && sameClause(list[len(list)-1], now, last) {
		list[len(list)-1].words = append(list[len(list)-1].words, now.words...)
		return list
	}
	return append(list, now)
}

// sameClause reports whether words stand in the clause in which a segment ends.
func sameClause(s segment, rest segment, last int) bool {
	return len(s.words) > 0 && len(rest.words) > 0 && s.words[len(s.words)-1].clause == last && rest.words[0].clause == last
}

// fits reports whether the segment of the page with the same numbers has most of the words.
func (s *segment) fits(all []segment) bool {
	own, other, foreign := 0.0, 0.0, false
	for i := range all {
		share := all[i].coveredBy(s.words)
		if all[i].hasAny(s.numbers) {
			own = max(own, share)
			continue
		}
		other = max(other, share)
	}
	for _, w := range s.words {
		if isForeign := only(all, &w, s.numbers); isForeign && w.fact != nil { // a day
			return false
		} else if isForeign {
			foreign = true
		}
	}
	return own > other || own == other && !foreign
}

// only reports whether a word stands only where other numbers are.
func only(all []segment, w *item, numbers []*fact) bool {
	there := false
	for i := range all {
		if !has(all[i].words, w) {
			continue
		}
		if all[i].hasAny(numbers) {
			return false
		}
		there = true
	}
	return there
}

func (s *segment) hasAny(numbers []*fact) bool {
	for _, n := range numbers {
		if carries(s.numbers, n) {
			return true
		}
	}
	return false
}

func (s *segment) coveredBy(words []item) float64 {
	if len(s.words) == 0 {
		return 0
	}
	n := 0
	for i := range s.words {
		if has(words, &s.words[i]) {
			n++
		}
	}
	return float64(n) / float64(len(s.words))
}

// nearly is how much of a sentence without numbers one clause of the page must say.
const nearly = 0.67

// within checks that one sentence or clause says what the words say together.
func (r *reading) within(found []string, g *tongue) string {
	best := 0.0
	for _, s := range found {
		for _, part := range read(s, g).parts() {
			best = max(best, r.shareIn(part))
		}
	}
	if best < nearly {
		return Mixed
	}
	return ""
}
