package e2e

import (
	"cmp"
	"fmt"
	"os"
	"testing"

	"github.com/chromedp/chromedp"
)

// testSearchMessages: what was said is found while it is typed, marked, page by page, and a
// hit leads to its message far up; the same on a phone, and when relay answers no more.
func testSearchMessages(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	p := s.newPair(t, "Wo ist mein Päckchen von <b>Søren</b>?")
	b := p.operator
	for i := 1; i <= 120; i += 20 { // in the time of one wait
		b.run(fmt.Sprintf(`(async () => {
		const send = (body) => fetch("/api/admin/sessions/" + location.hash.split("/")[2] + "/messages", {method: "POST", headers: {"Content-Type": "application/json"}, body: JSON.stringify(body)});
		for (let i = %[1]d; i < %[1]d + 20; i++) await send({content: "We look for it, **answer** number " + i + (i %% 4 ? "" : ", the parcel is on its way"), internal: i === 3});
	})()`, i))
	}
	b.until(`$$("#messages .bubble").length > 60`)
	b.do(chromedp.Reload()) // only the newest messages are loaded
	b.until(`$$("#messages .bubble").length >= 30 && $$("#messages .bubble").length < 100`)
	b.wait("the messages are indexed", func() bool {
		return look[bool](b, `fetch("/api/admin/search?q=number+120").then((r) => r.json()).then((a) => a.messages.length === 1)`)
	})
	b.enter("#search", "soren packc")
	b.until(`$$("#hit-rows a").length === 1 && [...$$("#hit-rows mark")].map((n) => n.textContent).join() === "Päckchen,Søren" && text("#hit-rows .hit-text") === "Wo ist mein Päckchen von <b>Søren</b>?"`)
	b.until(`text("#hits-note") === "1 message." && !shown("#filter") && text("#list-note") === "No conversation matches “soren packc”."`)
	b.shot(folder, "search")
	b.click("#hit-rows a")
	b.until(`location.hash.split("/").length === 4 && [...$$("#messages .bubble")].some((n) => n.textContent.includes("Päckchen") && n.getBoundingClientRect().top > 0 && n.getBoundingClientRect().bottom < innerHeight)`)
	b.until(`$("#hit-rows a").getAttribute("aria-current") === "true"`)
	b.shot(folder, "search-jump")

	b.enter("#search", "parcel way")
	b.until(`$$("#hit-rows a").length === 20 && text("#hits-note") === "The newest 20 messages." && shown("#hits-more")`)
	b.run(`($("#hits-more").focus(), $("#hits-more").click())`)
	b.until(`$$("#hit-rows a").length === 30 && text("#hits-note") === "30 messages." && !shown("#hits-more") && document.activeElement === $$("#hit-rows a")[20]`)
	b.until(`new Set($$("#hit-rows a").map((n) => n.hash)).size === 30`)
	b.enter("#search", "note nobody said this")
	b.until(`!$("#hit-rows a") && text("#hits-note") === "No message has these words."`)
	b.enter("#search", "number 3")
	b.until(`$("#hit-rows .hit-note") && text("#hit-rows li:last-child .hit-note").startsWith("Note")`)
	b.until(`text("#hit-rows li:last-child .hit-text").endsWith("We look for it, answer number 3") && text("#hit-rows li:last-child mark") === "number"`)
	b.until(`$(".rail").scrollWidth === $(".rail").clientWidth`)

	b.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	b.run(`(location.hash = "#/")`)
	b.enter("#search", "packchen")
	b.until(`$$("#hit-rows a").length === 1 && text("#hit-rows mark") === "Päckchen" && document.documentElement.scrollWidth <= 390 && $("#hit-rows a").offsetHeight >= 44`)
	b.shot(folder, "search-phone")
	b.run(`$("#hit-rows a").focus()`)
	b.press("Enter", 13)
	b.until(`shown("#pane") && [...$$("#messages .bubble")].some((n) => n.textContent.includes("Päckchen") && n.getBoundingClientRect().top > 0 && n.getBoundingClientRect().bottom < innerHeight)`)
	b.do(chromedp.Reload())
	b.until(`[...$$("#messages .bubble")].some((n) => n.textContent.includes("Päckchen") && n.getBoundingClientRect().top > 0 && n.getBoundingClientRect().bottom < innerHeight)`)
	b.run(`(location.hash = "#/")`)
	b.run(`((real) => { window.fetch = (url, init) => String(url).includes("/search") ? Promise.reject(new Error()) : real(url, init); window.restore = () => { window.fetch = real; }; })(fetch)`)
	b.enter("#search", "päckchen")
	b.until(`text("#hits-note") === "Messages could not be searched: relay cannot be reached." && shown("#hits-retry")`)
	b.run(`restore()`)
	b.click("#hits-retry")
	b.until(`$$("#hit-rows a").length === 1`)
	b.enter("#search", "")
	b.until(`!shown("#hits") && shown("#filter") && $$("#rows a").length === 1`)
	b.clean()
}

// testSearchKeys: the arrow keys lead from the field through conversations and messages and
// back, and open nothing; Enter does. Without a search they are what they are elsewhere.
func testSearchKeys(t *testing.T, s *fixture) {
	ann := s.sayAs(t, "v-ann", "ann.lamp@example.com", "Is the lamp in stock?")
	bob := s.sayAs(t, "v-bob", "bob.lamp@example.com", "A lamp for Bob")
	b := s.newOperator(t, "Ada")
	b.until(`$$("#rows a").length === 2`)
	b.until(`await fetch("/api/admin/search?q=lamp").then((r) => r.json()).then((a) => a.messages.length === 2)`) // they are indexed
	b.run(`$("#search").focus()`)
	b.press("ArrowDown", 40)
	b.until(`document.activeElement.id === "search"`)
	b.enter("#search", "lamp")
	b.until(`$$("#hit-rows a").length === 2 && $$("#rows a").length === 2`)
	const results = `[$("#search"), ...$$("#rows a"), ...$$("#hit-rows a")]`
	press := func(key string, code int64, want ...int) {
		for _, at := range want {
			b.press(key, code)
			b.until(`document.activeElement === `+results+`[%v] && !location.hash.includes("sessions")`, at)
		}
	}
	press("ArrowDown", 40, 1, 2, 3, 4, 4)
	press("ArrowUp", 38, 3, 2, 1, 0, 0)
	b.enter("#search", "bob")
	b.until(`$$("#hit-rows a").length === 1 && $$("#rows a").length === 1`)
	press("ArrowDown", 40, 1)
	b.press("Enter", 13)
	b.until(`location.hash === %s && text("#thread-name") === "bob.lamp@example.com"`, "#/sessions/"+bob)
	b.enter("#search", "stock")
	b.until(`$$("#hit-rows a").length === 1 && !$("#rows a")`)
	b.press("ArrowDown", 40)
	b.until(`document.activeElement === $("#hit-rows a")`)
	b.press("Enter", 13)
	b.until(`location.hash.startsWith(%s) && text("#thread-name") === "ann.lamp@example.com"`, "#/sessions/"+ann+"/")
	b.clean()
}
