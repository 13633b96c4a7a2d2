package e2e

import (
	"cmp"
	"net/http"
	"os"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
)

// testStatistics: the numbers of a range, drawn and as tables, lead to what they count.
func testStatistics(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	ann := s.sayAs(t, "v-ann", "ann@example.com", "I am Ann")
	s.sayAs(t, "v-bob", "bob@example.com", "I am Bob")
	s.call(t, http.MethodPost, s.base+"/api/admin/sessions/"+ann+"/messages", s.secret, map[string]any{"content": "Hello Ann", "operatorName": "Ada"}, nil)
	s.call(t, http.MethodPost, s.base+"/api/widget/csat", s.public, map[string]any{"sessionId": ann, "score": 4, "comment": "<b>fast</b>"}, nil)
	b := s.newOperator(t, "Ada")
	b.click("#statistics-link")
	b.until(`document.activeElement.id === "statistics-title" && text(".tiles").includes("Conversations2")`)
	b.until(`text(".tiles").includes("Waiting now1") && text(".tiles").includes("Rating4.0 of 5")`)
	b.until(`$$("svg.chart[role=img]").length === 4 && $$("svg.chart .bar.operator").length === 1`)
	b.until(`text(".comments").includes("<b>fast</b>") && $$("details table").length === 4`)
	b.shot(folder, "statistics")
	s.showPage(t, b, folder, "statistics")
	b.run(`$("#statistics summary").click()`)
	b.until(`$$("details[open] tbody tr").length === 30`)
	b.run(`Object.assign($("#statistics-range"), {value: ""}).dispatchEvent(new Event("change"))`)
	b.until(`shown("#statistics .dates")`)
	b.run(`Object.assign($("[aria-label=From]"), {value: "2026-03-02"}).dispatchEvent(new Event("change"))`)
	b.run(`Object.assign($("[aria-label=To]"), {value: "2026-03-01"}).dispatchEvent(new Event("change"))`)
	b.until(`shown("#statistics .alert") && text("#statistics .alert").includes("from must not be after to")`)
	b.run(`Object.assign($("#statistics-range"), {value: "7"}).dispatchEvent(new Event("change"))`)
	b.until(`!shown("#statistics .alert") && $$("#statistics .downloads a").every((a) => a.href.includes("statistics.csv?from="))`)
	b.until(`$(".comments a")?.click() || location.hash === "#/sessions/" + %s && !shown("#statistics")`, ann)
	b.clean("400")
}

// testPrivacy: one visitor is found, handed over and deleted, and what remains is listed.
func testPrivacy(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	s.sayAs(t, "v-ann", "ann@example.com", "I am Ann")
	s.sayAs(t, "v-bob", "bob@example.com", "I am Bob")
	b := s.newOperator(t, "Ada")
	b.settings("privacy", "Privacy")
	b.enter("#privacy input[type=search]", "carl@example.com")
	b.click("#privacy .find button")
	b.until(`text("#privacy .find + [role=status]").startsWith("No conversations of this visitor")`)
	b.run(`$("#privacy input[type=search]").value = ""`)
	b.enter("#privacy input[type=search]", "ann@example.com")
	b.click("#privacy .find button")
	b.until(`$$(".found li").length === 1 && text(".found").includes("ann@example.com")`)
	b.shot(folder, "privacy")
	s.showPage(t, b, folder, "privacy")
	if status := eval[int](b, `fetch($("#privacy a[download]").href).then((r) => r.status)`); status != 200 {
		t.Errorf("the download answers %d", status)
	}
	b.click("#privacy .danger-text")
	b.click("#ask-yes")
	b.until(`text("#privacy .find + [role=status]") === "Deleted: 1 conversation." && text("#privacy").includes("Backups, until they are rotated")`)
	b.until(`$$("#rows > li").length === 1`) // the list has noticed
	s.sayAs(t, "v-eve", "bob@example.com", "I claim to be Bob")
	b.run(`$("#privacy input[type=search]").value = ""`)
	b.enter("#privacy input[type=search]", "bob@example.com")
	b.click("#privacy .find button")
	b.until(`$$(".found input").length === 2 && !$$(".found input:checked").length && text(".found").includes("claims to be") && $("#privacy .danger-text").disabled`)
	b.shot(folder, "privacy-claims")
	s.showPage(t, b, folder, "privacy-claims")
	b.click(".found li:last-child input")
	if status := eval[int](b, `fetch($("#privacy a[download]").href).then((r) => r.status)`); status != 200 {
		t.Errorf("the download of one of two answers %d", status)
	}
	b.click("#privacy .danger-text")
	b.until(`text("#ask").includes("Delete 1 conversation of bob@example.com")`)
	b.click("#ask-yes")
	b.until(`text("#privacy .find + [role=status]") === "Deleted: 1 conversation." && $$("#rows > li").length === 1`)
	b.enter("#privacy input[type=number]", "9")
	b.until(`text("#save-count") === "1 change"`)
	b.click("#save")
	b.until(`text("#save-count") === "Saved."`)
	b.clean()
}

// testSystem: the page says how relay is doing, what waits, and how to get backups.
func testSystem(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	b := s.newOperator(t, "Ada")
	b.settings("system", "System")
	b.until(`$$("#system .finding").length >= 4 && text("#system").includes("SQLite file") && text("#system").includes("Nothing waits.")`)
	b.until(`text("#system").includes("set BACKUP_DIR to a folder")`)
	b.until(`shown("#system a[download]") && text("#system a[download]") === "Back up now"`)
	if got := eval[string](b, `fetch($("#system a[download]").href).then((r) => r.text()).then((file) => file.slice(0, 15))`); got != "SQLite format 3" {
		t.Errorf("the backup begins with %q", got)
	}
	b.shot(folder, "system")
	s.showPage(t, b, folder, "system")
	b.clean()
}

// showPage takes pictures of a page in the dark and on a phone, where it must fit.
func (s *fixture) showPage(t *testing.T, b *tab, folder, name string) {
	t.Helper()
	protocol(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{Features: []*emulation.MediaFeature{{Name: "prefers-color-scheme", Value: "dark"}}})
	b.shot(folder, name+"-dark")
	b.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	b.shot(folder, name+"-phone")
	if wide := eval[int](b, `document.documentElement.scrollWidth`); wide > 390 {
		t.Errorf("the page is %d pixels wide", wide)
	}
	protocol(b, emulation.SetEmulatedMedia, emulation.SetEmulatedMediaParams{})
	b.do(chromedp.EmulateViewport(1280, 800))
}

// testNotify: a message of a visitor is sounded and shown while the console is not looked at,
// by one tab, unless it is muted; the console is an app with a service worker.
func testNotify(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	b := s.newOperator(t, "Ada")
	b.until(`document.querySelector("link[rel=manifest]") !== null`)
	if name := eval[string](b, `fetch($("link[rel=manifest]").href).then((r) => r.json()).then((app) => fetch(app.icons[1].src).then((r) => app.name + " " + r.headers.get("Content-Type")))`); name != "relay image/png" {
		t.Errorf("the app is %q", name)
	}
	// No sound card and no desktop: what would be sounded and shown is noted instead.
	b.run(`(() => { window.shown = []; window.tones = 0; document.hasFocus = () => window.looking;
		window.Notification = class { static permission = "granted"; constructor(title, o) { window.shown.push(title + ": " + o.body + " " + o.tag); } close() {} };
		AudioContext.prototype.createOscillator = function () { window.tones++; return { frequency: {}, connect: (to) => to, start() {}, stop() {} }; } })()`)
	b.click("#me")
	b.until(`shown("#me-menu") && $("#sound").checked`)
	b.shot(folder, "menu")
	id := s.sayAs(t, "v-ann", "", "Is anybody there?")
	b.until(`window.shown.length === 1 && window.shown[0].endsWith(": Is anybody there? " + %s)`, id)
	b.until(`window.tones === 2 || !navigator.userActivation.hasBeenActive`)
	b.click("#sound")
	b.run(`Object.assign(window, { looking: true, tones: 0 })`)
	s.sayAs(t, "v-bob", "", "Hello?")
	b.until(`$$("#rows > li").length === 2`)
	b.until(`window.tones === 0 && window.shown.length === 1 && await fetch("/api/admin/me").then((r) => r.json()).then((me) => me.preferences.sound === false) && document.title.startsWith("(2)")`)
	b.click(`#me-menu a[href="#/notifications"]`)
	b.until(`text("#notifications-title") === "Notifications" && shown("#notifications")`)
	b.until(`$("#notifications .button.main")?.textContent === "Notify me in this browser"`)
	b.shot(folder, "notifications")
	s.showPage(t, b, folder, "notifications")
	b.run(`navigator.serviceWorker.register("/static/worker.js", { scope: "/console" })`)
	b.until(`await navigator.serviceWorker.getRegistration("/console").then((r) => r?.active?.state === "activated" && new URL(r.scope).pathname === "/console")`)
	b.clean()
}
