package telegram_test

import (
	"encoding/base64"
	"strings"
	"testing"
	"unicode"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/relay-chat/relay/bridges/bridgetest"
	"github.com/relay-chat/relay/bridges/naming"
	"github.com/relay-chat/relay/bridges/telegram/telegramtest"
	"github.com/relay-chat/relay/server/chat"
)

// seen is a text as operators see it: without white space around it and
// without what has no form.
func seen(text string) string {
	return strings.TrimSpace(strings.ReplaceAll(strings.ToValidUTF8(text, "\uFFFD"), "\u2060", ""))
}

// spaceless leaves what is seen of a text, whatever happens to white space at
// the edges of messages.
func spaceless(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) {
			return -1
		}
		return r
	}, seen(text))
}

var formatSeeds = []string{"Hello", "1 < 2 && 3 > 2", "<b>bold</b> &lt; &amp;lt; &", "@everyone me@example.com @ada_l", "👩‍👩‍👧‍👦 🇩🇪 é e\u0301",
	strings.Repeat("a", 4096), strings.Repeat("😀", 2100), strings.Repeat("<", 5000), strings.Repeat("word ", 2000), strings.Repeat("line\n", 2000),
	strings.Repeat("@a ", 3000), strings.Repeat("https://e.de/@a/@a/@a/", 900), strings.Repeat("@abcd@", 1500), strings.Repeat(" ", 9000) + "x", "\xff\xfe broken", "a\u2060b", strings.Repeat("e\u0301", 4000)}

// FuzzEscape: whatever a visitor writes is shown as it was written.
func FuzzEscape(f *testing.F) {
	for _, text := range formatSeeds {
		f.Add(text, "")
		f.Add(text, "Ada <b> (slack)")
	}
	f.Fuzz(func(t *testing.T, text, from string) {
		fake := telegramtest.NewInBubble(t)
		b, _ := makeBridge(t, fake)
		th := open(t, b, text, "")
		if seen(text) == "" || units(text)+units(from) > 3000 || units(from) > 100 {
			return
		}
		bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpPost, Text: text, From: from})
		got := fake.Threads()[0].Messages[0].Text
		if from == "" && got != seen(text) {
			t.Fatalf("shown as %q, written as %q", got, text)
		}
		if !strings.HasSuffix(spaceless(got), spaceless(text)) {
			t.Fatalf("shown as %q, written as %q", got, text)
		}
		for _, v := range fake.Violations() {
			t.Fatal(v)
		}
	})
}

// Mentions are broken; nothing else is, least of all the links that visitors
// send.
func TestSilence(t *testing.T) {
	for text, want := range map[string]string{
		"@ada and (@bob)":                       "@\u2060ada and (@\u2060bob)",
		"ada@example.com":                       "ada@example.com",
		"https://example.com/@ada/1 @ada":       "https://example.com/@ada/1 @\u2060ada",
		"HTTP://a.example.com:8080/x/y-z/@ada,": "HTTP://a.example.com:8080/x/y-z/@ada,",
		"https://example.com/ @ada":             "https://example.com/ @\u2060ada",
		"https://example.com/a,/@ada":           "https://example.com/a,/@\u2060ada",
		"https:///@ada https://example/@ada":    "https:///@\u2060ada https://example/@\u2060ada",
		"https://example.com/@ada/@bob":         "https://example.com/@ada/@\u2060bob",
	} {
		fake := telegramtest.NewInBubble(t)
		b, _ := makeBridge(t, fake)
		th := open(t, b, "Grace", "")
		bridgetest.Must(t, b, th, chat.Op{Kind: chat.OpPost, Text: text})
		sent := fake.Requests("sendMessage")
		if got := sent[len(sent)-1].Params["text"]; got != want {
			t.Errorf("%q is sent as %q", text, got)
		}
	}
}

// FuzzSplit: no part is too long, none is empty, nothing is lost, and parts of
// parts are the same.
func FuzzSplit(f *testing.F) {
	for _, text := range formatSeeds {
		f.Add(text, "", false)
		f.Add(text, "Ada (slack)", true)
	}
	b := parser(f)
	f.Fuzz(func(t *testing.T, text, from string, withFile bool) {
		op := chat.Op{Kind: chat.OpPost, Text: text, From: from}
		if withFile {
			op.File = bridgetest.File("a.txt", "text/plain", "a")
		}
		parts := b.Split(op)
		var whole strings.Builder
		for i, part := range parts {
			whole.WriteString(part.Text)
			limit := 4096
			if part.File != nil {
				limit = 1024
			}
			if n := counted(part); n > limit {
				t.Fatalf("part %d of %d has %d units", i, len(parts), n)
			}
			if len(parts) > 1 && part.File == nil && seen(part.Text) == "" && part.From == "" {
				t.Fatalf("part %d of %d is empty", i, len(parts))
			}
			if again := b.Split(part); len(again) != 1 {
				t.Fatalf("part %d is %d parts", i, len(again))
			}
			if !utf8.ValidString(part.Text) && utf8.ValidString(text) {
				t.Fatalf("part %d is cut inside a character", i)
			}
		}
		if spaceless(whole.String()) != spaceless(text) {
			t.Fatalf("%d units became %d", units(text), units(whole.String()))
		}
	})
}

// counted is what Telegram counts of an op: its label and its text, in which
// the mentions are broken already.
func counted(op chat.Op) int {
	if naming.Label(op, 200) == "" { // also of a name without a character that prints
		return units(op.Text)
	}
	return min(units(op.From), 200) + len(":\n") + units(op.Text)
}

func units(text string) int { return len(utf16.Encode([]rune(text))) }

// A cut is where a reader would make it.
func TestSplitAtGoodPlaces(t *testing.T) {
	b := parser(t)
	for name, c := range map[string]struct{ text, end, next string }{
		"paragraph": {strings.Repeat("a", 3000) + ".\n\n" + strings.Repeat("b\n", 800), "a.\n\n", "b\n"},
		"line":      {strings.Repeat("a", 3000) + ".\n" + strings.Repeat("b b ", 800), "a.\n", "b b"},
		"word":      {strings.Repeat("word ", 1000), "word ", "word "},
		"character": {strings.Repeat("👩‍👧", 1500), "👩‍👧", "👩‍👧"},
		"accent":    {strings.Repeat("e\u0301", 3000), "e\u0301", "e\u0301"},
	} {
		parts := b.Split(chat.Op{Kind: chat.OpPost, Text: c.text})
		if len(parts) != 2 || !strings.HasSuffix(parts[0].Text, c.end) || !strings.HasPrefix(parts[1].Text, c.next) || parts[0].Text+parts[1].Text != c.text {
			t.Errorf("%s: %d parts, cut %q | %q", name, len(parts), parts[0].Text[max(0, len(parts[0].Text)-12):], parts[1].Text[:12])
		}
	}
}

// A topic's name leads back to its session, and only to its own.
func TestTopicNames(t *testing.T) {
	uuid := "0b8f7d2e-2f9a-4a51-9d59-53d1b6a5c1de"
	for _, c := range []struct{ title, sessionID, name, back string }{
		{"Ada", "7KQM2HXNW4TC7KQM2HXNW4TCAB", "Ada · #7KQM2HXNW4TC7KQM2HXNW4TCAB", "7KQM2HXNW4TC7KQM2HXNW4TCAB"},
		{"Ada", uuid, "Ada · #" + uuid, uuid},
		{"Ada", "user:42/ü", "Ada · #~" + base64.RawURLEncoding.EncodeToString([]byte("user:42/ü")), "user:42/ü"},
		{"Ada", strings.Repeat("x", 110), "Ada · #" + strings.Repeat("x", 110), strings.Repeat("x", 110)},
		{"Ada", strings.Repeat("x", 111), "Ada", ""},
		{"Ada", "", "Ada", ""},
		{"", "", "Visitor", ""},
		{"\n\t\u202e", "", "Visitor", ""},
		{"A\nb\u202e\u200b c", "", "A b c", ""},
		{"Eve #" + uuid, "", "Eve #" + uuid + " ·", ""},
		{"#" + uuid, "s1", "#" + uuid + " · #s1", "s1"},
		{strings.Repeat("😀", 100), "s1", strings.Repeat("😀", 60) + "… · #s1", "s1"},
		{strings.Repeat("long ", 40), "", strings.TrimSpace(strings.Repeat("long ", 25)) + "…", ""},
	} {
		f := telegramtest.NewInBubble(t)
		b, log := makeBridge(t, f)
		th := open(t, b, c.title, c.sessionID)
		got := f.Threads()[0].Title
		if got != c.name || units(got) > 128 {
			t.Errorf("%q with %q is named %q (%d)", c.title, c.sessionID, got, units(got))
		}
		fresh, _ := makeBridge(t, f)
		if id, err := fresh.Owner(t.Context(), th); id != c.back || (err == nil) != (c.back != "") {
			t.Errorf("%q leads to %q, %v", got, id, err)
		}
		if n := len(f.Threads()[0].Messages); n != 0 {
			t.Errorf("the question stays in the topic")
		}
		bridgetest.Clean(t, f, log)
	}
}
