// Package marks writes a platform's formatting as the marks that widget and console
// draw: **bold**, _italic_, ~~struck~~, `code`, fences, > quotes, [words](address).
// A mark is written only where it is surely read as one; otherwise the text stays
// as it is. It imports nothing of relay.
package marks

import (
	"slices"
	"strings"
	"unicode"
)

// Style is a set of formats.
type Style uint8

// The formats of a character.
const (
	Bold Style = 1 << iota
	Italic
	Struck
	Code
	Block // code in lines of its own
	Quote
	link
	joined // with the character before, as one link
)

// Span is the range of a text's characters from From up to To.
type Span struct {
	From, To int
	Style    Style
	Link     string // an address
}

// maxSpans bounds the work; platforms have at most 100.
const maxSpans = 200

// formatted is a text with the format of each character.
type formatted struct {
	text   []rune
	style  []Style
	behind map[int]string // what follows a character: the address of a link
	out    strings.Builder
}

// Apply returns the text with marks. Spans outside of the text, and links that
// overlap, are ignored. A text with a line that may be a command or an internal note
// gets none: nothing may precede their signs.
func Apply(text []rune, spans []Span) string {
	f := &formatted{text: text, style: make([]Style, len(text)), behind: map[int]string{}}
	bare := instructs(text) || strings.Contains(string(text), "```")
	for _, s := range spans[:min(len(spans), maxSpans)] {
		if s.From < 0 || s.To > len(text) || s.From >= s.To {
			continue
		}
		if s.Link != "" {
			f.addLink(s, bare)
		} else if !bare {
			for i := s.From; i < s.To; i++ {
				f.style[i] |= s.Style
			}
		}
	}
	f.settle()
	f.writeAll()
	return f.out.String()
}

// instructs reports whether a line begins with a sign of commands or notes.
func instructs(text []rune) bool {
	begins := true
	for _, r := range text {
		switch {
		case strings.ContainsRune("\n\r\v\f\u0085\u2028\u2029", r):
			begins = true
		case !begins || unicode.IsSpace(r) || unicode.Is(unicode.Cf, r):
		case strings.ContainsRune("/／!！", r):
			return true
		default:
			begins = false
		}
	}
	return false
}

// addLink notes a link in brackets, or its address behind its words.
func (f *formatted) addLink(s Span, bare bool) {
	for i := s.From; i < s.To; i++ {
		if f.style[i]&link != 0 || f.behind[i] != "" {
			return
		}
	}
	words := string(f.text[s.From:s.To])
	target, ok := bracketed(words, s.Link)
	if bare || !ok {
		f.behind[s.To-1] = aside(words, s.Link)
		return
	}
	for i := s.From; i < s.To; i++ {
		f.style[i] |= link | joined
	}
	f.style[s.From] &^= joined
	f.behind[s.To-1] = "](" + target + ")"
}

// settle gives all of a link and all of a piece of code one format, for nothing
// inside of them is read as a mark; addresses stand behind them.
func (f *formatted) settle() {
	for from := 0; from < len(f.text); {
		to := f.leaf(from)
		all := f.style[from]
		for _, st := range f.style[from:to] {
			all &= st | link | joined
		}
		for i := from; i < to; i++ {
			f.style[i] = all | f.style[i]&(joined|Quote)
			if asides := f.behind[i]; i < to-1 && asides != "" {
				f.behind[i], f.behind[to-1] = "", asides+f.behind[to-1]
			}
		}
		from = to
	}
}

// leaf returns the end of the link, the code, or the one character that begins at from.
func (f *formatted) leaf(from int) int {
	to := from + 1
	switch st := f.style[from]; {
	case st&Block != 0:
		for ; to < len(f.text) && f.style[to]&Block != 0; to++ {
		}
	case st&link != 0:
		for ; to < len(f.text) && f.style[to]&joined != 0; to++ {
		}
	case st&Code != 0:
		for ; to < len(f.text) && f.style[to]&(Code|Block|link) == Code && f.text[to] != '\n' && f.text[from] != '\n'; to++ {
		}
	}
	return to
}

// writeAll writes blocks of code and lines.
func (f *formatted) writeAll() {
	for from := 0; from < len(f.text); {
		to := from
		if f.style[from]&Block != 0 {
			to = f.leaf(from)
			f.writeBlock(from, to)
		} else {
			for to < len(f.text) && f.text[to] != '\n' && f.style[to]&Block == 0 {
				to++
			}
			f.writeLine(from, to)
			if to < len(f.text) && f.text[to] == '\n' {
				f.out.WriteByte('\n')
				to++
			}
		}
		from = to
	}
}

// writeBlock writes lines of code in a fence.
func (f *formatted) writeBlock(from, to int) {
	code := strings.Trim(string(f.text[from:to]), "\n")
	if strings.TrimSpace(code) == "" || slices.Contains(f.text, '`') {
		for i := from; i < to; i++ {
			f.unlink(i)
			f.out.WriteString(string(f.text[i]) + f.behind[i])
		}
		return
	}
	if from > 0 && f.text[from-1] != '\n' {
		f.out.WriteByte('\n')
	}
	f.out.WriteString("```\n" + code + "\n```")
	if to < len(f.text) && f.text[to] != '\n' {
		f.out.WriteByte('\n')
	}
}
