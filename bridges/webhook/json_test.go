package webhook

import (
	"encoding/json"
	"testing"
)

// TestEncodeMatchesReceivers: what is escaped without need is not.
func TestEncodeMatchesReceivers(t *testing.T) {
	for _, tt := range []struct {
		name string
		data any
		want string
	}{
		{"markup", "<b>Q&A</b>", `"<b>Q&A</b>"`},
		{"line separators", "a\u2028b\u2029c", "\"a\u2028b\u2029c\""},
		{"what must be escaped", "\"\\\n\t\r\b\f\x00\x1f\x7f", `"\"\\\n\t\r\b\f\u0000\u001f` + "\x7f\""},
		{"an escape that somebody typed", `\u003c \\u003c`, `"\\u003c \\\\u003c"`},
		{"raw, from Python", json.RawMessage(`{"caf\u00e9":"\u003c\/b\ud83d\ude00"}`), `{"café":"</b😀"}`},
		{"raw, escaped for a reason", json.RawMessage(`["\u0022\u005c\u0007","\ud83d","\ude00x","\ud83d\ud83d\ude00","\\u00e9\\\u00e9"]`), `["\u0022\u005c\u0007","\ud83d","\ude00x","\ud83d😀","\\u00e9\\é"]`},
		{"numbers", json.RawMessage(`[1.50,12345678901234567890]`), `[1.50,12345678901234567890]`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			got, err := encode(tt.data)
			if err != nil || string(got) != tt.want {
				t.Errorf("got %s, %v, want %s", got, err, tt.want)
			}
		})
	}
}

// FuzzUnescape: a JSON text stays one and says the same.
func FuzzUnescape(f *testing.F) {
	for _, seed := range []string{`{"a":"\u003c\ud83d\ude00\\u0041\/"}`, `"\ud83d"`, `"\\`, `\u00`, `"a\u2028"`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		var before, after any
		valid := json.Unmarshal(text, &before) == nil
		got := unescape(append([]byte(nil), text...))
		if !valid {
			return
		}
		if err := json.Unmarshal(got, &after); err != nil {
			t.Fatalf("%q became %q: %v", text, got, err)
		}
		a, _ := json.Marshal(before)
		b, _ := json.Marshal(after)
		if string(a) != string(b) {
			t.Errorf("%q became %q", text, got)
		}
	})
}
