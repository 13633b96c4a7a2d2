package chat

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// Command is something that operators tell relay itself, at any desk.
type Command struct {
	Name string
	Args string // what follows the name, for help
	Help string
	run  func(c *commanding) (answer string, err error)
}

// Called is a command as an operator wrote it.
type Called struct {
	Name string // lower case, perhaps of no command
	Args string
}

// noteMark begins a line that stays in the thread.
const noteMark = "//"

// ParseCommand reads a command: !name, with slash also /name or /name@bot, and
// // for a note. What only looks like a mistyped command is one too: a visitor
// must never see it. A sign without a letter behind it is ordinary text.
func ParseCommand(text string, slash bool) (Called, bool) {
	text = strings.TrimLeftFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) })
	if rest, is := strings.CutPrefix(text, noteMark); is {
		return Called{Name: "note", Args: strings.TrimSpace(rest)}, true
	}
	sign, size := utf8.DecodeRuneInString(text)
	if sign != '!' && sign != '！' && (sign != '/' || !slash) {
		return Called{}, false
	}
	word, args := text[size:], ""
	if end := strings.IndexFunc(word, unicode.IsSpace); end >= 0 {
		word, args = word[:end], strings.TrimSpace(word[end:])
	}
	first, _ := utf8.DecodeRuneInString(word)
	if !unicode.IsLetter(first) {
		return Called{}, false
	}
	if sign == '/' {
		if strings.Contains(word, "/") { // a path
			return Called{}, false
		}
		word, _, _ = strings.Cut(word, "@")
	}
	name := strings.TrimRightFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return Called{Name: strings.ToLower(clip(name, 40)), Args: args}, true
}

// nearestCommand returns the command whose name is most like a mistyped one,
// nil when none is near. The beginning of a name is as near as one wrong letter.
func nearestCommand(name string) *Command {
	var nearest *Command
	best := 3
	for i := range Commands {
		c := &Commands[i]
		d := editDistance(name, c.Name)
		if len(name) > 1 && strings.HasPrefix(c.Name, name) {
			d = 1
		}
		if d < best && d < len(c.Name) {
			nearest, best = c, d
		}
	}
	return nearest
}

// editDistance counts the letters that have to be changed, added, left out or
// swapped with their neighbour. Both words are short.
func editDistance(a, b string) int {
	x, y := []rune(a), []rune(b)
	rows := make([][]int, len(x)+1)
	for i := range rows {
		rows[i] = make([]int, len(y)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(x); i++ {
		for j := 1; j <= len(y); j++ {
			cost := 1
			if x[i-1] == y[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && x[i-1] == y[j-2] && x[i-2] == y[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(x)][len(y)]
}
