package quote_test

import (
	"strings"
	"testing"

	"github.com/relay-chat/relay/bridges/mail/quote"
)

// TestPlain: what is seen becomes lines, and each kind of quote and signature is marked.
func TestPlain(t *testing.T) {
	for name, tt := range map[string]struct{ page, want string }{
		"nothing":                    {"", ""},
		"breaks":                     {"a<br>b<br/>c<br><br>d", "a\nb\nc\n\nd"},
		"a break at the end":         {"<div>a<br></div><div>b</div>", "a\nb"},
		"an empty line":              {"<div>a</div><div><br></div><div>b</div>", "a\n\nb"},
		"paragraphs":                 {"<p>a</p><p>b</p>", "a\n\nb"},
		"paragraphs of Outlook":      {"<p class=MsoNormal>a</p><p class=MsoNormal>b</p>", "a\nb"},
		"paragraphs that are open":   {"<p>a<p>b<p>c", "a\n\nb\n\nc"},
		"spaces":                     {"  a \n\t b&nbsp;&nbsp;c ", "a b  c"},
		"spaces between elements":    {"<b>a</b> <i>b</i><u>c</u>", "a bc"},
		"lists":                      {"<ul><li>a<li>b<ul><li>c</ul></ul>", "- a\n- b\n- c"},
		"numbers":                    {"<ol><li>a</li><li>b</li></ol>", "- a\n- b"},
		"a table":                    {"<table><tr><th>a</th><th>b</th></tr><tr><td>c<td>d</table>", "a b\nc d"},
		"a link":                     {`<a href="https://a.example/x">here</a>.`, "here (https://a.example/x)."},
		"a link that says itself":    {`<a href="https://www.a.example/">a.example</a>`, "a.example"},
		"a link to an address":       {`<a href="mailto:a@b.example?subject=x">Ana</a> <a href="mailto:a@b.example">a@b.example</a>`, "Ana (a@b.example) a@b.example"},
		"a link that does things":    {`<a href="javascript:alert(1)">here</a>`, "here"},
		"a link that Outlook checks": {`<a href="https://eur01.safelinks.protection.outlook.com/?url=https%3A%2F%2Fa.example%2Fx&data=1">https://a.example/x</a>`, "https://a.example/x"},
		"a link without words":       {`<a href="https://a.example"><img src="x" alt="logo"></a>a`, "a"},
		"images":                     {`a <img alt="🎉"> <img alt="logo"><img alt="1.gif">b`, "a 🎉 b"},
		"what is hidden":             {`<style>a</style><script>b</script><title>c</title><div style="DISPLAY : NONE">d</div><p hidden>e</p><!-- f -->g<div style="max-height:0;overflow:hidden">h</div>`, "g"},
		"all is hidden":              {`<div style="display:none">a</div>`, "a"},
		"a head without an end":      {`<html><head><meta charset=utf-8><body>a`, "a"},
		"preformatted":               {"<pre>a\n  b\n\nc</pre>d", "a\n  b\n\nc\n\nd"},
		"entities":                   {"&lt;b&gt; &amp;amp; &#128077; &euro;", "<b> &amp; 👍 €"},
		"a quote":                    {"a<blockquote>b<br>c<blockquote>d</blockquote></blockquote>e", "a\n> b\n> c\n> > d\ne"},
		"many quotes":                {strings.Repeat("<blockquote>", 300) + "a", "> > > > a"},
		"Outlook's header":           {`<div>a</div><div style="border:none;border-top:solid #E1E1E1 1.0pt"><p class=MsoNormal><b>From:</b> Ana &lt;a@b.example&gt;<br><b>Sent:</b> today<br><b>Subject:</b> x</p></div><div>b</div>`, "a\n> From: Ana <a@b.example>\n> Sent: today\n> Subject: x\n> b"},
		"a border":                   {`<div>a</div><div style="border-top:solid 1px">b</div>`, "a\nb"},
		"a signature":                {`a<div class="moz-signature">-- <br>Ben</div>`, "a\n-- \nBen"},
		"a signature, no mark":       {`a<div id=Signature>Ben<br>Ltd</div>`, "a\n-- \nBen\nLtd"},
		"an end that has no begin":   {"a</div></p></b>b", "ab"},
		"elements crosswise":         {"<b><p>a</b>b</p>c", "ab\n\nc"},
		"a mark above":               {"a<br>--<br><div class=gmail_signature>Ben</div>", "a\n-- \nBen"},
		"a mark with its space":      {"a<br>-- <br>Ben", "a\n-- \nBen"},
		"words in red":               {`a<div id=divRplyFwdMsg>From: b</div><p><font color=red>c</font></p>d`, "a\n> From: b\n\nc\n\n> d"},
		"right to left":              {`<div dir="rtl">שלום <a href="https://a.example">כאן</a></div>`, "שלום כאן (https://a.example)"},
	} {
		if got := quote.Plain(tt.page); got != tt.want {
			t.Errorf("%s:\n%q\n%q", name, got, tt.want)
		}
	}
}

// TestFlowed: RFC 3676, section 4.
func TestFlowed(t *testing.T) {
	for _, tt := range []struct {
		text  string
		delSp bool
		want  string
	}{
		{"", false, ""},
		{"a \nb\nc", false, "a b\nc"},
		{"a \r\nb\r\n", false, "a b\n"},
		{"漢 \n字", true, "漢字"},
		{"> a \n> b\nc", false, "> a b\nc"},
		{"> a \nb", false, "> a \nb"},
		{">> a \n>> b\n> c \n> d", false, ">> a b\n> c d"},
		{"a \n-- \nBen", false, "a \n-- \nBen"},
		{"> -- \n> Ben", false, "> -- \n> Ben"},
		{" From me\n  b", false, "From me\n b"},
		{"a ", false, "a "},
	} {
		if got := quote.Flowed(tt.text, tt.delSp); got != tt.want {
			t.Errorf("%q: %q, not %q", tt.text, got, tt.want)
		}
	}
}
