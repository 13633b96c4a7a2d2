package e2e

import (
	"cmp"
	"os"
	"testing"

	"github.com/chromedp/chromedp"
)

// tooSmall lists what fingers miss: everything that can be pressed and is smaller than
// 44 pixels, but for links within a text. A tick box counts with its label.
const tooSmall = `[...new Set($$("button, select, summary, textarea, input:not([type=hidden]), a.button, #subnav a, #rail a")
	.filter((n) => n.offsetParent && !n.matches(".link-button") && !n.closest("[inert], .sr") && getComputedStyle(n).visibility === "visible")
	.map((n) => (/^(checkbox|radio|file)$/.test(n.type) && n.closest("label")) || n)
	.filter((n) => { const r = n.getBoundingClientRect(); return r.width > 0 && (r.height < 43.5 || r.width < 43.5) && getComputedStyle(n).opacity !== "0"; })
	.map((n) => { const r = n.getBoundingClientRect(); return n.tagName + "." + n.className + "#" + n.id + " " + (n.ariaLabel ?? n.textContent).slice(0, 20) + " " + Math.round(r.width) + "x" + Math.round(r.height); }))].join("\n")`

// testTouch: on a phone everything that can be pressed is at least 44 pixels high and wide,
// and selects have the font of the rest.
func testTouch(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	p := s.newPair(t, "Do you ship to Norway?")
	b := p.operator
	id := b.session()
	b.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile, chromedp.EmulateTouch))
	check := func(page string) {
		t.Helper()
		b.still()
		if small := eval[string](b, tooSmall); small != "" {
			t.Errorf("%s: too small for fingers:\n%s", page, small)
		}
		if odd := eval[int](b, `$$("select").filter((n) => getComputedStyle(n).fontFamily !== getComputedStyle(document.body).fontFamily).length`); odd > 0 {
			t.Errorf("%s: %d selects in another font", page, odd)
		}
	}
	check("a conversation")
	b.shot(folder, "touch-conversation")
	b.click("#thread-more")
	b.until(`shown("#menu-tags")`)
	check("the menu of a conversation")
	b.press("Escape", 27)
	b.visit(s.console)
	b.until(`shown("#rows li")`)
	check("the inbox")
	b.shot(folder, "touch-inbox")
	for _, page := range []string{"knowledge", "statistics", "channels", "widget", "answers", "greetings", "forms", "hours", "mail", "ai", "webhook", "team", "privacy", "system", "notifications", "account"} {
		b.visit(s.console + "#/" + page)
		b.until(`$$(%s).some((n) => n.offsetParent)`, "#"+page+"-list > *")
		check(page)
		b.shot(folder, "touch-"+page)
	}
	b.until(`document.title === "Your account · relay"`)
	b.visit(s.console + "#/sessions/" + id)
	b.until(`document.title.endsWith(" · relay") && document.title !== "Inbox · relay"`)
	b.clean()
}
