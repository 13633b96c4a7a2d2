package telegram

import (
	"strings"

	"github.com/relay-chat/relay/bridges/cut"
	"github.com/relay-chat/relay/bridges/naming"
	"github.com/relay-chat/relay/server/chat"
)

// Split implements [chat.Bridge]. If a text is too long for a file's caption, the
// text goes first. The parts of an edit after the first name no message: the caller
// assigns them the further copies, or posts them.
func (b *Bridge) Split(op chat.Op) []chat.Op { return naming.Split(op, splitText, splitOpen) }

// splitOpen separates a topic from its summary: a topic is created without a
// message.
func splitOpen(op chat.Op) []chat.Op {
	summary := op
	summary.Kind, op.Text = chat.OpNote, ""
	if strings.TrimSpace(summary.Text) == "" {
		return []chat.Op{op}
	}
	return append([]chat.Op{op}, splitText(summary)...)
}

func splitText(op chat.Op) []chat.Op {
	text, head := silence(op.Text), labelUnits(op)
	if op.File != nil && head+cut.Units(text) <= maxCaption || op.File == nil && head+cut.Units(text) <= maxText {
		return []chat.Op{op}
	}
	parts := chat.Parts(op, cut.Pieces(text, maxText-head, maxText, fit))
	if len(parts) == 0 {
		return []chat.Op{op}
	}
	return parts
}

// labelUnits returns the length of an op's label.
func labelUnits(op chat.Op) int {
	if name := label(op); name != "" && op.Kind != chat.OpNote {
		return cut.Units(silence(name)) + 1
	}
	return 0
}

// fit returns a beginning of text that fits into room.
func fit(text string, room int) string { return cut.AtBreak(cut.To(text, room-slack), text) }

// slack is reserved in every piece: a cut may put an @ first, also one of a web
// address, and it then gets a joiner.
const slack = 2
