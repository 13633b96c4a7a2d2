package webhook

import (
	"bytes"
	"encoding/json"
	"strconv"
	"unicode/utf16"
	"unicode/utf8"
)

// encode renders data as JavaScript's JSON.stringify does, so that a receiver may
// parse a body, serialise it again and still verify the signature, unless custom
// data has unusual keys or numbers.
func encode(data any) (json.RawMessage, error) {
	text, err := json.Marshal(data)
	return unescape(text), err
}

// unescape replaces, in place, every needless escape of a JSON text, whether
// encoding/json or the sender of a custom event made it.
func unescape(text []byte) []byte {
	next := bytes.IndexByte(text, '\\')
	if next < 0 {
		return text
	}
	out := text[:next]
	for rest := text[next:]; len(rest) > 0; {
		r, size := escaped(rest)
		if size > 0 {
			out, rest = utf8.AppendRune(out, r), rest[size:]
			continue
		}
		size = min(2, len(rest)) // a necessary escape and its character
		if rest[0] != '\\' {
			size = 1
		}
		out, rest = append(out, rest[:size]...), rest[size:]
	}
	return out
}

// escaped reads a needless escape at the beginning of a text; size is 0 when
// there is none. Quotes, backslashes, control characters and lone surrogates
// stay escaped.
func escaped(text []byte) (r rune, size int) {
	if len(text) > 1 && text[0] == '\\' && text[1] == '/' {
		return '/', 2
	}
	r = unit(text)
	if utf16.IsSurrogate(r) && len(text) > 6 {
		if r = utf16.DecodeRune(r, unit(text[6:])); r != utf8.RuneError {
			return r, 12
		}
		return 0, 0
	}
	if r < 0x20 || r == '"' || r == '\\' || utf16.IsSurrogate(r) {
		return 0, 0
	}
	return r, 6
}

// unit reads \uXXXX at the beginning of a text, -1 when there is none.
func unit(text []byte) rune {
	if len(text) < 6 || text[0] != '\\' || text[1] != 'u' {
		return -1
	}
	n, err := strconv.ParseUint(string(text[2:6]), 16, 16)
	if err != nil {
		return -1
	}
	return rune(n)
}
