package slack

import (
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"relay/server/chat"
)

// Lengths in characters as they are sent. Slack cuts a text at 40,000 and
// advises 4,000 (https://docs.slack.dev/reference/methods/chat.postMessage).
const (
	maxText     = 3900
	maxEdit     = 4000 // chat.update takes no more
	maxFrom     = 200
	maxTitle    = 150
	maxUsername = 80
	maxQuote    = 120
)

var escaper = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;")

// escape makes text that means nothing: no mention, no link of others' words.
// Slack escapes these three characters and no others.
func escape(text string) string { return escaper.Replace(strings.ToValidUTF8(text, "\uFFFD")) }

// weight is how much of a message a character takes once it is escaped.
func weight(r rune) int {
	switch r {
	case '&':
		return len("&amp;")
	case '<', '>':
		return len("&lt;")
	}
	return max(utf16.RuneLen(r), 1)
}

func weigh(text string) (n int) {
	for _, r := range text {
		n += weight(r)
	}
	return n
}

// look is how an op is shown.
type look struct {
	text string // escaped
	// markup tells that the text has some of relay's: Slack reads none
	// otherwise.
	markup   bool
	username string // who seems to write, "" for the app
}

// Notes begin with a sign: they are written by the same bot as what visitors
// say.
const noteSign = "ℹ️ "

// headRoom is how much of a message may stand before an op's text. The sign of
// an edit counts always: an edit is split like the post that it changes.
func headRoom(op chat.Op) (n int) {
	quote := ""
	if op.ReplyTo != "" {
		quote = strings.Repeat("&", maxQuote)
	}
	op.Text, op.Edited = "", op.Kind != chat.OpNote
	head := parentText(op)
	if op.Kind != chat.OpOpen {
		head = show(op, false, quote).text
	}
	for _, r := range head {
		n += max(utf16.RuneLen(r), 1)
	}
	return n + len("\n")
}

// show renders an op; quote is the beginning of the message that it answers.
func show(op chat.Op, named bool, quote string) look {
	from := oneLine(op.From, maxFrom)
	l := look{text: escape(op.Text)}
	var head strings.Builder
	switch {
	case op.Kind == chat.OpNote:
		head.WriteString(noteSign)
	case named:
		l.username = oneLine(op.From, maxUsername)
		if from == "" {
			l.username = "Visitor"
		}
	case from != "":
		l.markup = true
		head.WriteString("*" + escape(withoutMarks(from)) + ":*\n")
	}
	if op.Edited {
		head.WriteString("✏️ edited:\n")
	}
	if quote != "" {
		head.WriteString("↩ “" + escape(quote) + "”\n")
	}
	if l.text == "" {
		l.text = strings.TrimSuffix(head.String(), "\n")
	} else {
		l.text = head.String() + l.text
	}
	return l
}

// withoutMarks takes out of a name what would end its bold letters.
func withoutMarks(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("*_~`", r) {
			return -1
		}
		return r
	}, name)
}

// parentText is the message that a thread hangs on.
func parentText(op chat.Op) string {
	title := oneLine(op.Title, maxTitle)
	if title == "" {
		title = "Visitor"
	}
	if strings.TrimSpace(op.Text) == "" {
		return "💬 " + escape(title)
	}
	return "💬 " + escape(title) + "\n" + escape(op.Text)
}

// oneLine takes what is not printed out of a text and bounds it in characters.
func oneLine(text string, limit int) string {
	text = strings.Join(strings.Fields(strings.Map(printed, text)), " ")
	if utf8.RuneCountInString(text) <= limit {
		return text
	}
	return strings.TrimRight(string([]rune(text)[:limit-1]), " ") + "…"
}

// printed maps control characters to spaces and drops those that turn the
// direction of text or are nothing.
func printed(r rune) rune {
	switch {
	case r < ' ', 0x7F <= r && r <= 0x9F, r == 0x2028, r == 0x2029:
		return ' '
	case 0x200B <= r && r <= 0x200F && r != 0x200D, 0x202A <= r && r <= 0x202E, 0x2060 <= r && r <= 0x2069, r == 0xFEFF, r == utf8.RuneError:
		return -1
	}
	return r
}
