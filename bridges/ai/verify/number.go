package verify

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// numberAt reads a number with what belongs to it: as a date, a telephone number, a time or an
// amount.
func (s *scanner) numberAt(rest string) bool {
	if strings.HasPrefix(rest, "+") || strings.HasPrefix(rest, "(") {
		return s.telephone(rest)
	}
	if s.at > 0 && !s.tongue.unspaced {
		before, _ := utf8.DecodeLastRuneInString(s.text[:s.at])
		if unicode.IsLetter(before) && !unspacedScript(before) {
			return false
		}
	}
	if f, length := dateAt(rest); f != nil {
		s.at += length
		s.add(f)
		return true
	}
	if rest[0] >= '0' && rest[0] <= '9' && s.telephone(rest) {
		return true
	}
	if m := clockTime.FindStringSubmatch(rest); m != nil && number(m[1]) <= 24 && number(m[2]) < 60 {
		s.at += len(m[0])
		s.add(clockFact(number(m[1]), number(m[2]), s.noon()))
		return true
	}
	list, length := s.plainNumber(rest)
	if length == 0 {
		return false
	}
	s.at += length
	s.add(s.measure(list, rest[:length]))
	return true
}

func (s *scanner) telephone(rest string) bool {
	phone, length := phoneAt(rest)
	if length == 0 {
		return false
	}
	s.add(&fact{phone: phone})
	s.at += length
	return true
}

// noon is the mark before or behind a time, which it takes.
func (s *scanner) noon() int {
	mark := s.mark
	s.mark = 0
	for range 2 {
		rest := strings.TrimLeft(s.text[s.at:], " ")
		next, length := s.tongue.marks.at(rest, s.tongue.unspaced)
		if length == 0 {
			break
		}
		s.at = len(s.text) - len(rest) + length
		mark = max(mark, next)
	}
	return mark
}

// measure reads the unit behind a number, or that it is a date or a time.
func (s *scanner) measure(list []float64, raw string) *fact {
	g := s.tongue
	behind := strings.TrimLeft(s.text[s.at:], " -")
	whole := int(list[0])
	if f := s.dayOfMonth(whole, behind); f != nil {
		return f
	}
	f := &fact{bare: list, raw: raw}
	if s.isHalf(behind) && whole <= 24 {
		return clockFact(whole, 30, s.noon())
	}
	if u, length := known().named.at(behind, g.unspaced); length > 0 {
		s.at = len(s.text) - len(behind) + length
		m := measured(list, u)
		s.cents(m)
		s.alsoClock(m, whole)
		return m
	}
	mark := s.noon()
	if s.isHalf(strings.TrimLeft(s.text[s.at:], " ")) && mark > 0 {
		return clockFact(whole, 30, mark)
	}
	if clock := clockFact(whole, 0, mark); mark != 0 && clock != nil && float64(whole) == list[0] {
		return clock
	}
	if m := dotTime.FindStringSubmatch(raw); m != nil && number(m[1]) <= 24 && number(m[2]) < 60 {
		clock := clockFact(number(m[1]), number(m[2]), mark)
		f.meanings, f.unit = clock.meanings, mark != 0
		f.bare = append(f.bare, clock.bare...)
	}
	return f
}

// alsoClock adds a time of the day to an amount of hours: "14 uur" may be both.
func (s *scanner) alsoClock(m *fact, whole int) {
	if m.meanings[0].kind != "time" || m.meanings[0].value != m.bare[0]*3600 {
		return
	}
	minutes := 0
	if raw := justDigit.FindString(strings.TrimLeft(s.text[s.at:], " ")); len(raw) == 2 && number(raw) < 60 {
		minutes = number(raw)
		s.at = len(s.text) - len(strings.TrimLeft(s.text[s.at:], " ")) + 2
	}
	if clock := clockFact(whole, minutes, s.noon()); clock != nil {
		m.meanings = append(m.meanings, clock.meanings...)
	}
}

// isHalf reports whether half an hour is added to the number before, and takes it.
func (s *scanner) isHalf(behind string) bool {
	for half := range strings.SplitSeq(s.tongue.after, "|") {
		if half != "" && strings.HasPrefix(behind, half) {
			s.at = len(s.text) - len(behind) + len(half)
			return true
		}
	}
	if s.tongue.unspaced {
		for _, half := range []string{"半", "時半", "点半", "點半"} {
			if strings.HasPrefix(behind, half) {
				s.at = len(s.text) - len(behind) + len(half)
				return true
			}
		}
	}
	return false
}

// cents adds what stands behind an amount's currency: "12 euros 50".
func (s *scanner) cents(m *fact) {
	if !strings.HasPrefix(m.meanings[0].kind, "cur:") {
		return
	}
	rest := strings.TrimLeft(s.text[s.at:], " ")
	for _, and := range []string{"e ", "et ", "y ", "und ", "och ", "en "} {
		rest = strings.TrimPrefix(rest, and)
	}
	list, length := s.plainNumber(rest)
	if length == 0 || list[0] < 10 || list[0] > 99 || list[0] != float64(int(list[0])) {
		return
	}
	if after := strings.TrimLeft(rest[length:], " "); after != "" {
		if _, has := known().named.at(after, s.tongue.unspaced); has > 0 {
			return
		}
	}
	m.meanings[0].value += list[0] / 100
	m.bare = []float64{m.bare[0] + list[0]/100}
	s.at = len(s.text) - len(rest) + length
}

// dayOfMonth reads "24 December 1998".
func (s *scanner) dayOfMonth(day int, behind string) *fact {
	trimmed := strings.TrimLeft(behind, " .")
	for _, word := range []string{"de ", "of ", "er ", "st ", "nd ", "rd ", "th "} {
		trimmed = strings.TrimPrefix(trimmed, word)
	}
	month, length := s.tongue.months.at(trimmed, s.tongue.unspaced)
	f := dateFact(day, month, 0, false)
	if length == 0 || f == nil {
		return nil
	}
	s.at = len(s.text) - len(trimmed) + length
	s.year(f)
	return f
}
