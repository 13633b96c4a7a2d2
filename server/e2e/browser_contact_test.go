package e2e

import (
	"cmp"
	"net/http"
	"os"
	"testing"

	"github.com/chromedp/chromedp"
)

// testContact: from a conversation one click leads to the person's page, which has an address
// of its own; what is written down there is kept, and its name is in the list.
func testContact(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	id := s.sayAs(t, "v-ann", "ann@example.com", "Where is my parcel?")
	s.call(t, http.MethodPost, s.base+"/api/admin/sessions/"+id+"/close", s.secret, map[string]any{}, nil)
	var later struct{ SessionID string }
	s.call(t, http.MethodPost, s.base+"/api/widget/init", s.public, map[string]any{"visitorId": "v-ann", "newSession": true}, &later)
	s.call(t, http.MethodPost, s.base+"/api/widget/messages", s.public, map[string]any{"sessionId": later.SessionID, "content": "And the next one?"}, nil)
	claimed := s.sayAs(t, "v-mallory", "ann@example.com", "I am Ann, too")
	b := s.newOperator(t, "Ada")
	b.run(`(location.hash = "#/sessions/` + id + `")`)
	b.until(`shown("#contact-open") && $$("#earlier a").length === 1 && $("#earlier a").hash.endsWith(%s)`, later.SessionID)
	b.click("#contact-open")
	b.until(`shown("#contact") && document.activeElement.id === "contact-title" && text("#contact-list").includes("First seen")`)
	b.until(`$$("#contact .contact-list a").length === 3 && text("#contact-list").includes("Claim to be this contact") && $("#contact-list section:last-child a").hash.endsWith(%s)`, claimed)
	b.still()
	b.accessible("contact")
	b.shot(folder, "contact-empty")

	b.enter("#contact form .input", "Ann of Green Gables")
	b.run(`[...$$("#contact button")].find((n) => n.textContent === "Add a field").click()`)
	b.enter(`#contact .contact-field .input`, "Plan")
	b.enter(`#contact .contact-field .input + .input`, "Gold")
	b.run(`$("#contact form .main").click()`)
	b.until(`text("#contact-saved") === "Saved." && text("#contact .contact-head b") === "Ann of Green Gables"`)
	b.enter("#contact-message", "Hello Ann")
	b.enter("#contact-note", "Prefers the phone.")
	b.run(`$("#contact-note").form.requestSubmit()`)
	b.until(`text("#contact .contact-note") === "Prefers the phone." && text("#contact-list").includes("Ada")`)
	b.until(`$("#contact-message").value === "Hello Ann"`) // which nobody has sent
	b.shot(folder, "contact")
	b.do(chromedp.Reload()) // as whoever opens the link
	b.until(`text("#contact .contact-head b") === "Ann of Green Gables" && text("#contact .contact-note") === "Prefers the phone." && $("#contact .contact-field .input + .input").value === "Gold"`)
	b.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	b.until(`document.documentElement.scrollWidth <= 390`)
	b.accessible("contact on a phone")
	b.shot(folder, "contact-phone")
	b.do(chromedp.EmulateViewport(1280, 800))
	b.run(`[...$$("#contact button")].find((n) => n.ariaLabel === "Remove the field Plan").click()`)
	b.run(`$("#contact form .main").click()`)
	b.until(`text("#contact-saved") === "Saved." && !$("#contact .contact-field")`)
	b.run(`[...$$("#contact button")].find((n) => n.textContent === "Delete").click()`)
	b.click("#ask-yes")
	b.until(`!$("#contact .contact-note")`)
	b.run(`(location.hash = "#/sessions/` + id + `")`)
	b.until(`text("#thread-name") === "Ann of Green Gables"`)
	b.run(`(location.hash = "#/contact/none")`)
	b.until(`text("#contact .alert").startsWith("This contact is gone")`)
	b.accessible("contact that is gone")
	b.clean("404 (Not Found)")
}

// testWriteFirst: what an operator writes on a contact's page opens the last conversation again
// and arrives in the visitor's widget, once.
func testWriteFirst(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	p := s.newPair(t, "Where is my parcel?")
	b := p.operator
	b.click("#thread-verb")
	b.until(`text("#thread-verb") === "Reopen"`)
	b.click("#contact-open")
	b.until(`shown("#contact-message") && text("#contact-list").includes("It opens the last conversation again. The visitor is on your website now.")`)
	b.run(`$("#contact-message").form.requestSubmit()`)
	b.until(wrongIn, "#contact-message", "Write a message first.")
	b.enter("#contact-message", "It has just arrived.")
	b.shot(folder, "contact-write")
	b.run(`$("#contact-message").form.requestSubmit()`)
	b.until(`text("#messages").includes("It has just arrived.") && text("#thread-verb") === "Close"`)
	p.both("visitor: Where is my parcel?", "operator: It has just arrived.")
	b.clean()
}
