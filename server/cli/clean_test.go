package cli

import (
	"encoding/json"
	"testing"
)

// TestClean: nothing of what a stranger wrote can steer a terminal, or look like a line of relay's.
func TestClean(t *testing.T) {
	for text, want := range map[string]string{
		"plain":                       "plain",
		"\x1b[31mred\x1b]0;title\x07": "�[31mred�]0;title�",
		"\u009b31m":                   "�31m",
		"a\u202eb\u2066c\u200f":       "a�b�c�",
		"a\r\nb\rc\td":                "a\nb�c d",
		"\xff\xfe":                    "��",
		"a\u2028b":                    "a�b",
		"👩\u200d👩, می\u200cخواهم, \u2764\ufe0f": "👩\u200d👩, می\u200cخواهم, \u2764\ufe0f",
	} {
		if got := Clean(text); got != want {
			t.Errorf("Clean(%q) = %q, want %q", text, got, want)
		}
	}
	if got := OneLine(" a\n\n2026-01-01  Ada (team)\r\nb "); got != "a 2026-01-01 Ada (team) b" {
		t.Errorf("OneLine = %q", got)
	}
	if got := indented("a\nb"); got != "    a\n    b" {
		t.Errorf("indented = %q", got)
	}
}

// TestCleanJSON: what programs read means the same.
func TestCleanJSON(t *testing.T) {
	text := "a\u009b\u202e\U000e0041\u2028\u200d é\x7f 👍"
	data := cleanJSON(`{"a":"` + text + `"}`)
	var back struct{ A string }
	if err := json.Unmarshal([]byte(data), &back); err != nil || back.A != text {
		t.Errorf("%s reads %q, %v", data, back.A, err)
	}
	for _, r := range data {
		if hostile(r) {
			t.Errorf("%q is in %s", r, data)
		}
	}
}
