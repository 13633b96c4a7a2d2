package knowledge

import (
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/relay-chat/relay/server/words"
)

// FuzzPassages: whatever a text is, its passages are valid, bounded, and have all of
// its words.
func FuzzPassages(f *testing.F) {
	for _, seed := range []string{"", "# A\n\ntext\n\n## B\n\nmore", strings.Repeat("word ", 1000), strings.Repeat("語", 5000), "```\n# no heading\n```\n", "a\n===\nb", "\xff\xfe\x00",
		strings.Repeat("# ", 300), "~~~\nnever closed", strings.Repeat("Ein Satz. ", 400), "#\n\n####### x", "a\u0301\u0301\u0301 مرحبا ประเทศไทย"} {
		f.Add("Title", seed)
	}
	f.Fuzz(func(t *testing.T, title, text string) {
		kept := 0
		for _, p := range cutPassages(title, text) {
			if !utf8.ValidString(p.Text) || strings.ContainsRune(p.Text, 0) || !utf8.ValidString(p.Title) || utf8.RuneCountInString(p.Text) > passageMost+passageLength ||
				utf8.RuneCountInString(p.Title) > 400 || strings.TrimSpace(p.Text) == "" {
				t.Fatalf("a passage of %d characters: %q, %q", utf8.RuneCountInString(p.Text), p.Title, p.Text)
			}
			for _, word := range append(p.TitleWords, p.TextWords...) {
				if word == "" || strings.ContainsAny(word, " \"'\\\x00") || !utf8.ValidString(word) {
					t.Fatalf("the word %q", word)
				}
			}
			kept += len(p.Text)
		}
		if kept > 2*len(clean(text))+len(text) {
			t.Fatalf("%d bytes of passages of %d bytes", kept, len(text))
		}
		_ = askedWords(text)
		_ = keyOf(text)
	})
}

// TestWords: what people write otherwise is the same word, in every script.
func TestWords(t *testing.T) {
	for _, tt := range [][2]string{{"Größe", "GROSSE"}, {"livré", "livre"}, {"Łódź", "lodz"}, {"café", "cafe\u0301"}, {"ｶﾒﾗ", "カメラ"}, {"Ελλάς", "ΕΛΛΑΣ"}, {"الضمان", "ضمان"}, {"مُدَّة", "مدة"}, {"إرجاع", "ارجاع"}, {"ﬁt", "fit"}} {
		if a, b := fmt.Sprint(words.WithStems(tt[0])), fmt.Sprint(words.WithStems(tt[1])); a != b {
			t.Errorf("%q is %s, %q is %s", tt[0], a, tt[1], b)
		}
	}
	for text, want := range map[string]string{"送料は": "[送料 料は]", "ab 12345678": "[ab 12345678]", "delivery": "[delivery deliv·]", "don't": "[don t]", "": "[]", "語": "[語]"} {
		if got := fmt.Sprint(words.WithStems(text)); got != want {
			t.Errorf("%q is %s, want %s", text, got, want)
		}
	}
	if got := askedWords("how do I …?"); len(got) != 0 {
		t.Errorf("of nothing in particular is asked by %q", got)
	}
}

// TestHTML: the main content stays with its tables and headings, the frame goes.
func TestHTML(t *testing.T) {
	d, err := extractHTML(`<html><head><title> My
		page </title></head><body><nav>Menu</nav><header>Top</header><div><h1>Lamp</h1><p>See <a href="/x">the list</a> &amp; buy.</p><img src="x" alt="picture">
		<table><tr><th>Height</th><td>42 cm</td></tr></table><p hidden>hidden</p><form><input value="form"></form></div><footer>Imprint</footer></body></html>`, nil)
	if err != nil || d.Title != "My page" {
		t.Errorf("the title is %q, error %v", d.Title, err)
	}
	for _, part := range []string{"# Lamp", "See the list & buy.", "42 cm"} {
		if !strings.Contains(d.Markdown, part) {
			t.Errorf("%q is missing in %q", part, d.Markdown)
		}
	}
	for _, part := range []string{"Menu", "Top", "Imprint", "hidden", "/x", "picture"} {
		if strings.Contains(d.Markdown, part) {
			t.Errorf("%q is left in %q", part, d.Markdown)
		}
	}
}

// TestProse: what a page says is written as headings, paragraphs, items, rows and
// code; what stands beside it goes, and none of its words is a mark.
func TestProse(t *testing.T) {
	for _, tt := range []struct{ name, page, want string }{
		{"words", "<p>One  <b>two</b>,\n<a href=x>three</a>four&nbsp;five</p><p>six<br>seven", "One two, threefour five\n\nsix\nseven\n\n"},
		{"headings", "<h1>A <small>b</small></h1>text<h3>C</h3>", "# A b\n\ntext\n\n### C\n\n"},
		{"lists", "<ul><li>one<li><p>two</p><ol><li>three</ol></ul>", "- one\n- two\n\n- three\n\n"},
		{"empty", "<ul><li></ul><h2></h2><p>text", "text\n\n"},
		{"rows", "<table><thead><tr><th>Zone<th>Price</thead><tr><td>EU<td><b>4</b> EUR</table>", "Zone | Price\nZone: EU | Price: 4 EUR\n\n"},
		{"terms", "<dl><dt>Colour<dd>red</dl>", "Colour: red\n\n"},
		{"code", "<pre><code># no heading\n  two<br>```</code></pre>end", "```\n# no heading\n  two'''\n```\n\nend\n\n"},
		{"marks", "<p># no heading</p><p>``` no fence</p>", "no heading\n\nno fence\n\n"},
		{"questions", "<details><summary>How?</summary>So.</details>", "###### How?\n\nSo.\n\n######\n\n"},
		{"beside", `<div class="page-sidebar"><p>other things</p></div><div id=cookie-banner>We use cookies</div><p>The content is longer than that, by far, as it should be.`,
			"The content is longer than that, by far, as it should be.\n\n"},
		{"links", "<ul><li><a>One</a><li><a>Two</a><li><a>Three</a><li><a>Four</a></ul><p>The content is longer than the list of links.", "The content is longer than the list of links.\n\n"},
		{"a page of links", "<ul><li><a>One</a><li><a>Two</a><li><a>Three</a><li><a>Four</a></ul>", "- One\n- Two\n- Three\n- Four\n\n"},
		{"a body named menu", `<body class="menu"><p>Soup of the day`, "Soup of the day\n\n"},
	} {
		d, err := extractHTML(tt.page, nil)
		if err != nil || d.Markdown != tt.want {
			t.Errorf("%s: %q, %v, want %q", tt.name, d.Markdown, err, tt.want)
		}
	}
}

// TestHTMLBomb: tables that would make billions of cells, and elements that nest
// without bounds, are read as text.
func TestHTMLBomb(t *testing.T) {
	for _, page := range []string{
		"<table><tr>" + strings.Repeat("<td>x", 50_000) + strings.Repeat("<tr><td>zebra", 50_000),
		"<table><tr><td colspan=2000000000>zebra</table>",
		strings.Repeat("<div class=menu>", 400) + "zebra",
		strings.Repeat("<b><p>", 200) + "zebra",
	} {
		d, err := extractHTML(page, nil)
		if err != nil || !strings.Contains(d.Markdown, "zebra") || len(d.Markdown) > 2*len(page) {
			t.Errorf("%d bytes become %d, %v", len(page), len(d.Markdown), err)
		}
	}
}

// TestCharacterSets: texts are decoded by their mark, their server or themselves, and
// one that cannot be says so.
func TestCharacterSets(t *testing.T) {
	for _, tt := range []struct{ data, contentType, want string }{
		{"Größe", "text/html", "Größe"},
		{"\xEF\xBB\xBFGröße", "", "Größe"},
		{"Größe", "text/html; charset=iso-8859-1", "Größe"}, // the server is wrong
		{"Gr\xF6\xDFe", "text/html; charset=ISO-8859-1", "Größe"},
		{"Gr\xF6\xDFe \x80", "", "Größe €"},
		{"<meta charset='windows-1251'>\xCF\xF0\xE8", "text/html", "<meta charset='windows-1251'>При"},
		{`<meta http-equiv=x content="text/html; charset=koi8-r">` + "\xF0", "", `<meta http-equiv=x content="text/html; charset=koi8-r">П`},
		{"\xFF\xFEG\x00\xF6\x00", "", "Gö"},
		{"\xFE\xFF\x00G\x00\xF6", "", "Gö"},
		{"bad \xFF byte", "text/plain; charset=utf-8", "bad \uFFFD byte"},
		{"日本語", "text/html; charset=shift_jis", "日本語"}, // so is this one
		{"\x93\xFA\x96{", "text/html; charset=Shift_JIS", "error"},
		{"\xFF", "text/html; charset=" + strings.Repeat("x", 5000), "ÿ"},
	} {
		got, err := decodeText([]byte(tt.data), tt.contentType)
		if (err != nil) != (tt.want == "error") || err == nil && got != tt.want {
			t.Errorf("%q (%s) is %q, %v, want %q", tt.data, tt.contentType, got, err, tt.want)
		}
	}
}
