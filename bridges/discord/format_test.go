package discord

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/relay-chat/relay/bridges/cut"
	"github.com/relay-chat/relay/server/chat"
)

func TestEscape(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"plain", "plain"},
		{"*a* _b_ ~c~ `d` ||e||", "\\*a\\* \\_b\\_ \\~c\\~ \\`d\\` \\|\\|e\\|\\|"},
		{"# title\n- item\n> quote\n+ item\n1. one\n23) two\n-# small", "\\# title\n\\- item\n\\> quote\n\\+ item\n1\\. one\n23\\) two\n\\-# small"},
		{"  - indented", "  \\- indented"},
		{"a # b - c > d 1. e", "a # b - c > d 1. e"},
		{"[x](https://a_b.example/c_d)", "\\[x\\]\\(https://a_b.example/c_d)"},
		{"see https://a.example/_x_ *now*", "see https://a.example/_x_ \\*now\\*"},
		{"<@1> <#2> <t:3> @everyone @here ada@example.com", "\\<@1> \\<#2> \\<t:3> \\@everyone \\@here ada@example.com"},
		{`\*`, `\\\*`},
		{"a\xffb", "a\uFFFDb"},
	} {
		if got := escape(c.text); got != c.want {
			t.Errorf("%q becomes %q, want %q", c.text, got, c.want)
		}
	}
}

func TestRender(t *testing.T) {
	for _, c := range []struct {
		op   chat.Op
		want string
	}{
		{chat.Op{Kind: chat.OpPost, Text: "hi"}, "hi"},
		{chat.Op{Kind: chat.OpPost, Text: "hi", From: "Ada_* (slack)"}, "**Ada\\_\\* \\(slack\\):**\nhi"},
		{chat.Op{Kind: chat.OpPost, From: "Ada"}, "**Ada:**"},
		{chat.Op{Kind: chat.OpPost, Text: "hi", Edited: true}, "**✏️ edited:**\nhi"},
		{chat.Op{Kind: chat.OpNote, Text: "one\n\n# two"}, "-# one\n\n-# \\# two"},
	} {
		if got := render(c.op); got != c.want {
			t.Errorf("it is %q, want %q", got, c.want)
		}
	}
}

// FuzzSplit: pieces fit, nothing is lost but white space, and no character is
// torn.
func FuzzSplit(f *testing.F) {
	for _, text := range []string{"word *bold* ", "*", "👩‍👩‍👧‍👦é", "- a\n", "https://example.com/_x"} {
		f.Add(text, "Ada", uint16(1000))
	}
	f.Fuzz(func(t *testing.T, text, from string, times uint16) {
		times = min(times, uint16(10000/(len(text)+1)))
		text = strings.Repeat(strings.ToValidUTF8(text, "?"), int(times))
		for _, kind := range []chat.OpKind{chat.OpPost, chat.OpNote, chat.OpOpen} {
			var all strings.Builder
			for i, op := range (*Bridge)(nil).Split(chat.Op{Kind: kind, Text: text, From: from, Title: from, Key: "K"}) {
				limit, sent := maxText, render(op)
				if op.Kind == chat.OpOpen {
					limit, sent = maxSummary, escape(op.Text)
				}
				if cut.Units(sent) > limit || !utf8.ValidString(op.Text) {
					t.Fatalf("part %d has %d units", i, cut.Units(sent))
				}
				all.WriteString(op.Text)
				if i > 200 { // 10,000 characters, each of which takes at most six
					t.Fatal("the pieces are too small")
				}
			}
			if visible(all.String()) != visible(text) {
				t.Fatalf("%q came of %q", all.String(), text)
			}
		}
	})
}

// FuzzParse: whatever is stored, Parse neither panics nor speaks of another
// channel.
func FuzzParse(f *testing.F) {
	f.Add(`{"t":"MESSAGE_CREATE","parent":"111111111","d":{"id":"1","channel_id":"2","author":{"id":"3"},"content":"<@1> <t:9:R> <:a:1>"}}`)
	f.Add(`{"t":"MESSAGE_DELETE_BULK","parent":"111111111","d":{"ids":["1"],"channel_id":"2"}}`)
	f.Add(`{"t":"THREAD_UPDATE","parent":"111111111","d":{"id":"1","thread_metadata":{"archived":true}}}`)
	f.Add(`{"t":"INTERACTION_CREATE","parent":"111111111","d":{"id":"1","type":2,"channel_id":"2","member":{},"data":{"name":"close"}}}`)
	b := &receiver{cfg: Config{ChannelID: "111111111"}}
	f.Fuzz(func(t *testing.T, raw string) {
		list, err := b.Parse([]byte(raw))
		if err != nil && list != nil {
			t.Error("both an error and a meaning")
		}
		for _, in := range list {
			if in.Thread.Channel != "111111111" || in.Thread.Ref == "" {
				t.Errorf("it is of %+v", in.Thread)
			}
		}
	})
}

func visible(text string) string { return strings.Join(strings.Fields(text), "") }
