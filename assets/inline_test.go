package assets_test

import (
	"fmt"
	"testing"

	"github.com/chromedp/chromedp"
)

// place puts an element for the chat into the page, which may have no styles of its own.
func (b *tab) place(height string) {
	b.Helper()
	b.run(fmt.Sprintf(`(() => {
		const place = document.createElement("div");
		place.id = "chat";
		place.style.height = %q;
		document.querySelector("main").append(place);
	})()`, height))
}

// inlined opens a page with a chat in an element of this height.
func (b *tab) inlined(path, height string) {
	b.Helper()
	b.visit(path)
	b.until(`RelayChat.version`)
	b.place(height)
	b.run(`RelayChat.init()`)
	b.until(`shown(".panel") && $("textarea")`)
}

const inline = `data-mode="inline" data-target="#chat" data-auto="false"`

const isAtRest = `document.activeElement === document.body && !$(".launcher") && !shown(".close")`

// TestInline: the chat stands in its element, open, as tall as that, and takes no focus.
func TestInline(t *testing.T) {
	f, b := ready(t, inline)
	b.inlined("/contact", "420px")
	b.is(`host.parentNode.id === "chat" && host.offsetHeight === 420 && $(".panel").offsetHeight === 420 && $(".panel").offsetWidth === host.parentNode.offsetWidth`)
	b.is(`host.getBoundingClientRect().top === $(".panel").getBoundingClientRect().top && host.getBoundingClientRect().left === $(".panel").getBoundingClientRect().left`)
	b.is(isAtRest + ` && $(".panel").getAttribute("role") === "region" && scrollY === 0`)
	b.write("Hello")
	b.until(`$(".own.sent")`)
	f.reply(t, "Good day!")
	b.until(`rows().at(-1) === "Good day!"`)
	b.shot("light")
	b.accessible()
	b.run(`$("textarea").focus()`)
	b.escape()
	b.run(`(RelayChat.close(), RelayChat.toggle())`)
	b.is(`shown(".panel") && RelayChat.isOpen`)
	b.run(`RelayChat.hide()`)
	b.until(`!shown(".panel") && host.offsetHeight === 0 && !RelayChat.isOpen`)
	b.run(`RelayChat.show()`)
	b.until(`shown(".panel") && RelayChat.isOpen`)
	b.run(`RelayChat.setTheme("dark")`)
	b.until(`$(".panel.dark")`)
	b.shot("dark")
	b.accessible()
	b.inlined("/contact?dir=rtl", "420px")
	b.run(`RelayChat.setLocale("ar")`)
	b.until(`$(".panel").dir === "rtl" && rows().length === 3`)
	b.shot("rtl")
	b.accessible()
	b.run(`RelayChat.destroy()`)
	b.run(`wait(200)`)
	b.is(`!document.querySelector("relay-chat")`)
	b.clean()
}

// On a phone it stays a part of the page, which can be used besides.
func TestInlineOnPhones(t *testing.T) {
	_, b := ready(t, inline)
	b.do(chromedp.EmulateViewport(390, 800))
	b.inlined("/contact", "70vh")
	b.is(`$(".panel").offsetHeight === 560 && getComputedStyle($(".panel")).position === "relative" && !document.body.inert && !$(".panel").ariaModal`)
	b.is(isAtRest + ` && document.documentElement.scrollWidth <= 390`)
	b.shot("phone")
	b.accessible()
	b.clean()
}

// Where no target is named it stands behind the script; a place without a height gets one.
func TestInlineBehindTheScript(t *testing.T) {
	_, b := ready(t, `data-mode="inline"`)
	b.until(`shown(".panel") && $("textarea")`)
	b.is(`host.previousElementSibling.matches("script[data-mode]") && host.offsetHeight === 600 && $(".panel").offsetHeight === 600`)
	b.clean()
}

// TestInlineInApplications: an application takes the element away and puts another one into
// the page; the chat rests meanwhile, and an earlier page's chat opens on no later one.
func TestInlineInApplications(t *testing.T) {
	t.Parallel()
	f := newFake(t)
	b := newTab(t, newSite(t, f.url(), ""))
	b.visit("/")
	b.run(`import("` + f.url() + `/widget.mjs").then((m) => m.default.init({ apiKey: "pk_test", mode: "inline", target: "#chat" }))`)
	b.run(`wait(500)`)
	b.is(`!document.querySelector("relay-chat") && !RelayChat.isOpen`)
	for i := range 2 {
		b.place("300px")
		b.until(`shown(".panel") && RelayChat.isOpen && host.offsetHeight === 300`)
		b.write(fmt.Sprint("page ", i))
		b.until(fmt.Sprintf(`$$(".own.sent").length === %d`, i+1))
		b.run(`document.querySelector("#chat").remove()`)
		b.until(`!RelayChat.isOpen`)
	}
	f.reply(t, "Are you there?")
	b.until(`RelayChat.unread === 1`)
	b.place("300px")
	b.until(`rows().at(-1) === "Are you there?" && RelayChat.unread === 0`)
	b.is(`!Object.keys(sessionStorage).some((key) => key.endsWith(":open"))`)
	b.run(`RelayChat.reset({ newSession: true })`)
	b.until(`shown(".panel") && !$(".own")`)
	b.clean()
}
