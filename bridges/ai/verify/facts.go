package verify

import (
	"math"
	"regexp"
	"strconv"
	"strings"
)

// fact is a number of a text with what it may mean: a time, a date, an amount of something.
type fact struct {
	meanings []meaning
	bare     []float64 // the number alone
	unit     bool      // it has a unit
	phone    string
	day      int // of the week, from Monday: 1
	raw      string
}

// meaning is one reading of a fact.
type meaning struct {
	kind  string // of a unit, or time or date
	value float64
	year  int // of a date, 0 if it has none
}

const (
	timeOfDay = "clock" // in minutes
	date      = "date"  // month * 100 + day
)

// carries reports whether one of the facts says what f says.
func carries(facts []*fact, f *fact) bool {
	for _, other := range facts {
		if other.says(f, facts) {
			return true
		}
	}
	return false
}

func (f *fact) says(other *fact, all []*fact) bool {
	if f.phone != "" || other.phone != "" {
		return samePhone(f.phone, other.phone)
	}
	if f.day != 0 || other.day != 0 {
		return f.day == other.day
	}
	for _, a := range f.meanings {
		for _, b := range other.meanings {
			if a.kind == b.kind && same(a, b) && (b.year == 0 || a.year == b.year || a.year == 0 && hasYear(all, b.year)) {
				return true
			}
		}
		if a.year != 0 && !other.unit && len(other.bare) > 0 && other.bare[0] == float64(a.year) {
			return true
		}
	}
	return !(f.unit && other.unit) && meet(f.bare, other.bare)
}

// tolerance is how much converted amounts may differ.
const tolerance = 1e-6

func same(a, b meaning) bool {
	return math.Abs(a.value-b.value) <= tolerance*math.Max(math.Abs(a.value), 1)
}

func meet(a, b []float64) bool {
	for _, x := range a {
		for _, y := range b {
			if x == y {
				return true
			}
		}
	}
	return false
}

func hasYear(facts []*fact, year int) bool {
	for _, f := range facts {
		for _, m := range f.meanings {
			if m.year == year {
				return true
			}
		}
		if !f.unit && len(f.bare) > 0 && f.bare[0] == float64(year) {
			return true
		}
	}
	return false
}

// samePhone compares telephone numbers with and without the code of their country.
func samePhone(a, b string) bool {
	if len(a) < len(b) {
		a, b = b, a
	}
	return len(b) >= 6 && len(a)-len(b) <= 4 && strings.HasSuffix(a, b)
}

// numerals are the signs of numbers in Chinese and Japanese.
var numerals = map[rune]int{'〇': 0, '零': 0, '一': 1, '二': 2, '两': 2, '三': 3, '四': 4, '五': 5, '六': 6, '七': 7, '八': 8, '九': 9, '十': 10, '百': 100, '千': 1000, '万': 10000}

// numeral reads a number in Chinese signs from the beginning of a text.
func numeral(text string) (value, length int) {
	total, part, digit := 0, 0, 0
	for i, r := range text {
		n, ok := numerals[r]
		switch {
		case !ok:
			return total + part + digit, i
		case n == 10000:
			total, part, digit = (part+digit)*n, 0, 0
		case n >= 10:
			part, digit = part+max(digit, 1)*n, 0
		default:
			digit = digit*10 + n
		}
	}
	return total + part + digit, len(text)
}

var (
	digits    = regexp.MustCompile(`^\d+(?:(?:[.,' ]\d{3})+(?:[.,]\d{1,2})?\b|[.,]\d+)?`)
	justDigit = regexp.MustCompile(`^\d+`)
	isoDate   = regexp.MustCompile(`^(\d{4})(?:[-/.]|年)(\d{1,2})(?:[-/.]|月)(\d{1,2})(?:[日号]|\b)`)
	hanDate   = regexp.MustCompile(`^()(\d{1,2})月(\d{1,2})[日号]`)
	dateIn    = regexp.MustCompile(`^(\d{1,2})([./-])(\d{1,2})(?:[./-](\d{4}|\d{2})\b)`)
	dateDots  = regexp.MustCompile(`^(\d{1,2})(\.)(\d{1,2})\.()(?:[^\d]|$)`)
	dateSlash = regexp.MustCompile(`^(\d{1,2})(/)(\d{1,2})()\b`)
	clockTime = regexp.MustCompile(`^(\d{1,2}) ?(?:[:h]|時|点|點) ?(\d{2})(?:分|\b)`)
	telephone = regexp.MustCompile(`^(?:\+|00)?[\d(][\d ()/.-]{5,}\d`)
	notPhone  = regexp.MustCompile(`^(?:\d{1,3}(?:[ .']\d{3})+|\d{1,2}[.:]\d{2} ?- ?\d{1,2}[.:]\d{2}|\d{4} ?- ?\d{4}|\d{1,2}\.\d{1,2}\.? ?- ?\d{1,2}\.\d{1,2}\.?.*)$`)
	dotTime   = regexp.MustCompile(`^(\d{1,2})\.(\d{2})$`)
	notDigit  = regexp.MustCompile(`\D`)
)

// values are the numbers that digits with signs between them may stand for.
func values(raw string) []float64 {
	raw = strings.NewReplacer("'", "", " ", "").Replace(raw)
	i := strings.LastIndexAny(raw, ".,")
	if i < 0 {
		return one(raw)
	}
	whole, part := strings.NewReplacer(".", "", ",", "").Replace(raw[:i]), raw[i+1:]
	isThousands := len(part) == 3
	several := strings.Count(raw, raw[i:i+1]) > 1
	list := one(whole + "." + part)
	switch {
	case several:
		return one(whole + part)
	case isThousands && !strings.ContainsAny(raw[:i], ".,"):
		return append(one(whole+part), list...)
	}
	return list
}

func one(text string) []float64 {
	n, _ := strconv.ParseFloat(text, 64) // endless digits are infinite
	return []float64{n}
}

// phoneAt reads a telephone number.
func phoneAt(text string) (digits string, length int) {
	found := telephone.FindString(text)
	all := notDigit.ReplaceAllString(strings.Replace(found, "(0)", "", 1), "")
	if len(all) < 7 || len(all) > 15 || notPhone.MatchString(found) {
		return "", 0
	}
	return strings.TrimLeft(all, "0"), len(found)
}

// dateAt reads a date in digits.
func dateAt(text string) (f *fact, length int) {
	for _, pattern := range []*regexp.Regexp{isoDate, hanDate} {
		if m := pattern.FindStringSubmatch(text); m != nil {
			return dateFact(number(m[3]), number(m[2]), number(m[1]), false), len(m[0])
		}
	}
	for _, pattern := range []*regexp.Regexp{dateIn, dateDots, dateSlash} {
		m := pattern.FindStringSubmatch(text)
		if m == nil {
			continue
		}
		year := number(m[4])
		if len(m[4]) == 2 {
			year += 2000
		}
		f = dateFact(number(m[1]), number(m[3]), year, m[2] != ".")
		if f == nil {
			continue
		}
		length = len(m[1]) + len(m[2]) + len(m[3]) + len(m[4])
		if m[4] != "" || pattern == dateDots {
			length++
		}
		return f, length
	}
	return nil, 0
}

// dateFact is a date; of either order where both are possible.
func dateFact(day, month, year int, either bool) *fact {
	f := &fact{unit: true}
	add := func(day, month int) {
		if day >= 1 && day <= 31 && month >= 1 && month <= 12 {
			f.meanings = append(f.meanings, meaning{date, float64(month*100 + day), year})
		}
	}
	add(day, month)
	if either && day != month {
		add(month, day)
	}
	if len(f.meanings) == 0 {
		return nil
	}
	return f
}

func number(text string) int {
	n, _ := strconv.Atoi(text)
	return n
}

// clockFact is a time of the day.
func clockFact(hour, minute, mark int) *fact {
	switch {
	case hour > 24 || minute < -30 || minute > 59:
		return nil
	case mark == markAfternoon && hour < 12:
		hour += 12
	case mark == markMorning && hour == 12:
		hour = 0
	}
	f := &fact{unit: true, meanings: []meaning{{kind: timeOfDay, value: float64(hour*60 + minute)}}}
	if minute == 0 {
		f.bare = []float64{float64(hour)}
	}
	return f
}
