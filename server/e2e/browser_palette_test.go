package e2e

import (
	"cmp"
	"os"
	"testing"

	"github.com/chromedp/chromedp"
)

// control is the bit of the protocol for a held Ctrl.
const control = 2

// picks is the command that Enter runs, as the field says it.
const picks = `document.getElementById($(".palette-field").getAttribute("aria-activedescendant"))?.querySelector("span").textContent`

// testPalette: the bar says where one is and whether relay is connected; Ctrl+K leads by the
// keyboard alone to pages, lists, conversations and what can be done with the open one.
func testPalette(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	p := s.newPair(t, "Where is my parcel?")
	b := p.operator
	name := eval[string](b, `text("#thread-name")`)
	open := func() {
		t.Helper()
		b.press("k", 75, control)
		b.until(`shown(".palette") && document.activeElement.matches(".palette-field") && $("#palette-list").childElementCount > 0`)
	}
	// command types words until the command is the one that Enter runs, and runs it.
	command := func(words, label string) {
		t.Helper()
		open()
		b.enter(".palette-field", words)
		b.until(picks+` === %s`, label)
		b.press("Enter", 13)
		b.until(`!shown(".palette")`)
	}
	b.until(`text("#bar-title") === "Inbox" && $("#live").ariaLabel === "Connected" && text("#find-key") === "Ctrl K"`)
	b.shot(folder, "bar")
	open()
	b.until(picks + ` === "Write an answer"`)
	b.until(`$$(".palette-option span").some((n) => n.textContent === "Settings: Channels")`)
	if eval[bool](b, `text("#palette-list").includes("Settings: Contact")`) {
		t.Error("the commands lead to a contact's page without a contact")
	}
	b.shot(folder, "palette")
	b.accessible("palette")
	b.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	b.shot(folder, "palette-phone")
	b.do(chromedp.EmulateViewport(1280, 800))
	b.press("ArrowDown", 40)
	b.until(picks + ` === "Write an internal note"`)
	b.press("ArrowUp", 38)
	b.press("ArrowUp", 38)
	b.until(picks + ` === "Sign out"`)
	b.press("Escape", 27)
	b.until(`!shown(".palette")`)

	command("note", "Write an internal note")
	b.until(`$("#note").ariaPressed === "true" && document.activeElement.id === "composer"`)
	b.click("#note")
	command("clos", "Close")
	b.until(`text("#thread-verb") === "Reopen"`)
	command("reopen", "Reopen")
	b.until(`text("#thread-verb") === "Close"`)
	command("snooze", "Snooze…")
	b.until(`shown(".head-menu") && document.activeElement.textContent.startsWith("In an hour")`)
	b.press("Escape", 27)
	command("unread", "Mark as unread")
	b.until(`$("#rows .unread") && location.hash === "#/"`)
	command("privacy", "Settings: Privacy")
	b.until(`shown("#privacy-title") && text("#bar-title") === "Settings"`)
	command("stat", "Statistics")
	b.until(`document.activeElement.id === "statistics-title" && text("#bar-title") === "Statistics"`)
	command("inbox wait", "Inbox: Waiting")
	b.until(`shown("#rows") && $("[data-filter=waiting]").ariaPressed === "true"`)
	open()
	b.enter(".palette-field", name)
	b.until(picks+` === %s && text(".palette-option small") === "/demo · now"`, name)
	b.shot(folder, "palette-found")
	b.press("Escape", 27)
	b.until(`!shown(".palette")`)
	command(name, name)
	b.until(`text("#thread-name") === %s && shown("#pane")`, name)
	command("parcel", "Search messages for “parcel”")
	b.until(`$$("#hit-rows a").length === 1 && $("#search").value === "parcel" && document.activeElement.id === "search"`)
	open()
	b.enter(".palette-field", "zzz")
	b.press("ArrowDown", 40)
	b.press("Enter", 13) // a search is always offered
	b.until(`!shown(".palette") && $("#search").value === "zzz"`)
	b.click("#find")
	b.until(`shown(".palette")`)
	b.press("k", 75, control)
	b.until(`await frame().then(frame).then(() => !shown(".palette") && document.activeElement.id === "find")`)
	s.themes(b, folder, command)
	b.clean("Failed to fetch", "ERR_")
}

// themes chooses a theme, which lasts over a reload, and gives it back to the system; and
// says when relay is gone.
func (s *fixture) themes(b *tab, folder string, command func(words, label string)) {
	b.Helper()
	const dark = `getComputedStyle(document.body).backgroundColor === "rgb(16, 18, 23)"`
	b.until(`!(` + dark + `)`)
	command("theme dark", "Theme: dark")
	b.until(dark)
	b.do(chromedp.Reload())
	b.until(dark + ` && text("#link") === "" && $("#rows")`)
	b.shot(folder, "bar-dark")
	command("theme light", "Theme: light")
	b.until(`!(` + dark + `)`)
	command("theme system", "Theme: as the system")
	b.until(`!(` + dark + `) && document.documentElement.style.colorScheme === ""`)
	s.stop()
	b.until(`text("#link") === "Reconnecting…" && $("#live").ariaLabel === "Not connected"`)
	b.shot(folder, "bar-lost")
}
