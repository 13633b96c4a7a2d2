package telegram

import (
	"strings"
	"unicode"

	"relay/bridges/cut"
	"relay/server/chat"
)

// Split implements [chat.Bridge]. Of an op with a file and more text than a
// caption holds, the text goes first. The parts of an edit after the first
// name no message: the caller gives them the further copies, and what has none
// is posted.
func (b *Bridge) Split(op chat.Op) []chat.Op {
	switch op.Kind {
	case chat.OpPost, chat.OpEdit, chat.OpNote:
		return splitText(op)
	case chat.OpOpen:
		return splitOpen(op)
	}
	return []chat.Op{op}
}

// splitOpen takes the summary apart from the topic that it is for: a topic is
// made without a message.
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
	parts := chat.Parts(op, split(text, maxText-head, maxText))
	if len(parts) == 0 {
		return []chat.Op{op}
	}
	return parts
}

// labelUnits is how much of a message its label takes.
func labelUnits(op chat.Op) int {
	if name := label(op); name != "" && op.Kind != chat.OpNote {
		return cut.Units(silence(name)) + 1
	}
	return 0
}

// split cuts text into pieces of at most first and then limit units. Joined
// again they are the text, but for pieces of white space alone: Telegram takes
// no such message. It cuts behind a paragraph, else a line, else a word, as
// long as that fills half a message, and never inside a character.
func split(text string, first, limit int) []string {
	var pieces []string
	for room := first; text != ""; room = limit {
		room -= slack
		piece := text
		if cut.Units(text) > room {
			piece = cut.To(text, room)
			piece = piece[:cut.Breakpoint(piece, text)]
		}
		if strings.TrimFunc(piece, unicode.IsSpace) != "" {
			pieces = append(pieces, piece)
		}
		text = text[len(piece):]
	}
	return pieces
}

// slack is kept free in every piece: a cut may put an @ first, or the one of a
// web address that it takes apart, which then gets a joiner.
const slack = 2
