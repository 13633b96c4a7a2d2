package web

import (
	"bytes"
	"encoding/json"
	"unicode/utf8"
)

// maxDepth is how deep a body's arrays and objects may nest.
const maxDepth = 32

// checkJSON rejects what encoding/json accepts: text that is not UTF-8,
// NUL characters, which Postgres cannot store, and absurd nesting.
func checkJSON(body []byte) error {
	trimmed := bytes.TrimLeft(body, " \t\r\n")
	switch {
	case len(trimmed) == 0:
		return BadRequest("The body must be a JSON object")
	case !utf8.Valid(body):
		return BadRequest("Invalid JSON: the text is not UTF-8")
	case depth(body) > maxDepth:
		return BadRequest("Invalid JSON: nested too deeply")
	case !json.Valid(body):
		return BadRequest("Invalid JSON")
	case trimmed[0] != '{':
		return BadRequest("The body must be a JSON object")
	case hasNUL(body):
		return BadRequest("Invalid JSON: NUL characters are not allowed")
	}
	return nil
}

// depth returns how deep arrays and objects nest.
func depth(body []byte) int {
	deepest, level, inText := 0, 0, false
	for i := 0; i < len(body); i++ {
		switch c := body[i]; {
		case inText && c == '\\':
			i++
		case c == '"':
			inText = !inText
		case inText:
		case c == '{' || c == '[':
			level++
			deepest = max(deepest, level)
		case c == '}' || c == ']':
			level--
		}
	}
	return deepest
}

// hasNUL reports whether valid JSON has an escaped NUL character.
func hasNUL(body []byte) bool {
	for i := 0; i+5 < len(body); i++ {
		if body[i] != '\\' {
			continue
		}
		if string(body[i+1:i+6]) == "u0000" {
			return true
		}
		i++ // the escaped character does not begin an escape
	}
	return false
}
