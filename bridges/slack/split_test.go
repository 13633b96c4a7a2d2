package slack_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/server/chat"
)

func TestSplit(t *testing.T) {
	b := parser(t)
	file := bridgetest.File("a.txt", "text/plain", "x")
	words := strings.Repeat("hello ", 1000)
	for _, c := range []struct {
		name string
		op   chat.Op
		want []int // the lengths of the parts' texts
	}{
		{"short", chat.Op{Kind: chat.OpPost, Text: "hello"}, []int{5}},
		{"empty", chat.Op{Kind: chat.OpPost}, []int{0}},
		{"behind a word", chat.Op{Kind: chat.OpPost, Text: words}, []int{3888, 2112}},
		{"behind a paragraph", chat.Op{Kind: chat.OpPost, Text: strings.Repeat("a", 3000) + "\n\n" + strings.Repeat("b ", 1000)}, []int{3002, 2000}},
		{"not at an early line", chat.Op{Kind: chat.OpPost, Text: "a\n" + strings.Repeat("b", 4000)}, []int{3889, 113}},
		{"what is escaped counts more", chat.Op{Kind: chat.OpPost, Text: strings.Repeat("&", 1000)}, []int{777, 223}},
		{"with its author", chat.Op{Kind: chat.OpPost, Text: words, From: "Ada (console)"}, []int{3870, 2130}},
		{"an edit", chat.Op{Kind: chat.OpEdit, Text: words, Remote: "5.000000"}, []int{3888, 2112}},
		{"posted again", chat.Op{Kind: chat.OpPost, Text: words, Edited: true}, []int{3888, 2112}},
		{"with a quote", chat.Op{Kind: chat.OpPost, Text: words, ReplyTo: "5.000000"}, []int{3282, 2718}},
		{"a note", chat.Op{Kind: chat.OpNote, Text: words}, []int{3894, 2106}},
		{"a thread", chat.Op{Kind: chat.OpOpen, Title: "Grace", Text: words}, []int{3888, 2112}},
		{"a file behind its text", chat.Op{Kind: chat.OpPost, Text: "look", File: file}, []int{4, 0}},
		{"a file alone", chat.Op{Kind: chat.OpPost, File: file, From: "Ada"}, []int{0}},
		{"white space alone", chat.Op{Kind: chat.OpPost, Text: strings.Repeat(" ", 5000)}, []int{5000}},
		{"nothing to split", chat.Op{Kind: chat.OpDelete, Remote: "5.000000"}, []int{0}},
	} {
		parts := b.Split(c.op)
		var got []int
		for _, p := range parts {
			got = append(got, len(p.Text))
		}
		if jsonOf(got) != jsonOf(c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
		for i, p := range parts[1:] {
			if p.From != "" || p.ReplyTo != "" || p.Edited || c.op.Kind == chat.OpOpen && p.Kind != chat.OpNote {
				t.Errorf("%s: part %d is %+v", c.name, i+1, p)
			}
		}
	}
}

// A part is one message of Slack's, characters stay whole, and nothing is lost.
func FuzzSplit(f *testing.F) {
	f.Add("hello", 0)
	f.Add(strings.Repeat("👩‍👩‍👧‍👦", 400), 0)
	f.Add(strings.Repeat("é", 3000)+"&<>", 0)
	f.Add(strings.Repeat("z\u0301", 3000), 0)
	b := parser(f)
	f.Fuzz(func(t *testing.T, text string, repeat int) {
		if repeat > 0 && repeat < 100 && len(text) < 500 {
			text = strings.Repeat(text, repeat)
		}
		joined := ""
		for _, p := range b.Split(chat.Op{Kind: chat.OpPost, Text: text, From: "Ada"}) {
			size := 0
			for _, r := range p.Text {
				size += map[rune]int{'&': 5, '<': 4, '>': 4}[r]
				if !strings.ContainsRune("&<>", r) {
					size += 1 + int(r/0x10000+0xF)/0x10
				}
			}
			if size > 3900 && utf8.ValidString(text) {
				t.Fatalf("a part of %d characters", size)
			}
			if utf8.ValidString(text) && !utf8.ValidString(p.Text) {
				t.Fatal("a character is cut")
			}
			joined += p.Text
		}
		if squeeze(joined) != squeeze(text) {
			t.Fatalf("%q became %q", text, joined)
		}
	})
}

// squeeze takes white space out of a text.
func squeeze(text string) string { return strings.Join(strings.Fields(text), "") }
