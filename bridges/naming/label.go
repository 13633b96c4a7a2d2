package naming

import (
	"strings"

	"github.com/relay-chat/relay/bridges/cut"
	"github.com/relay-chat/relay/server/chat"
)

// Label precedes an op's text: the author in at most limit UTF-16 units, and a mark
// that the text replaces an earlier one.
func Label(op chat.Op, limit int) string {
	var parts []string
	if op.From != "" {
		parts = append(parts, cut.Line(op.From, limit))
	}
	if op.Edited {
		parts = append(parts, "✏️ edited")
	}
	return strings.Join(parts, " · ")
}

// WithoutFile replaces a file that cannot be shown by a text about it, and a link if
// there is one.
func WithoutFile(op chat.Op, about string) chat.Op {
	if op.File.URL != "" {
		about += ": " + op.File.URL
	}
	op.Text = strings.TrimPrefix(op.Text+"\n"+about, "\n")
	op.File = nil
	return op
}

// Split cuts an op into those that a platform accepts: text cuts what writes a message,
// open what opens a thread.
func Split(op chat.Op, text, open func(chat.Op) []chat.Op) []chat.Op {
	switch op.Kind {
	case chat.OpPost, chat.OpEdit, chat.OpNote:
		return text(op)
	case chat.OpOpen:
		return open(op)
	}
	return []chat.Op{op}
}
