package quote_test

import (
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/relay-chat/relay/bridges/mail/quote"
)

func seeds(f *testing.F) {
	for _, text := range []string{"", "Yes\n\nOn Sat, Nov 28, 2026 at 10:12 AM Ana <ana@shop.example> wrote:\n> When?\n", "-- \nBen", "From: a@b.example\nSent: 1\nTo: x\nSubject: y\n\nz",
		"-----BEGIN PGP SIGNED MESSAGE-----\nHash: SHA256\n\n- -- \n-----BEGIN PGP SIGNATURE-----\nx\n-----END PGP SIGNATURE-----", "a\r\n\r\nSent from my iPhone", ">>> a\n> b", "\u200b>\xff",
		"<p>a<blockquote>b<div class=gmail_signature>c</blockquote>d", "<table><tr><td>a<td>b</table><pre>\n c\n</pre><a href=http://x.example>y</a>", "<div id=divRplyFwdMsg>From:", "<p style=display:none>x"} {
		f.Add(text)
	}
}

func FuzzText(f *testing.F) {
	seeds(f)
	for _, s := range corpus(f) {
		f.Add(s.text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		got := quote.Text(text)
		if utf8.ValidString(text) && !utf8.ValidString(got) {
			t.Errorf("%q is not valid UTF-8", got)
		}
		if missing := firstMissing(trimInvisible(got), trimInvisible(text)); missing != "" {
			t.Errorf("%q of %q is not in the text", missing, got)
		}
		if strings.Contains(got, "\n\n\n") {
			t.Errorf("%q has too many line breaks", got)
		}
		if strings.TrimSpace(trimInvisible(text)) != "" && got == "" {
			t.Errorf("nothing is left of %q", text)
		}
	})
}

// trimInvisible removes characters that have no width, which Text removes around lines.
func trimInvisible(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '\u200b' && r <= '\u200f' || r >= '\u202a' && r <= '\u202e' || r >= '\u2060' && r <= '\u2069' || r == '\ufeff' || r == '\u00ad' || r == '\u034f' {
			return -1
		}
		return r
	}, text)
}

func FuzzPlain(f *testing.F) {
	seeds(f)
	f.Fuzz(func(t *testing.T, page string) {
		got := quote.Plain(page)
		if utf8.ValidString(page) && !utf8.ValidString(got) {
			t.Errorf("%q is not valid UTF-8", got)
		}
		if len(got) > 20*len(page)+100 {
			t.Errorf("%d bytes grow to %d", len(page), len(got))
		}
		quote.Text(got)
		quote.Flowed(page, true)
	})
}

// TestHostile: whatever is repeated is read in a moment. Square time would take minutes.
func TestHostile(t *testing.T) {
	const size = 1 << 15
	for _, unit := range []string{"<div>", "<b>", "<blockquote>", "</div>", "<p>", "<li>", "<td>", "<a href=http://a.example>", "<a href=http://a.example>x", "<br>", "<div class=gmail_signature>x</div>y", "<!--", "<", "&", "&amp",
		"<div a=1 ", " a=1", "<style>", "<p><b>", "<blockquote>x<br>", "<span style=display:none>", "<pre>\n", "<table><tr><td>x", "<div style='border-top:solid'>From: a@b.example<br>", "<p style='color:red'>x", "<b><div><i><i><i><i><i><i><i></b>",
		"> ", ">\n", "> a\nb\n", "\n", " ", "a", "a ", "a\n", "-- \n", "-- \nx\n", "From: a@b.example\n", "From: a\nTo: b\n", "On ", "On 1\n", "Ana wrote:\n", "Ana wrote:\n> x\n", "Ana <a@b.example>\n", "a@", "a@b.c ", "1:11 ", "11/11/11",
		"Sent from my iPhone\n", "Sent from my iPhone\n\n", "This e-mail is confidential\n\n", "confidential\n\n", "_____\n", "_", "-----Original Message-----\n", "---", "Reply above this line\n", "\u200b", "\u200b\n", "\xff", "<a@", "(", "Subject:\n",
		"-----BEGIN PGP SIGNED MESSAGE-----\n", "-----BEGIN PGP SIGNATURE-----\n", "2026年", "PS\n", "---\nDisclaimer: confidential\n", "---\nThis email and any files confidential intended recipient\n", "--\nBen\n\n",
		"Disclaimer\nconfidential\n\n", "> a\n\n-- \nb\n\n"} {
		text := strings.Repeat(unit, size/len(unit))
		for _, text := range []string{text, "own\n" + text + "\nown", text[:size/2] + "\n" + strings.Repeat("Sent from my iPhone\n", size/40)} {
			began := time.Now()
			plain := quote.Plain(text)
			quote.Text(plain)
			quote.Text(text)
			quote.Flowed(text, true)
			if took := time.Since(began); took > 20*time.Second {
				t.Errorf("%q takes %v", unit, took)
			}
			if len(plain) > 20*size {
				t.Errorf("%q grows to %d bytes", unit, len(plain))
			}
		}
	}
}
