package discord

import (
	"strings"
	"unicode/utf8"

	"github.com/relay-chat/relay/bridges/cut"
	"github.com/relay-chat/relay/bridges/naming"
	"github.com/relay-chat/relay/server/chat"
)

// Split implements [chat.Bridge]. If a text is too long for a file's message, or the
// file is a voice message, the text goes first. The parts of an edit after the first name no message: the caller
// assigns them the further copies, or posts them.
func (b *Bridge) Split(op chat.Op) []chat.Op { return naming.Split(op, splitText, splitOpen) }

// splitOpen keeps as much of the summary as the thread's first message holds; the
// rest becomes notes.
func splitOpen(op chat.Op) []chat.Op {
	pieces := split(op.Text, maxSummary, maxText, escape)
	if len(pieces) < 2 {
		return []chat.Op{op}
	}
	summary := op
	op.Text = pieces[0]
	summary.Kind, summary.Text = chat.OpNote, strings.Join(pieces[1:], "")
	return append([]chat.Op{op}, splitText(summary)...)
}

func splitText(op chat.Op) []chat.Op {
	if needsHead(op) && op.Text == "" {
		op.Text = "🎤 " + op.File.Filename
	} else if cut.Units(render(op)) <= maxText && !needsHead(op) {
		return []chat.Op{op}
	}
	form := escape
	if op.Kind == chat.OpNote {
		form = func(text string) string { return small(escape(text)) }
	}
	head := 0
	if name := label(op); name != "" {
		head = cut.Units(name) + 1
	}
	return chat.Parts(op, split(op.Text, maxText-head, maxText, form))
}

// split cuts text into pieces of at most first, then limit units in their rendered
// form.
func split(text string, first, limit int, form func(string) string) []string {
	return cut.Pieces(text, first, limit, func(text string, room int) string { return fitting(text, room, form) })
}

// fitting returns a beginning of text that fits into room.
func fitting(text string, room int, form func(string) string) string {
	piece := cut.To(text, room)
	for {
		piece = cut.AtBreak(piece, text)
		sent := cut.Units(form(piece))
		if sent <= room {
			return piece
		}
		long := cut.Units(piece)
		shorter := cut.To(piece, min(long*room/sent, long-1))
		if shorter == "" { // one character that does not fit: never with our limits
			_, size := utf8.DecodeRuneInString(text)
			return text[:size]
		}
		piece = shorter
	}
}
