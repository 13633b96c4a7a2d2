package marks

import (
	"strings"
	"unicode"
)

// maxInside is how many characters a mark reaches over.
const maxInside = 500

var signs = []struct {
	style Style
	sign  string
}{{Bold, "**"}, {Italic, "_"}, {Struck, "~~"}}

// writeLine writes a line, or the part of one beside a block of code.
func (f *formatted) writeLine(from, to int) {
	if first := from < len(f.text) && (from == 0 || f.text[from-1] == '\n'); first && f.style[from]&Quote != 0 {
		f.out.WriteString("> ")
	}
	quiet, plain := f.quiet(from, to)
	if !plain {
		for i := from; i < to; i++ {
			f.unlink(i)
		}
	}
	if quiet && plain {
		f.write(from, to, 0)
	} else {
		f.write(from, to, len(signs))
	}
}

// unlink writes the address of a link behind its words instead.
func (f *formatted) unlink(i int) {
	if f.style[i]&link != 0 && f.behind[i] != "" {
		f.behind[i] = " (" + strings.TrimSuffix(strings.TrimPrefix(f.behind[i], "]("), ")") + ")"
	}
	f.style[i] &^= link | joined | Code
}

// quiet reports whether a line has no sign of its own that could be read together with
// a mark: none at all, and none outside of code and addresses.
func (f *formatted) quiet(from, to int) (all, outside bool) {
	all, outside = true, true
	for i := from; i < to; i++ {
		if f.style[i]&(Code|link) == Code {
			all = all && !strings.ContainsRune("*_~", f.text[i])
			outside = outside && f.text[i] != '`'
			continue
		}
		r := f.text[i]
		between := f.wordAt(i-1, from, to) && f.wordAt(i+1, from, to) && f.behind[i-1]+f.behind[i] == ""
		if r == '`' || r == '(' && i > from && f.text[i-1] == ']' || strings.ContainsRune("*_~", r) && !between {
			outside = false
		}
		if f.style[i]&(link|joined) == link && f.inAddress(i) {
			outside = false
		}
		all = all && !strings.ContainsAny(f.behind[i], "*_~")
	}
	return all, outside
}

// inAddress reports whether an address reaches up to a character: it would swallow
// the mark.
func (f *formatted) inAddress(at int) bool {
	from := at
	for ; from > 0; from-- {
		last := from - 1
		if f.behind[last] != "" && f.style[last]&link == 0 {
			return true
		}
		if unicode.IsSpace(f.text[last]) || strings.ContainsRune("<>\"'`", f.text[last]) {
			break
		}
	}
	before := strings.ToLower(string(f.text[from:at]))
	return strings.Contains(before, "://") || strings.Contains(before, "mailto:")
}

// wordAt reports whether a letter or a digit of the line stands there.
func (f *formatted) wordAt(i, from, to int) bool {
	return i >= from && i < to && (unicode.IsLetter(f.text[i]) || unicode.IsNumber(f.text[i]))
}

// write writes a part of a line with the signs from the next one on, each around the
// longest parts of its style.
func (f *formatted) write(from, to, next int) {
	if next == len(signs) {
		f.writeLeaves(from, to)
		return
	}
	style, sign := signs[next].style, signs[next].sign
	written := from
	for i := from; i < to; {
		end := i + 1
		for end < to && f.style[end]&style == f.style[i]&style {
			end++
		}
		if a, z := f.trimmed(i, end); f.style[i]&style != 0 && f.readable(a, z) {
			f.write(written, a, next+1)
			f.out.WriteString(sign)
			f.write(a, z, next+1)
			f.out.WriteString(sign)
			written = z
		}
		i = end
	}
	f.write(written, to, next+1)
}

// trimmed leaves out the spaces at both ends.
func (f *formatted) trimmed(from, to int) (int, int) {
	space := func(r rune) bool { return unicode.IsSpace(r) || r == '\ufeff' }
	for from < to && space(f.text[from]) && f.style[from]&link == 0 {
		from++
	}
	for to > from && space(f.text[to-1]) && f.style[to-1]&link == 0 {
		to--
	}
	return from, to
}

// readable reports whether a mark around a part of a line is read as one: it stands
// in no word, and does not reach too far.
func (f *formatted) readable(from, to int) bool {
	if from >= to || f.beside(from-1) || f.beside(to) || from > 0 && f.text[from-1] == '\\' || f.inAddress(from) {
		return false
	}
	size := 0
	for i := from; i < to; i++ {
		size += 1 + len(f.behind[i])
		if i > from && f.style[i] != f.style[i-1] {
			size += 2 * len("**_~~`[")
		}
	}
	return size <= maxInside
}

// beside reports whether a mark there would stand in a word.
func (f *formatted) beside(i int) bool {
	return f.wordAt(i, 0, len(f.text)) || i >= 0 && i < len(f.text) && strings.ContainsRune("*_~", f.text[i])
}

// writeLeaves writes text, code and links.
func (f *formatted) writeLeaves(from, to int) {
	for from < to {
		end := min(f.leaf(from), to)
		text := string(f.text[from:end])
		switch st := f.style[from]; {
		case st&link != 0:
			f.out.WriteString("[" + text)
		case st&Code != 0 && end-from <= maxInside && !strings.Contains(text, "\n"):
			text = "`" + text + "`"
			fallthrough
		default:
			f.out.WriteString(text)
		}
		for i := from; i < end; i++ {
			f.out.WriteString(f.behind[i])
		}
		from = end
	}
}
