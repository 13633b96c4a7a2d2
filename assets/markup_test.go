package assets_test

import (
	"encoding/json"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/evanw/esbuild/pkg/api"

	"github.com/relay-chat/relay/bridges/marks"
)

// parser is markup.ts as a script, whose exports are in the variable markup.
func parser(t *testing.T) string {
	t.Helper()
	built := api.Build(api.BuildOptions{EntryPoints: []string{"shared/markup.ts"}, Bundle: true, Format: api.FormatIIFE, GlobalName: "markup"})
	if len(built.Errors) > 0 {
		t.Fatal(built.Errors)
	}
	return string(built.OutputFiles[0].Contents) + `
		const flat = (p) => typeof p === "string" ? p : "<" + p.tag + (p.href ? " " + p.href : "") + (p.start ? " " + p.start : "") + ">" + p.kids.map(flat).join("") + "</>";
		const words = (p) => typeof p === "string" ? p : p.kids.map(words).join("");
		const links = (p) => typeof p === "string" ? [] : [p.href || []].flat().concat(p.kids.flatMap(links));`
}

// TestMarkup: what people and platforms write as marks, and what only looks like them.
func TestMarkup(t *testing.T) {
	t.Parallel()
	b := newTab(t, "")
	code := parser(t)
	for _, c := range []struct {
		name, text, want string
		slack            bool
	}{
		{"bold and more", "**bold** *it* _u_ ~~s~~ `c*o*de`", "<b>bold</> <i>it</> <i>u</> <s>s</> <code>c*o*de</>", false},
		{"Slack", "*bold* _it_ ~s~", "<b>bold</> <i>it</> <s>s</>", true},
		{"nested", "**a *b* c** **_d_**", "<b>a <i>b</> c</> <b><i>d</></>", false},
		{"no marks", "2*3*4 snake_case_name *args a ** b ** c _", "2*3*4 snake_case_name *args a ** b ** c _", false},
		{"other alphabets", "слово_слово_ _да_", "слово_слово_ <i>да</>", false},
		{"not over lines", "*one\ntwo*", "*one\ntwo*", false},
		{"address", "see https://a.example/b_(c_d). ok", "see <a https://a.example/b_(c_d)>https://a.example/b_(c_d)</>. ok", false},
		{"address in marks", "*https://a.example/x*", "<i><a https://a.example/x>https://a.example/x</></>", false},
		{"link", "[the shop](https://a.example/)", "<a https://a.example/>the shop</>", false},
		{"a link that lies", "[bank.example](https://a.example/)", "[bank.example](https://a.example/)", false},
		{"other schemes", "[x](javascript:alert(1)) javascript:alert(1) data:text/html,x", "[x](javascript:alert(1)) javascript:alert(1) data:text/html,x", false},
		{"list", "Two:\n- one **b**\n- two\nend", "Two:\n<ul><li>one <b>b</></><li>two</></>end", false},
		{"numbers", "3. c\n4) d", "<ol 3><li>c</><li>d</></>", false},
		{"a year", "2026. A year", "2026. A year", false},
		{"fence", "a\n```js\nlet *x* = 1;\n```\nb", "a\n<pre>let *x* = 1;</>b", false},
		{"fence in a line", "run ```ls -l``` now", "run <code>ls -l</> now", false},
		{"open fence", "```\nnever closed", "```\nnever closed", false},
		{"quote", "He said:\n> one **b**\n>\n> two\n>3 no", "He said:\n<blockquote>one <b>b</>\n\ntwo</>>3 no", false},
		{"quote and list", "> a\n- b", "<blockquote>a</><ul><li>b</></>", false},
		{"heading", "# Head\ntext", "<b>Head\n</>text", false},
		{"HTML", "<b>x</b> &amp; <img src=x onerror=alert(1)>", "<b>x</b> &amp; <img src=x onerror=alert(1)>", false},
	} {
		text, _ := json.Marshal(c.text)
		slack, _ := json.Marshal(c.slack)
		got := eval[string](b, `(() => { `+code+` return markup.parse(`+string(text)+`, `+string(slack)+`).map(flat).join("") })()`)
		if got != c.want {
			t.Errorf("%s: %q, want %q", c.name, got, c.want)
		}
	}
	for text, want := range map[string]bool{"👍": true, "❤️ 🎉": true, "👨‍👩‍👧": true, "🇩🇪": true, "1️⃣": true, "12": false, "#": false, "ok 👍": false,
		"": false, "👍👍👍👍👍👍👍👍👍👍👍👍👍👍👍": false} {
		quoted, _ := json.Marshal(text)
		if got := eval[bool](b, `(() => { `+code+` return markup.onlyEmoji(`+string(quoted)+`) })()`); got != want {
			t.Errorf("onlyEmoji(%q) = %v", text, got)
		}
	}
}

// TestLinkWords: words that read as an address make no link; relay's own links follow
// the same cases in bridges/marks.
func TestLinkWords(t *testing.T) {
	t.Parallel()
	cases, err := os.ReadFile("../testdata/linkwords.json")
	if err != nil {
		t.Fatal(err)
	}
	wrong := eval[[]string](newTab(t, ""), `(() => { `+parser(t)+`
		return `+string(cases)+`.filter((c) => (links({kids: markup.parse("Pay at [" + c.words + "](https://a.example/x)")}).length === 0) !== c.lies).map((c) => JSON.stringify(c));
	})()`)
	if len(wrong) > 0 {
		t.Error(wrong)
	}
}

// TestMarksOfPlatforms: what formats on platforms become is drawn without a sign left over
// and without a word lost.
func TestMarksOfPlatforms(t *testing.T) {
	t.Parallel()
	b := newTab(t, "")
	rnd := rand.New(rand.NewPCG(1, 2))
	bits := []string{"a", "ok", "ж", "👍", " ", "  ", "\n", ".", ", ", "(", ")", "!", "x7", "https://a.example/x", "2*3", "snake_case"}
	var cases [][2]string
	for range 3000 {
		var text strings.Builder
		for range 1 + rnd.IntN(30) {
			text.WriteString(bits[rnd.IntN(len(bits))])
		}
		characters := []rune(text.String())
		var spans []marks.Span
		for range rnd.IntN(6) {
			from := rnd.IntN(len(characters))
			s := marks.Span{From: from, To: from + 1 + rnd.IntN(len(characters)-from), Style: 1 << rnd.IntN(6)}
			if rnd.IntN(4) == 0 {
				s = marks.Span{From: s.From, To: s.To, Link: "https://l.example/"}
			}
			spans = append(spans, s)
		}
		cases = append(cases, [2]string{text.String(), marks.Apply(characters, spans)})
	}
	all, _ := json.Marshal(cases)
	if wrong := eval[string](b, `(() => { `+parser(t)+`
		const strip = (s) => s.replaceAll("(https://l.example/)", "").replace(/\s/g, "");
		for (const [text, marked] of `+string(all)+`)
			if (strip(markup.parse(marked).map(words).join("")) !== strip(text)) return JSON.stringify([text, marked]);
		return "";
	})()`); wrong != "" {
		t.Error(wrong)
	}
}

// TestMarkupOfAnything: of 20,000 random texts and of the worst ones nothing is
// lost but marks, and no link leads anywhere but to the web or to an address.
func TestMarkupOfAnything(t *testing.T) {
	t.Parallel()
	b := newTab(t, "")
	if wrong := eval[string](b, `(() => { `+parser(t)+`
		const bits = ["*", "**", "_", "__", "~", "~~", "\u0060", "\u0060\u0060\u0060", "[", "](", ")", "https://a.example/", "mailto:a@b", "javascript:x", "- ", "1. ",
			"\n", " ", "a", "ж", "👍", "<b>", "&", "\\", "# ", "•", "\u202e", "\ud800"];
		let seed = 7;
		const random = (n) => (seed = (seed * 1103515245 + 12345) % 2147483648) % n;
		const strip = (s) => s.replace(/[^\p{L}\p{N}<>&\u202e👍]/gu, "");
		const check = (text) => {
			const pieces = markup.parse(text, text.length % 2 === 0);
			const kept = strip(pieces.map(words).join("")), all = strip(text);
			let at = 0; // what is shown stands in the text, in this order
			for (const c of kept) if ((at = all.indexOf(c, at) + 1) === 0) return "lost order";
			if (!text.includes("](") && !/\d|\u0060/.test(text) && kept !== all) return "lost " + kept + " of " + all;
			if (pieces.flatMap(links).some((href) => !/^(https?:|mailto:)/.test(href))) return "a wrong link";
		};
		for (let i = 0; i < 20000; i++) {
			let text = "";
			for (let n = random(24); n >= 0; n--) text += bits[random(bits.length)];
			let wrong;
			try { wrong = check(text) } catch (e) { wrong = e }
			if (wrong) return wrong + ": " + JSON.stringify(text);
		}
		for (const bit of [...bits, "**a ", "_a", "[a](", "*_", "\u0060\u0060\u0060a\n", "https://a.example/" + "(".repeat(50) + "....", "- a\n", "a\n"]) {
			const wrong = check(bit.repeat(40000 / bit.length));
			if (wrong) return wrong + ": many " + JSON.stringify(bit);
		}
		return "";
	})()`); wrong != "" {
		t.Error(wrong)
	}
}
