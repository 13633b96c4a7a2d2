package discord

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/relay-chat/relay/bridges/naming"
	"github.com/relay-chat/relay/server/chat"
)

// Limits of texts (Discord, "Create Message" and "Embed limits"). Discord
// counts characters; counting UTF-16 units is never less.
const (
	maxText    = 2000
	maxSummary = 4096
	maxFrom    = 100
)

// address matches what Discord turns into a link. Inside of it nothing is markup,
// and a backslash would be part of it.
var address = regexp.MustCompile(`https?://[^\s<]+`)

// Characters that are markup anywhere, and those that are at the beginning of a
// line.
const (
	marks      = "\\*_~`|<[]()"
	firstMarks = "#>-+"
)

// escape makes text that Discord shows without any markup.
func escape(text string) string {
	text = strings.ToValidUTF8(text, "\uFFFD")
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = escapeLine(line)
	}
	return strings.Join(lines, "\n")
}

func escapeLine(line string) string {
	var out strings.Builder
	rest := strings.TrimLeftFunc(line, unicode.IsSpace)
	out.WriteString(line[:len(line)-len(rest)])
	rest = escapeStart(&out, rest)
	for rest != "" {
		next := address.FindStringIndex(rest)
		if next == nil {
			escapeMarks(&out, rest)
			break
		}
		escapeMarks(&out, rest[:next[0]])
		out.WriteString(rest[next[0]:next[1]])
		rest = rest[next[1]:]
	}
	return out.String()
}

// escapeStart keeps a line from becoming a heading, a quote or a list, and returns
// the rest.
func escapeStart(out *strings.Builder, line string) (rest string) {
	if line == "" {
		return line
	}
	if strings.IndexByte(firstMarks, line[0]) >= 0 {
		out.WriteString("\\" + line[:1])
		return line[1:]
	}
	digits := len(line) - len(strings.TrimLeft(line, "0123456789"))
	if digits > 0 && digits < len(line) && (line[digits] == '.' || line[digits] == ')') {
		out.WriteString(line[:digits] + "\\" + line[digits:digits+1])
		return line[digits+1:]
	}
	return line
}

// escapeMarks escapes markup. A mention of everybody notifies nobody, see
// noMentions; it must not look like one either.
func escapeMarks(out *strings.Builder, text string) {
	for i, r := range text {
		everybody := r == '@' && (strings.HasPrefix(text[i+1:], "everyone") || strings.HasPrefix(text[i+1:], "here"))
		if everybody || r < utf8.RuneSelf && strings.IndexByte(marks, byte(r)) >= 0 {
			out.WriteByte('\\')
		}
		out.WriteRune(r)
	}
}

// label precedes an op's text, "" for none.
func label(op chat.Op) string {
	name := naming.Label(op, maxFrom)
	if name == "" || op.Kind == chat.OpNote {
		return ""
	}
	var out strings.Builder
	escapeMarks(&out, name)
	return "**" + out.String() + ":**"
}

// render returns an op's text in Discord's markdown.
func render(op chat.Op) string {
	text := escape(op.Text)
	if op.Kind == chat.OpNote {
		return small(text)
	}
	if name := label(op); name != "" {
		return strings.TrimSuffix(name+"\n"+text, "\n")
	}
	return text
}

// noteSign begins a line that is printed small. No other text begins with it.
const noteSign = "-# "

// small prints text small, line by line.
func small(text string) string {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		if strings.TrimSpace(line) != "" {
			lines[i] = noteSign + strings.TrimLeftFunc(line, unicode.IsSpace)
		}
	}
	return strings.Join(lines, "\n")
}
