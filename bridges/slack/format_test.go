package slack

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/relay-chat/relay/server/chat"
)

func TestPlain(t *testing.T) {
	name := func(user string) string { return map[string]string{"U1": "Ada"}[user] }
	for text, want := range map[string]string{
		"a &lt;b&gt; &amp;amp; c":                        "a <b> &amp; c",
		"<@U1> <@U1|grace> <@U2>":                        "@Ada @grace @",
		"<#C1|help> <#C1>":                               "#help #channel",
		"<!channel> <!here|here> <!everyone>":            "@channel @here @everyone",
		"<!subteam^S1> <!subteam^S1|@support>":           "@group @support",
		"<!date^1392734382^{date}^https://x.y|Feb 18>":   "Feb 18",
		"<https://example.com>":                          "https://example.com",
		"<https://example.com|example.com>":              "example.com",
		"<https://example.com/|here>":                    "[here](https://example.com/)",
		"<http://a.b?x=1&amp;y=2>":                       "http://a.b?x=1&y=2",
		"<mailto:a@b.c|a@b.c> <mailto:a@b.c> <tel:+1|1>": "a@b.c a@b.c 1 (tel:+1)",
		"<|odd> <> < <<@U1>":                             "odd <> < <@Ada",
		":wave: :wave::skin-tone-2: :tada::skin-tone-2:": "👋 👋🏻 🎉",
		"10:30:45 :nothing: a:b":                         "10:30:45 :nothing: a:b",
		"<https://x.y/:tada:>":                           "https://x.y/:tada:",
		"&lt;@U1&gt; *bold* `code`":                      "<@U1> *bold* `code`",
		"\xff":                                           "\uFFFD",
	} {
		if got := plain(text, name); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
}

// Escaped text comes back as it was, and contains no markup.
func FuzzEscape(f *testing.F) {
	for _, text := range []string{"<!channel> & <@U1>", "&lt;!here&gt;", "&amp;", "<https://a|b>"} {
		f.Add(text)
	}
	nobody := func(string) string { return "nobody" }
	f.Fuzz(func(t *testing.T, text string) {
		out := escape(text)
		if strings.ContainsAny(out, "<>") {
			t.Fatalf("%q is not escaped", out)
		}
		if !strings.Contains(text, ":") && utf8.ValidString(text) && plain(out, nobody) != text {
			t.Fatalf("%q came back as %q", text, plain(out, nobody))
		}
		_ = plain(text, nobody)
		if l := render(chat.Op{Kind: chat.OpPost, Text: text, From: text}, false, ""); strings.ContainsAny(l.text, "<>") || !utf8.ValidString(l.text) {
			t.Fatalf("%q is shown as %q", text, l.text)
		}
	})
}
