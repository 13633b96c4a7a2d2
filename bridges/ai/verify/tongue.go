// Package verify checks whether what a model says is what a page says: every number, date,
// name and word of a sentence in the place that it quotes, and its negations kept. What it
// knows of languages and units is in the files of data. It imports only server/words.
package verify

import (
	"embed"
	"path"
	"slices"
	"sort"
	"strconv"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"

	"github.com/relay-chat/relay/server/words"
)

//go:embed data/*.txt
var data embed.FS

// form is a written form of something.
type form struct {
	text  string
	value int
}

// forms are looked up at a place of a text, the longest first.
type forms map[rune][]form

func (f forms) add(text string, value int) {
	if text = plain(text); text != "" {
		first, _ := utf8.DecodeRuneInString(text)
		f[first] = append(f[first], form{text, value})
	}
}

func (f forms) sort() {
	for _, list := range f {
		sort.SliceStable(list, func(i, j int) bool { return len(list[i].text) > len(list[j].text) })
	}
}

// at returns the form that a text begins with, and how long it is there. A word must end where
// the form does, unless words are not parted.
func (f forms) at(text string, unspaced bool) (value, length int) {
	first, _ := utf8.DecodeRuneInString(text)
	for _, form := range f[first] {
		if !strings.HasPrefix(text, form.text) {
			continue
		}
		last, _ := utf8.DecodeLastRuneInString(form.text)
		if next, _ := utf8.DecodeRuneInString(text[len(form.text):]); !unspaced && unicode.IsLetter(last) && unicode.IsLetter(next) && !unspacedScript(last) {
			continue
		}
		return form.value, len(form.text)
	}
	return 0, 0
}

// tongue is what is known of a language.
type tongue struct {
	code     string
	unspaced bool
	lists    map[string]map[string]bool // of words, by their key in the file
	not      []string
	numbers  forms
	days     forms
	months   forms
	marks    forms // of times: before and after noon, o'clock
	before   forms // half an hour before or after the number that follows
	after    string
	through  forms
	rewrite  *strings.Replacer
	from     string // the words before what a page says, with # for its title
}

// The values of marks.
const (
	markClock = iota + 1
	markAfternoon
	markMorning
)

// unit is a measure: what has the same kind is compared by its factor.
type unit struct {
	kind   string
	factor float64
}

type tables struct {
	tongues map[string]*tongue
	codes   []string
	units   []unit
	named   forms // of units
}

var known = sync.OnceValue(load)

// load reads the files of data, which are part of the program.
func load() *tables {
	t := &tables{tongues: map[string]*tongue{}, named: forms{}}
	files, _ := data.ReadDir("data")
	for _, file := range files {
		text, _ := data.ReadFile(path.Join("data", file.Name()))
		switch name := strings.TrimSuffix(file.Name(), ".txt"); name {
		case "numbers":
		case "units":
			t.readUnits(string(text))
		default:
			t.tongues[name] = readTongue(name, string(text))
			t.codes = append(t.codes, name)
		}
	}
	text, _ := data.ReadFile("data/numbers.txt")
	t.readNumbers(string(text))
	return t
}

func (t *tables) readUnits(text string) {
	for line := range strings.Lines(text) {
		fields := strings.SplitN(strings.TrimSpace(line), " ", 3)
		if len(fields) < 3 || fields[0] == "#" {
			continue
		}
		factor, _ := strconv.ParseFloat(fields[1], 64)
		for name := range strings.SplitSeq(fields[2], "|") {
			t.named.add(name, len(t.units))
		}
		t.units = append(t.units, unit{fields[0], factor})
	}
	t.named.sort()
}

func (t *tables) readNumbers(text string) {
	for line := range strings.Lines(text) {
		fields := strings.Split(strings.TrimSpace(line), "\t")
		if len(fields) != 3 {
			continue
		}
		n, _ := strconv.Atoi(fields[1])
		for name := range strings.SplitSeq(fields[2], "|") {
			if n > 1 { // what means one is an article as well
				t.tongues[fields[0]].numbers.add(strings.ReplaceAll(name, "-", " "), n)
			}
		}
	}
	for _, tongue := range t.tongues {
		tongue.numbers.sort()
	}
}

func readTongue(code, text string) *tongue {
	g := &tongue{code: code, unspaced: code == "ja" || code == "zh", lists: map[string]map[string]bool{},
		numbers: forms{}, days: forms{}, months: forms{}, marks: forms{}, before: forms{}, through: forms{}}
	var rewrites []string
	for line := range strings.Lines(text) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ":")
		value = strings.TrimSpace(value)
		switch key {
		case "days", "months":
			g.readCalendar(key, value)
		case "clock", "pm", "am", "through", "half", "halfto":
			g.readMarks(key, value)
		case "rewrite":
			rewrites = append(rewrites, g.readRewrites(value)...)
		case "from":
			g.from = value
		case "not":
			g.not = strings.Fields(plain(value))
		default:
			g.lists[key] = map[string]bool{}
			for _, word := range strings.Fields(plain(value)) {
				g.lists[key][word] = true
				g.lists[key][words.Fold(word)] = true
			}
		}
	}
	g.rewrite = strings.NewReplacer(rewrites...)
	for _, f := range []forms{g.days, g.months, g.marks, g.before, g.through} {
		f.sort()
	}
	return g
}

// readCalendar reads names in their order; a group with a space within it is put together by "|".
func (g *tongue) readCalendar(key, value string) {
	into := g.days
	if key == "months" {
		into = g.months
	}
	for i, group := range strings.Fields(strings.ReplaceAll(value, "יום ", "יום_")) {
		for name := range strings.SplitSeq(group, "|") {
			into.add(strings.ReplaceAll(name, "_", " "), i+1)
		}
	}
}

func (g *tongue) readMarks(key, value string) {
	for name := range strings.SplitSeq(value, "|") {
		name = strings.TrimSpace(name)
		switch key {
		case "clock":
			g.marks.add(name, markClock)
		case "pm":
			g.marks.add(name, markAfternoon)
		case "am":
			g.marks.add(name, markMorning)
		case "through":
			g.through.add(name, 1)
		default:
			g.readHalf(name, key == "halfto")
		}
	}
}

// readHalf reads "half past #", where # is the number of the hour, or "# et demie".
func (g *tongue) readHalf(name string, to bool) {
	minutes := 30
	if to {
		minutes = -30
	}
	if begin, found := strings.CutSuffix(name, " #"); found {
		g.before.add(begin, minutes)
	} else if end, found := strings.CutPrefix(name, "# "); found {
		g.after += "|" + plain(end)
	}
}

// readRewrites reads other forms of the same word.
func (g *tongue) readRewrites(value string) (pairs []string) {
	for pair := range strings.SplitSeq(value, "|") {
		from, to, _ := strings.Cut(pair, "=")
		from, to = plain(from), plain(to)
		if from == to || from == "" {
			continue
		}
		if g.unspaced || strings.HasPrefix(from, "n'") {
			pairs = append(pairs, from, to)
		} else {
			pairs = append(pairs, " "+from+" ", " "+to+" ")
		}
	}
	return pairs
}

// unspacedScript reports whether a script has no spaces between words.
func unspacedScript(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana) || r == 'ー'
}

// signs that are written in several ways.
var signs = strings.NewReplacer("’", "'", "‘", "'", "´", "'", "׳", "'", "״", "\"", "”", "\"", "“", "\"", "–", "-", "—", "-", "‑", "-", "−", "-", "〜", "~",
	"٫", ".", "٬", ",", "،", ",", "、", ",", "，", ",", "؛", ";", "؟", "?", "。", ". ", "।", ".", "\u00ad", "", "\u200b", "")

// plain returns a text in one form of letters, digits and signs.
func plain(text string) string {
	text = signs.Replace(words.Plain(text))
	return strings.Map(func(r rune) rune {
		switch {
		case r < utf8.RuneSelf:
			return r
		case unicode.IsDigit(r):
			return Digit(r)
		}
		return r
	}, text)
}

// Digit converts a digit of any script to ASCII: each script has its ten in a row.
func Digit(r rune) rune {
	zero := r
	for unicode.IsDigit(zero-1) && r-zero < 9 {
		zero--
	}
	return '0' + (r - zero)
}

// tongueOf is the language of a text: by its script, else by its usual words. A text that does
// not show it is in the usual language.
func tongueOf(text, usual string) *tongue {
	t := known()
	if code := scriptOf(text); code != "" {
		return t.tongues[code]
	}
	usuals := t.tongues[usual]
	list := strings.FieldsFunc(plain(text), func(r rune) bool { return !unicode.IsLetter(r) })
	best, most := usuals, 0
	if usuals != nil {
		most = usuals.frequent(list) + 1
	}
	for _, code := range t.codes {
		if g := t.tongues[code]; g.frequent(list) > most {
			best, most = g, g.frequent(list)
		}
	}
	if best == nil {
		best = t.tongues["en"]
	}
	return best
}

func (g *tongue) frequent(list []string) (n int) {
	for _, word := range list {
		if g.lists["function"][word] || g.lists["answer"][word] || g.lists["strict"][word] || g.lists["talk"][word] || slices.Contains(g.not, word) {
			n++
		}
	}
	return n
}

// scriptOf is the language that the script of most of a text's letters stands for, "" for Latin
// and for scripts of which nothing is known.
func scriptOf(text string) string {
	counts := map[string]int{}
	for _, r := range text {
		switch {
		case unicode.In(r, unicode.Hiragana, unicode.Katakana):
			counts["ja"] += 3
		case unicode.Is(unicode.Han, r):
			counts["zh"]++
		case unicode.Is(unicode.Arabic, r):
			counts["ar"]++
		case unicode.Is(unicode.Hebrew, r):
			counts["he"]++
		case unicode.IsLetter(r):
			counts[""]++
		}
	}
	if counts["ja"] > 0 {
		counts["ja"] += counts["zh"]
	}
	best := ""
	for _, code := range []string{"zh", "ja", "ar", "he"} {
		if counts[code]*2 > counts[best] || best == "" && counts[code]*2 > counts[""] {
			best = code
		}
	}
	return best
}

// usually is the share of usual words below which a text is in no language of the data.
const usually = 0.12

// fewWords are too few to show a language.
const fewWords = 4

// isKnown reports whether a text is in a language of the data: in others negations cannot be told
// from other words.
func isKnown(text string) bool {
	if scriptOf(text) != "" {
		return true
	}
	list := strings.FieldsFunc(plain(text), func(r rune) bool { return !unicode.IsLetter(r) })
	if len(list) < fewWords || !isLatin(text) {
		return isLatin(text) || len(list) == 0
	}
	return float64(tongueOf(text, "").frequent(list)) >= usually*float64(len(list))
}

func isLatin(text string) bool {
	latin, others := 0, 0
	for _, r := range text {
		if unicode.Is(unicode.Latin, r) {
			latin++
		} else if unicode.IsLetter(r) {
			others++
		}
	}
	return latin > others
}
