package assets_test

import (
	"testing"

	"github.com/chromedp/cdproto/page"
	"github.com/chromedp/chromedp"
)

// TestHostilePages: the chat works on pages that are unkind to scripts of others.
func TestHostilePages(t *testing.T) {
	t.Parallel()
	for name, before := range map[string]string{
		"extended arrays": `Array.prototype.evil = function () { return 1 }; Array.prototype.last = 3; Object.prototype.extra = "x";`,
		"a clock a year late": `{ const real = Date, late = 365 * 864e5; window.Date = class extends real {
			constructor(...a) { a.length ? super(...a) : super(real.now() - late) } static now() { return real.now() - late } } }`,
		"a clock a year early": `{ const real = Date, late = -365 * 864e5; window.Date = class extends real {
			constructor(...a) { a.length ? super(...a) : super(real.now() - late) } static now() { return real.now() - late } } }`,
		"no storage":          `for (const n of ["localStorage", "sessionStorage"]) Object.defineProperty(window, n, { get() { throw new DOMException("no", "SecurityError") } });`,
		"a broken worker":     `Object.defineProperty(navigator, "serviceWorker", { get() { throw new Error("no") } });`,
		"no newer interfaces": `delete window.requestIdleCallback; delete window.navigation; delete window.BroadcastChannel.prototype.onmessageerror;`,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			f := newFake(t)
			b := newTab(t, newSite(t, f.url(), snippet(f.url(), "")))
			if _, err := chromedp.Call(b.ctx, page.AddScriptToEvaluateOnNewDocument, page.AddScriptToEvaluateOnNewDocumentParams{Source: before}); err != nil {
				t.Fatal(err)
			}
			b.visit("/")
			b.until(`RelayChat.version`)
			b.run(`RelayChat.open()`)
			b.until(`shown(".panel") && $(".presence").textContent !== "Connecting…" && $(".smile")`)
			b.write("first **one**")
			b.write("second")
			b.until(`$$(".own.sent").length === 2`)
			f.reply(t, "- an answer\n- with https://a.example/")
			b.until(`$(".theirs a")?.href === "https://a.example/"`)
			b.is(`$$(".row .text").slice(-3).map((n) => n.textContent)[1] === "second"`) // the server's order
			b.clean()
		})
	}
}

// TestBodySwap: pages that replace their body, as Turbo does, keep the chat and its draft.
func TestBodySwap(t *testing.T) {
	f, b := ready(t, "")
	b.open()
	b.run(`$("textarea").focus()`)
	b.text("half a thought")
	b.run(`(() => { const body = document.createElement("body"), h1 = document.createElement("h1"); h1.textContent = "Next"; body.append(h1);
		document.documentElement.replaceChild(body, document.body); history.pushState({}, "", "/next"); })()`)
	b.is(`shown(".panel") && $("textarea").value === "half a thought" && document.querySelectorAll("relay-chat").length === 1`)
	b.run(`$("textarea").focus()`)
	b.enter()
	b.until(`$(".own.sent")`)
	f.reply(t, "still here")
	b.until(`rows().at(-1) === "still here"`)
	b.clean()
}

// TestPrint: the chat is not on paper.
func TestPrint(t *testing.T) {
	_, b := ready(t, "")
	b.open()
	b.print()
	b.is(`getComputedStyle(host).display === "none"`)
}
