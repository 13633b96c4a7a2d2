package e2e

import (
	"cmp"
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
