package quote_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/relay-chat/relay/bridges/mail/quote"
)

// FuzzText: whatever comes, words are only left out, never changed.
func FuzzText(f *testing.F) {
	for _, s := range special {
		f.Add(s.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := quote.Text(text)
		if utf8.ValidString(text) && !utf8.ValidString(got) {
			t.Errorf("%q is not valid", got)
		}
		if strings.Contains(text, "PGP") { // whose dashes are taken away
			return
		}
		if word := loses(got, text); word != "" {
			t.Errorf("%q is not in the e-mail", word)
		}
		if strings.TrimSpace(got) == "" && quote.Text(text) != "" {
			t.Errorf("nothing is left of %q", text)
		}
	})
}

// FuzzPlain: any HTML becomes text.
func FuzzPlain(f *testing.F) {
	for _, s := range special {
		f.Add(s.text)
	}
	f.Fuzz(func(t *testing.T, page string) {
		text := quote.Plain(page)
		if utf8.ValidString(page) && !utf8.ValidString(text) {
			t.Errorf("%q is not valid", text)
		}
		quote.Text(quote.Flowed(text, true))
	})
}

// TestEverythingAtOnce: as much as relay reads of whatever is slow to read does not take its square.
func TestEverythingAtOnce(t *testing.T) {
	const size = 256 << 10
	repeated := func(part string) string { return strings.Repeat(part, size/len(part)) }
	for name, text := range map[string]string{
		"quotes":        repeated("> a\nb\n"),
		"introductions": repeated("On 28.11.2026 10:12 ana@example.com wrote:\n> a\n"),
		"halves":        repeated("On 28.11.2026 10:12 ana@example.com wrote\n"),
		"headers":       repeated("From: a\nfrom\n"),
		"signatures":    repeated("-- \na\n\n\n\n"),
		"footers":       repeated("Sent from my iPhone\n\n"),
		"rules":         repeated("_____\n"),
		"one line":      repeated("On 28.11.2026 wrote "),
		"blank":         repeated("\n"),
		"notices":       repeated("This e-mail is confidential\n\n"),
	} {
		begun := time.Now()
		quote.Text(text)
		took := time.Since(begun)
		t.Log(name, took)
		if took > 20*time.Second { // squares take minutes
			t.Errorf("%s: %v", name, took)
		}
	}
	for name, page := range map[string]string{
		"nested":    repeated("<div>a"),
		"quotes":    repeated("<blockquote>a"),
		"closed":    repeated("<b>") + repeated("</i>"),
		"links":     repeated(`<a href="https://a.example">a`),
		"broken":    repeated("<a href='"),
		"paragraph": repeated("<p>a"),
		"entities":  repeated("&amp;"),
	} {
		begun := time.Now()
		quote.Text(quote.Plain(page))
		took := time.Since(begun)
		t.Log(name, took)
		if took > 20*time.Second {
			t.Errorf("%s: %v", name, took)
		}
	}
}
