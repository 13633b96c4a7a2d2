package engine

import (
	"context"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/relay-chat/relay/server/chat"
)

// Command is an instruction of operators to relay itself, on a platform or in
// the console.
type Command struct {
	Name string
	Args string // what follows the name, for help
	// Optional: the command also works without args.
	Optional bool
	Help     string
	// community commands have no effect in bridge mode.
	community bool
	// scope is what an API key needs for it, "" for that of writing.
	scope chat.KeyScope
	run   func(c *commandContext, ctx context.Context) (CommandResult, error)
}

// ParsedCommand is a command as an operator wrote it.
type ParsedCommand struct {
	Name string // lower case, maybe unknown
	Args string
	// ClientID makes it safe to retry a command that sends a message.
	ClientID string
}

// noteMarks start an internal note, in half width or full width.
var noteMarks = []string{"//", "／／"}

// ParseCommand reads a command: !name, with slash also /name or /name@bot, and
// // for a note. A mistyped command is one, too: a visitor
// must never see it. A mark without a letter after it is ordinary text.
func ParseCommand(text string, slash bool) (ParsedCommand, bool) {
	text = strings.TrimLeftFunc(text, func(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) })
	for _, mark := range noteMarks {
		if rest, found := strings.CutPrefix(text, mark); found {
			return ParsedCommand{Name: "note", Args: strings.TrimSpace(rest)}, true
		}
	}
	sign, size := utf8.DecodeRuneInString(text)
	if sign != '!' && sign != '！' && (sign != '/' || !slash) {
		return ParsedCommand{}, false
	}
	word, args := text[size:], ""
	if end := strings.IndexFunc(word, unicode.IsSpace); end >= 0 {
		word, args = word[:end], strings.TrimSpace(word[end:])
	}
	first, _ := utf8.DecodeRuneInString(word)
	if !unicode.IsLetter(first) {
		return ParsedCommand{}, false
	}
	if sign == '/' {
		if strings.Contains(word, "/") { // a path
			return ParsedCommand{}, false
		}
		word, _, _ = strings.Cut(word, "@")
	}
	name := strings.TrimRightFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	return ParsedCommand{Name: strings.ToLower(chat.Clip(name, 40)), Args: args}, true
}

// Withheld reports whether a text must not reach visitors: a line starts with
// // or with a command, so it may not be meant for them.
func Withheld(text string, slash bool) bool {
	for _, line := range strings.FieldsFunc(text, isLineEnd) {
		if c, found := ParseCommand(line, slash); found && (c.Name == "note" || commandNamed(c.Name) != nil) {
			return true
		}
	}
	return false
}

// isLineEnd reports whether a character ends a line on any platform.
func isLineEnd(r rune) bool { return strings.ContainsRune("\n\r\v\f\u0085\u2028\u2029", r) }

// commandNamed returns the command with this name, nil when there is none.
func commandNamed(name string) *Command {
	for i := range Commands {
		if Commands[i].Name == name {
			return &Commands[i]
		}
	}
	return nil
}

// scopeOf is the scope that an API key needs for a command; the others send saved answers.
func scopeOf(known *Command) chat.KeyScope {
	if known == nil || known.scope == "" {
		return chat.ScopeWrite
	}
	return known.scope
}

// NoteText returns a note's text without the marks at the beginning of its lines.
func NoteText(args string) string {
	lines := strings.Split(args, "\n")
	for i, line := range lines {
		for _, mark := range noteMarks {
			if rest, found := strings.CutPrefix(strings.TrimLeftFunc(line, unicode.IsSpace), mark); found {
				lines[i] = strings.TrimSpace(rest)
			}
		}
	}
	return strings.TrimSpace(strings.Join(lines, "\n"))
}

func commandNames() (names []string) {
	for _, c := range Commands {
		names = append(names, c.Name)
	}
	return names
}

// nearestName returns the name most similar to a mistyped one, "" when none is
// near. The beginning of a name is as near as one wrong letter.
func nearestName(name string, names []string) (nearest string) {
	best := 3
	for _, other := range names {
		d := chat.EditDistance(name, other)
		if len(name) > 1 && strings.HasPrefix(other, name) {
			d = 1
		}
		if d < best && d < len(other) {
			nearest, best = other, d
		}
	}
	return nearest
}
