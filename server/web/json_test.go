package web

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode/utf8"
)

// FuzzJSON: what a body's check lets pass is an object that every database stores.
func FuzzJSON(f *testing.F) {
	for _, body := range []string{`{}`, `{"a":"\u0000"}`, `{"a":"\\u0000"}`, `[`, " \n{\"a\":[[[1]]]}", `{"a":"` + "\xff" + `"}`, `{"a":1}{`, strings.Repeat(`{"a":`, 40)} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		if checkJSON(body) != nil {
			return
		}
		var v map[string]any
		if err := json.Unmarshal(body, &v); err != nil || !utf8.Valid(body) {
			t.Fatalf("%q passed: %v", body, err)
		}
		if text := flat(v); strings.ContainsRune(text, 0) {
			t.Fatalf("%q passed with a NUL in it", body)
		}
	})
}

// flat is every text in a value.
func flat(v any) string {
	var all strings.Builder
	switch v := v.(type) {
	case string:
		return v
	case []any:
		for _, e := range v {
			all.WriteString(flat(e))
		}
	case map[string]any:
		for name, e := range v {
			all.WriteString(name + flat(e))
		}
	}
	return all.String()
}
