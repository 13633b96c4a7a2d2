package server

import (
	"bytes"
	"encoding/json"
	"reflect"
	"strings"
	"unicode/utf8"
)

// maxDepth is how deep a body's arrays and objects may nest.
const maxDepth = 32

// checkJSON refuses what encoding/json would let pass: text that is not UTF-8,
// NUL characters, which Postgres cannot store, and absurd nesting.
func checkJSON(body []byte) error {
	trimmed := bytes.TrimLeft(body, " \t\r\n")
	switch {
	case len(trimmed) == 0:
		return badRequest("The body must be a JSON object")
	case !utf8.Valid(body):
		return badRequest("Invalid JSON: the text is not UTF-8")
	case depth(body) > maxDepth:
		return badRequest("Invalid JSON: nested too deeply")
	case !json.Valid(body):
		return badRequest("Invalid JSON")
	case trimmed[0] != '{':
		return badRequest("The body must be a JSON object")
	case hasNUL(body):
		return badRequest("Invalid JSON: NUL characters are not allowed")
	}
	return nil
}

// marshal renders our own values, on which encoding/json cannot fail.
func marshal(v any) ([]byte, error) { return json.Marshal(v) }

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
		i++ // whatever is escaped is not an escape itself
	}
	return false
}

// pathIn is the path of a field in a body: encoding/json puts the names of
// embedded structs into it, which the body does not have.
func pathIn(t reflect.Type, path string) string {
	var names []string
	for name := range strings.SplitSeq(path, ".") {
		for t.Kind() == reflect.Slice || t.Kind() == reflect.Pointer {
			t = t.Elem()
		}
		field, found := fieldNamed(t, name)
		if !found || !field.Anonymous {
			names = append(names, name)
		}
		if found {
			t = field.Type
		}
	}
	return strings.Join(names, ".")
}

// fieldNamed finds a field by its name in JSON, or an embedded one by its type.
func fieldNamed(t reflect.Type, name string) (field reflect.StructField, found bool) {
	if t.Kind() != reflect.Struct {
		return field, false
	}
	for f := range t.Fields() {
		tag, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if tag == name || tag == "" && f.Name == name {
			return f, true
		}
	}
	return field, false
}

// describe names a Go type in JSON's words.
func describe(t reflect.Type) string {
	switch t.Kind() {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Int, reflect.Int32, reflect.Int64:
		return "a whole number"
	case reflect.Float64:
		return "a number"
	case reflect.Slice:
		return "an array"
	}
	return "an object"
}
