package slack

import (
	"strings"
	"unicode"

	"github.com/relay-chat/relay/server/chat"
)

// Split implements [chat.Bridge]. A file goes alone, behind the text. The parts
// of an edit after the first name no message: the caller gives them the further
// copies, and what has none is posted.
func (b *Bridge) Split(op chat.Op) []chat.Op {
	switch op.Kind {
	case chat.OpPost, chat.OpEdit, chat.OpNote:
		return splitText(op)
	case chat.OpOpen:
		return splitOpen(op)
	}
	return []chat.Op{op}
}

// splitOpen leaves to the first message of a thread what it carries of the
// summary; the rest are notes.
func splitOpen(op chat.Op) []chat.Op {
	pieces := split(op.Text, maxText-headRoom(op), maxText-len(noteSign))
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
	parts := chat.Parts(op, split(op.Text, maxText-headRoom(op), maxText-len(noteSign)))
	if len(parts) == 0 {
		return []chat.Op{op}
	}
	return parts
}

// split cuts text into pieces of at most first and then limit. Joined again
// they are the text, but for pieces of white space alone: Slack takes no such
// message. It cuts behind a paragraph, else a line, else a word, as long as
// that fills half a message, and never inside a character.
func split(text string, first, limit int) (pieces []string) {
	for room := first; text != ""; room = limit {
		piece := begin(text, room)
		if len(piece) < len(text) {
			piece = piece[:breakpoint(piece)]
		}
		if strings.TrimFunc(piece, unicode.IsSpace) != "" {
			pieces = append(pieces, piece)
		}
		text = text[len(piece):]
	}
	return pieces
}

// begin returns the longest beginning of text that has room.
func begin(text string, room int) string {
	whole := 0 // the end of the last character with all that belongs to it
	for i, r := range text {
		if !joins(r) && (i == 0 || !strings.HasSuffix(text[:i], zeroWidthJoiner)) {
			whole = i
		}
		if room -= weight(r); room < 0 {
			if i-whole > maxCharacter || whole == 0 {
				return text[:max(i, 1)]
			}
			return text[:whole]
		}
	}
	return text
}

// maxCharacter bounds what is held together as one character, in bytes.
const maxCharacter = 64

const zeroWidthJoiner = "\u200D"

// joins reports whether a rune belongs to the one before it.
func joins(r rune) bool { return unicode.In(r, unicode.Mn, unicode.Me) || string(r) == zeroWidthJoiner }

// breakpoint returns where to cut a piece.
func breakpoint(piece string) int {
	for _, mark := range []string{"\n\n", "\n", " "} {
		if i := strings.LastIndex(piece, mark); i >= len(piece)/2 {
			return i + len(mark)
		}
	}
	return len(piece)
}
