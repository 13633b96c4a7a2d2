package e2e

import (
	"cmp"
	"fmt"
	"net/http"
	"os"
	"testing"

	"github.com/chromedp/chromedp"
)

// testUnread: u and the menu make a conversation unread for everybody, until somebody opens it.
func testUnread(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	p := s.newPair(t, "Where is my parcel?")
	b := p.operator
	other := s.newOperator(t, "Grace")
	other.until(`$$("#rows a").length === 1 && !$("#rows .unread")`)
	b.run(`$("#log").focus()`)
	b.press("u", 85)
	b.until(`location.hash === "#/" && text("#rows .unread .badge") === "1 unread" && document.activeElement.matches("#rows a")`)
	other.until(`text("#rows .unread .badge") === "1 unread" && document.title.startsWith("(1)")`)
	b.shot(folder, "unread")
	other.click("#rows a")
	other.until(`shown("#pane") && !$("#rows .unread")`)
	b.until(`!$("#rows .unread")`)
	b.press("u", 85) // the row has the focus
	b.until(`$("#rows .unread")`)
	other.until(`$("#rows .unread")`) // who has it open does not read it unasked
	b.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	b.click("#rows a")
	b.until(`shown("#pane") && !$("#rows .unread")`)
	b.click("#thread-more")
	b.click("#menu-unread")
	b.until(`$("#rows .unread") && shown("#rows")`)
	b.clean()
	other.clean()
}

// testBulk: several conversations are selected by keys, clicks and ranges, and changed at once.
func testBulk(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	b := s.newOperator(t, "Ada")
	ids := make([]string, 5)
	for i := range ids {
		ids[i] = s.say(t, fmt.Sprint("Question ", i))
		b.until(`$("#rows a")?.textContent.includes(%s)`, fmt.Sprint("Question ", i)) // the newest stands first
	}
	picked := func(want string) {
		t.Helper()
		b.until(`$$(".pick").map((n) => (n.checked ? "x" : ".")).join("") === %s`, want)
	}
	b.run(`$("#rows a").focus()`)
	b.press("x", 88)
	picked("x....")
	b.until(`text("#bulk b") === "1 selected" && document.activeElement.matches("#rows li:first-child a")`)
	const shift = 8
	b.press("ArrowDown", 40, shift)
	b.press("ArrowDown", 40, shift)
	picked("xxx..")
	b.press("ArrowUp", 38, shift)
	picked("xx...")
	b.press("Escape", 27)
	picked(".....")
	b.until(`!shown("#bulk") && location.hash !== "#/none"`)
	b.click("#rows li:nth-child(2) .pick")
	x, y := b.point("#rows li:nth-child(4) a")
	b.do(chromedp.MouseClickXY(x, y, chromedp.ButtonModifiers(chromedp.Modifier(shift))))
	picked(".xxx.")
	b.until(`location.hash === "" || location.hash === "#/"`) // nothing was opened
	b.shot(folder, "bulk")
	b.click("#bulk-tag")
	b.enter("#bulk .menu-form .input", "wave")
	b.shot(folder, "bulk-tag")
	b.accessible("tags of several")
	b.click("#bulk .menu-form .button")
	b.until(`$$("#rows .tag.label").length === 3 && text("#bulk b") === "3 selected" && text("#announce") === "3 conversations changed"`)
	b.click("#bulk-snooze")
	b.until(`document.activeElement.textContent.startsWith("In an hour")`)
	b.press("Escape", 27) // the menu first
	b.until(`!shown("#bulk .head-menu") && shown("#bulk") && document.activeElement.id === "bulk-snooze"`)
	b.run(`$("#rows a").focus()`)
	s.call(t, http.MethodPost, s.base+"/api/admin/sessions/"+ids[2]+"/close", s.secret, map[string]any{}, nil) // by somebody else
	b.until(`$$("#rows a").length === 4`)
	b.until(`shown("#bulk-reopen")`)
	b.click("#bulk-snooze")
	b.click("#bulk .menu-item")
	b.until(`text("#toast-text") === "1 of 3 not changed: A closed conversation cannot be snoozed. Reopen it first" && text("#bulk b") === "1 selected"`)
	b.click("#toast-close")
	b.click("#bulk-reopen")
	b.until(`$$("#rows a").length === 5 && !shown("#bulk")`)
	b.click("#pick")
	b.until(`text("#bulk b") === "Select conversations" && $("#bulk-close").disabled && getComputedStyle($(".pick")).opacity === "1"`)
	b.accessible("nothing selected yet")
	b.click("#bulk .link-button")
	picked("xxxxx")
	b.accessible("several selected")
	b.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	b.until(`$$("#bulk button").every((n) => !n.checkVisibility() || n.offsetHeight >= 44)`)
	b.shot(folder, "bulk-phone")
	b.do(chromedp.EmulateViewport(1280, 800))
	b.click("#bulk-read")
	b.until(`!$("#rows .unread") && !shown("#bulk")`)
	b.run(`$("#rows a").focus()`)
	for range 4 {
		b.press("ArrowDown", 40, shift)
	}
	picked("xxxxx")
	b.press("e", 69)
	b.until(`!$("#rows a") && text("#list-note") === "No open conversations." && !shown("#bulk")`)
	b.clean()
}

// testCollision: operators see who else looks at a conversation or writes in it, until she leaves.
func testCollision(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	p := s.newPair(t, "Where is my parcel?")
	ada := p.operator
	s.say(t, "Another question")
	grace := s.newOperator(t, "Grace")
	grace.until(`$$("#rows a").length === 2 && text("#rows .viewer .sr") === "Ada is looking at this"`) // from before
	grace.run(`[...$$("#rows a")].find((n) => n.querySelector(".viewer")).click()`)
	grace.until(`text("#others span:last-child") === "Ada is looking at this"`)
	ada.until(`text("#others span:last-child") === "Grace is looking at this" && text("#rows .viewer .sr") === "Grace is looking at this"`)
	ada.shot(folder, "looking")
	ada.enter("#composer", "It is on")
	grace.until(`text("#others span:last-child") === "Ada is writing…" && text("#rows .typing") === "Ada is writing…" && !shown("#typing")`)
	grace.shot(folder, "writing")
	grace.accessible("somebody else writes")
	ada.write("It is on its way")
	grace.until(`text("#others span:last-child") === "Ada is looking at this"`)
	grace.accessible("somebody else looks")
	ada.run(`[...$$("#rows a")].find((n) => n.ariaCurrent !== "true").click()`)
	grace.until(`!shown("#others") && $$("#rows .viewer").length === 1`)
	ada.run(`history.back()`)
	grace.until(`shown("#others")`)
	ada.visit("about:blank")
	grace.until(`!shown("#others") && !$("#rows .viewer")`)
	grace.clean()
}

// testMessageLink: a message's link opens its part of the history, also for who has to sign in first.
func testMessageLink(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	b := s.newPair(t, "The first words").operator
	b.run(`(navigator.clipboard.writeText = (text) => ((window.copied = text), Promise.resolve()))`)
	b.point(".message .bubble")
	b.shot(folder, "message-tools")
	b.click(`.message [aria-label="Copy link to this message"]`)
	b.until(`text("#answer-text") === "The link to this message is copied." && window.copied.includes($(".message").dataset.id)`)
	link := eval[string](b, `window.copied`)
	for i := range 70 { // so many that the first is not on the newest page
		s.call(t, http.MethodPost, s.base+"/api/admin/sessions/"+b.session()+"/messages", s.secret, map[string]any{"content": fmt.Sprint("Answer ", i)}, nil)
	}
	other := s.newTab(t)
	other.visit(link)
	other.enter("#name", "Grace")
	other.enter("#key", s.secret)
	other.run(`$("#key").form.requestSubmit()`)
	other.until(`document.activeElement.matches(".message") && document.activeElement.textContent.includes("The first words")`)
	other.until(`shown("#to-end") && document.activeElement.getBoundingClientRect().top > 0`)
	other.shot(folder, "message-link")
	b.run(`(navigator.clipboard.writeText = () => Promise.reject(new Error("no")))`)
	b.run(`$('.message:last-child [aria-label="Copy link to this message"]').click()`)
	b.until(`text("#answer-text").endsWith("in the address bar.") && location.hash.endsWith($(".message:last-child").dataset.id)`)
	b.clean()
	other.clean()
}

// testTranscript: the menu opens a page to print, which axe and dark mode find in order.
func testTranscript(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	p := s.newPair(t, "Do you ship to <b>Norway</b>?\nAnd when?")
	b := p.operator
	b.write("Yes, within a week")
	s.call(t, http.MethodPost, s.base+"/api/admin/sessions/"+b.session()+"/messages", s.secret, map[string]any{"content": "ask the warehouse", "internal": true}, nil)
	b.until(`$$(".message:not(.local)").length === 3`)
	b.run(`(window.open = (url) => (window.opened = url), HTMLAnchorElement.prototype.click = function () { window.saved = this.href; })`)
	for _, entry := range []string{"#menu-text", "#menu-json", "#menu-print"} {
		b.click("#thread-more")
		b.click("#menu-keep")
		b.until(`document.activeElement.id === "menu-print"`)
		b.shot(folder, "export-menu")
		b.click(entry)
		b.until(`!shown(".head-menu")`)
	}
	b.until(`window.saved.endsWith("/export") && window.opened.includes("/transcript?timezone=")`)
	b.accessible("menu of a conversation")
	b.clean()
	b.visit(s.base + eval[string](b, `window.opened`))
	b.until(`text("h1").startsWith("Conversation with ") && $$(".message").length === 2 && !text("main").includes("warehouse") && !$(".words b")`)
	b.accessible("transcript")
	b.clean()
}

// testSavedViews: what the list shows gets a name, is there after a reload, moves and goes.
func testSavedViews(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	b := s.newOperator(t, "Ada")
	for _, tag := range []string{"vip", "refund"} {
		id := s.say(t, "About a "+tag)
		s.call(t, http.MethodPatch, s.base+"/api/admin/sessions/"+id, s.secret, map[string]any{"tags": []string{tag}}, nil)
	}
	saveAs := func(tag, name string) {
		t.Helper()
		b.until(`shown("#tag-filter") && [...$("#tags").options].some((o) => o.value === %s)`, tag)
		b.run(`Object.assign($("#tags"), {value: "` + tag + `"}).dispatchEvent(new Event("change"))`)
		b.until(`$$("#rows a").length === 1`)
		b.click("#view-save")
		b.enter("#view-name", name)
		b.click(".view-form .button")
	}
	b.until(`!$("#view-save")?.checkVisibility()`)
	saveAs("vip", "VIPs")
	b.until(`!shown("dialog[open]") && $(".views [aria-pressed=true]").textContent === "VIPs" && !shown("#view-save")`)
	saveAs("refund", "vips")
	b.until(wrongIn, "#view-name", "Another view has this name.")
	b.shot(folder, "view-name")
	b.accessible("view without a name of its own")
	b.enter("#view-name", "Money back")
	b.click(".view-form .button")
	b.until(`!shown("dialog[open]") && $$(".views [aria-pressed]").length === 2`)
	b.do(chromedp.Reload())
	b.until(`$$("#rows a").length === 2 && $$(".views [aria-pressed]").map((n) => n.textContent).join() === "VIPs,Money back"`)
	b.click(".views [aria-pressed]")
	b.until(`$$("#rows a").length === 1 && $("#tags").value === "vip" && $(".views [aria-pressed=true]").textContent === "VIPs"`)
	b.shot(folder, "views")
	b.click("#view-edit")
	b.accessible("views")
	b.click(`[aria-label="Move Money back up"]`)
	b.until(`$$(".view-list span").map((n) => n.textContent).join() === "Money back,VIPs" && document.activeElement.closest(".view-list")`)
	b.click(`[aria-label="Delete VIPs"]`)
	b.until(`$$(".views [aria-pressed]").map((n) => n.textContent).join() === "Money back" && document.activeElement.closest("dialog")`)
	b.press("Escape", 27)
	b.clean()
}

// testPickers: the composer's buttons put emoji and saved answers where the cursor is.
func testPickers(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	b := s.newPair(t, "Do you ship to Norway?").operator
	b.click("#saved")
	b.until(`text(".picker:not([hidden]) .hint").startsWith("There are no saved answers yet.")`)
	b.accessible("no saved answers")
	b.press("Escape", 27)
	b.until(`document.activeElement.id === "composer" && $("#saved").ariaExpanded === "false"`)
	for name, text := range map[string]string{"hours": "We open at nine.", "shipping": "We ship to all of Europe."} {
		s.call(t, http.MethodPut, s.base+"/api/admin/saved-answers/"+name, s.secret, map[string]any{"content": text}, nil)
	}
	b.do(chromedp.Reload())
	b.until(`shown("#composer") && $$(".message").length === 1`)
	b.enter("#composer", "Hello! ")
	b.click("#saved")
	b.until(`$$(".picker:not([hidden]) button").length === 2`)
	b.shot(folder, "saved-answers")
	b.accessible("saved answers to pick")
	b.enter(".picker:not([hidden]) input", "europe")
	b.until(`$$(".picker:not([hidden]) button").length === 1`)
	b.press("Enter", 13)
	b.until(`$("#composer").value === "Hello! We ship to all of Europe." && document.activeElement.id === "composer" && !shown(".picker")`)
	b.click("#emoji")
	b.until(`$$(".picker:not([hidden]) .signs button").length > 100 && document.activeElement.matches(".picker input")`)
	b.shot(folder, "emoji")
	b.accessible("emoji")
	b.press("ArrowDown", 40)
	b.press("ArrowRight", 39)
	b.until(`document.activeElement.ariaLabel === "smile happy"`)
	b.run(`document.activeElement.click()`)
	b.until(`$("#composer").value === "Hello! We ship to all of Europe.😃" && !$("#send").disabled`)
	b.click("#send")
	b.until(`$$(".message").length === 2 && $("#composer").value === ""`)
	b.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	b.until(`!shown("#emoji") && shown("#saved") && document.documentElement.scrollWidth <= 390`)
	b.shot(folder, "composer-phone")
	b.clean()
}
