package marks_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/relay-chat/relay/bridges/marks"
	"github.com/relay-chat/relay/server/engine"
)

// spans finds each style's words in a text.
func spans(text string, styles ...any) (list []marks.Span) {
	for i := 0; i < len(styles); i += 2 {
		at := strings.Index(text, styles[i].(string))
		from := utf8.RuneCountInString(text[:at])
		s := marks.Span{From: from, To: from + utf8.RuneCountInString(styles[i].(string))}
		switch v := styles[i+1].(type) {
		case marks.Style:
			s.Style = v
		case string:
			s.Link = v
		}
		list = append(list, s)
	}
	return list
}

func TestApply(t *testing.T) {
	const shop = "https://shop.example/a"
	for _, c := range []struct {
		name, text string
		styles     []any
		want       string
	}{
		{"nothing", "2*3*4 _x_", nil, "2*3*4 _x_"},
		{"each", "😀 bold it no code", []any{"bold", marks.Bold, "it", marks.Italic, "no", marks.Struck, "code", marks.Code}, "😀 **bold** _it_ ~~no~~ `code`"},
		{"all at once", "x word y", []any{"word", marks.Bold | marks.Italic | marks.Struck}, "x **_~~word~~_** y"},
		{"nested", "a b c", []any{"a b c", marks.Bold, "b", marks.Italic}, "**a _b_ c**"},
		{"overlapping", "one, two, three", []any{"one, two,", marks.Bold, "two, three", marks.Italic}, "**one, _two,_** _three_"},
		{"twice", "word", []any{"word", marks.Bold, "wo", marks.Bold, "ord", marks.Bold}, "**word**"},
		{"spaces", "a  b  c", []any{"  b  ", marks.Bold}, "a  **b**  c"},
		{"only spaces", "a   b", []any{"   ", marks.Bold}, "a   b"},
		{"lines", "one\ntwo\n\nthree", []any{"one\ntwo\n\nthree", marks.Bold}, "**one**\n**two**\n\n**three**"},
		{"in a word", "unbelievable", []any{"believ", marks.Bold}, "unbelievable"},
		{"behind a backslash", `\word`, []any{"word", marks.Bold}, `\word`},
		{"a product", "2*3*4 is 24", []any{"24", marks.Bold}, "2*3*4 is **24**"},
		{"a star of one's own", "* 24", []any{"24", marks.Bold}, "* 24"},
		{"marks of one's own", "_x_ bold", []any{"bold", marks.Bold}, "_x_ bold"},
		{"half a snake", "👍snake_case", []any{"👍snake", marks.Italic}, "👍snake_case"},
		{"a snake", "use snake_case now", []any{"use", marks.Italic}, "_use_ snake_case now"},
		{"code with stars", "bold a*b", []any{"bold", marks.Bold, "a*b", marks.Code}, "bold `a*b`"},
		{"code with backticks", "bold a`b", []any{"bold", marks.Bold, "a`b", marks.Code}, "bold a`b"},
		{"too long", strings.Repeat("a", 501), []any{strings.Repeat("a", 501), marks.Bold}, strings.Repeat("a", 501)},
		{"lines of code", "run:\nls\ncd\nok", []any{"ls\ncd", marks.Block}, "run:\n```\nls\ncd\n```\nok"},
		{"lines of code in a line", "run ls, ok", []any{"ls", marks.Block}, "run \n```\nls\n```\n, ok"},
		{"lines of code with backticks", "a `b`", []any{"a `b`", marks.Block}, "a `b`"},
		{"bold code", "x\nls\ny", []any{"x\nls\ny", marks.Bold, "ls", marks.Block}, "**x**\n```\nls\n```\n**y**"},
		{"a fence of one's own", "```\nx\n``` bold", []any{"bold", marks.Bold}, "```\nx\n``` bold"},
		{"quote", "one\n\ntwo\nend", []any{"one\n\ntwo", marks.Quote, "two", marks.Bold}, "> one\n> \n> **two**\nend"},
		{"link", "see the docs", []any{"the docs", shop}, "see [the docs](" + shop + ")"},
		{"bold link", "see the docs", []any{"the docs", marks.Bold, "the docs", shop}, "see **[the docs](" + shop + ")**"},
		{"half a bold link", "see the docs", []any{"docs", marks.Bold, "the docs", shop}, "see [the docs](" + shop + ")"},
		{"its own address", "shop.example/a", []any{"shop.example/a", shop}, "shop.example/a"},
		{"another address", "bank.example", []any{"bank.example", shop}, "bank.example (" + shop + ")"},
		{"other schemes", "click", []any{"click", "javascript:alert(1)"}, "click (javascript:alert(1))"},
		{"an app", "click", []any{"click", "tg://user?id=1"}, "click (tg://user?id=1)"},
		{"mail", "write", []any{"write", "mailto:a@b.example"}, "[write](mailto:a@b.example)"},
		{"address with brackets", "x", []any{"x", shop + "_(b)"}, "[x](" + shop + "_%28b%29)"},
		{"address with marks", "x y", []any{"x", shop + "_b_", "y", marks.Italic}, "[x](" + shop + "_b_) y"},
		{"words with brackets", "[x]", []any{"[x]", shop}, "[x] (" + shop + ")"},
		{"a note as words", "see //x", []any{"//x", shop}, "see //x (" + shop + ")"},
		{"two lines of a link", "one\ntwo", []any{"one\ntwo", shop}, "one\ntwo (" + shop + ")"},
		{"overlapping links", "one two", []any{"one", shop, "one two", "https://b.example"}, "[one](" + shop + ") two"},
		{"overlapping addresses", "a.b c.d", []any{"a.b", shop, "a.b c.d", "https://b.example"}, "a.b (" + shop + ") c.d"},
		{"beside an address", "https://a.example/,bold", []any{"bold", marks.Bold}, "https://a.example/,bold"},
		{"a link beside an address", "https://a.net/,x", []any{"x", shop}, "https://a.net/,x (" + shop + ")"},
		{"beside a link's address", "x.y,bold", []any{"x.y", shop, "bold", marks.Bold}, "x.y (" + shop + "),bold"},
		{"an address", "https://a.example/ ok", []any{"https://a.example/ ok", marks.Bold}, "**https://a.example/ ok**"},
		{"a note", "// all bold", []any{"// all bold", marks.Bold}, "// all bold"},
		{"a note below", "bold\n // x", []any{"bold", marks.Bold}, "bold\n // x"},
		{"a command", "!close now", []any{"!close", marks.Code, "now", shop}, "!close now (" + shop + ")"},
		{"a quoted command", "/close", []any{"/close", marks.Quote}, "/close"},
		{"a note in code", "\u200b// x\ny", []any{"\u200b// x\ny", marks.Block}, "\u200b// x\ny"},
	} {
		if got := marks.Apply([]rune(c.text), spans(c.text, c.styles...)); got != c.want {
			t.Errorf("%s:\n got %q\nwant %q", c.name, got, c.want)
		}
	}
}

// Spans outside of a text have no effect.
func TestApplyOutside(t *testing.T) {
	text := []rune("ab")
	for _, s := range []marks.Span{{From: -1, To: 1}, {From: 1, To: 3}, {From: 1, To: 1}, {From: 2, To: 1}, {From: 1 << 40, To: 1 << 41}} {
		s.Style, s.Link = marks.Bold, "https://a.example"
		if got := marks.Apply(text, []marks.Span{s}); got != "ab" {
			t.Errorf("%+v: %q", s, got)
		}
	}
}

// FuzzApply: whatever the spans, all words stay in their order, and what is withheld
// from visitors without marks is withheld with them.
func FuzzApply(f *testing.F) {
	f.Add("a **b** `c`\n> d", []byte{0, 3, 1, 2, 9, 2, 1, 5, 64}, "https://a.example/_x_")
	f.Add("// note\n\u200b!close", []byte{0, 7, 255, 8, 12, 8}, "mailto:x")
	f.Add("one\n\ntwo ```x``` [a](b)", []byte{0, 20, 16, 3, 9, 32}, "javascript:(1)")
	f.Fuzz(func(t *testing.T, text string, places []byte, address string) {
		if !utf8.ValidString(text) || !utf8.ValidString(address) {
			return
		}
		var list []marks.Span
		for ; len(places) >= 3; places = places[3:] {
			s := marks.Span{From: int(places[0]) - 2, To: int(places[1]), Style: marks.Style(places[2] & 63)}
			if places[2]&64 != 0 {
				s.Link = address
			}
			list = append(list, s)
		}
		got := marks.Apply([]rune(text), list)
		if !utf8.ValidString(got) {
			t.Fatalf("%q", got)
		}
		rest := got
		for _, r := range text {
			at := strings.IndexRune(rest, r)
			if at < 0 && r != '\n' { // those around lines of code are trimmed
				t.Fatalf("%q became %q", text, got)
			}
			rest = rest[max(at, 0):]
			if at >= 0 {
				rest = rest[utf8.RuneLen(r):]
			}
		}
		if engine.Withheld(text, true) != engine.Withheld(got, true) {
			t.Fatalf("%q is withheld, %q is not", text, got)
		}
		_, before := engine.ParseCommand(text, true)
		if _, after := engine.ParseCommand(got, true); before != after {
			t.Fatalf("only one of %q and %q is a command", text, got)
		}
	})
}
