package e2e

import (
	"cmp"
	"net/http"
	"os"
	"testing"

	"github.com/chromedp/chromedp"
)

// testChatPage: a conversation without any website, on a screen and on a phone, which is the
// same one after a reload.
func testChatPage(t *testing.T, s *fixture) {
	folder := cmp.Or(os.Getenv("RELAY_SCREENSHOTS"), t.TempDir())
	v := s.newTab(t)
	v.visit(s.base + "/chat")
	v.until(`document.title === "Support" && document.querySelector("relay-chat").shadowRoot.querySelector("textarea")`)
	const panel = `document.querySelector("relay-chat").shadowRoot.querySelector(".panel")`
	v.until(panel + ` && !` + panel + `.hidden && ` + panel + `.offsetHeight > innerHeight - 60 && ` + panel + `.offsetWidth === 720`)
	v.shot(folder, "chat-page")
	v.write("Hello from a card in the window")
	o := s.newOperator(t, "Ada")
	o.until(`$$("#rows a").length === 1 && $("#rows .row-source").ariaLabel === "Written on the chat page"`)
	var mailed struct{ SessionID string }
	s.call(t, http.MethodPost, s.base+"/api/widget/init", s.public, map[string]any{"visitorId": "email:0123456789"}, &mailed)
	s.call(t, http.MethodPost, s.base+"/api/widget/messages", s.public, map[string]any{"sessionId": mailed.SessionID, "content": "Sent from my phone"}, nil)
	o.until(`$$("#rows .row-source").map((n) => n.ariaLabel).join() === "Written by e-mail,Written on the chat page"`)
	o.shot(folder, "chat-page-row")
	v.run(`(document.dispatchEvent(new KeyboardEvent("keydown", {key: "Escape"})), RelayChat.close())`)
	v.until(`RelayChat.isOpen && !` + panel + `.hidden`)
	v.do(chromedp.EmulateViewport(390, 844, chromedp.EmulateMobile))
	v.until(`document.documentElement.scrollWidth <= 390 && ` + panel + `.offsetWidth === innerWidth && ` + panel + `.offsetHeight === innerHeight`)
	v.do(chromedp.Reload())
	v.until(`document.querySelector("relay-chat").shadowRoot.textContent.includes("Hello from a card in the window")`)
	v.shot(folder, "chat-page-phone")
	v.clean()
	o.clean()
}
