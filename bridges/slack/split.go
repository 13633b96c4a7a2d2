package slack

import (
	"github.com/relay-chat/relay/bridges/cut"
	"github.com/relay-chat/relay/bridges/naming"
	"github.com/relay-chat/relay/server/chat"
)

// Split implements [chat.Bridge]. A file is sent alone, after the text. The parts of an
// edit after the first name no message: the caller assigns them the further copies, or
// posts them.
func (b *Bridge) Split(op chat.Op) []chat.Op { return naming.Split(op, splitText, splitOpen) }

// splitOpen keeps as much of the summary as the thread's first message holds; the rest
// becomes notes.
func splitOpen(op chat.Op) []chat.Op {
	pieces := cut.Pieces(op.Text, maxText-headRoom(op), maxText-len(noteSign), fit)
	if len(pieces) < 2 {
		return []chat.Op{op}
	}
	rest := op
	op.Text, rest.Kind = pieces[0], chat.OpNote
	parts := []chat.Op{op}
	for _, piece := range pieces[1:] {
		rest.Text = piece
		parts = append(parts, rest)
	}
	return parts
}

func splitText(op chat.Op) []chat.Op {
	if op.File == nil && weigh(op.Text) <= maxText-headRoom(op) || op.Text == "" {
		return []chat.Op{op}
	}
	parts := chat.Parts(op, cut.Pieces(op.Text, maxText-headRoom(op), maxText-len(noteSign), fit))
	if len(parts) == 0 {
		return []chat.Op{op}
	}
	return parts
}

// fit returns a beginning of text that fits into room.
func fit(text string, room int) string {
	for i, r := range text {
		if room -= weight(r); room < 0 {
			return cut.AtBreak(text[:max(i, 1)], text)
		}
	}
	return text
}
