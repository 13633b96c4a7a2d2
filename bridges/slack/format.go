package slack

import (
	"regexp"
	"strings"
	"unicode/utf16"

	"github.com/relay-chat/relay/bridges/cut"
	"github.com/relay-chat/relay/bridges/naming"
	"github.com/relay-chat/relay/server/chat"
	"github.com/slack-go/slack"
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

// escape makes text without mentions and links. Slack requires these three characters
// to be escaped and no others.
func escape(text string) string { return escaper.Replace(strings.ToValidUTF8(text, "\uFFFD")) }

// weight returns the length of a character once it is escaped.
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

// rendered is an op as Slack shows it.
type rendered struct {
	text string // escaped
	// markup means that relay formatted the text; without it Slack interprets nothing.
	markup   bool
	username string // the displayed author, "" for the app
}

// noteSign begins notes: the same bot writes visitors' messages.
const noteSign = "ℹ️ "

// headRoom returns the room for what precedes an op's text. The mark of an edit always
// counts: an edit is split like the post that it changes.
func headRoom(op chat.Op) (n int) {
	quote := ""
	if op.ReplyTo != "" {
		quote = strings.Repeat("&", maxQuote)
	}
	op.Text, op.Edited = "", op.Kind != chat.OpNote
	head := parentText(op)
	if op.Kind != chat.OpOpen {
		head = render(op, false, quote).text
	}
	for _, r := range head {
		n += max(utf16.RuneLen(r), 1)
	}
	return n + len("\n")
}

// render renders an op; quote is the beginning of the message that it answers.
func render(op chat.Op, named bool, quote string) rendered {
	from := cut.Line(op.From, maxFrom)
	out := rendered{text: escape(op.Text)}
	var head strings.Builder
	switch {
	case op.Kind == chat.OpNote:
		head.WriteString(noteSign)
	case named:
		out.username = cut.Line(op.From, maxUsername)
		if from == "" {
			out.username = "Visitor"
		}
	case from != "":
		out.markup = true
		head.WriteString("*" + escape(withoutMarks(from)) + ":*\n")
	}
	if op.Edited {
		head.WriteString("✏️ edited:\n")
	}
	head.WriteString(quoteLine(quote))
	if out.text == "" {
		out.text = strings.TrimSuffix(head.String(), "\n")
	} else {
		out.text = head.String() + out.text
	}
	return out
}

// quoteLine returns the line that quotes a message, "" for none.
func quoteLine(words string) string {
	if words == "" {
		return ""
	}
	return "↩ “" + escape(words) + "”\n"
}

// withoutMarks removes from a name the characters that would end its bold text.
func withoutMarks(name string) string {
	return strings.Map(func(r rune) rune {
		if strings.ContainsRune("*_~`", r) {
			return -1
		}
		return r
	}, name)
}

// parentText returns the first message of a thread.
func parentText(op chat.Op) string {
	title := naming.Title(op.Title, maxTitle)
	if strings.TrimSpace(op.Text) == "" {
		return "💬 " + escape(title)
	}
	return "💬 " + escape(title) + "\n" + escape(op.Text)
}

// webAddress matches what becomes a link: rich text finds none by itself.
var webAddress = regexp.MustCompile(`https?://[^\s<>"]+`)

// rich converts a text to rich text, in which no character is markup: chat.update
// reads markup in every text, whatever the post was
// (https://docs.slack.dev/reference/block-kit/blocks/rich-text-block). The first line
// of a text with markup is its author, between asterisks.
func rich(out rendered) slack.MsgOption {
	text := plain(out.text, func(string) string { return "somebody" })
	var parts []slack.RichTextSectionElement
	if line, rest, more := strings.Cut(text, "\n"); out.markup && len(line) > 2 {
		parts = append(parts, slack.NewRichTextSectionTextElement(line[1:len(line)-1], &slack.RichTextSectionTextStyle{Bold: true}))
		if text = ""; more {
			text = "\n" + rest
		}
	}
	done := 0
	for _, at := range webAddress.FindAllStringIndex(text, -1) {
		if at[0] > done {
			parts = append(parts, slack.NewRichTextSectionTextElement(text[done:at[0]], nil))
		}
		parts = append(parts, slack.NewRichTextSectionLinkElement(text[at[0]:at[1]], "", nil))
		done = at[1]
	}
	if done < len(text) {
		parts = append(parts, slack.NewRichTextSectionTextElement(text[done:], nil))
	}
	return slack.MsgOptionBlocks(slack.NewRichTextBlock("", slack.NewRichTextSection(parts...)))
}
